package search

import (
	bquery "github.com/blevesearch/bleve/v2/search/query"

	"mcpcensus/internal/query"
)

func filterQueries(filters []query.Filter) []bquery.Query {
	var out []bquery.Query
	for _, f := range filters {
		out = append(out, filterQuery(f))
	}
	return out
}

// filterQuery means what query.Matcher means.
func filterQuery(f query.Filter) bquery.Query {
	field := query.FieldNamed(f.Field)
	if field == nil || !field.Filter {
		return bquery.NewMatchNoneQuery()
	}
	not := func(q bquery.Query) bquery.Query {
		return bquery.NewBooleanQuery([]bquery.Query{bquery.NewMatchAllQuery()}, nil, []bquery.Query{q})
	}
	if f.Op == query.OpExists {
		if len(f.Values) != 1 {
			return bquery.NewMatchNoneQuery()
		}
		want, ok := f.Values[0].(bool)
		if !ok {
			return bquery.NewMatchNoneQuery()
		}
		known := bquery.NewTermQuery(field.Name)
		known.SetField(knownField)
		if want {
			return known
		}
		return not(known)
	}
	name := valueField + field.Name
	var any []bquery.Query
	for _, v := range f.Values {
		if field.Kind == query.Text {
			if s, ok := v.(string); ok {
				t := bquery.NewTermQuery(query.SameText(s))
				t.SetField(name)
				any = append(any, t)
			}
			continue
		}
		n, ok := field.NumberOf(v)
		if !ok {
			continue
		}
		yes, no := true, false
		var r *bquery.NumericRangeQuery
		switch f.Op {
		case query.OpGt:
			r = bquery.NewNumericRangeInclusiveQuery(&n, nil, &no, nil)
		case query.OpGte:
			r = bquery.NewNumericRangeInclusiveQuery(&n, nil, &yes, nil)
		case query.OpLt:
			r = bquery.NewNumericRangeInclusiveQuery(nil, &n, nil, &no)
		case query.OpLte:
			r = bquery.NewNumericRangeInclusiveQuery(nil, &n, nil, &yes)
		default:
			r = bquery.NewNumericRangeInclusiveQuery(&n, &n, &yes, &yes)
		}
		r.SetField(name)
		any = append(any, r)
		if f.Op != query.OpEq && f.Op != query.OpIn && f.Op != query.OpNe {
			break
		}
	}
	var has bquery.Query = bquery.NewMatchNoneQuery()
	if len(any) == 1 {
		has = any[0]
	} else if len(any) > 1 {
		has = bquery.NewDisjunctionQuery(any)
	}
	switch {
	case f.Op == query.OpNe:
		return not(has)
	case field.Kind == query.Text && f.Op != query.OpEq && f.Op != query.OpIn:
		return bquery.NewMatchNoneQuery()
	}
	return has
}
