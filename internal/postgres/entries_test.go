package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// departed returns the names that entries lost after a time.
func departed(t *testing.T, db *postgres.DB, since time.Time) string {
	t.Helper()
	all, err := db.Departed(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	return lost(all)
}

func lost(all []registry.Departed) string {
	var out []string
	for _, d := range all {
		out = append(out, d.Name+" "+d.Version+" "+d.At.Sub(start).String())
	}
	return strings.Join(out, ", ")
}

func TestDeparted(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	enqueue(t, db, start, candidate("octo/many", 7))
	visit := func(hours float64, name string, subfolders string, change func(*registry.Result)) {
		t.Helper()
		for _, w := range lease(t, db, 10, at(hours)) {
			r := fetched(w, observed(name, 7, at(hours)), at(hours), strings.Fields(subfolders)...)
			for i := range r.Scored {
				r.Scored[i].Server.Packages = []registry.Package{{RegistryType: "npm", Identifier: "many",
					Version: "1.0.0", Transport: registry.PackageTransport{Type: registry.TransportStdio}}}
			}
			if change != nil {
				change(&r)
			}
			save(t, db, r)
		}
	}
	check := func(step, want string) {
		t.Helper()
		if got := departed(t, db, start); got != want {
			t.Errorf("%s: %q, want %q", step, got, want)
		}
	}
	visit(0, "octo/many", "a b c", nil)
	check("first visit", "")
	visit(30, "octo/many", "a c", nil)
	b, c := "io.github.octo/many.b 1.0.0 30h0m0s", "io.github.octo/many.c 1.0.0 60h0m0s"
	check("a server vanishes", b)
	visit(60, "octo/many", "a c", func(r *registry.Result) { r.Scored[1].Server.Packages = nil })
	check("a server cannot be started any more", b+", "+c)
	visit(90, "octo/more", "a c", func(r *registry.Result) { r.Scored[1].Server.Packages = nil })
	a := "io.github.octo/many.a 1.0.0 90h0m0s"
	check("the repository has another name", a+", "+b+", "+c)
	visit(120, "octo/more", "a c", func(r *registry.Result) {
		r.Visit.Outcome, r.Visit.Snapshot, r.State = registry.Missing, nil, "gone"
		r.Scored[0].Server.Status, r.Scored[1].Server.Status = registry.StatusDeleted, registry.StatusDeleted
		r.Scored[0].Server.Packages = nil // the last record has no entry
	})
	check("the repository is gone", a+", "+b+", "+c+", io.github.octo/more.a 1.0.0 120h0m0s")
	if got := departed(t, db, at(90)); got != "io.github.octo/more.a 1.0.0 120h0m0s" {
		t.Errorf("after a time: %s", got)
	}
	if n, err := db.ForgetEntries(t.Context(), at(61)); err != nil || n != 2 {
		t.Errorf("forgot %d, %v", n, err)
	}
	check("after the old ones are forgotten", a+", io.github.octo/more.a 1.0.0 120h0m0s")
}

func TestDeparted_hidden(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	enqueue(t, db, start, candidate("octo/one", 7))
	r := fetched(lease(t, db, 1, start)[0], observed("octo/one", 7, start), start, "")
	r.Scored[0].Server.Remotes = []registry.Remote{{Type: registry.TransportHTTP, URL: "https://mcp.example.com/octo"}}
	save(t, db, r)
	if err := db.Hide(t.Context(), "octo-one", "spam"); err != nil {
		t.Fatal(err)
	}
	if got := departed(t, db, time.Time{}); !strings.HasPrefix(got, "io.github.octo/one ") {
		t.Errorf("hidden: %s", got)
	}
}

func TestSaveMembers(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	save := func(hours float64, view, names string) string {
		t.Helper()
		members := map[string]string{}
		for _, name := range strings.Fields(names) {
			members[name] = "1.0"
		}
		left, err := db.SaveMembers(t.Context(), view, members, at(hours), at(-1))
		if err != nil {
			t.Fatal(err)
		}
		return lost(left)
	}
	for _, x := range []struct {
		hours             float64
		view, names, want string
	}{
		{0, "oci", "a b c", ""},
		{1, "all", "a b c d", ""},
		{2, "oci", "a c", "b 1.0 2h0m0s"},
		{3, "oci", "a b", "c 1.0 3h0m0s"},
		{4, "oci", "", "a 1.0 4h0m0s, b 1.0 4h0m0s, c 1.0 3h0m0s"},
		{5, "all", "a b c d", ""},
	} {
		if got := save(x.hours, x.view, x.names); got != x.want {
			t.Errorf("%s after %v h: %q, want %q", x.view, x.hours, got, x.want)
		}
	}
	save(6, "0f8fad5bd9cb469fa16570867728950e", "a b")
	// One row that left, and the two of an endpoint that does not exist.
	if n, err := db.ForgetEntries(t.Context(), at(3.5)); err != nil || n != 3 {
		t.Errorf("forgot %d, %v", n, err)
	}
}

func TestEarlierListings(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	read := func(version, status string, published float64) {
		t.Helper()
		when := at(published)
		l := registry.Listing{Name: "io.x/a", Version: version, Status: status, PublishedAt: &when,
			Document: json.RawMessage(`{"version":"` + version + `"}`)}
		if err := db.SaveListings(t.Context(), []registry.Listing{l}, start); err != nil {
			t.Fatal(err)
		}
	}
	earlier := func() (all []string) {
		t.Helper()
		list, err := db.EarlierListings(t.Context(), "io.x/a")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			all = append(all, l.Version+" "+string(l.Document))
		}
		return all
	}
	read("1.0", "active", 1)
	read("1.0", "deprecated", 1)
	read("1.1", "active", 2)
	read("1.2", "deleted", 3)
	read("1.1", "active", 2) // the registry's latest again
	read("2.0", "active", 4)
	want := []string{`1.1 {"version":"1.1"}`, `1.0 {"version":"1.0"}`}
	if diff := cmp.Diff(want, earlier()); diff != "" {
		t.Error(diff)
	}
}
