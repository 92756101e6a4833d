package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/web/format"
)

// loadTemplates returns the pages by name. Each is parsed together with the layout and the
// parts when it is first shown. now supplies the current time for texts such as
// "5 minutes ago".
func loadTemplates(files fs.FS, now func() time.Time) (map[string]pageTemplate, error) {
	ago := func(t time.Time) string { return format.Ago(now(), t) }
	clocked := template.FuncMap{"ago": func(t any) string { return TimeOr(t, ago, "unknown") }}
	pages, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	all := map[string]pageTemplate{}
	for _, p := range pages {
		name := strings.TrimSuffix(path.Base(p), ".html")
		if name == "layout" || strings.HasSuffix(name, "parts") {
			continue
		}
		all[name] = sync.OnceValues(func() (*template.Template, error) {
			return template.New("").Funcs(functions).Funcs(clocked).ParseFS(files,
				"templates/layout.html", "templates/*parts.html", p)
		})
	}
	return all, nil
}

type pageTemplate = func() (*template.Template, error)

// Render executes one template of a page; "layout" is the whole page.
func (s *Site) Render(page, part string, data any) ([]byte, error) {
	t, err := s.pages[page]()
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", page, err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, part, data); err != nil {
		return nil, fmt.Errorf("page %s: %w", page, err)
	}
	return b.Bytes(), nil
}

// ByContent makes Show compute the entity tag from the page.
const ByContent = "by content"

// Show responds with a page, or with "page/part" for a part of it. An empty
// tag means that the response must not be stored.
func (s *Site) Show(c *gin.Context, status int, name, tag string, data any) error {
	name, part, _ := strings.Cut(name, "/")
	if part == "" {
		part = "layout"
	}
	body, err := s.Render(name, part, data)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	for k, v := range s.security {
		h.Set(k, v)
	}
	if tag == ByContent {
		tag = httpd.TagOf(body)
	}
	a := httpd.Response{Status: status, Type: "text/html; charset=utf-8", Body: body,
		Cache: "no-store"}
	if tag != "" {
		a.Tag, a.Cache = tag, "public, no-cache"
	}
	if c.Request.Method != http.MethodHead && !s.Static {
		a.Zipped = httpd.Zip(a.Body)
	}
	httpd.Write(c, a)
	return nil
}

// Tag is an entity tag that changes with the data and the program.
func (s *Site) Tag(v *catalog.View) string {
	return `W/"` + s.version + "-" + strings.Trim(strings.TrimPrefix(v.Tag(), "W/"), `"`) + `"`
}

// Zip compresses a body with gzip; it returns nil if the client does not accept that.
func (s *Site) Zip(c *gin.Context, body []byte) []byte {
	if s.Static || c.Request.Method == http.MethodHead || !httpd.TakesGzip(c.Request) {
		return nil
	}
	return httpd.Zip(body)
}
