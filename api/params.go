package api

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// Params are the parameters of a request, each at most once. They are so few
// that a map would take longer.
type Params struct {
	n    int
	list [maxParams]param
}

// maxParams is more than any endpoint takes.
const maxParams = 12

type param struct{ name, value string }

// Get returns the value of a parameter, "" if it is not given.
func (p *Params) Get(name string) string {
	v, _ := p.Lookup(name)
	return v
}

// Lookup returns the value of a parameter, and whether it is given.
func (p *Params) Lookup(name string) (value string, given bool) {
	for i := range p.n {
		if p.list[i].name == name {
			return p.list[i].value, true
		}
	}
	return "", false
}

// set adds a parameter that is not given yet.
func (p *Params) set(name, value string) {
	p.list[p.n] = param{name, value}
	p.n++
}

// maxSearch is the longest search text, in bytes.
const maxSearch = 256

// allParams are the parameters of all endpoints, here and under /v1.
var allParams = []string{
	"category", "search", "minScore", "limit", "offset", "sort", "format", "level", "cursor", "server", "githubUrl",
	"sdk", "page", "q", "filters", "facets", "fields", "period", "interval", "from", "to",
}

// insteadOf says what to use in place of a parameter of /v1 at an endpoint
// that takes search.
var insteadOf = map[string]string{
	"q": "search", "page": "offset or cursor", "sdk": "/v1/servers, with a key",
	"filters": "/v1/search, with a key", "facets": "/v1/search, with a key", "fields": "/v1/search, with a key",
}

// parseParams reads a query string. A parameter that the endpoint does not
// take is an error if another endpoint takes it or if it is one of ours
// misspelt: ignoring it would give an answer to another question. Any other is
// none of our business (a tracking mark, a cache buster) and is ignored.
func parseParams(raw string, allowed ...string) (p Params, err error) {
	if raw == "" || p.plain(raw, allowed) {
		return p, nil
	}
	p = Params{}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return p, registry.Errorf(registry.ErrInvalid, "The query string cannot be read: %s. Escape special characters as %%XX.", queryFault(err))
	}
	var wrong []registry.FieldError
	for name, vs := range values {
		switch {
		case slices.Contains(allowed, name):
			if len(vs) > 1 {
				wrong = append(wrong, registry.FieldError{Field: name, Message: "is given more than once"})
				continue
			}
			if fault := textFault(name, vs[0]); fault != "" {
				wrong = append(wrong, registry.FieldError{Field: name, Message: fault})
				continue
			}
			p.set(name, vs[0])
		case slices.Contains(allParams, name):
			msg := "is not a parameter here; " + thereAre(allowed)
			if use := insteadOf[name]; use != "" && slices.Contains(allowed, "search") {
				msg = "is not a parameter here: use " + use
			}
			wrong = append(wrong, registry.FieldError{Field: name, Message: msg})
		default:
			if meant := misspelt(name, allowed); meant != "" {
				wrong = append(wrong, registry.FieldError{Field: printable(name), Message: "is not a parameter; did you mean " + meant + "?"})
			}
		}
	}
	return p, invalid(wrong)
}

// plain reads what parseParams does for the usual query string, which has no
// escapes and nothing wrong in it. For any other it returns false.
func (p *Params) plain(raw string, allowed []string) bool {
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c > '~' || c == '%' || c == '+' || c == ';' {
			return false
		}
	}
	if strings.Contains(raw, "mcp_") { // maybe a key
		return false
	}
	for more := true; more; {
		var part string
		part, raw, more = strings.Cut(raw, "&")
		name, value, _ := strings.Cut(part, "=")
		if _, twice := p.Lookup(name); twice || !slices.Contains(allowed, name) {
			return false
		}
		p.set(name, value)
	}
	return true
}

// queryFault says what is wrong with a query string without repeating it.
func queryFault(err error) string {
	if strings.Contains(err.Error(), "semicolon") {
		return "it has a semicolon"
	}
	return "it has a wrong escape"
}

// misspelt returns the allowed parameter that name looks like, or "".
func misspelt(name string, allowed []string) string {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", "[]", "").Replace(s))
	}
	for _, a := range allowed {
		if plain(name) == plain(a) || plain(name) == plain(a)+"s" {
			return a
		}
	}
	return ""
}

// textFault says what is wrong with the text of a parameter, which the answer
// may repeat, "" if nothing is.
func textFault(name, s string) string {
	switch {
	case !clean(s):
		return "has characters that are not text"
	case name != "cursor" && httpd.HoldsKey(s): // a cursor may look like anything
		return "holds an API key, which is not looked for and not shown; if it works, revoke it"
	}
	return ""
}

// clean reports whether s is valid text without control characters.
func clean(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return false
		}
	}
	return true
}

