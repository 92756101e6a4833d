package catalog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// facts are what filters look at besides what orders and choices need. Texts
// are numbers in terms, 0 if not known; lists are one text there, and owners
// are as filters compare them.
type facts struct {
	language, framework, owner, status uint32
	sources, packages                  uint32
	tools                              int32 // -1: not known
	flags                              uint8
	tagged                             bool // Item.tags are all tags
}

const (
	isOfficial = 1 << iota
	isVerified
	isArchived
)

// listBreak stands between the texts of a list. Postgres stores none.
const listBreak = "\x00"

func factsOf(s *registry.Server, terms *names) facts {
	all := func(field string) uint32 {
		var buf [16]string
		return terms.of(strings.Join(query.FieldNamed(field).Texts(s, buf[:0]), listBreak))
	}
	f := facts{
		language: all("language"), framework: all("framework"), owner: terms.of(strings.Clone(query.SameText(s.Repo.Owner))), status: all("status"),
		sources: all("source"), packages: all("registryType"), tools: -1, tagged: len(s.Tags) <= mostTags,
	}
	if s.ToolCount != nil {
		f.tools = int32(min(*s.ToolCount, math.MaxInt32))
	}
	for flag, is := range map[uint8]bool{isOfficial: s.Official, isVerified: s.Verified, isArchived: s.Repo.Archived} {
		if is {
			f.flags |= flag
		}
	}
	return f
}

// An answered is what a query found, of all pages.
type answered struct {
	slots  []uint32
	counts map[string]map[string]int
}

// maxAnswered bounds the queries that a version remembers.
const maxAnswered = 32

// Search answers a query without words as an index does: the same servers in
// the same order, with the same total, facets and positions; from is how many
// stand before the page. ok is false if the query has words, or a filter on
// what items do not hold: the names of tools. Callers must not change the
// facets.
func (v *View) Search(q query.Query) (res query.Results, from int, ok bool) {
	orders := q.Orders()
	if q.Text != "" || orders[0].Field == query.Relevance {
		return res, 0, false
	}
	key := fmt.Sprintf("%#v %v", q.Filters, orders)
	v.mu.Lock()
	found := v.answered[key]
	v.mu.Unlock()
	if found == nil {
		if found = v.answer(q.Filters, orders); found == nil {
			return res, 0, false
		}
		v.mu.Lock()
		if v.answered == nil {
			v.answered = map[string]*answered{}
		}
		if len(v.answered) >= maxAnswered {
			for old := range v.answered {
				delete(v.answered, old)
				break
			}
		}
		v.answered[key] = found
		v.mu.Unlock()
	}
	res.Total = len(found.slots)
	if q.Facets {
		res.Facets = found.counts
	}
	from = min(q.Offset, res.Total)
	if q.After != nil {
		from, _ = slices.BinarySearchFunc(found.slots, *q.After, func(slot uint32, p query.Position) int {
			if query.ComparePositions(v.items[slot].positionBy(orders), p, orders) <= 0 {
				return -1
			}
			return 1
		})
	}
	for _, slot := range found.slots[from:min(res.Total, from+q.Limit)] {
		i := v.items[slot]
		res.Slugs = append(res.Slugs, i.slug)
		res.Positions = append(res.Positions, i.positionBy(orders))
	}
	return res, from, true
}

// answer goes through all servers once. It returns nil for filters that it
// cannot answer.
func (v *View) answer(filters []query.Filter, orders []query.Order) *answered {
	test, ok := v.tests(filters)
	if !ok {
		return nil
	}
	sort, ok := ParseSort(orders[0].Field)
	if !ok {
		return nil
	}
	a := &answered{slots: v.orders[sort][0]}
	if len(filters) == 0 {
		a.counts = v.Facets()
	} else {
		var c counter
		c.licenses = make([]int, len(v.licenses.all())+1)
		a.slots = nil
		for _, slot := range v.orders[sort][0] {
			if t := &v.traits[slot]; test.fits(t, v.items[slot]) {
				a.slots = append(a.slots, slot)
				c.add(t)
			}
		}
		a.counts = c.counts(v)
	}
	a.slots = v.arrange(a.slots, sort, orders)
	return a
}

// arrange brings slots that are in a natural order into another one that
// begins with the same field.
func (v *View) arrange(slots []uint32, sort Sort, orders []query.Order) []uint32 {
	natural := (&query.Query{Sort: []query.Order{{Field: sort.String(), Desc: query.SortNamed(sort.String()).Desc}}}).Orders()
	if slices.Equal(orders, natural) {
		return slots
	}
	same := func(a, b *Item) bool { return a.name == b.name }
	unknown := func(i *Item) bool { return i.name == "" }
	if sort != ByName {
		same = func(a, b *Item) bool { return a.value(sort) == b.value(sort) }
		unknown = func(i *Item) bool { return i.value(sort) == notKnown(sort) }
	}
	var groups [][]uint32
	for from, n := 0, 0; from < len(slots); from = n {
		for n = from + 1; n < len(slots) && same(v.items[slots[from]], v.items[slots[n]]); n++ {
		}
		groups = append(groups, slots[from:n])
	}
	if orders[0].Desc != natural[0].Desc {
		known := groups // unknown values stay at the end
		if n := len(groups); n > 0 && unknown(v.items[groups[n-1][0]]) {
			known = groups[:n-1]
		}
		slices.Reverse(known)
	}
	out := slices.Concat(groups...)
	if slices.Equal(orders[1:], natural[1:]) {
		return out
	}
	rest, then := out, bys(orders[1:])
	for _, g := range groups {
		slices.SortFunc(rest[:len(g)], func(a, b uint32) int { return compareBy(v.items[a], v.items[b], then) })
		rest = rest[len(g):]
	}
	return out
}

