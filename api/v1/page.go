package v1

import (
	"net/url"
	"strconv"
	"strings"

	"mcpcensus/api"
	"mcpcensus/internal/httpd"
)

const (
	defaultLimit = 20
	maxLimit     = 100
	maxPage      = 1_000_000_000
	// maxDeep is how far results of a text query reach.
	maxDeep = 10_000
	// maxText is the longest text to search for, in bytes.
	maxText = 256
)

// A page is a part of a listing.
type page struct {
	limit, offset, total, count int
	text                        bool   // of a search with a text, which reaches to result maxDeep only
	next                        []byte // cursor of the page behind it; empty: there is none
	degraded                    bool   // the index did not answer
}

// number returns which page it is, counted from 1. A page that a cursor gave
// may begin in the middle of one.
func (p *page) number() int { return p.offset/p.limit + 1 }

// pages returns how many pages can be asked for.
func (p *page) pages() int {
	n := (p.total + p.limit - 1) / p.limit
	if p.text {
		n = min(n, maxDeep/p.limit)
	}
	return n
}

// append appends the member "pagination", and "warnings" where there are any.
func (p *page) append(b []byte) []byte {
	b = append(b, `"pagination":{"page":`...)
	b = strconv.AppendInt(b, int64(p.number()), 10)
	b = append(b, `,"limit":`...)
	b = strconv.AppendInt(b, int64(p.limit), 10)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(p.total), 10)
	b = append(b, `,"totalPages":`...)
	b = strconv.AppendInt(b, int64(p.pages()), 10)
	b = append(b, `,"hasNext":`...)
	b = strconv.AppendBool(b, len(p.next) > 0)
	b = append(b, `,"hasPrev":`...)
	b = strconv.AppendBool(b, p.offset > 0)
	if len(p.next) == 0 {
		b = append(b, `,"nextCursor":null}`...)
	} else {
		b = append(b, `,"nextCursor":"`...)
		b = append(b, p.next...)
		b = append(b, `"}`...)
	}
	return api.AppendWarnings(b, p.degraded)
}

// appendLinks appends the Link header of a page at base and path: the next one
// by cursor, the others by number. rest are the parameters besides page, limit
// and cursor, encoded. Addresses that no server would take are left out.
func (p *page) appendLinks(b []byte, base, path, rest string, cursored bool) []byte {
	before := len(b)
	at := func(rel, param string, value []byte, with bool) {
		n := len(base) + len(path) + len(param) + len(value) + 20
		if with {
			n += len(rest)
		}
		if n > httpd.MaxURL {
			return
		}
		if len(b) > before {
			b = append(b, ", "...)
		}
		b = append(append(append(b, '<'), base...), path...)
		b = strconv.AppendInt(append(b, "?limit="...), int64(p.limit), 10)
		if with && rest != "" {
			b = append(append(b, '&'), rest...)
		}
		if param != "" {
			b = append(append(append(b, '&'), param...), '=')
			b = append(b, value...)
		}
		b = append(append(append(b, `>; rel="`...), rel...), '"')
	}
	var room [20]byte
	if len(p.next) > 0 {
		at("next", "cursor", p.next, false)
	}
	if !cursored {
		if n := p.number(); n > 1 && n <= p.pages()+1 {
			at("prev", "page", strconv.AppendInt(room[:0], int64(n-1), 10), true)
		}
	}
	if p.total > 0 {
		at("first", "", nil, true)
		at("last", "page", strconv.AppendInt(room[:0], int64(max(1, p.pages())), 10), true)
	}
	return b
}

// encoded returns parameters as they stand in an address, in the order given,
// those without a value left out.
func encoded(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(pairs[i])
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(pairs[i+1]))
	}
	return b.String()
}

const (
	wrongLimit = "must be a whole number from 1 to 100"
	wrongPage  = "must be a whole number, 1 or more and at most 1,000,000,000"
	tooDeep    = "reaches beyond the 10,000 results that a search with a text gives; narrow the search with filters or more words, or page through a listing without a text"
	pageCursor = "cannot go with cursor, which says itself where to go on"
)
