package census

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"time"
)

// SearchParams are the parameters of [Client.Search]. Zero values are omitted.
type SearchParams struct {
	Q       string  `json:"q,omitempty"`
	Filters Filters `json:"filters,omitzero"`
	// Sort is a list of fields such as "-stars,name"; see the API reference.
	Sort  string `json:"sort,omitempty"`
	Page  int    `json:"page,omitempty"`
	Limit int    `json:"limit,omitempty"` // 1 to 100
	// Cursor continues after a page. Only Limit may be set with it.
	Cursor string `json:"cursor,omitempty"`
	Facets *bool  `json:"facets,omitempty"` // counts of values; true by default
}

// Search returns a page of the servers that match the text and all filters. It
// requires a key.
func (c *Client) Search(ctx context.Context, p SearchParams, options ...CallOption) (*SearchPage, error) {
	return send[SearchPage](ctx, c, call{method: http.MethodPost, path: "/v1/search", body: p}, options)
}

// SearchAll iterates over all results.
func (c *Client) SearchAll(
	ctx context.Context,
	p SearchParams,
	options ...CallOption,
) iter.Seq2[Server, error] {
	return all(p, func(p *SearchParams) (*int, *string) { return &p.Limit, &p.Cursor },
		func(p SearchParams) (*SearchPage, error) { return c.Search(ctx, p, options...) },
		func(page *SearchPage) ([]Server, *string) { return page.Servers, page.Pagination.NextCursor })
}

// Filters are the conditions of a search, which must all match. The zero Condition matches
// everything.
type Filters struct {
	Category     Condition `json:"category,omitzero"`
	SDK          Condition `json:"sdk,omitzero"`
	Language     Condition `json:"language,omitzero"`
	Framework    Condition `json:"framework,omitzero"`
	Tags         Condition `json:"tags,omitzero"`
	License      Condition `json:"license,omitzero"`
	Transport    Condition `json:"transport,omitzero"`
	Type         Condition `json:"type,omitzero"`     // remote, package
	Liveness     Condition `json:"liveness,omitzero"` // alive, gated, down, unknown
	RegistryType Condition `json:"registryType,omitzero"`
	Owner        Condition `json:"owner,omitzero"`
	Source       Condition `json:"source,omitzero"`
	Risks        Condition `json:"risks,omitzero"` // kinds, such as "endpoint-down"
	Status       Condition `json:"status,omitzero"`
	Official     Condition `json:"official,omitzero"`
	Verified     Condition `json:"verified,omitzero"`
	Copy         Condition `json:"copy,omitzero"`
	Archived     Condition `json:"archived,omitzero"`
	Grade        Condition `json:"grade,omitzero"`
	QualityScore Condition `json:"qualityScore,omitzero"`
	MinScore     Condition `json:"minScore,omitzero"`
	Popularity   Condition `json:"popularity,omitzero"`
	Stars        Condition `json:"stars,omitzero"`
	Downloads    Condition `json:"downloads,omitzero"`
	ToolCount    Condition `json:"toolCount,omitzero"`
	ToolTokens   Condition `json:"toolTokens,omitzero"`
	Tools        Condition `json:"tools,omitzero"`
	UpdatedAt    Condition `json:"updatedAt,omitzero"`
	CreatedAt    Condition `json:"createdAt,omitzero"`
	// More contains conditions on other fields, by name.
	More map[string]Condition `json:"-"`
}

// MarshalJSON implements [json.Marshaler].
func (f Filters) MarshalJSON() ([]byte, error) {
	type known Filters
	return writeOpen(known(f), f.More)
}

// IsZero reports whether there are no conditions.
func (f Filters) IsZero() bool {
	return len(f.More) == 0 && reflect.ValueOf(f).IsZero()
}

// A FilterValue is a value that a field is compared with.
type FilterValue interface {
	string | bool | int | int64 | float64 | time.Time
}

// A Condition is a condition on a field. Create one with [Is], [Not], [OneOf],
// [AtLeast], [AtMost], [Above], [Below], [Between] or [Exists].
type Condition struct{ value any }

// MarshalJSON implements [json.Marshaler].
func (c Condition) MarshalJSON() ([]byte, error) { return json.Marshal(c.value) }

// UnmarshalJSON implements [json.Unmarshaler]: a condition in the format of the API.
func (c *Condition) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &c.value) }

// Is means equal to v.
func Is[T FilterValue](v T) Condition { return Condition{v} }

// Not means not equal to v.
func Not[T FilterValue](v T) Condition { return operator("ne", v) }

// OneOf means equal to one of vs.
func OneOf[T FilterValue](vs ...T) Condition { return Condition{vs} }

// AtLeast means greater than or equal to v.
func AtLeast[T FilterValue](v T) Condition { return operator("gte", v) }

// AtMost means less than or equal to v.
func AtMost[T FilterValue](v T) Condition { return operator("lte", v) }

// Above means greater than v.
func Above[T FilterValue](v T) Condition { return operator("gt", v) }

// Below means less than v.
func Below[T FilterValue](v T) Condition { return operator("lt", v) }

// Between means from low to high, inclusive.
func Between[T FilterValue](low, high T) Condition {
	return Condition{map[string]any{"gte": low, "lte": high}}
}

// Exists means that the value is known, or unknown with false.
func Exists(known bool) Condition { return operator("exists", known) }

func operator(name string, v any) Condition { return Condition{map[string]any{name: v}} }
