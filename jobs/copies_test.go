package jobs

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/detect"
	"mcpcensus/internal/copies"
	"mcpcensus/internal/registry"
)

// A copyStore is a [CopyStore] in memory.
type copyStore struct {
	texts  []registry.ReadmeText
	signed map[int64][]byte
	server map[int64]registry.CopyCandidate
	found  map[int64]registry.Copy
}

func (s *copyStore) CountUnsigned(context.Context) (int, error) { return len(s.texts), nil }

func (s *copyStore) UnsignedReadmes(
	_ context.Context, after int64, limit int,
) (texts []registry.ReadmeText, err error) {
	for _, t := range s.texts {
		if t.ID > after && len(texts) < limit {
			texts = append(texts, t)
		}
	}
	return texts, nil
}

func (s *copyStore) SaveSignatures(_ context.Context, signed []registry.ReadmeSignature) error {
	for _, r := range signed {
		s.signed[r.ID] = r.Signature
	}
	return nil
}

func (s *copyStore) EachCopyCandidate(
	_ context.Context, f func(registry.CopyCandidate) error,
) error {
	for id, c := range s.server {
		c.Signature = s.signed[id]
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *copyStore) SaveCopies(
	_ context.Context, found map[int64]registry.Copy, _ time.Time,
) (int, error) {
	s.found = found
	return len(found), nil
}

func TestCopies(t *testing.T) {
	var words []string
	for i := range 200 {
		words = append(words, "word"+strings.Repeat("x", i%17)+strings.Repeat("y", i%13))
	}
	readme := strings.Join(words, " ")
	created := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	candidate := func(id int64, owner string) registry.CopyCandidate {
		var c registry.CopyCandidate
		c.Server.ID, c.Server.Slug = id, owner+"-tides"
		c.Server.Repo = registry.Repository{Host: registry.GitHub, Owner: owner, Name: "tides",
			CreatedAt: created.AddDate(0, int(id), 0)}
		c.Server.Packages = []registry.Package{{RegistryType: "npm", Identifier: "tides"}}
		return c
	}
	for _, tc := range []struct {
		name     string
		link     string // repository that the published package names
		least    int
		compared int
		want     []int64
	}{
		{"package of the original", "https://github.com/octo/tides", 0, 2, []int64{2}},
		{"package of the younger one", "https://github.com/stranger/tides", 0, 2, nil},
		{"many READMEs", "", 2, 2, []int64{2}},
		{"few READMEs", "", 3, 0, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &copyStore{signed: map[int64][]byte{}, server: map[int64]registry.CopyCandidate{}}
			for id, owner := range map[int64]string{1: "octo", 2: "stranger"} {
				c := candidate(id, owner)
				c.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: "tides",
					RepoURL: tc.link}}
				s.server[id] = c
			}
			s.texts = []registry.ReadmeText{{ID: 1, Text: readme}, {ID: 2, Text: readme}}
			seen, changed, err := Copies(t.Context(), s, created, tc.least)
			if seen != tc.compared || changed != len(tc.want) || err != nil {
				t.Errorf("%d compared, %d changed, %v", seen, changed, err)
			}
			var got []int64
			for id := range s.found {
				got = append(got, id)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCopiesCorpus compares recorded repositories and the entries of lists, all of which
// are originals. Each repository in turn is well known, and the lists' entries are
// younger.
func TestCopiesCorpus(t *testing.T) {
	corpus := os.Getenv("CENSUS_CORPUS")
	if corpus == "" {
		t.Skip("SKIPPED: no corpus; CENSUS_CORPUS is not set to a folder with repos/")
	}
	if _, err := os.Stat(filepath.Join(corpus, "repos")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", corpus)
	}
	paths, _ := filepath.Glob(filepath.Join(corpus, "repos", "*.json"))
	if len(paths) == 0 {
		t.Fatalf("%s has no records", corpus)
	}
	listings := seedListings(t, corpus)
	var servers []*copies.Server
	known := map[string]bool{}
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	stars := 1000
	repositories := 0
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			installRecord
			First time.Time `json:"first_commit_date"`
		}
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		snap := r.snapshot()
		snap.Repo.CreatedAt, snap.Repo.Stars = r.First, &stars
		repositories++
		known[strings.ToLower(r.Owner+"/"+r.Name)] = true
		for _, d := range detect.Servers(snap, listings[snap.Repo.Ref().Key()]).Servers {
			s := record(registry.Facts{Repo: snap.Repo, Detection: d.Detection})
			s.ID = int64(len(servers) + 1)
			s.Slug = registry.Slug(r.Owner, r.Name, d.Detection.Subfolder)
			servers = append(servers, copies.Of(&s, nil, copies.Sign(d.ReadmeText)))
		}
	}
	detected := len(servers)
	lists, _ := filepath.Glob(filepath.Join(corpus, "lists", "*.jsonl"))
	for _, p := range lists {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			var e struct{ Repo, Name, Description string }
			owner, name, ok := "", "", false
			if json.Unmarshal([]byte(line), &e) == nil {
				owner, name, ok = strings.Cut(e.Repo, "/")
			}
			if !ok || known[strings.ToLower(e.Repo)] {
				continue
			}
			known[strings.ToLower(e.Repo)] = true
			n, few := len(servers)+1, 5
			s := registry.Server{ID: int64(n), Slug: registry.Slug(owner, name, ""),
				Description: e.Description, Stars: &few, Category: registry.CategoryTools,
				Repo: registry.Repository{Host: registry.GitHub, Owner: owner, Name: name,
					CreatedAt: at.Add(time.Duration(n) * time.Minute)}}
			servers = append(servers, copies.Of(&s, nil, nil))
		}
	}
	found := copies.Find(servers)
	for _, f := range found {
		t.Errorf("%d is a %s of %s: %s", f.ID, f.Copy.Kind, f.Copy.Of, f.Copy.Reason)
	}
	t.Logf("copies: originals flagged %d/%d (%d repositories with %d servers, %d entries of lists)",
		len(found), len(servers), repositories, detected, len(servers)-detected)
}
