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
	switch {
	case field == nil || !field.Filter:
		return bquery.NewMatchNoneQuery()
	case f.Op == query.OpExists:
		return existsQuery(field, f.Values)
	case f.Op == query.OpEq, f.Op == query.OpIn:
		return anyValue(field, f)
	case f.Op == query.OpNe:
		return not(anyValue(field, f))
	case field.Kind == query.Text:
		return bquery.NewMatchNoneQuery()
	}
	return rangeQuery(field, f)
}

func not(q bquery.Query) bquery.Query {
	return bquery.NewBooleanQuery([]bquery.Query{bquery.NewMatchAllQuery()}, nil, []bquery.Query{q})
}

func existsQuery(field *query.Field, values []any) bquery.Query {
	if len(values) != 1 {
		return bquery.NewMatchNoneQuery()
	}
	known := bquery.NewTermQuery(field.Name)
	known.SetField(knownField)
	switch values[0] {
	case true:
		return known
	case false:
		return not(known)
	}
	return bquery.NewMatchNoneQuery()
}

// anyValue matches servers that have one of the values of a filter.
func anyValue(field *query.Field, f query.Filter) bquery.Query {
	var any []bquery.Query
	for _, v := range f.Values {
		if s, ok := v.(string); ok && field.Kind == query.Text {
			t := bquery.NewTermQuery(query.SameText(s))
			t.SetField(valueField + field.Name)
			any = append(any, t)
		} else if n, ok := field.NumberOf(v); ok {
			yes := true
			r := bquery.NewNumericRangeInclusiveQuery(&n, &n, &yes, &yes)
			r.SetField(valueField + field.Name)
			any = append(any, r)
		}
	}
	switch len(any) {
	case 0:
		return bquery.NewMatchNoneQuery()
	case 1:
		return any[0]
	}
	return bquery.NewDisjunctionQuery(any)
}

// rangeQuery matches servers whose number compares with the first value of a
// filter that is a number.
func rangeQuery(field *query.Field, f query.Filter) bquery.Query {
	for _, v := range f.Values {
		n, ok := field.NumberOf(v)
		if !ok {
			continue
		}
		inclusive := f.Op == query.OpGte || f.Op == query.OpLte
		least, most := &n, &n
		if f.Op == query.OpGt || f.Op == query.OpGte {
			most = nil
		} else {
			least = nil
		}
		r := bquery.NewNumericRangeInclusiveQuery(least, most, &inclusive, &inclusive)
		r.SetField(valueField + field.Name)
		return r
	}
	return bquery.NewMatchNoneQuery()
}
