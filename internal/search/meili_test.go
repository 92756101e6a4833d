package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/meilisearch/meilisearch-go"

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
	check := func(name, text string, want ...string) {
		t.Run(name, func(t *testing.T) {
			got := match(t, m, text)
			if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
				t.Errorf("first of %d (-want +got)\n%s", len(got), diff)
			}
		})
	}
	check("words in no server", "accountancy", "accounts", "bills")
	check("several words in no server", "melody or tune", "jukebox", "radio")
	check("a word of one server", "branches", "git")
	check("a name and a meaning", "radio melody", "radio", "jukebox")
	feed.servers[2].Seq, feed.servers[2].Description = 6, "Every tune, melody, song and playlist"
	if n, err := CatchUp(ctx, feed, m); n != 1 || err != nil {
		t.Fatalf("%d changes, %v", n, err)
	}
	check("a change", "tune playlist", "git", "jukebox")

	// Another embedder, or none, makes another index.
	plain := openMeili(t, url, meiliProgramKey, "servers", "")
	if p, err := plain.At(ctx); err != nil || p.Seq != 0 {
		t.Errorf("%+v, %v without the embedder; want an index to be rebuilt", p, err)
	}
}

func TestMeiliAcceptEncoding(t *testing.T) {
	accepted := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted <- r.Header.Get("Accept-Encoding")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	m := openMeili(t, server.URL, "k", "servers", "")
	if _, err := m.Match(t.Context(), "database"); err == nil {
		t.Fatal("no error for status 503")
	}
	if got := <-accepted; got != "" {
		t.Errorf("Accept-Encoding: %q, want none", got)
	}
}

// Only the rarest words of a text are searched for, once it is known which these are.
func TestMeiliRarest(t *testing.T) {
	m := openMeili(t, "http://127.0.0.1:1", "k", "servers", "")
	rarest := func(words string) string {
		var requests []*meilisearch.SearchRequest
		for w := range strings.FieldsSeq(words) {
			requests = append(requests, m.ranking(w, 1))
		}
		var left []string
		for _, r := range m.rarest(requests) {
			left = append(left, r.Query)
		}
		return strings.Join(left, " ")
	}
	for i := range 10 {
		m.counts.Add(fmt.Sprint("w", i), int64(100-i))
	}
	m.counts.Add("none", 0)
	for words, want := range map[string]string{
		"new w0 w1 w2 w3 w4 w5 w6":                  "new w0 w1 w2 w3 w4 w5 w6",
		"w0 w1 w2 w3 w4 w5 w6 w7 w8 w9":             "w2 w3 w4 w5 w6 w7 w8 w9",
		"w9 w8 w7 w6 new w5 none w4 w3 w2 w1 newer": "w9 w8 w7 w6 new w5 none w4 w3 w2 newer",
	} {
		if got := rarest(words); got != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
}

func TestMeiliWrongKey(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"message":"The provided API key is invalid.","code":"invalid_api_key","type":"auth","link":"https://docs.meilisearch.example/errors#invalid_api_key"}`)
	}))
	defer server.Close()
	_, err := openMeili(t, server.URL, "k", "servers", "").Match(t.Context(), "database")
	if !errors.Is(err, registry.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "rejects CENSUS_MEILI_KEY") ||
		!strings.Contains(fmt.Sprint(err), "invalid_api_key") {
		t.Error(err)
	}
}

func TestMeiliFailedTask(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasPrefix(r.URL.Path, "/tasks/"):
			fmt.Fprint(w, `{"uid":7,"taskUid":7,"indexUid":"servers","status":"failed","type":"documentAdditionOrUpdate",
				"error":{"message":"no space left","code":"no_space_left_on_device","type":"system"}}`)
		case r.Method == http.MethodGet:
			fmt.Fprint(w,
				`{"uid":"servers","primaryKey":"id","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`)
		default:
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w,
				`{"taskUid":7,"indexUid":"servers","status":"enqueued","type":"documentAdditionOrUpdate","enqueuedAt":"2026-01-01T00:00:00Z"}`)
		}
	}))
	defer server.Close()
	m := openMeili(t, server.URL, "k", "servers", "")
	err := m.Put(t.Context(), corpus(10), nil, Point{}, 3)
	if !errors.Is(err, registry.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "no space left") {
		t.Errorf("error of Put: %v, want that of the task", err)
	}
	if err := m.Rebuild(t.Context(), &memoryFeed{servers: corpus(10)}); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("error of Rebuild: %v, want ErrUnavailable", err)
	}
}

// TestMeiliRestart needs the program itself.
func TestMeiliRestart(t *testing.T) {
	url, start, stop := meiliProgram(t)
	start()

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	feed := &memoryFeed{servers: corpus(80)}
	m := openMeili(t, url, meiliProgramKey, "servers", "")
	f := &Fallback{Index: m,
		Servers: func() iter.Seq[*registry.Server] { return all(feed.servers) }, Log: quiet,
		Retry: 200 * time.Millisecond}
	followed := make(chan error, 1)
	fctx, unfollow := context.WithCancel(ctx)
	go func() { followed <- Follow(fctx, feed, m, nil, quiet) }()
	defer func() { unfollow(); <-followed }()

	watch(t, f)
	until := func(what string, degraded bool) {
		t.Helper()
		for {
			res, err := f.Match(ctx, "database")
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if res.Degraded == degraded && len(res.Slugs) > 0 {
				return
			}
			select {
			case <-ctx.Done():
				t.Fatalf("%s: timeout", what)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	until("index", false)
	stop()
	until("scan", true)
	if since, why := f.State(); since.IsZero() || why == nil {
		t.Errorf("state %v, %v while it is down", since, why)
	}
	start()
	until("index after the restart", false)
}
