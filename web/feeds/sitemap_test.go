package feeds

import (
	"bytes"
	"slices"
	"testing"

	"mcpcensus/web/site"
)

func TestSitemap_parts(t *testing.T) {
	places := make([]Place, PartSize+1)
	n := 0
	for part := range slices.Chunk(places, PartSize) {
		n++
		if b := (&Feeds{Site: &site.Site{}}).SitemapPart(part); bytes.Count(b, []byte("<url>")) > 50_000 || len(b) > 50<<20 {
			t.Errorf("a part of %d bytes", len(b))
		}
	}
	if n != 2 {
		t.Errorf("%d parts", n)
	}
}