// printable returns a form of s that is safe to repeat in an answer.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > 64 {
		s = strings.ToValidUTF8(s[:64], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, s)
}

// invalid returns one error for all wrong parameters, nil if there are none.
func invalid(wrong []registry.FieldError) error {
	if len(wrong) == 0 {
		return nil
	}
	slices.SortFunc(wrong, func(a, b registry.FieldError) int { return strings.Compare(a.Field, b.Field) })
	msgs := make([]string, len(wrong))
	for i, w := range wrong {
		msgs[i] = w.Field + " " + w.Message
	}
	return &registry.Error{Kind: registry.ErrInvalid, Msg: strings.Join(msgs, "; "), Fields: wrong}
}

// A listing is a request for a page of servers.
type listing struct {
	path     string // of the endpoint
	category string
	search   string
	min      int     // -1: none
	minScore float64 // as given, for the links
	sort     catalog.Sort
	sorted   bool // sort was given
	limit    int
	offset   int
	cursor   string
	mcp      bool
	tools    bool   // level=tool
	resumed  bool   // there was a cursor,
	from     cursor // which this is
}

// The parameters of the two listings.
var (
	discoverParams = []string{"category", "search", "minScore", "limit", "offset", "sort", "format", "level", "cursor"}
	serversParams  = []string{"category", "search", "limit", "offset", "sort", "cursor"}

	discoverSorts = []string{"qualityScore", "stars", "downloads"}
	serversSorts  = []string{"qualityScore", "stars", "downloads", "name", "updated", "created"}
)

// parseListing reads the parameters of /api/discover or /api/servers and names
// every wrong one. It does not look into the cursor.
func parseListing(path, raw string, allowed, sorts []string) (listing, error) {
	l := listing{path: path, min: -1, limit: 20}
	p, err := parseParams(raw, allowed...)
	if err != nil {
		return l, err
	}
	var wrong []registry.FieldError
	bad := func(field, format string, args ...any) {
		wrong = append(wrong, registry.FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if l.category = p.Get("category"); l.category != "" && !slices.Contains(registry.Categories, l.category) {
		bad("category", "must be one of %s", strings.Join(registry.Categories, ", "))
	}
	if l.search = strings.Join(strings.Fields(p.Get("search")), " "); len(l.search) > maxSearch {
		bad("search", "must be at most %d bytes long", maxSearch)
	}
	if v, ok := p.Lookup("minScore"); ok {
		f, err := decimal(v)
		if err != nil || f < 0 || f > 100 {
			bad("minScore", "must be a number from 0 to 100")
		} else {
			l.minScore, l.min = f, int(math.Ceil(f))
		}
	}
	if v, ok := p.Lookup("limit"); ok {
		if l.limit, ok = Whole(v, 1, 100); !ok {
			bad("limit", "must be a whole number from 1 to 100")
		}
	}
	if v, ok := p.Lookup("offset"); ok {
		if l.offset, ok = Whole(v, 0, math.MaxInt); !ok {
			bad("offset", "must be a whole number, 0 or more")
		}
	}
	if v := p.Get("sort"); v != "" {
		s, ok := catalog.ParseSort(v)
		if !ok || !slices.Contains(sorts, v) {
			bad("sort", "must be one of %s", strings.Join(sorts, ", "))
		}
		l.sort, l.sorted = s, true
	}
	switch v := p.Get("format"); v {
	case "", "json":
	case "mcp":
		l.mcp = true
	default:
		bad("format", "must be json or mcp")
	}
	switch v := p.Get("level"); v {
	case "", "server":
	case "tool":
		if l.tools = true; !l.mcp && p.Get("format") != "json" {
			l.mcp = true
		} else if !l.mcp {
			bad("level", "tool goes with format=mcp")
		}
	default:
		bad("level", "must be server or tool")
	}
	if l.cursor = p.Get("cursor"); l.cursor != "" {
		if _, ok := p.Lookup("offset"); ok {
			bad("offset", "cannot go with cursor, which says itself where to go on")
		}
	}
	return l, invalid(wrong)
}

// Whole reads a whole number from low to high, written in digits only.
func Whole(s string, low, high int) (n int, ok bool) {
	if !digits(s) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= low && n <= high
}

// digits reports whether s is one to eighteen digits: no sign, no space, no
// exponent.
func digits(s string) bool {
	if s == "" || len(s) > 18 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// decimal reads digits with or without a fraction.
func decimal(s string) (float64, error) {
	whole, fraction, point := strings.Cut(s, ".")
	if !digits(whole) || point && !digits(fraction) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// thereAre says which parameters an endpoint takes.
func thereAre(allowed []string) string {
	if len(allowed) == 0 {
		return "there are none"
	}
	return "there are: " + strings.Join(allowed, ", ")
}
