package page

import (
	"net/url"
	"strings"

	"mcpcensus/internal/httpd"
)

// Links writes a Link header: addresses of other pages of a list.
type Links struct {
	Base string // "https://census.example", or ""
	Path string
	text strings.Builder
}

// Add adds the page with these parameters, pairs of a name and a value. It omits empty values,
// and pages whose URL would be too long.
func (l *Links) Add(rel string, params ...string) {
	var query strings.Builder
	for i := 0; i < len(params); i += 2 {
		if params[i+1] == "" {
			continue
		}
		if query.Len() > 0 {
			query.WriteByte('&')
		}
		query.WriteString(params[i] + "=" + url.QueryEscape(params[i+1]))
	}
	address := l.Base + l.Path + "?" + query.String()
	if len(address) > httpd.MaxURL {
		return
	}
	if l.text.Len() > 0 {
		l.text.WriteString(", ")
	}
	l.text.WriteString("<" + address + `>; rel="` + rel + `"`)
}

// String returns the header.
func (l *Links) String() string { return l.text.String() }
