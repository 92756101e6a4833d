package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcpcensus/web/webtest"
)

// mostBytes is how big a picture in the repository may be.
const mostBytes = 150_000

// TestScreenshots writes the pictures of docs/images.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("CENSUS_TEST_SCREENSHOTS")
	if dir == "" {
		t.Skip("SKIPPED: writes files; make screenshots runs it (CENSUS_TEST_SCREENSHOTS is not set)")
	}
	s, b := started(t)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	type size struct {
		name          string
		width, height int64
		phone         bool
	}
	desktop, phone := size{"desktop", 1280, 860, false}, size{"phone", 390, 844, true}
	both := []string{"light", "dark"}
	w, signedIn := b.open(t), b.open(t)
	signedIn.signUp(s)
	signedIn.makeKey()
	for _, p := range []struct {
		name, path string
		as         []size
		schemes    []string
		tab        *tab
	}{
		{"home", "/", []size{desktop, phone}, both, w},
		{"search", "/servers?q=files", []size{desktop, phone}, both, w},
		{"server", "/servers/" + richSlug, []size{desktop, phone}, both, w},
		{"health", "/servers/" + richSlug + "/health", []size{desktop}, both[:1], w},
		{"check", "/check?url=" + unlisted, []size{desktop, phone}, both[:1], w},
		{"compare", "/compare?s=" + richSlug + "&s=" + secondSlug, []size{desktop, phone}, both, w},
		{"statistics", "/stats", []size{desktop, phone}, both, w},
		{"categories", "/categories", []size{desktop, phone}, both[:1], w},
		{"account", "/account", []size{desktop, phone}, both[:1], signedIn},
	} {
		for _, as := range p.as {
			p.tab.size(as.width, as.height, as.phone)
			for _, scheme := range p.schemes {
				p.tab.media("", scheme)
				status := p.tab.visit(p.path)
				for range 50 { // a check takes a moment
					if status != 202 {
						break
					}
					time.Sleep(200 * time.Millisecond)
					status = p.tab.visit(p.path)
				}
				if status != 200 {
					t.Fatalf("%s answers %d", p.path, status)
				}
				p.tab.run(`document.activeElement.blur()`, nil)
				name := p.name + "-" + as.name + "-" + scheme + ".png"
				small, err := optimised(p.tab.picture(false))
				if err != nil {
					t.Fatal(err)
				}
				if len(small) > mostBytes {
					t.Errorf("%s has %d bytes, more than %d", name, len(small), mostBytes)
				}
				if err := os.WriteFile(filepath.Join(dir, name), small, 0o644); err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %d kB", name, len(small)/1000)
			}
		}
	}
	noteSource(t, dir)
}

// noteSource records what the pictures in dir were made from.
func noteSource(t *testing.T, dir string) {
	t.Helper()
	sum, err := webtest.PicturesHash(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, webtest.PicturesFile), []byte(sum+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// optimised returns a PNG with the 256 colours that matter most, which is all
// but some edges of letters for a picture of a page.
func optimised(b []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	type bucket struct {
		colors map[color.RGBA]int
		pixels int
	}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	area := img.Bounds()
	buckets := map[color.RGBA]*bucket{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			near := color.RGBA{c.R >> 3, c.G >> 3, c.B >> 3, 255}
			if buckets[near] == nil {
				buckets[near] = &bucket{colors: map[color.RGBA]int{}}
			}
			buckets[near].colors[c]++
			buckets[near].pixels++
		}
	}
	order := slices.SortedFunc(maps.Values(buckets), func(a, b *bucket) int { return cmp.Compare(b.pixels, a.pixels) })
	var palette color.Palette
	for _, b := range order[:min(256, len(order))] {
		var most color.RGBA
		for c, n := range b.colors {
			if k := b.colors[most]; n > k || n == k && (c.R < most.R || c.R == most.R && (c.G < most.G || c.G == most.G && c.B < most.B)) {
				most = c
			}
		}
		palette = append(palette, most)
	}
	out := image.NewPaletted(area, palette)
	known := map[color.RGBA]uint8{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(palette.Index(c))
				known[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	var small bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, out)
	return small.Bytes(), err
}
