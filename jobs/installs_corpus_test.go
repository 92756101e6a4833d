package jobs

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/install/installtest"
	"mcpcensus/internal/registry"
)

// TestInstallCorpus compares commands and variables with the configurations in
// the READMEs of recorded repositories.
func TestInstallCorpus(t *testing.T) {
	corpus := os.Getenv("CENSUS_CORPUS")
	if corpus == "" {
		t.Skip("SKIPPED: no corpus; CENSUS_CORPUS is not set to a folder with repos/")
	}
	if _, err := os.Stat(filepath.Join(corpus, "repos")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", corpus)
	}
	listings := seedListings(t, corpus)
	var j installtest.Judge
	paths, _ := filepath.Glob(filepath.Join(corpus, "repos", "*.json"))
	if len(paths) == 0 {
		t.Fatalf("%s has no records", corpus)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var r installRecord
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		judgeRecord(&j, &r, listings)
	}
	for _, f := range j.Findings() {
		share := float64(f.Right) / float64(max(f.All, 1))
		t.Logf("%-34s %5.1f %%  (%d of %d; A-M %d of %d, N-Z %d of %d)", f.Fact, 100*share, f.Right, f.All,
			f.Halves[0].Right, f.Halves[0].All, f.Halves[1].Right, f.Halves[1].All)
		for _, w := range f.Wrong {
			t.Logf("    %s", w)
		}
		if f.All > 0 && share < f.Least {
			t.Errorf("%s: %.1f %%, want at least %.0f %%", f.Fact, 100*share, 100*f.Least)
		}
	}
}

// installRecord is the record of one repository.
type installRecord struct {
	Owner, Name string
	Files       [][]any
	Readme      *struct{ Path, Text string }
	Texts       map[string]string
	NestedTexts map[string]string `json:"nested_texts"`
}

func (r *installRecord) snapshot() *registry.Snapshot {
	s := &registry.Snapshot{
		Repo: registry.Repository{Host: registry.GitHub, Owner: r.Owner, Name: r.Name,
			ObservedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		Texts: map[string]string{},
	}
	for _, texts := range []map[string]string{r.Texts, r.NestedTexts} {
		for p, text := range texts {
			s.Texts[p] = text
		}
	}
	if r.Readme != nil {
		s.Texts[r.Readme.Path] = r.Readme.Text
	}
	seen := map[string]bool{}
	for _, f := range r.Files {
		p, _ := f[0].(string)
		size, _ := f[1].(float64)
		seen[p] = true
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(size)})
	}
	for p, text := range s.Texts {
		if !seen[p] { // a listing that was cut
			s.Files = append(s.Files, registry.File{Path: p, Size: int64(len(text))})
		}
	}
	slices.SortFunc(s.Files, func(a, b registry.File) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// seedListings returns the recorded entries of the official registry by
// repository.
func seedListings(t *testing.T, corpus string) map[string][]registry.Listing {
	t.Helper()
	out := map[string][]registry.Listing{}
	b, err := os.ReadFile(filepath.Join(corpus, "official_seed.json"))
	if err != nil {
		return out
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(b, &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		entry, err := serverjson.ParseEntry(e)
		if err != nil {
			continue
		}
		if ref, err := registry.ParseRepoRef(entry.Listing.RepoURL); err == nil {
			out[ref.Key()] = append(out[ref.Key()], entry.Listing)
		}
	}
	return out
}

func judgeRecord(j *installtest.Judge, r *installRecord, listings map[string][]registry.Listing) {
	snap := r.snapshot()
	all := listings[snap.Repo.Ref().Key()]
	for _, found := range detect.Servers(snap, all).Servers {
		f := registry.Facts{Repo: snap.Repo, Detection: found.Detection, Readme: found.Readme}
		f.Listing = listingOf(all, &f.Repo, f.Detection)
		s := Score(f, snap.Repo.ObservedAt).Server
		readme := ""
		if f.Readme != nil {
			readme = snap.Texts[f.Readme.Path]
		}
		j.Add(path.Join(r.Owner, r.Name, s.Subfolder), &s, readme, snap.Texts)
	}
}