// notKnown is the value of servers whose value in s is not known.
func notKnown(s Sort) int64 {
	if s == ByQuality || s == ByStars || s == ByPopularity {
		return -1
	}
	return unknown
}

// key is what i is sorted by in an order, as [registry.Position] has it.
func (i *Item) key(o query.Order) any {
	s, ok := ParseSort(o.Field)
	switch {
	case !ok:
	case s == ByName:
		if i.name != "" {
			return i.name
		}
	default:
		if n := i.value(s); n != notKnown(s) {
			return float64(n)
		}
	}
	return nil
}

func (i *Item) positionBy(orders []query.Order) query.Position {
	p := query.Position{Keys: make([]any, len(orders)), Slug: i.slug}
	for n, o := range orders {
		p.Keys[n] = i.key(o)
	}
	return p
}

// A by is one of several things that items are sorted by.
type by struct {
	sort Sort
	desc bool
}

// bys returns orders in a form that is quick to compare by.
func bys(orders []query.Order) []by {
	out := make([]by, len(orders))
	for n, o := range orders {
		sort, _ := ParseSort(o.Field)
		out[n] = by{sort, o.Desc}
	}
	return out
}

// compareBy orders items as [registry.Compare] orders servers, the ties
// standing among the orders.
func compareBy(a, b *Item, orders []by) int {
	for _, o := range orders {
		var c int
		if o.sort == ByName {
			if a.name == "" || b.name == "" {
				if c = compareNames(a.name, b.name); c != 0 {
					return c
				}
				continue
			}
			c = cmp.Compare(a.name, b.name)
		} else {
			x, y, none := a.value(o.sort), b.value(o.sort), notKnown(o.sort)
			if x == none || y == none {
				if c = cmp.Compare(y, x); c != 0 { // none is the least
					return c
				}
				continue
			}
			c = cmp.Compare(x, y)
		}
		switch {
		case c == 0:
		case o.desc:
			return -c
		default:
			return c
		}
	}
	return cmp.Compare(a.slug, b.slug)
}

// tests are filters, ready to be put to many servers: what traits say, as
// tables, and the rest.
type tests struct {
	categories [categoriesMost]bool
	sdks       [sdkCount + 1]bool
	grades     [8]bool
	ways       [256]bool // by trait.traits
	items      []func(*Item) bool
}

func (t *tests) fits(r *trait, i *Item) bool {
	if !t.categories[r.category] || !t.sdks[r.sdk] || !t.grades[r.grade] || !t.ways[r.traits] {
		return false
	}
	for _, test := range t.items {
		if !test(i) {
			return false
		}
	}
	return true
}

// tests returns filters as tests. ok is false if there is one that items
// cannot be tested for.
func (v *View) tests(filters []query.Filter) (t *tests, ok bool) {
	t = &tests{}
	for _, table := range [][]bool{t.categories[:], t.sdks[:], t.grades[:], t.ways[:]} {
		for n := range table {
			table[n] = true
		}
	}
	for _, f := range filters {
		field := query.FieldNamed(f.Field)
		switch {
		case field == nil || !field.Filter:
			return nil, false
		case field.Kind == query.Text:
			ok = v.textTest(t, f)
		default:
			ok = numberTest(t, f)
		}
		if !ok {
			return nil, false
		}
	}
	return t, true
}

// values returns the n-th of some texts as the values of a field: none behind
// the last.
func values(texts []string, n int) []string {
	if n >= len(texts) {
		return nil
	}
	return texts[n : n+1]
}

