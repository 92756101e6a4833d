package registry

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forge is a made-up host with nested groups.
var forge = &Host{
	ID: "forge", Name: "Forge", Domain: "forge.example", Aliases: []string{"raw.forge.example"},
	Parse: func(_ string, parts []string) (RepoRef, error) {
		var ref RepoRef
		if i := slices.Index(parts, "-"); i >= 0 {
			if rest := parts[i+1:]; len(rest) > 1 && rest[0] == "src" {
				ref.Path = strings.Join(rest[1:], "/")
			}
			parts = parts[:i]
		}
		if len(parts) < 2 {
			return ref, errors.New("does not name a project")
		}
		last := len(parts) - 1
		ref.Owner, ref.Name = strings.Join(parts[:last], "/"), strings.TrimSuffix(parts[last], ".git")
		return ref, nil
	},
	Pages:     HostPages{Tree: "/-/src/", Blob: "/-/src/", Raw: "/-/raw/", Commit: "/-/commit/", Release: "/-/tags/"},
	Namespace: "example.forge.",
}

// addForge makes forge one of the hosts for the time of a test.
func addForge(t *testing.T) {
	before := Hosts
	Hosts = append(slices.Clone(before), forge)
	t.Cleanup(func() { Hosts = before })
}

func TestParseRepoRefOfAnotherHost(t *testing.T) {
	addForge(t)
	group := RepoRef{Host: "forge", Owner: "rail/tools", Name: "trains"}
	folder := group
	folder.Path = "main/server"
	for in, want := range map[string]RepoRef{
		"https://forge.example/rail/tools/trains":                   group,
		"https://forge.example/rail/tools/trains.git":               group,
		"git@forge.example:rail/tools/trains.git":                   group,
		"ssh://git@forge.example/rail/tools/trains":                 group,
		"forge:rail/tools/trains":                                   group,
		"forge.example/rail/tools/trains":                           group,
		"https://raw.forge.example/rail/tools/trains":               group,
		"https://forge.example/rail/tools/trains/-/src/main/server": folder,
		"rail/trains": {Host: GitHub, Owner: "rail", Name: "trains"},
	} {
		got, err := ParseRepoRef(in)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", in, err, diff)
		}
		if again, err := ParseRepoRef(got.String()); err != nil || again.Key() != got.Key() {
			t.Errorf("%s is shown as %s, which is %v, %v", in, got, again, err)
		}
	}
	_, err := ParseRepoRef("https://forge.example/rail")
	if err == nil || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "does not name a project: give a GitHub or Forge repository") {
		t.Errorf("a group alone: %v", err)
	}
}

func TestRepoRefLinks(t *testing.T) {
	addForge(t)
	type links struct{ URL, Blob, Raw, Tree, Commit, Releases, Release, Issue string }
	of := func(r RepoRef) links {
		return links{
			r.URL(), r.BlobURL("", "a b/#.md"), r.RawURL("abc", "x.png"), r.TreeURL("v1", ""), r.CommitURL("abc"),
			r.ReleasesURL(), r.ReleaseURL("@x/v1"), r.IssueURL("7"),
		}
	}
	const hub, project = "https://github.com/octo/weather", "https://forge.example/rail/tools/trains"
	for _, c := range []struct {
		name string
		ref  RepoRef
		want links
	}{
		{"github", RepoRef{Host: GitHub, Owner: "octo", Name: "weather"}, links{
			hub, hub + "/blob/HEAD/a%20b/%23.md", hub + "/raw/abc/x.png", hub + "/tree/v1", hub + "/commit/abc",
			hub + "/releases", hub + "/releases/tag/@x%2Fv1", hub + "/issues/7",
		}},
		{"nested groups", RepoRef{Host: "forge", Owner: "rail/tools", Name: "trains"}, links{
			project, project + "/-/src/HEAD/a%20b/%23.md", project + "/-/raw/abc/x.png", project + "/-/src/v1",
			project + "/-/commit/abc", "", project + "/-/tags/@x%2Fv1", "",
		}},
		{"unknown host", RepoRef{Host: "other", Owner: "o", Name: "r"}, links{}},
		{"nothing known", RepoRef{}, links{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, of(c.ref)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFindRepoRef(t *testing.T) {
	addForge(t)
	for in, want := range map[string]string{
		"scm:git:https://github.com/o/r.git":        "github:o/r",
		"scm:git:git@github.com:o/r.git":            "github:o/r",
		"git+ssh://git@github.com/o/r.git":          "github:o/r",
		"o/r":                                       "github:o/r",
		"scm:git:https://forge.example/rail/a/b":    "forge:rail/a/b",
		"https://notgithub.com/o/r":                 "",
		"scm:https://notgithub.com/o/r":             "",
		"https://evil.example/?u=https://x.test/o/": "",
		"": "",
	} {
		ref, ok := FindRepoRef(in)
		if got := ref.Key(); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s, %v, want %q", in, got, ok, want)
		}
	}
}

func TestOwnsName(t *testing.T) {
	addForge(t)
	hub := RepoRef{Host: GitHub, Owner: "Octo", Name: "weather"}
	for _, c := range []struct {
		ref  RepoRef
		name string
		want bool
	}{
		{hub, "io.github.octo/weather", true},
		{hub, "IO.GitHub.Octo/x", true},
		{hub, "io.github.other/weather", false},
		{hub, "example.forge.octo/weather", false},
		{hub, "com.octo/weather", false},
		{hub, "io.github.octo", false},
		{RepoRef{Host: GitHub}, "io.github./x", false},
		{RepoRef{Host: "forge", Owner: "rail", Name: "x"}, "example.forge.rail/x", true},
		{RepoRef{Host: "forge", Owner: "rail", Name: "x"}, "io.github.rail/x", false},
		{RepoRef{Host: "other", Owner: "rail", Name: "x"}, "rail/x", false},
	} {
		if got := c.ref.OwnsName(c.name); got != c.want {
			t.Errorf("%s owns %s: %v", c.ref, c.name, got)
		}
	}
}
