package browse

import (
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

// NoCategory is the error for a category that does not exist.
func NoCategory() error {
	var hints []site.Hint
	for _, c := range registry.Categories {
		hints = append(hints, site.Hint{Name: format.Category(c), Address: "/categories/" + c})
	}
	return site.WithHints(registry.Errorf(registry.ErrNotFound, "No such category. Choose one of these."), hints...)
}

// NoPage is the error for a page after the last one of a list.
func NoPage(r Request, last int) error {
	hints := []site.Hint{{Name: "First page", Address: r.URL(1)}}
	if last > 1 {
		hints = append(hints, site.Hint{Name: "Last page", Address: r.URL(last)})
	}
	return site.WithHints(registry.Errorf(registry.ErrNotFound, "The last page of this list is %d.", last), hints...)
}
