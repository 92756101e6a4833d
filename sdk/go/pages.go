package census

import (
	"iter"
	"net/url"
	"strconv"
	"time"
)

// pageSize is the default page size of iterations: the maximum, to save requests.
const pageSize = 100

// all iterates over the items of all pages of a list, until a page has no next cursor.
// paging returns pointers to the page size and cursor in p; requests with a cursor have no other
// parameters. An error ends the iteration. It is yielded with the zero value.
func all[P, Page, T any, C comparable](
	p P, paging func(*P) (limit *int, cursor *C), fetch func(P) (*Page, error),
	items func(*Page) (items []T, next *C),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		p := p
		limit, cursor := paging(&p)
		if *limit == 0 {
			*limit = pageSize
		}
		for size := *limit; ; {
			page, err := fetch(p)
			if err != nil {
				yield(*new(T), err)
				return
			}
			list, next := items(page)
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil || *next == *new(C) || *next == *cursor {
				return
			}
			p = *new(P)
			*limit, *cursor = size, *next
		}
	}
}

// serversOf returns the servers of a page and the next cursor.
func serversOf(page *ServerPage) ([]Server, *string) { return page.Servers, page.Pagination.NextCursor }

// values returns the query of names and values, without zero values.
func values(pairs ...any) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		text := ""
		switch v := pairs[i+1].(type) {
		case string:
			text = v
		case int:
			if v != 0 {
				text = strconv.Itoa(v)
			}
		case int64:
			if v != 0 {
				text = strconv.FormatInt(v, 10)
			}
		case time.Time:
			if !v.IsZero() {
				text = v.UTC().Format(time.RFC3339Nano)
			}
		case bool:
			if v {
				text = "true"
			}
		case *bool:
			if v != nil {
				text = strconv.FormatBool(*v)
			}
		case *float64:
			if v != nil {
				text = strconv.FormatFloat(*v, 'f', -1, 64)
			}
		}
		if text != "" {
			q.Set(pairs[i].(string), text)
		}
	}
	return q
}
