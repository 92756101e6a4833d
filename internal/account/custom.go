package account

import "time"

// A Custom is a custom endpoint: a saved search of an account.
type Custom struct {
	Name    string   // 1 to 60 of a to z, 0 to 9 and -
	Query   string   // full-text query; "": none
	Filters string   // JSON of filters, in the form of POST /v1/search; "": none
	Sort    string   // in the form of POST /v1/search; "": the default
	Fields  []string // members of the records; nil: those of a list entry
	Limit   int      `db:"page_limit"` // page size
	Facets  bool

	CreatedAt, UpdatedAt time.Time
}
