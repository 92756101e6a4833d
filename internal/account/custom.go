package account

import "time"

// A Custom is a saved search of an account: a custom endpoint.
type Custom struct {
	Name    string   // 1 to 60 of a to z, 0 to 9 and -
	Query   string   // words to find; "" for none
	Filters string   // a filter object as [ParseFilters] reads it; "" for none
	Sort    string   // as [ParseSort] reads it; "" for the default
	Fields  []string // members of the records; nil: those of a list entry
	Limit   int      // of a page
	Facets  bool

	CreatedAt, UpdatedAt time.Time
}
