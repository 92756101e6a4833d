package catalog

import (
	"slices"
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

func TestListsBySDKHoldWhatAScanFinds(t *testing.T) {
	if len(registry.SDKs) != sdkCount {
		t.Fatalf("there are %d SDKs, and sdkCount is %d", len(registry.SDKs), sdkCount)
	}
	c := New(encodeForTest)
	var servers []registry.Server
	for s := range generate.Servers(600, 3) {
		servers = append(servers, s)
	}
	check := func() {
		t.Helper()
		v := c.View()
		for _, category := range append([]string{""}, registry.Categories...) {
			for _, sdk := range append([]string{""}, registry.SDKs...) {
				var want, got []string
				for s := range v.Servers() {
					if (category == "" || s.Category == category) && (sdk == "" || s.SDK == sdk) {
						want = append(want, s.Slug)
					}
				}
				l := v.Best(category, sdk)
				for i := range l.Total() {
					got = append(got, l.At(i).Slug())
				}
				if !slices.Equal(got, want) {
					t.Errorf("%q %q: %d servers, a scan finds %d, or the order differs", category, sdk, len(got), len(want))
				}
			}
		}
		if v.Best("nope", "go").Total()+v.Best("", "cobol").Total() != 0 {
			t.Error("an unknown category or SDK has servers")
		}
	}
	if err := c.Apply(servers[:400], nil, servers[399].Seq); err != nil {
		t.Fatal(err)
	}
	check()
	changed := servers[3]
	changed.SDK, changed.Seq = "rust", servers[599].Seq+1
	gone := registry.Change{Seq: servers[599].Seq + 2, Slug: servers[7].Slug, Deleted: true}
	if err := c.Apply(append(slices.Clone(servers[400:]), changed), []registry.Change{gone}, gone.Seq); err != nil {
		t.Fatal(err)
	}
	check()
}

func TestRankIsThePlaceInTheOrder(t *testing.T) {
	c := New(encodeForTest)
	var servers []registry.Server
	for s := range generate.Servers(300, 3) {
		servers = append(servers, s)
	}
	if err := c.Apply(servers, nil, servers[299].Seq); err != nil {
		t.Fatal(err)
	}
	v := c.View()
	all := v.List("", ByPopularity, -1)
	in := map[string]int{}
	for n := range all.Total() {
		i := all.At(n)
		in[i.Category()]++
		if o, k := v.Rank(i, ByPopularity); o != n+1 || k != in[i.Category()] {
			t.Fatalf("%s is ranked %d and %d, and stands at %d and %d", i.Slug(), o, k, n+1, in[i.Category()])
		}
	}
}
