package v1

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/page"
)

var recordFields = api.Fields()

// checkFields returns the names of members of a record without duplicates. nil
// stays nil.
func checkFields(names []string, faults *page.Faults) []string {
	if names == nil {
		return nil
	}
	if len(names) == 0 {
		faults.Add("fields", "must name at least one member, or be omitted")
	}
	var out []string
	for n, name := range names {
		if !slices.Contains(recordFields, name) {
			faults.Add(fmt.Sprintf("fields[%d]", n), "must be a member of a record (%s), got %q",
				strings.Join(recordFields, ", "), page.Printable(name))
			if len(*faults) > 3 { // the list is long
				break
			}
			continue
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (a *API) records(items []*catalog.Item, fields []string) ([]any, error) {
	out := make([]any, len(items))
	for n, i := range items {
		var err error
		if out[n], err = a.record(i, fields); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// record returns the given members of a server's record, or the whole record for nil.
func (a *API) record(i *catalog.Item, fields []string) (any, error) {
	s, err := i.Record()
	if err != nil {
		return nil, err
	}
	record, err := a.API.Encoder().Detail(s)
	if err != nil {
		return nil, err
	}
	if fields == nil {
		return json.RawMessage(record), nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(record, &all); err != nil {
		return nil, err
	}
	some := make(map[string]json.RawMessage, len(fields))
	for _, f := range fields {
		some[f] = all[f]
	}
	return some, nil
}

func (a *API) entries(items []*catalog.Item) []any {
	out := make([]any, len(items))
	for n, i := range items {
		out[n] = api.Entry(i.Summary())
	}
	return out
}
