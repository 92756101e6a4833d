package v1

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
)

// maxBulk is how many servers a request may name.
const maxBulk = 100

type bulkParams struct {
	IDs        []string `query:"ids"`
	GithubURLs []string `query:"githubUrls"`
	Names      []string `query:"names"`
	Fields     []string `query:"fields"`
}

type bulkBody struct {
	Servers  []any    `json:"servers"`
	NotFound []string `json:"notFound"`
	Count    int      `json:"count"`
}

// bulk handles POST /v1/servers/bulk: the records of several servers in the
// order of the request, IDs before URLs before names.
func (a *API) bulk(_ context.Context, c *gin.Context) error {
	if _, err := need(c, "Bulk requests require", bulkPlan); err != nil {
		return err
	}
	var p bulkParams
	var faults page.Faults
	if err := parseBody(c, maxBulkBody, &p, &faults); err != nil {
		return err
	}
	fields := checkFields(p.Fields, &faults)
	if err := p.checkCount(&faults); err != nil {
		return err
	}
	v, err := a.API.View()
	if err != nil {
		return err
	}
	result := p.find(v, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	slugs := make([]string, len(result.items))
	for n, i := range result.items {
		slugs[n] = i.Slug()
	}
	a.API.Counter.Events(meter.EventAPIHit, slugs, c.Request)
	b := bulkBody{NotFound: result.missing, Count: len(result.items)}
	b.Servers, err = a.records(result.items, fields)
	return sendJSON(c, http.StatusOK, b, err)
}

// checkCount returns an error if too many servers are named, or none.
func (p *bulkParams) checkCount(faults *page.Faults) error {
	n := len(p.IDs) + len(p.GithubURLs) + len(p.Names)
	if n == 0 && len(*faults) == 0 {
		return &registry.Error{
			Kind: registry.ErrMissing, Msg: "ids, githubUrls or names is required, with 1 to 100 servers.",
			Fields: []registry.FieldError{{Field: "ids", Message: "is required unless githubUrls or names is given"}},
		}
	}
	if n <= maxBulk {
		return nil
	}
	field := "ids"
	if len(p.IDs) < len(p.GithubURLs) {
		field = "githubUrls"
	}
	if len(p.Names) > len(p.IDs) && len(p.Names) > len(p.GithubURLs) {
		field = "names"
	}
	faults.Add(field, "must have at most %d entries with the other lists, got %d", maxBulk, n)
	return faults.Err()
}

// A bulkResult holds the servers that a bulk request has found.
type bulkResult struct {
	items   []*catalog.Item
	missing []string
	seen    map[string]bool // slugs of items, and names that are missing
}

func (r *bulkResult) add(name string, i *catalog.Item) {
	key := "missing " + name
	if i != nil {
		key = i.Slug()
	}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	if i == nil {
		r.missing = append(r.missing, name)
	} else {
		r.items = append(r.items, i)
	}
}

// find looks up all servers. Names that are empty are faults; what cannot be resolved
// is missing.
func (p *bulkParams) find(v *catalog.View, faults *page.Faults) *bulkResult {
	r := &bulkResult{seen: map[string]bool{}, missing: []string{}}
	each := func(field string, names []string, look func(name string) []*catalog.Item) {
		for n, name := range names {
			at := fmt.Sprintf("%s[%d]", field, n)
			if faults.Has(at) {
				continue
			}
			if strings.TrimSpace(name) == "" {
				faults.Add(at, "must not be empty")
				continue
			}
			items := look(name)
			if len(items) == 0 {
				r.add(name, nil)
			}
			for _, i := range items {
				r.add(name, i)
			}
		}
	}
	// A slug has no slash, and a name in the official registry has one.
	named := func(slash bool) func(string) []*catalog.Item {
		return func(name string) []*catalog.Item {
			if i, _ := v.Lookup(strings.TrimSpace(name)); i != nil && strings.Contains(name, "/") == slash {
				return []*catalog.Item{i}
			}
			return nil
		}
	}
	each("ids", p.IDs, named(false))
	each("githubUrls", p.GithubURLs, func(address string) []*catalog.Item {
		items, err := v.ByAddress(address)
		if err != nil { // of another code host, or not an address
			return nil
		}
		return items
	})
	each("names", p.Names, named(true))
	return r
}
