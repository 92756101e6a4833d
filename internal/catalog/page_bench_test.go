package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

// BenchmarkPages measures pages of twenty of 100,000 servers, which are taken
// from so much memory that little of it is in the processor's caches: of the
// order of quality, in which servers lie next to each other, and of a category
// and an SDK, whose servers lie far apart.
func BenchmarkPages(b *testing.B) {
	const n = 100_000
	filler := strings.Repeat("an entry has some nine hundred bytes; ", 20)
	c := New(func(s *registry.Server, _ bool) (Record, error) {
		return Record{Basic: fmt.Appendf(nil, `{"slug":%q,"stars":%d,"description":%q,"more":%q}`, s.Slug, s.Stars, s.Description, filler[:rand.IntN(len(filler))])}, nil
	})
	for seq := int64(0); seq < n; {
		var some []registry.Server
		for range 100_000 {
			s := generate.Server(int(seq), 1)
			seq++
			s.Seq, s.Readme, s.Tools = seq, "", nil
			some = append(some, s)
		}
		if err := c.Apply(some, nil, seq); err != nil {
			b.Fatal(err)
		}
	}
	v := c.View()
	for name, lists := range map[string][]List{
		"quality": {v.List("", ByQuality, -1)},
		"category and SDK": {v.Best("database", "python"), v.Best("tools", "python"), v.Best("api", "python"), v.Best("data", "python"),
			v.Best("database", "typescript"), v.Best("tools", "typescript"), v.Best("api", "typescript"), v.Best("data", "typescript")},
		"SDK": {v.Best("", "typescript")},
	} {
		page := func() (List, int, int) {
			l := lists[rand.IntN(len(lists))]
			from := rand.IntN(l.Total() - 20)
			return l, from, from + 20
		}
		b.Run(name+"/plain", func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				l, from, to := page()
				buf = l.AppendBasics(buf[:0], from, to)
			}
			b.ReportMetric(float64(len(buf)), "B")
		})
		b.Run(name+"/gzip", func(b *testing.B) {
			var buf []byte
			var z Zip
			for i := range v.Len() {
				v.List("", ByQuality, -1).At(i).home.zip()
			}
			for b.Loop() {
				l, from, to := page()
				z.Begin(buf[:0], "[")
				l.ZipBasics(&z, from, to)
				buf = z.End([]byte("]"))
			}
			b.ReportMetric(float64(len(buf)), "B")
		})
	}
}
