package v1

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
)

// maxBulk is how many servers one request may ask for.
const maxBulk = 100

// bulk answers POST /v1/servers/bulk: the records of several servers in the
// order of the request, ids before addresses before names.
func (a *API) bulk(_ context.Context, c *gin.Context) error {
	if _, err := need(c, "Several servers in one request need", bulkPlan); err != nil {
		return err
	}
	if _, err := api.ParseQuery(c.Request.URL.RawQuery); err != nil {
		return err
	}
	var wrong faults
	m, err := readObject(c, maxBulkBody, &wrong, "ids", "githubUrls", "names", "fields")
	if err != nil {
		return err
	}
	ids, addresses, names := m.texts("ids", &wrong), m.texts("githubUrls", &wrong), m.texts("names", &wrong)
	want := fields(m, &wrong)
	n := len(ids) + len(addresses) + len(names)
	switch {
	case n == 0 && len(wrong) == 0:
		return &registry.Error{Kind: registry.ErrMissing, Msg: "Give 1 to 100 servers in ids, githubUrls or names.",
			Fields: []registry.FieldError{{Field: "ids", Message: "or githubUrls or names is required"}}}
	case n > maxBulk:
		field := "ids"
		if len(ids) < len(addresses) {
			field = "githubUrls"
		}
		if len(names) > len(ids) && len(names) > len(addresses) {
			field = "names"
		}
		wrong.add(field, "are "+strconv.Itoa(n)+" entries with those of the other lists; at most 100 are allowed")
		return wrong.err()
	}
	misread := slices.Clone(wrong)
	unread := func(at string) bool {
		return slices.ContainsFunc(misread, func(f registry.FieldError) bool { return f.Field == at })
	}
	v, err := a.API.View()
	if err != nil {
		return err
	}
	b := gathering{v: v, seen: map[string]bool{}, missing: map[string]bool{}}
	for i, id := range ids {
		at := "ids[" + strconv.Itoa(i) + "]"
		switch {
		case unread(at): // said already
		case strings.TrimSpace(id) == "":
			wrong.add(at, "must not be empty")
		case strings.Contains(id, "://") || strings.HasPrefix(id, "github.com/"):
			wrong.add(at, "is an address; those go into githubUrls")
		case strings.Contains(id, "/"):
			wrong.add(at, "is no id; names in the official registry go into names, addresses into githubUrls")
		default:
			b.add(id, lookUp(v, id))
		}
	}
	for i, address := range addresses {
		at := "githubUrls[" + strconv.Itoa(i) + "]"
		if unread(at) {
			continue
		}
		ref, err := registry.ParseRepoRef(strings.TrimSpace(address))
		if err != nil {
			wrong.add(at, why(err))
			continue
		}
		b.add(address, api.FindByAddress(v, ref))
	}
	for i, name := range names {
		at := "names[" + strconv.Itoa(i) + "]"
		if unread(at) {
			continue
		}
		if !strings.Contains(name, "/") {
			wrong.add(at, "is no name in the official registry, such as io.github.owner/repo; slugs go into ids")
			continue
		}
		b.add(name, lookUp(v, name))
	}
	if err := wrong.err(); err != nil {
		return err
	}
	a.API.Counter.Events(meter.EventAPIHit, slugs(b.items), c.Request)
	body := b.body(want)
	httpd.Write(c, httpd.Answer{Status: http.StatusOK, Tag: api.TagOf(body), Cache: "private, no-cache", Body: body, Zipped: zipped(c, body)})
	return nil
}

func zipped(c *gin.Context, body []byte) []byte {
	if !httpd.TakesGzip(c.Request) {
		return nil
	}
	return httpd.Zip(body)
}

// why says what is wrong with an address.
func why(err error) string {
	if e, ok := err.(*registry.Error); ok {
		if len(e.Fields) > 0 {
			return e.Fields[0].Message
		}
		return e.Msg
	}
	return "is not the address of a repository"
}

// lookUp returns the listed server of that slug or name, nil if there is none.
func lookUp(v *catalog.View, name string) *catalog.Item {
	name = strings.TrimSpace(name)
	i, gone := v.Find(name)
	if i == nil && !gone {
		i, _ = v.Find(strings.ToLower(name))
	}
	return i
}

// A gathering is what a bulk request has found so far.
type gathering struct {
	v             *catalog.View
	items         []*catalog.Item
	notFound      []string
	seen, missing map[string]bool
}

func (g *gathering) add(asked string, i *catalog.Item) {
	switch {
	case i == nil && !g.missing[asked]:
		g.missing[asked] = true
		g.notFound = append(g.notFound, httpd.MaskKeys(asked))
	case i != nil && !g.seen[i.Slug()]:
		g.seen[i.Slug()] = true
		g.items = append(g.items, i)
	}
}

func (g *gathering) body(fields []string) []byte {
	b := append(make([]byte, 0, 4<<10*(1+len(g.items))), `{"servers":[`...)
	var cut *cutter
	if fields != nil {
		cut = newCutter(fields)
	}
	for n, i := range g.items {
		if n > 0 {
			b = append(b, ',')
		}
		if cut != nil {
			b = cut.append(b, i)
		} else {
			b = i.AppendDetail(b)
		}
	}
	b = append(b, `],"notFound":`...)
	if g.notFound == nil {
		b = append(b, `[]`...)
	} else {
		b = append(b, api.JSON(g.notFound)...)
	}
	b = append(b, `,"count":`...)
	return append(strconv.AppendInt(b, int64(len(g.items)), 10), '}')
}
