package search

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/words"
)

// newEmbedder serves vectors of three dimensions: whether a text has words of
// music, of money, and a constant.
func newEmbedder(t *testing.T) (settings string) {
	t.Helper()
	subjects := []string{"song playlist melody tune", "invoice ledger bill accountancy"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Texts []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var vectors [][3]float64
		for _, text := range request.Texts {
			vector := [3]float64{2: 0.1}
			for _, word := range strings.FieldsFunc(strings.ToLower(text), words.Separates) {
				for i, s := range subjects {
					if strings.Contains(s, word) && len(word) > 3 {
						vector[i] = 1
					}
				}
			}
			vectors = append(vectors, vector)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"vectors": vectors}) // fails if the client left
	}))
	t.Cleanup(server.Close)
	return fmt.Sprintf(`{"source":"rest","url":%q,"dimensions":3,"request":{"texts":["{{text}}","{{..}}"]},"response":{"vectors":["{{embedding}}","{{..}}"]}}`,
		server.URL)
}

// TestEmbedder needs the program itself.
func TestEmbedder(t *testing.T) {
	url, start, _ := meiliProgram(t)
	start()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	m := openMeili(t, url, meiliProgramKey, "servers", newEmbedder(t))
	for _, err := m.At(ctx); err != nil; _, err = m.At(ctx) {
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	servers := []registry.Server{
		{Slug: "accounts", Name: "accounts", Description: "Every ledger and invoice", License: "MIT"},
		{Slug: "bills", Name: "bills", Description: "Pay a bill", License: "MIT"},
		{Slug: "git", Name: "git", Description: "Commits and branches"},
		{Slug: "jukebox", Name: "jukebox", Description: "Puts a song into a playlist", License: "MIT"},
		{Slug: "radio", Name: "radio", Description: "Plays any song"},
	}
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	feed := &memoryFeed{servers: servers, name: "database"}
	if n, err := CatchUp(ctx, feed, m); n != len(servers) || err != nil {
		t.Fatalf("%d changes, %v", n, err)
	}
	licensed, err := query.ParseFilters([]byte(`{"license":"MIT"}`))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, q query.Query, want ...string) {
		t.Run(name, func(t *testing.T) {
			q.Limit = len(want)
			got, err := m.Search(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Slugs); diff != "" {
				t.Errorf("first of %d (-want +got)\n%s", got.Total, diff)
			}
		})
	}
	check("words in no server", query.Query{Text: "accountancy"}, "accounts", "bills")
	check("several words in no server", query.Query{Text: "melody or tune"}, "jukebox", "radio")
	check("a word of one server", query.Query{Text: "branches"}, "git")
	check("a name and a meaning", query.Query{Text: "radio melody"}, "radio", "jukebox")
	check("filter", query.Query{Text: "melody", Filters: licensed, Facets: true}, "jukebox")
	feed.servers[2].Seq, feed.servers[2].Description = 6, "Every tune, melody, song and playlist"
	if n, err := CatchUp(ctx, feed, m); n != 1 || err != nil {
		t.Fatalf("%d changes, %v", n, err)
	}
	check("a change", query.Query{Text: "tune playlist"}, "git", "jukebox")

	// Another embedder, or none, makes another index.
	plain := openMeili(t, url, meiliProgramKey, "servers", "")
	if p, err := plain.At(ctx); err != nil || p.Seq != 0 {
		t.Errorf("%+v, %v without the embedder; want an index to be rebuilt", p, err)
	}
}