func (v *View) textTest(t *tests, f query.Filter) bool {
	holds := f.TextTest()
	narrow := func(table []bool, texts []string) {
		for n := range table {
			table[n] = table[n] && holds(values(texts, n))
		}
	}
	var id func(*Item) uint32
	terms := v.terms
	switch f.Field {
	case "category":
		narrow(t.categories[:], registry.Categories)
		return true
	case "sdk":
		narrow(t.sdks[:], registry.SDKs)
		return true
	case "grade":
		narrow(t.grades[:], registry.Grades)
		return true
	case "transport", "type":
		for n := range t.ways {
			var have []string
			if f.Field == "type" {
				if n&hasRemote != 0 {
					have = append(have, query.TypeRemote)
				}
				if n&hasPackage != 0 {
					have = append(have, query.TypePackage)
				}
			} else {
				for i, name := range registry.Transports {
					if n&(1<<i) != 0 {
						have = append(have, name)
					}
				}
			}
			t.ways[n] = t.ways[n] && holds(have)
		}
		return true
	case "tags":
		t.items = append(t.items, v.tagTest(f))
		return true
	case "owner": // there are nearly as many as servers
		want, negated := numbered(v.terms, f), f.Op == query.OpNe
		t.items = append(t.items, func(i *Item) bool {
			switch f.Op {
			case query.OpEq, query.OpIn, query.OpNe:
				return want[i.facts.owner] != negated
			}
			return holds(make([]string, min(1, i.facts.owner)))
		})
		return true
	case "license":
		id, terms = func(i *Item) uint32 { return i.license }, v.licenses
	case "language":
		id = func(i *Item) uint32 { return i.facts.language }
	case "framework":
		id = func(i *Item) uint32 { return i.facts.framework }
	case "status":
		id = func(i *Item) uint32 { return i.facts.status }
	case "source":
		id = func(i *Item) uint32 { return i.facts.sources }
	case "registryType":
		id = func(i *Item) uint32 { return i.facts.packages }
	default:
		return false
	}
	texts := terms.all()
	known := make([]int8, len(texts)+1) // by number: 1 if it holds, -1 if not, 0 if nobody has asked
	t.items = append(t.items, func(i *Item) bool {
		n := id(i)
		if known[n] == 0 {
			var have []string
			if n > 0 {
				have = strings.Split(texts[n-1], listBreak)
			}
			known[n] = -1
			if holds(have) {
				known[n] = 1
			}
		}
		return known[n] > 0
	})
	return true
}

// numbered returns the numbers of a filter's values among texts as filters
// compare them.
func numbered(texts *names, f query.Filter) map[uint32]bool {
	want := map[uint32]bool{}
	for _, value := range f.Values {
		if s, ok := value.(string); ok {
			if n := texts.find(query.SameText(s)); n != 0 {
				want[n] = true
			}
		}
	}
	return want
}

// tagTest looks for tags by number.
func (v *View) tagTest(f query.Filter) func(*Item) bool {
	holds, want := f.TextTest(), numbered(v.tagNames, f)
	return func(i *Item) bool {
		if !i.facts.tagged { // there are few of them
			s := i.Server()
			return holds(query.FieldNamed("tags").Texts(&s, nil))
		}
		switch f.Op {
		case query.OpEq, query.OpIn, query.OpNe:
			has := slices.ContainsFunc(i.tags, func(n uint32) bool { return want[n] })
			return has != (f.Op == query.OpNe)
		}
		return holds(make([]string, len(i.tags)))
	}
}

func numberTest(t *tests, f query.Filter) bool {
	holds := f.NumberTest()
	var get func(*Item) int64
	none := int64(unknown)
	flag := func(bit uint8) func(*Item) int64 {
		return func(i *Item) int64 {
			if i.facts.flags&bit != 0 {
				return 1
			}
			return 0
		}
	}
	switch f.Field {
	case "official":
		get = flag(isOfficial)
	case "verified":
		get = flag(isVerified)
	case "archived":
		get = flag(isArchived)
	case "toolCount":
		get, none = func(i *Item) int64 { return int64(i.facts.tools) }, -1
	default:
		field := query.FieldNamed(f.Field)
		sort, ok := ParseSort(field.Sort)
		if !ok || field.Sort == "" {
			return false
		}
		get, none = func(i *Item) int64 { return i.value(sort) }, notKnown(sort)
	}
	t.items = append(t.items, func(i *Item) bool {
		n := get(i)
		return holds(float64(n), n != none)
	})
	return true
}

// A counter counts what a match has of each facet.
type counter struct {
	categories [categoriesMost]int
	sdks       [sdkCount + 1]int
	grades     [8]int
	transports [8]int
	licenses   []int // by number
}

func (c *counter) add(t *trait) {
	c.categories[t.category]++
	c.sdks[t.sdk]++
	c.grades[t.grade]++
	for n := range registry.Transports {
		if t.traits&(1<<n) != 0 {
			c.transports[n]++
		}
	}
	c.licenses[t.license]++
}

func (c *counter) counts(v *View) map[string]map[string]int {
	out := map[string]map[string]int{}
	for facet, of := range map[string]struct {
		names  []string
		counts []int
	}{
		"category": {registry.Categories, c.categories[:]}, "sdk": {registry.SDKs, c.sdks[:]}, "grade": {registry.Grades, c.grades[:]},
		"transport": {registry.Transports, c.transports[:]}, "license": {v.licenses.all(), c.licenses[1:]},
	} {
		out[facet] = map[string]int{}
		for n, name := range of.names {
			if n < len(of.counts) && of.counts[n] > 0 {
				out[facet][name] = of.counts[n]
			}
		}
	}
	return out
}
