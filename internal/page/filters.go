package page

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"mcpcensus/internal/query"
)

// Filters are the filters of a request, a JSON object: see
// [query.ParseFilters].
type Filters struct {
	Text string // as given, compact; "" for none
	List []query.Filter
}

func (f *Filters) UnmarshalText(text []byte) (err error) {
	*f = Filters{}
	if text = bytes.TrimSpace(text); len(text) == 0 || string(text) == "null" {
		return nil
	}
	if f.List, err = query.ParseFilters(text); err != nil {
		return err
	}
	var faults Faults
	for _, filter := range f.List {
		for _, v := range filter.Values {
			if s, ok := v.(string); ok {
				if fault := textFault("filters", s); fault != "" {
					faults.Add("filters."+filter.Field, "%s", fault)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return err
	}
	if f.Text = b.String(); f.Text == "{}" {
		f.Text = ""
	}
	return faults.Err()
}

// UnmarshalJSON is UnmarshalText.
func (f *Filters) UnmarshalJSON(text []byte) error { return f.UnmarshalText(text) }

// MarshalText returns the filters verbatim.
func (f Filters) MarshalText() ([]byte, error) { return []byte(f.Text), nil }

// Canonical returns a text that is equal for equal filters.
func (f Filters) Canonical() string {
	parts := make([]string, len(f.List))
	for i, x := range f.List {
		b, err := json.Marshal([]any{x.Field, x.Op, x.Values})
		if err != nil {
			return f.Text // values that were parsed can be encoded
		}
		parts[i] = string(b)
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// A Sort is the sort of a request: see [query.ParseSort]. It is parsed when
// the text to search for is known.
type Sort struct {
	Text   string // as given; "" for the default
	Orders []query.Order
}

func (s *Sort) UnmarshalText(text []byte) error {
	*s = Sort{Text: strings.TrimSpace(string(text))}
	return nil
}

// MarshalText returns the sort verbatim.
func (s Sort) MarshalText() ([]byte, error) { return []byte(s.Text), nil }

// Parse parses the text into Orders. The default is relevance if there is a text to search
// for, otherwise quality.
func (s *Sort) Parse(hasText bool) (err error) {
	s.Orders, err = query.ParseSort(s.Text, hasText)
	if err == nil && len(s.Orders) == 0 {
		name := "qualityScore"
		if hasText {
			name = query.Relevance
		}
		s.Orders = []query.Order{{Field: name, Desc: true}}
	}
	return err
}

// Canonical returns a text that is equal for equal sorts.
func (s Sort) Canonical() string {
	orders, err := query.ParseSort(s.Text, true)
	if err != nil {
		return s.Text
	}
	return query.FormatSort(orders)
}
