package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestByAddress(t *testing.T) {
	cat := New()
	repo := func(id int64, name string) registry.Repository {
		return registry.Repository{Host: registry.GitHub, ID: id, Owner: "octo", Name: name}
	}
	if err := cat.Apply([]registry.Server{
		{ID: 1, Slug: "octo-one", Repo: repo(1, "one"), RegistryName: "com.example/one"},
		{ID: 2, Slug: "octo-mono-a", Repo: repo(2, "mono"), Subfolder: "src/a"},
		{ID: 3, Slug: "octo-mono-b", Repo: repo(2, "mono"), Subfolder: "src/b", Remotes: []registry.Remote{
			{Type: registry.TransportHTTP, URL: "https://octo.example.com/mcp"}}},
	}, nil, 3); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][]string{
		"https://github.com/octo/one":                    {"octo-one"},
		"git clone https://github.com/octo/one.git":      {"octo-one"},
		"io.github.octo/one":                             {"octo-one"},
		"com.example/one":                                {"octo-one"},
		"COM.Example/One":                                {"octo-one"},
		"io.github.octo/mono.src.b":                      {"octo-mono-b"}, // the name of its entry
		"octo/mono":                                      {"octo-mono-a", "octo-mono-b"},
		"https://github.com/octo/mono/tree/main":         {"octo-mono-a", "octo-mono-b"},
		"https://github.com/octo/mono/tree/main/src/b":   {"octo-mono-b"},
		"https://github.com/octo/mono/tree/main/src/b/x": {"octo-mono-b"},
		"https://github.com/octo/mono/tree/main/src/c":   nil,
		"octo/other":                                     nil,
	} {
		items, err := cat.View().ByAddress(address)
		var got []string
		for _, i := range items {
			got = append(got, i.Slug())
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", address, err, diff)
		}
	}
	if _, err := cat.View().ByAddress("com.example/two"); err == nil {
		t.Error("a name that is not listed is accepted")
	}
}
