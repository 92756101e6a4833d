package site

import (
	"os"
	"testing"
	"time"
)

// Pages are parsed when they are first shown, so this test finds what cannot be parsed.
func TestLoadTemplates(t *testing.T) {
	pages, err := loadTemplates(os.DirFS(".."), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		if parsed, err := page(); err != nil || parsed.Lookup("layout") == nil {
			t.Errorf("page %s: %v", name, err)
		}
	}
	if len(pages) < 20 {
		t.Errorf("only %d pages", len(pages))
	}
}
