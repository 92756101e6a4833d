package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestToolListsOfArchives(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	at := start
	for i, tc := range []struct {
		hash, pkg, version string
		want               string // packages, versions and tools of all lists
	}{
		{"a", "", "1", "[: 1 a]"},
		{"a", "weather-mcp", "1", "[npm:weather-mcp 1 a : 1 a]"}, // another source
		{"b", "weather-mcp", "1", "[npm:weather-mcp 1 b : 1 a]"}, // read by other rules
		{"c", "weather-mcp", "2", "[npm:weather-mcp 2 c npm:weather-mcp 1 b : 1 a]"},
		{"d", "", "1", "[: 1 d npm:weather-mcp 2 c npm:weather-mcp 1 b : 1 a]"},
		{"e", "", "1", "[: 1 e : 1 d npm:weather-mcp 2 c npm:weather-mcp 1 b : 1 a]"}, // a changed repository
	} {
		at = at.AddDate(0, 0, 40)
		r := fetched(lease(t, db, 1, at)[0], observed("octo/weather", 7, at), at, "")
		s := &r.Scored[0].Server
		s.ToolsHash, s.ToolsFrom, s.ToolsVersion = tc.hash, "source", tc.version
		if tc.pkg != "" {
			s.ToolsPackage = registry.PackageKey{RegistryType: "npm", Identifier: tc.pkg}
		}
		s.Tools = []registry.Tool{{Name: tc.hash, Hash: tc.hash}}
		save(t, db, r)
		lists, err := db.ToolLists(t.Context(), "octo-weather", 9)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lists {
			got = append(got, fmt.Sprintf("%s:%s %s %s", l.Package.RegistryType, l.Package.Identifier,
				l.Version, l.Tools[0].Name))
		}
		if fmt.Sprint(got) != tc.want {
			t.Errorf("%d: got %s, want %s", i, got, tc.want)
		}
	}
	news, err := db.News(t.Context(), nil, start, at.AddDate(0, 0, 1), 10)
	if err != nil {
		t.Fatal(err)
	}
	news = slices.DeleteFunc(news, func(n registry.News) bool { return n.Tools == nil })
	var got []registry.ToolsChange
	for _, n := range news {
		got = append(got, *n.Tools)
	}
	weather := registry.PackageKey{RegistryType: "npm", Identifier: "weather-mcp"}
	if d := cmp.Diff([]registry.ToolsChange{
		{From: "source", Version: "1", SameVersion: true, Added: []string{"e"}, Removed: []string{"d"}},
		{From: "source", Version: "1", SameVersion: true, Added: []string{"d"}, Removed: []string{"a"}},
		{From: "source", Package: weather, Version: "2", Added: []string{"c"}, Removed: []string{"b"}},
	}, got); d != "" {
		t.Error(d)
	}
}

func TestToolLists(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	at := start
	// write stores a list and returns the versions of all that are stored.
	write := func(hash, from, version string) (versions []string) {
		t.Helper()
		at = at.AddDate(0, 0, 40)
		w := lease(t, db, 1, at)[0]
		r := fetched(w, observed("octo/weather", 7, at), at, "")
		s := &r.Scored[0].Server
		s.ToolsHash, s.ToolsFrom, s.ToolsVersion = hash, from, version
		s.Tools = []registry.Tool{{Name: "get_" + hash, InputSchema: []byte(`{}`), Hash: hash}}
		save(t, db, r)
		lists, err := db.ToolLists(t.Context(), "octo-weather", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lists {
			if l.Version == "1" && l.From == "source" && len(lists) == 1 && version == "2" && l.LastVersion != "2" {
				t.Errorf("the last version of the list is %q", l.LastVersion)
			}
			if l.Tools[0].Hash == hash && l.From == from && string(l.Tools[0].InputSchema) != "{}" {
				t.Errorf("stored %+v", l)
			}
			versions = append(versions, l.Version)
		}
		return versions
	}
	for i, tc := range []struct {
		hash, from, version string
		want                string
	}{
		{"a", "source", "1", "[1]"},
		{"a", "source", "2", "[1]"}, // the same tools
		{"b", "source", "2", "[2 1]"},
		{"b", "run", "2", "[2 2 1]"},    // another source
		{"c", "source", "2", "[2 2 1]"}, // weaker, of the same version
		{"a", "run", "3", "[3 2 2 1]"},
		{"a", "run", "4", "[3 2 2 1]"},
		{"d", "readme", "4", "[3 2 2 1]"},
		{"d", "readme", "5", "[5 3 2 2 1]"},
		{"", "", "", "[5 3 2 2 1]"}, // unknown
	} {
		if got := fmt.Sprint(write(tc.hash, tc.from, tc.version)); got != tc.want {
			t.Errorf("%d: got %s, want %s", i, got, tc.want)
		}
	}
	var got []string
	for i := range 55 {
		got = write(fmt.Sprint("h", i), "run", fmt.Sprint("h", i))
	}
	if len(got) != 50 || got[0] != "h54" || got[49] != "h5" {
		t.Errorf("%d lists: %s", len(got), got)
	}
	news, err := db.News(t.Context(), nil, at.AddDate(0, 0, -1), at.AddDate(0, 0, 1), 10)
	if err != nil {
		t.Fatal(err)
	}
	news = slices.DeleteFunc(news, func(n registry.News) bool { return n.Tools == nil })
	wantNews := []registry.News{{Slug: "octo-weather", At: at, Tools: &registry.ToolsChange{From: "run",
		Version: "h54", Added: []string{"get_h54"}, Removed: []string{"get_h53"}}}}
	if d := cmp.Diff(wantNews, news); d != "" {
		t.Error(d)
	}
	sources, err := db.ToolSources(t.Context())
	if d := cmp.Diff(map[string]int{"run": 1}, sources); err != nil || d != "" {
		t.Errorf("sources of tools: %v %s", err, d)
	}
	histories, err := db.ToolHistories(t.Context(), []string{"octo-weather", "octo-none"}, 3)
	if err != nil || len(histories) != 1 || len(histories["octo-weather"]) != 3 ||
		histories["octo-weather"][0].Version != "h54" {
		t.Errorf("histories: %+v, %v", histories, err)
	}
	if lists, err := db.ToolLists(t.Context(), "octo-none", 9); err != nil || len(lists) != 0 {
		t.Errorf("of an unknown server: %v, %v", lists, err)
	}
}

// TestToolListsOfSlowClock stores a list of a process whose clock is behind.
func TestToolListsOfSlowClock(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	at := start.AddDate(0, 0, 40)
	for i, from := range []string{"readme", "probe"} {
		r := fetched(lease(t, db, 1, at)[0], observed("octo/weather", 7, at), at, "")
		r.Now = at.Add(-9 * time.Hour * time.Duration(i))
		s := &r.Scored[0].Server
		s.ToolsHash, s.ToolsFrom, s.ToolsVersion = from, from, "1"
		s.Tools = []registry.Tool{{Name: from, Hash: from}}
		save(t, db, r)
		at = at.AddDate(0, 0, 40)
	}
	lists, err := db.ToolLists(t.Context(), "octo-weather", 9)
	if err != nil || len(lists) != 2 || lists[0].From != "probe" {
		t.Errorf("got %+v, %v", lists, err)
	}
}
