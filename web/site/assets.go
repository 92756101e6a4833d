package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

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

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,80}$`)

// fileName is the name of the file of a tag or an owner: the name itself if all web servers
// and file systems accept it, otherwise a similar one with a digest.
func fileName(s string) string {
	s = strings.ToLower(s)
	if plainName.MatchString(s) {
		return s
	}
	similar := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s), "-")
	sum := sha256.Sum256(fmt.Appendf(nil, "%q\n", s)) // file names must not change
	return similar[:min(len(similar), 40)] + "-" + hex.EncodeToString(sum[:5])
}

// FileOf returns the file that an export writes an address of the site to,
// whether it exists or not. Pages end in .html, so that any web server can serve them. Later
// pages of a list are in a separate folder.
func FileOf(address string) string {
	path, rawQuery, _ := strings.Cut(address, "?")
	path = strings.TrimPrefix(path, "/")
	query, _ := url.ParseQuery(rawQuery)
	page := ""
	if n := query.Get("page"); n != "" && n != "1" {
		page = "/page/" + n
	}
	switch folder, rest, deep := strings.Cut(path, "/"); {
	case path == "":
		return "index.html"
	case path == "api/health" && query.Get("server") != "":
		return "servers/" + query.Get("server") + ".health.json"
	case strings.HasPrefix(path, "api/servers/"):
		return strings.TrimPrefix(path, "api/") + ".json"
	case folder == "avatars":
		host, owner, _ := strings.Cut(strings.TrimSuffix(rest, ".png"), "/")
		if plain, err := url.PathUnescape(owner); err == nil {
			owner = plain
		}
		return "avatars/" + fileName(host) + "/" + fileName(owner) + ".png"
	case path == "api/servers":
		return "api/servers/1.json"
	case deep && (folder == "owners" || folder == "tags"):
		name, last, more := strings.Cut(rest, "/")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if name = folder + "/" + fileName(name); more {
			return name + "/" + last
		}
		return name + page + ".html"
	case isFile(path, folder, deep):
		return path
	}
	return path + page + ".html"
}

// isFile reports whether a path is that of a file, and not of a page.
func isFile(path, folder string, deep bool) bool {
	if !deep {
		return strings.Contains(path, ".")
	}
	switch folder {
	case "static", "badge", "social", "sitemaps", "search", "stats":
		return true
	}
	return strings.HasSuffix(path, "/feed.atom") || folder == "servers" && strings.HasSuffix(path, ".md")
}

// A Feed is the Atom feed of a category, of an owner, or of everything.
type Feed struct{ Category, Owner string }

// Path is the address of the feed.
func (f Feed) Path() string { return strings.TrimSuffix(f.Page(), "/") + "/feed.atom" }

// Page is the address of the page with the same servers.
func (f Feed) Page() string {
	switch {
	case f.Category != "":
		return "/categories/" + f.Category
	case f.Owner != "":
		return "/owners/" + url.PathEscape(f.Owner)
	}
	return "/"
}
