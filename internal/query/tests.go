package query

import "slices"

// exists returns the value of a filter with OpExists. ok is false if it has
// none.
func (f Filter) exists() (want, ok bool) {
	if len(f.Values) == 1 {
		want, ok = f.Values[0].(bool)
	}
	return want, ok
}

// TextTest returns a function that reports whether a server whose values of
// the field these are satisfies the filter, which must be on a text field.
func (f Filter) TextTest() func(values []string) bool {
	if f.Op == OpExists {
		want, ok := f.exists()
		return func(values []string) bool { return ok && len(values) > 0 == want }
	}
	var among []string
	for _, v := range f.Values {
		if t, ok := v.(string); ok {
			among = append(among, SameText(t))
		}
	}
	has := func(values []string) bool {
		return slices.ContainsFunc(values, func(t string) bool { return slices.Contains(among, SameText(t)) })
	}
	switch f.Op {
	case OpEq, OpIn:
		return has
	case OpNe:
		return func(values []string) bool { return !has(values) }
	}
	return func([]string) bool { return false }
}

// NumberTest is TextTest for the other fields: it is given what [Field.Num]
// returns.
func (f Filter) NumberTest() func(n float64, known bool) bool {
	never := func(float64, bool) bool { return false }
	if f.Op == OpExists {
		want, ok := f.exists()
		return func(_ float64, known bool) bool { return ok && known == want }
	}
	var values []float64
	if field := FieldNamed(f.Field); field != nil {
		for _, v := range f.Values {
			if n, ok := field.NumberOf(v); ok {
				values = append(values, n)
			}
		}
	}
	if f.Op == OpNe {
		return func(n float64, known bool) bool { return !known || !slices.Contains(values, n) }
	}
	if len(values) == 0 {
		return never
	}
	v := values[0]
	switch f.Op {
	case OpEq, OpIn:
		return func(n float64, known bool) bool { return known && slices.Contains(values, n) }
	case OpGt:
		return func(n float64, known bool) bool { return known && n > v }
	case OpGte:
		return func(n float64, known bool) bool { return known && n >= v }
	case OpLt:
		return func(n float64, known bool) bool { return known && n < v }
	case OpLte:
		return func(n float64, known bool) bool { return known && n <= v }
	}
	return never
}
