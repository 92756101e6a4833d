package subregistry

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

type list struct {
	limit  int
	cursor *page.Cursor // nil: the first page
	// The other fields select the servers. Cursors contain them because clients omit them on
	// later pages.
	search         string
	version        string // "" for all
	since          time.Time
	includeDeleted bool
}

const (
	defaultLimit = 30
	maxLimit     = 100
	maxSearch    = 256 // characters
)

type listBody struct {
	Servers  []json.RawMessage `json:"servers"`
	Metadata metadata          `json:"metadata"`
}

type metadata struct {
	NextCursor string `json:"nextCursor,omitempty"`
	Count      int    `json:"count"`
}

var stored = []string{"search", "version", "updated_since", "include_deleted"}

// parseList reads the query string of a list at a path. Unknown parameters are ignored.
func (a *API) parseList(raw, path string) (*list, error) {
	given, err := url.ParseQuery(raw)
	if err != nil {
		return nil, registry.Errorf(registry.ErrInvalid, "The query string has an invalid escape sequence.")
	}
	if given.Has("repo") {
		return nil, unprocessable("repo", "is not supported: this registry has no policy for repositories")
	}
	l := &list{limit: defaultLimit}
	if text := given.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			return nil, unprocessable("limit", "must be between 1 and %d, got %s", maxLimit, page.Printable(text))
		}
		l.limit = n
	}
	if given.Get("version") == "latest" { // lists contain only latest versions
		given.Del("version")
	}
	if text := given.Get("cursor"); text != "" {
		if l.cursor, err = a.API.Sealer.Open(text); err != nil {
			return nil, err
		}
		if l.cursor.Path != path {
			return nil, registry.Invalid("cursor", "belongs to another list; start again without it")
		}
		for _, name := range stored {
			was := l.cursor.Params[name]
			if text := given.Get(name); text != "" && text != was {
				return nil, registry.Invalid("cursor", "belongs to a list with another %s; start again without it", name)
			}
			given.Set(name, was)
		}
	}
	return l, l.parse(given)
}

func (l *list) parse(given url.Values) error {
	deleted := given.Get("include_deleted")
	if deleted != "" {
		b, err := strconv.ParseBool(deleted)
		if err != nil {
			return unprocessable("include_deleted", "must be true or false, got %s", page.Printable(deleted))
		}
		l.includeDeleted = b
	}
	if text := given.Get("updated_since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return registry.Invalid("updated_since",
				"must be an RFC 3339 time, such as 2025-08-07T13:15:04.280Z, got %s", page.Printable(text))
		}
		if deleted != "" && !l.includeDeleted {
			return registry.Invalid("include_deleted", "must not be false with updated_since")
		}
		l.since, l.includeDeleted = since, true
	}
	l.version = given.Get("version")
	search := given.Get("search")
	l.search = strings.Join(strings.Fields(text.Strip(search)), " ")
	if !utf8.ValidString(search) || len([]rune(l.search)) > maxSearch {
		return unprocessable("search", "must be valid text of at most %d characters", maxSearch)
	}
	return nil
}

// unprocessable returns an error for a parameter that the official registry rejects with
// status 422.
func unprocessable(field, format string, args ...any) error {
	e := registry.Invalid(field, format, args...)
	e.Kind = registry.ErrUnprocessable
	return e
}

// params returns the query parameters to store in a cursor.
func (l *list) params() map[string]string {
	out := map[string]string{}
	if l.search != "" {
		out["search"] = l.search
	}
	if l.version != "" {
		out["version"] = l.version
	}
	if l.includeDeleted {
		out["include_deleted"] = "true"
	}
	if !l.since.IsZero() {
		out["updated_since"] = l.since.Format(time.RFC3339Nano)
	}
	return out
}

func (a *API) servers(ctx context.Context, c *gin.Context) error {
	v, err := a.API.View()
	if err != nil {
		return err
	}
	s, err := a.scope(ctx, v, c)
	if err != nil {
		return err
	}
	l, err := a.parseList(c.Request.URL.RawQuery, s.path)
	if err != nil {
		return err
	}
	build := func() (any, error) { return a.listPage(ctx, s, l) }
	if l.search == "" && !l.includeDeleted && s.fixed {
		return a.respond(c, api.URLKey(v, c), build)
	}
	r, err := responseOf(build)
	if err == nil {
		r.Send(c)
	}
	return err
}

// A row is a server of a list: one that is listed or one that has left.
type row struct {
	item *catalog.Item
	gone *departed
}

func (r row) position() catalog.EntryPosition {
	if r.gone != nil {
		return r.gone.position()
	}
	return r.item.EntryPosition()
}

func (a *API) listPage(ctx context.Context, s *scope, l *list) (*listBody, error) {
	var gone []departed
	if l.includeDeleted {
		var err error
		if gone, err = a.departures(ctx, s); err != nil {
			return nil, err
		}
	}
	walk := a.walkNames
	if l.search != "" {
		walk = a.walkResults
	}
	rows, next, err := walk(ctx, s, l, gone)
	if err != nil {
		return nil, err
	}
	body := &listBody{Servers: make([]json.RawMessage, len(rows)), Metadata: metadata{Count: len(rows)}}
	for n, r := range rows {
		if r.gone != nil {
			body.Servers[n], err = a.goneRecord(r.gone)
		} else {
			body.Servers[n], err = a.record(s, r.item)
		}
		if err != nil {
			return nil, err
		}
	}
	if next != nil {
		next.Path, next.Params = s.path, l.params()
		body.Metadata.NextCursor = a.API.Sealer.Seal(next)
	}
	return body, nil
}

