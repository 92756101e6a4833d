package export

import (
	"fmt"
	"regexp"
	"strings"

	"mcpcensus/internal/catalog"
)

// jsonLinks replaces the links to a server in its JSON documents by files,
// relative to the folder "servers". A JSON string that is such an address in
// full is one of ours: quotes inside texts are escaped.
func jsonLinks(slug string) *strings.Replacer {
	return strings.NewReplacer(
		`"/v1/servers/`+slug+`"`, `"`+slug+`.json"`,
		`"/servers/`+slug+`"`, `"`+slug+`.html"`,
		`"/servers/`+slug+`#history"`, `"`+slug+`.html#history"`,
		`"/api/health?server=`+slug+`"`, `"`+slug+`.health.json"`,
		`"/badge/`+slug+`.svg"`, `"../badge/`+slug+`.svg"`,
		`"/v1/servers/`+slug+`/analytics"`, `null`,
		`"/docs/scoring#`, `"../docs/scoring.html#`,
	)
}

var listLinks = regexp.MustCompile(`"links":\{"self":"/v1/servers/([a-z0-9-]+)","html":"/servers/[a-z0-9-]+",` +
	`"health":"/api/health\?server=[a-z0-9-]+","badge":"/badge/[a-z0-9-]+\.svg"\}`)

const fileLinks = `"links":{"self":"../../servers/$1.json","html":"../../servers/$1.html",` +
	`"health":"../../servers/$1.health.json","badge":"../../badge/$1.svg"}`

// jsonList writes a page of the directory as /api/servers returns it, except
// for the cursor: "next" names the next file.
func (e *exporter) jsonList(page int) error {
	l := e.View.List("", catalog.ByQuality, -1)
	from := page * jsonPage
	to := min(from+jsonPage, l.Total())
	b := []byte(`{"servers":[`)
	for n := from; n < to; n++ {
		entry, err := e.Basic(l.At(n).Summary())
		if err != nil {
			return err
		}
		if n > from {
			b = append(b, ',')
		}
		b = append(b, entry...)
	}
	b = listLinks.ReplaceAll(b, []byte(fileLinks))
	b = fmt.Appendf(b, `],"pagination":{"total":%d,"limit":%d,"offset":%d,`, l.Total(), jsonPage, from)
	if to < l.Total() {
		b = fmt.Appendf(b, `"hasMore":true,"nextOffset":%d,"nextCursor":null,"next":"%d.json"}}`, to, page+2)
	} else {
		b = append(b, `"hasMore":false,"nextOffset":null,"nextCursor":null,"next":null}}`...)
	}
	return e.folder.Put(fmt.Sprintf("api/servers/%d.json", page+1), append(b, '\n'))
}
