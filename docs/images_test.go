package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/web/webtest"
)

// TestPictures fails if the pages, their style or the demo changed since the pictures were made.
func TestPictures(t *testing.T) {
	now, err := webtest.PicturesHash("..")
	if err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join("images", webtest.PicturesFile))
	if err != nil || strings.TrimSpace(string(made)) != now {
		t.Errorf("docs/images is older than the pages: run make screenshots (%v)", err)
	}
}
