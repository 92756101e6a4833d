package generate

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestServersBySeed(t *testing.T) {
	var long, short []registry.Server
	for s := range Servers(200, 7) {
		long = append(long, s)
	}
	for s := range Servers(50, 7) {
		short = append(short, s)
	}
	if d := cmp.Diff(long[:50], short); d != "" {
		t.Fatal(d)
	}
	if other := Server(0, 8); other.Slug == long[0].Slug &&
		other.Description == long[0].Description {
		t.Fatal("two seeds give the same server")
	}
}

func TestServers(t *testing.T) {
	slugs := map[string]bool{}
	seen := map[string]map[string]bool{"category": {}, "sdk": {}, "grade": {}, "status": {}}
	valid := regexp.MustCompile(`^[a-z0-9-]+$`)
	words := 0
	const n = 3000
	for s := range Servers(n, 1) {
		if slugs[s.Slug] || !valid.MatchString(s.Slug) {
			t.Fatalf("slug %q is taken or malformed", s.Slug)
		}
		slugs[s.Slug] = true
		seen["category"][s.Category], seen["sdk"][s.SDK], seen["grade"][s.Health.Grade],
			seen["status"][s.Status] = true, true, true, true
		if s.UpdatedAt.After(Epoch) || s.CreatedAt.After(s.UpdatedAt) {
			t.Fatalf("%s: dates out of order", s.Slug)
		}
		if sc := s.Health.Score; sc != nil &&
			(*sc < *s.Health.Low || *sc > *s.Health.High || *sc < 0 || *sc > 100) {
			t.Fatalf("%s: score %d outside %d to %d", s.Slug, *sc, *s.Health.Low, *s.Health.High)
		}
		if s.Health.Score != nil {
			checks := 0
			for _, c := range s.Health.Categories {
				checks += len(c.Checks)
			}
			if checks != 31 {
				t.Fatalf("%s: %d checks", s.Slug, checks)
			}
		}
		if strings.Contains(s.InstallCommand, "%!") {
			t.Fatalf("bad command %q", s.InstallCommand)
		}
		words += len(strings.Fields(s.Readme))
		if _, err := json.Marshal(s); err != nil {
			t.Fatal(err)
		}
	}
	if mean := words / n; mean < 180 || mean > 280 {
		t.Errorf("READMEs have %d words on average", mean)
	}
	for what, min := range map[string]int{"category": 10, "sdk": 9, "grade": 5, "status": 4} {
		if len(seen[what]) < min {
			t.Errorf("only %d values of %s: %v", len(seen[what]), what, seen[what])
		}
	}
}

func TestCoinedDistinct(t *testing.T) {
	seen := map[string]int{}
	for i := range 40_000 {
		w := Coined(i)
		if j, ok := seen[w]; ok {
			t.Fatalf("words %d and %d are both %q", i, j, w)
		}
		seen[w] = i
	}
}

func BenchmarkServer(b *testing.B) {
	for i := range b.N {
		Server(i, 1)
	}
}
