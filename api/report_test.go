package api

import (
	"strconv"
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

func TestAReportIsTheSameHoweverOftenItIsAskedFor(t *testing.T) {
	cat := catalog.New(Encode("org.example", nil))
	var all []registry.Server
	for s := range generate.Servers(80, 9) {
		all = append(all, s)
	}
	if err := cat.Apply(all, nil, 80); err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{Catalog: cat})
	if err != nil {
		t.Fatal(err)
	}
	l := cat.View().List("", catalog.ByQuality, -1)
	room := make([]byte, 0, 1<<10) // less than a report
	for range 40 {
		for n := range l.Total() {
			want := "before " + string(l.At(n).AppendHealth(nil))
			if got := a.report(append(room[:0], "before "...), l.At(n)); string(got) != want {
				t.Fatalf("%s:\n got %s\nwant %s", l.At(n).Slug(), got, want)
			}
		}
	}
	name := "r" + strconv.FormatInt(l.At(0).Seq(), 36) + " " + l.At(0).Slug()
	if kept, _ := a.health.Get(name); len(kept) == 0 || len(kept) > len(l.At(0).AppendHealth(nil))/3 {
		t.Errorf("%d bytes are kept", len(kept))
	}
	s := all[0] // what changes is not answered from before
	s.Seq, s.Slug = 81, l.At(0).Slug()
	if err := cat.Apply([]registry.Server{s}, nil, 81); err != nil {
		t.Fatal(err)
	}
	i, _ := cat.View().Find(s.Slug)
	for range 3 {
		if got, want := a.report(nil, i), i.AppendHealth(nil); string(got) != string(want) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}

func TestReportsOfAnotherCatalogHaveOtherTags(t *testing.T) {
	x := start(t, 0)
	was := x.do("GET", "/api/health?server=octo-weather-mcp").Header.Get("ETag")
	tags := map[string]bool{was: true}
	for _, identity := range []string{"one database v1", "one database v2", "another v2"} {
		c := catalog.New(Encode("io.mcpcensus", clientsOf))
		c.Identify(identity)
		if err := c.Apply([]registry.Server{weather()}, nil, 900100); err != nil {
			t.Fatal(err)
		}
		c.SetReady()
		y := start(t, 0, func(o *Options) { o.Catalog = c })
		for _, target := range []string{"/api/health?server=octo-weather-mcp", "/api/health?githubUrl=octo/weather-mcp"} {
			if res := y.do("GET", target, "If-None-Match", was); res.StatusCode != 200 {
				t.Errorf("%s of %q: %d for the tag of another catalog", target, identity, res.StatusCode)
			}
		}
		tag := y.do("GET", "/api/health?server=octo-weather-mcp").Header.Get("ETag")
		if tags[tag] {
			t.Errorf("%q has the tag %s too", identity, tag)
		}
		tags[tag] = true
		if res := y.do("GET", "/api/health?server=octo-weather-mcp", "If-None-Match", tag); res.StatusCode != 304 {
			t.Errorf("%q: its own tag is answered %d", identity, res.StatusCode)
		}
	}
}

func TestTheEndOfAReportIsWrittenAsItWouldBeEncoded(t *testing.T) {
	for _, warnings := range [][]string{nil, {"one"}, {"a \"b\" <c>", "é\n"}} {
		for _, stale := range []bool{false, true} {
			want, err := encode(healthTail{Stale: stale, Warnings: list(warnings)})
			if err != nil {
				t.Fatal(err)
			}
			if got := "{" + string(appendTail(nil, stale, warnings))[1:]; got != string(want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}
