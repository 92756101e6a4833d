package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// Faults collect the errors of a request, so that one response names all of them.
type Faults []registry.FieldError

const maxFaults = 20

// Add adds a fault of a field. The message follows the name of the field.
func (f *Faults) Add(field, format string, args ...any) {
	if len(*f) < maxFaults {
		*f = append(*f, registry.FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
}

// Take adds the fields of an error of kind [registry.ErrInvalid], and any other
// error as a fault of the field.
func (f *Faults) Take(field string, err error) {
	var e *registry.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		f.Add(field, "%s", err)
		return
	}
	for _, x := range e.Fields {
		f.Add(x.Field, "%s", x.Message)
	}
}

// Has reports whether a field has a fault.
func (f Faults) Has(field string) bool {
	return slices.ContainsFunc(f, func(x registry.FieldError) bool { return x.Field == field })
}

// Err returns one error for all faults, nil if there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	sorted := slices.SortedStableFunc(slices.Values(f), func(a, b registry.FieldError) int {
		return strings.Compare(a.Field, b.Field)
	})
	messages := make([]string, len(sorted))
	for i, x := range sorted {
		messages[i] = x.Field + " " + x.Message
	}
	return &registry.Error{Kind: registry.ErrInvalid, Msg: strings.Join(messages, "; "), Fields: sorted}
}
