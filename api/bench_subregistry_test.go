package api_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"mcpcensus/api"
	"mcpcensus/api/subregistry"
)

// BenchmarkSubregistry measures /v0.1 as BenchmarkServe measures /api.
func BenchmarkSubregistry(b *testing.B) {
	c := api.Big()
	base := api.New(api.Options{Catalog: c, BaseURL: "https://census.example", Version: "bench", Namespace: "io.census"})
	e := api.BenchEngine(b)
	subregistry.New(subregistry.Options{API: base, Version: "bench"}).Register(e)
	var cursors, names []string
	for cursor := ""; len(cursors) < 100; {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/v0.1/servers?limit=50&version=latest"+cursor, nil)
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		e.ServeHTTP(w, r)
		var page struct {
			Servers  []struct{ Server struct{ Name string } }
			Metadata struct{ NextCursor string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.Metadata.NextCursor == "" {
			b.Fatalf("%d %v", w.Code, err)
		}
		cursor = "&cursor=" + page.Metadata.NextCursor
		cursors, names = append(cursors, cursor), append(names, page.Servers[0].Server.Name)
	}
	any := func(s []string) string { return s[rand.IntN(len(s))] }
	list := func() string { return "/v0.1/servers?limit=50&version=latest" }
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", list(), nil)
	r.Header.Set("If-None-Match", "*")
	if e.ServeHTTP(w, r); w.Code != http.StatusNotModified {
		b.Fatalf("unchanged list: %d", w.Code)
	}
	api.Compare(b, e, "If-None-Match: *", []string{"list-304"}, []func() string{list})
	api.Compare(b, e, "Accept: application/json", []string{"list", "list-cursor", "record"}, []func() string{
		list,
		func() string { return list() + any(cursors) },
		func() string { return "/v0.1/servers/" + url.PathEscape(any(names)) + "/versions/latest" },
	})
}
