package search

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/query"
)

// The conditions that all servers and that none of them satisfy.
const (
	isServer = layoutField + " NOT EXISTS"
	isNone   = "(" + layoutField + " EXISTS AND " + layoutField + " NOT EXISTS)"
)

var signs = map[query.Op]string{query.OpGt: ">", query.OpGte: ">=", query.OpLt: "<", query.OpLte: "<="}

// meiliFilter returns a condition that means what [query.Matcher] means.
func meiliFilter(f query.Filter) string {
	field := query.FieldNamed(f.Field)
	if field == nil || !field.Filter {
		return isNone
	}
	name := valuePrefix + field.Name
	if f.Op == query.OpExists {
		return existence(name, f.Values)
	}
	values := filterValues(field, f.Values)
	sign := signs[f.Op]
	switch {
	case len(values) == 0 && f.Op == query.OpNe:
		return isServer
	case len(values) == 0:
		return isNone
	case f.Op == query.OpEq, f.Op == query.OpIn:
		return in(name, values)
	case f.Op == query.OpNe:
		return "NOT " + in(name, values)
	case field.Kind != query.Text && sign != "":
		return name + " " + sign + " " + quote(values[0])
	}
	return isNone
}

func existence(name string, values []any) string {
	if len(values) != 1 {
		return isNone
	}
	switch values[0] {
	case true:
		return name + " EXISTS"
	case false:
		return name + " NOT EXISTS"
	}
	return isNone
}

// filterValues returns the values of a filter as documents have them, without
// those of another kind.
func filterValues(field *query.Field, values []any) (out []string) {
	for _, v := range values {
		if s, ok := v.(string); ok && field.Kind == query.Text {
			out = append(out, strconv.FormatUint(filterValue(s), 10))
		} else if n, ok := field.NumberOf(v); ok {
			out = append(out, number(n))
		}
	}
	return out
}

func in(attribute string, values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return attribute + " IN [" + strings.Join(quoted, ", ") + "]"
}

// quote writes a value as filters take it.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// beyond returns a condition that the servers behind a position satisfy.
func beyond(p *query.Position, orders []query.Order) string {
	var ways, same []string
	way := func(last string) {
		ways = append(ways, "("+strings.Join(append(slices.Clone(same), last), " AND ")+")")
	}
	for i, o := range orders {
		name := orderName(o.Field)
		var v string
		switch k := p.Keys[i].(type) {
		case nil:
			same = append(same, name+" NOT EXISTS")
			continue
		case string:
			v = quote(exact(hex.EncodeToString([]byte(k))))
		case float64:
			v = quote(number(k))
		}
		sign := " > "
		if o.Desc {
			sign = " < "
		}
		way("(" + name + sign + v + " OR " + name + " NOT EXISTS)")
		same = append(same, name+" = "+v)
	}
	way(slugOrder + " > " + quote(exact(p.Slug)))
	return strings.Join(ways, " OR ")
}
