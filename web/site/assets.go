package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/brand"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// An Asset is a file that pages load.
type Asset struct {
	Type   string
	Body   []byte
	zipped []byte
}

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// RegisterAssets adds the assets of pages to r.
func (s *Site) RegisterAssets(r gin.IRoutes) {
	s.Get(r, "/static/:file", s.static)
	s.Get(r, "/favicon.ico", s.favicon)
}

// Assets are the files under /static, by their names.
func (s *Site) Assets() map[string]Asset { return s.assets }

func (s *Site) styleName() string { return "site-" + s.version + ".css" }

func (s *Site) scriptName() string { return "site-" + s.version + ".js" }

func (s *Site) loadAssets() error {
	sum := sha256.New()
	for _, dir := range []string{"static", "templates"} {
		err := fs.WalkDir(s.Files, dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(s.Files, p)
			sum.Write(b)
			return err
		})
		if err != nil {
			return err
		}
	}
	style := brandStyle(s.Brand)
	fmt.Fprintf(sum, "%q %q %q %s", s.Brand.Name(), s.Brand.Logo, s.Brand.Links, style)
	s.version = hex.EncodeToString(sum.Sum(nil))[:10]
	s.assets = map[string]Asset{}
	if l := s.Options.Logo; l != nil {
		s.assets[l.name()] = Asset{l.kind(), l.Body, httpd.Zip(l.Body)}
	}
	for file, name := range map[string]string{
		"census.css": s.styleName(), "census.js": s.scriptName(), "favicon.svg": "favicon.svg",
	} {
		b, err := fs.ReadFile(s.Files, "static/"+file)
		if err != nil {
			return err
		}
		if file == "census.css" {
			b = append(b, style...)
		}
		s.assets[name] = Asset{assetTypes[path.Ext(file)], b, httpd.Zip(b)}
	}
	return nil
}

// brandStyle replaces the default colors by those of the brand.
func brandStyle(b brand.Brand) string {
	if b.Light == nil || b.Dark == nil {
		return ""
	}
	return fmt.Sprintf(`:root { --link: %[1]s; --focus: %[1]s; --tint: %[2]s; }
@media (prefers-color-scheme: dark) { :root { --link: %[3]s; --focus: %[3]s; --tint: %[4]s; } }
`, b.Light, b.Light.OnLight(), b.Dark, b.Dark.OnDark())
}

func (s *Site) static(_ context.Context, c *gin.Context) error {
	a, ok := s.assets[c.Param("file")]
	if !ok {
		return registry.Errorf(registry.ErrNotFound, "Not found.")
	}
	s.writeAsset(c, a, "public, max-age=31536000, immutable")
	return nil
}

func (s *Site) favicon(_ context.Context, c *gin.Context) error {
	if s.Brand.Logo != "" {
		c.Redirect(http.StatusFound, s.Brand.Logo)
		return nil
	}
	s.writeAsset(c, s.assets["favicon.svg"], "public, max-age=86400")
	return nil
}

func (s *Site) writeAsset(c *gin.Context, a Asset, cache string) {
	c.Writer.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'")
	httpd.Write(c, httpd.Response{Type: a.Type, Tag: `W/"` + s.version + `"`, Cache: cache,
		Body:   a.Body,
		Zipped: a.zipped})
}

// A Logo is the brand's logo, served by the site itself.
type Logo struct {
	Type string // "image/svg+xml"
	Body []byte
}

// logoTypes are the types of images that browsers show, with the endings of
// their files.
var logoTypes = map[string]string{
	"image/svg+xml": ".svg", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif",
	"image/webp": ".webp",
	"image/avif": ".avif", "image/x-icon": ".ico", "image/vnd.microsoft.icon": ".ico",
}

func (l *Logo) kind() string {
	kind, _, _ := mime.ParseMediaType(l.Type)
	return kind
}

// Known reports whether browsers show images of this type.
func (l *Logo) Known() bool { return logoTypes[l.kind()] != "" }

// name is the name of its file, which changes with the content.
func (l *Logo) name() string {
	sum := sha256.Sum256(l.Body)
	return "logo-" + hex.EncodeToString(sum[:5]) + logoTypes[l.kind()]
}