// matches reports whether a server matches the version and time conditions; the search is
// applied elsewhere.
func (l *list) matches(r row) bool {
	if r.gone != nil {
		return (l.version == "" || r.gone.Version == l.version) && !r.gone.At.Before(l.since)
	}
	head, _ := r.item.Entry()
	return (l.version == "" || head.Version == l.version) &&
		(l.since.IsZero() || !r.item.UpdatedAt().Before(l.since))
}

// walkNames returns the next rows in the order of names. next is nil at the end.
func (a *API) walkNames(
	_ context.Context, s *scope, l *list, gone []departed,
) (rows []row, next *page.Cursor, err error) {
	i, g := 0, 0
	if l.cursor != nil {
		after, ok := positionOf(l.cursor)
		if !ok {
			return nil, nil, registry.Invalid("cursor", "is out of date; start again without it")
		}
		i = s.entries.After(after)
		for g < len(gone) && gone[g].position().Compare(after) <= 0 {
			g++
		}
	}
	for i < s.entries.Len() || g < len(gone) {
		var r row
		if g == len(gone) || i < s.entries.Len() &&
			s.entries.At(i).EntryPosition().Compare(gone[g].position()) < 0 {
			r.item = s.entries.At(i)
			i++
		} else {
			r.gone = &gone[g]
			g++
		}
		if !l.matches(r) {
			continue
		}
		if len(rows) == l.limit {
			return rows, cursorAt(rows[l.limit-1].position()), nil
		}
		rows = append(rows, r)
	}
	return rows, nil, nil
}

func cursorAt(p catalog.EntryPosition) *page.Cursor {
	return &page.Cursor{Keys: []any{p.Name, p.Published, p.ID}}
}

func positionOf(c *page.Cursor) (p catalog.EntryPosition, ok bool) {
	if len(c.Keys) != 3 {
		return p, false
	}
	name, isText := c.Keys[0].(string)
	published, isFlag := c.Keys[1].(bool)
	id, isNumber := c.Keys[2].(float64)
	return catalog.EntryPosition{Name: name, Published: published, ID: int64(id)}, isText && isFlag && isNumber
}

// maxFound is how many results of the index are part of a search; the servers with the
// text in their names follow.
const maxFound = 1000

func (a *API) walkResults(
	ctx context.Context, s *scope, l *list, gone []departed,
) (rows []row, next *page.Cursor, err error) {
	found, err := a.search(ctx, s, l.search)
	if err != nil {
		return nil, nil, err
	}
	all := make([]row, 0, len(found))
	for _, i := range found {
		all = append(all, row{item: i})
	}
	for n := range gone {
		if contains(gone[n].Name, l.search) {
			all = append(all, row{gone: &gone[n]})
		}
	}
	from := 0
	if c := l.cursor; c != nil {
		from = max(0, min(c.Offset, len(all)))
		same := func(r row) bool { return r.item != nil && r.item.Slug() == c.Slug }
		if n := slices.IndexFunc(all, same); c.Slug != "" && n >= 0 {
			from = n + 1
		}
	}
	for n := from; n < len(all); n++ {
		if !l.matches(all[n]) {
			continue
		}
		if len(rows) == l.limit {
			next = &page.Cursor{Offset: n}
			if last := rows[l.limit-1].item; last != nil {
				next.Slug = last.Slug()
			}
			return rows, next, nil
		}
		rows = append(rows, all[n])
	}
	return rows, nil, nil
}

// search returns the servers of a scope that a text finds: the best results of the index,
// then the others that have the text in their names, best first. If the index does not
// respond, only the latter.
func (a *API) search(ctx context.Context, s *scope, text string) ([]*catalog.Item, error) {
	return a.found.GetContext(ctx, s.key+"\x00"+text, a.API.Now(),
		func(ctx context.Context) ([]*catalog.Item, time.Duration, error) {
			found, complete := a.indexed(ctx, s, text)
			seen := map[*catalog.Item]bool{}
			for _, i := range found {
				seen[i] = true
			}
			all := s.v.List("", catalog.ByRecommended, -1)
			for n := range all.Total() {
				i := all.At(n)
				if head, ok := i.Entry(); ok && !seen[i] && contains(head.Name, text) && s.has(i) {
					found = append(found, i)
				}
			}
			if !complete {
				return found, 0, nil
			}
			return found, time.Minute, nil
		})
}

// indexed returns the best results of the index in a scope. complete is false if it did
// not respond.
func (a *API) indexed(ctx context.Context, s *scope, text string) (found []*catalog.Item, complete bool) {
	matches, err := a.API.Search.Match(ctx, text)
	if err != nil {
		return nil, false
	}
	l := s.v.Query(query.Query{Text: text, Filters: s.filters}, matches.Slugs)
	for n := range min(l.Total(), maxFound) {
		if _, ok := l.At(n).Entry(); ok && s.has(l.At(n)) {
			found = append(found, l.At(n))
		}
	}
	return found, !matches.Degraded
}

// contains reports whether a name contains a text, in any case.
func contains(name, text string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(text))
}
