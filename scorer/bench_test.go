package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func BenchmarkHealth(b *testing.B) {
	for _, name := range []string{"healthy", "abandoned", "registry_only"} {
		f := load(b, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if h := Health(f, testNow); h.Status == "" {
					b.Fatal("no status")
				}
			}
		})
	}
}

func BenchmarkPopularity(b *testing.B) {
	f := load(b, "healthy")
	b.ReportAllocs()
	for b.Loop() {
		if p := Popularity(f); p.Score == nil {
			b.Fatal("no score")
		}
	}
}

// BenchmarkRescore is a whole rescoring without the database: 1,000 servers.
func BenchmarkRescore(b *testing.B) {
	var all []registry.Facts
	for _, name := range fixtures(b) {
		all = append(all, load(b, name))
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range 1000 {
			f := &all[i%len(all)]
			Health(*f, testNow)
			Popularity(*f)
		}
	}
}
