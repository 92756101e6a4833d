package census

import (
	"iter"
	"net/url"
	"strconv"
	"time"
)

// pageSize is the page size of iterations that name none: the largest, since
// requests count.
const pageSize = 100

// all iterates over the items of the pages that fetch returns, until a page has no
// next cursor. An error ends the iteration. It is yielded with the zero value.
func all[T any](
	limit int, cursor string, fetch func(limit int, cursor string) ([]T, *string, error),
) iter.Seq2[T, error] {
	if limit == 0 {
		limit = pageSize
	}
	return func(yield func(T, error) bool) {
		for cursor := cursor; ; {
			items, next, err := fetch(limit, cursor)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil || *next == "" || *next == cursor {
				return
			}
			cursor = *next
		}
	}
}

// values returns the query of names and values; zero values are left out.
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
