package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
	"mcpcensus/web/browse"
	"mcpcensus/web/pages"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

// The search index of an export is for a script that can only fetch files, and should fetch
// few. Servers are numbered in the recommended order.
//
//	search/index.json     the number of servers, the values of filters, and
//	                      for each server which it has, a letter each; and which
//	                      files of words there are
//	search/text.json      how texts are parsed, see browserText
//	search/order/X.json   the numbers in another order
//	search/words/ab.json  words with that prefix, see wordFiles
//	search/rows/N.json    the rows of servers 64 N to 64 N + 63, rendered
const rowsPerFile = 64

// letter0 is 0 in the encoding of small numbers as letters.
const letter0 = '0'

// maxLicenses is the number of licenses offered as filters, most frequent
// first.
const maxLicenses = 40

type browserIndex struct {
	Servers   int                 `json:"servers"`
	PerFile   int                 `json:"perFile"`
	PerPage   int                 `json:"perPage"`
	PerFilter int                 `json:"perFilter"` // offered values of an open-ended filter
	Values    map[string][]string `json:"values"`    // of each filter
	// a letter for each server: 1 and up are values, 0 means no value
	Traits map[string]string `json:"traits"`
	// a letter for each server, of bits: transports, then package, remote and official
	Ways      string            `json:"ways"`
	Names     map[string]string `json:"names"` // of filters and values, for people
	Transport []string          `json:"transports"`
	Words     []string          `json:"words"` // the names of the files of words
}

type indexer struct {
	browserIndex
	terms  map[string]*postings // by stem
	forms  map[string]string    // stems by the words that have another
	traits map[string][]byte
	ways   []byte
}

func (e *exporter) searchIndex(ctx context.Context) error {
	l, _ := e.View.Select(catalog.Choice{}, catalog.ByRecommended)
	x := indexer{browserIndex: e.indexHead(l), terms: map[string]*postings{},
		forms: map[string]string{}, traits: map[string][]byte{}}
	for n := range l.Total() {
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := l.At(n).Summary()
		x.addWords(n, s)
		x.addTraits(s)
	}
	for name, letters := range x.traits {
		x.Traits[name] = string(letters)
	}
	x.Ways = string(x.ways)
	files := x.wordFiles()
	x.Words = slices.Sorted(maps.Keys(files))
	for _, name := range x.Words {
		if err := e.putJSON("search/words/"+name+".json", files[name]); err != nil {
			return err
		}
	}
	if err := e.putJSON("search/text.json", textOf(l.Total())); err != nil {
		return err
	}
	if err := e.putJSON("search/index.json", x.browserIndex); err != nil {
		return err
	}
	if err := e.orders(l); err != nil {
		return err
	}
	return e.rowFiles(ctx, l)
}

// indexHead is the index without the data of each server.
func (e *exporter) indexHead(l catalog.List) browserIndex {
	_, counts := e.View.Select(catalog.Choice{}, catalog.ByQuality)
	licenses := slices.AppendSeq([]string{}, maps.Keys(counts["license"]))
	slices.SortFunc(licenses, func(a, b string) int {
		return cmp.Or(counts["license"][b]-counts["license"][a], strings.Compare(a, b))
	})
	x := browserIndex{
		Servers: l.Total(), PerFile: rowsPerFile, PerPage: browse.PageSize,
		PerFilter: pages.MaxChoices,
		Names:     map[string]string{}, Transport: registry.Transports, Traits: map[string]string{},
		Values: map[string][]string{
			"category": registry.Categories, "sdk": registry.SDKs, "grade": registry.Grades,
			"liveness": registry.Livenesses, "effect": browse.FilterNamed("effect").All, "license": licenses[:min(len(licenses), maxLicenses)],
		},
	}
	for _, f := range browse.Filters {
		if f.Flag() && f.Param != "official" {
			x.Values[f.Param] = f.All
		}
		x.Names[f.Param] = f.Name
		values := f.All
		if values == nil {
			values = x.Values[f.Param]
		}
		for _, v := range values {
			x.Names[f.Param+"="+v] = f.ValueName(v)
		}
	}
	return x
}

func (x *indexer) addTraits(s *registry.Server) {
	can := s.CanReadOnly()
	for name, value := range map[string]string{"category": s.Category, "sdk": s.SDK,
		"grade": s.Health.Grade, "liveness": s.Liveness, "effect": s.Effect(),
		"readOnly": strconv.FormatBool(can != nil && *can), "secrets": strconv.FormatBool(s.HasSecrets()),
		"license": s.License} {
		x.traits[name] = append(x.traits[name], byte(letter0+1+slices.Index(x.Values[name], value)))
	}
	bits := 0
	for _, t := range s.Transports {
		if k := slices.Index(registry.Transports, t); k >= 0 {
			bits |= 1 << k
		}
	}
	if len(s.Packages) > 0 {
		bits |= 1 << len(registry.Transports)
	}
	if len(s.Remotes) > 0 {
		bits |= 2 << len(registry.Transports)
	}
	if s.Official {
		bits |= 4 << len(registry.Transports)
	}
	x.ways = append(x.ways, byte(letter0+bits))
}

func (e *exporter) putJSON(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return e.folder.Put(name, append(b, '\n'))
}

// orders writes the orders besides the recommended one.
func (e *exporter) orders(l catalog.List) error {
	number := make(map[*catalog.Item]int, l.Total())
	for n := range l.Total() {
		number[l.At(n)] = n
	}
	for _, s := range catalog.Sorts {
		if s == catalog.ByRecommended {
			continue
		}
		other, _ := e.View.Select(catalog.Choice{}, s)
		numbers := make([]int, other.Total())
		for n := range numbers {
			numbers[n] = number[other.At(n)]
		}
		if err := e.putJSON("search/order/"+s.String()+".json", numbers); err != nil {
			return err
		}
	}
	return nil
}

// rowFiles writes the rows of lists, rendered by the template of lists.
func (e *exporter) rowFiles(ctx context.Context, l catalog.List) error {
	for from := 0; from < l.Total(); from += rowsPerFile {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := fmt.Sprintf("search/rows/%d.json", from/rowsPerFile)
		if e.folder.Done(name) {
			continue
		}
		var all []string
		for _, r := range record.Rows(l, from, from+rowsPerFile) {
			body, err := e.site.Render("servers", "rows", []*registry.Server{r})
			if err != nil {
				return err
			}
			page := string(e.rewrite(body, "rows.html")) // with links of a page in the root
			start, end := strings.Index(page, "<li"), strings.LastIndex(page, "</ol>")
			if start < 0 || end < start {
				return fmt.Errorf("the template of rows has no list: %.80s", page)
			}
			all = append(all, strings.TrimSpace(page[start:end]))
		}
		if err := e.putJSON(name, all); err != nil {
			return err
		}
	}
	return nil
}

// A search holds the servers of each owner and with each tag, best first. Keys are
// in lower case.
type search struct {
	owners, tags map[string][]*catalog.Item
}

func newSearch(v *catalog.View) *search {
	s := &search{owners: map[string][]*catalog.Item{}, tags: map[string][]*catalog.Item{}}
	l, _ := v.Select(catalog.Choice{}, catalog.ByRecommended)
	for n := range l.Total() {
		i := l.At(n)
		if owner := i.Owner(); owner != "" {
			s.owners[owner] = append(s.owners[owner], i)
		}
		for _, t := range site.Tags(i.Summary().Tags) {
			s.tags[t] = append(s.tags[t], i)
		}
	}
	return s
}

// among returns the slugs of the servers of the first owner or tag among the
// filters: scanning all servers for tens of thousands of lists would take hours.
// Without such a filter it returns nil.
func (s *search) among(filters []query.Filter) (slugs []string) {
	for _, f := range filters {
		if f.Op != query.OpEq || len(f.Values) != 1 {
			continue
		}
		value, _ := f.Values[0].(string)
		var items []*catalog.Item
		switch f.Field {
		case "owner":
			items = s.owners[strings.ToLower(value)]
		case "tags":
			items = s.tags[strings.ToLower(value)]
		default:
			continue
		}
		for _, i := range items {
			slugs = append(slugs, i.Slug())
		}
		return slugs
	}
	return nil
}

// browserText tells the script how to read the text of a search, so that it matches like the
// indexes of the site in names, tags, descriptions and tools.
type browserText struct {
	Stop   []string          `json:"stop"`   // ignored unless there are no others
	Same   map[string]string `json:"same"`   // phrases and what to search for instead of them
	Least  []int             `json:"least"`  // how many of n words a server must have, for each n
	Rare   int               `json:"rare"`   // how many servers have a word of which one is enough
	Enough int               `json:"enough"` // with fewer results, each of the words is enough
}

// textOf returns the settings for a number of servers.
func textOf(servers int) browserText {
	t := browserText{Stop: words.Stopwords, Same: map[string]string{}, Rare: words.Rare(servers),
		Enough: words.Enough}
	for _, g := range synonyms.Groups {
		for _, m := range g.Members[1:] {
			t.Same[m] = g.Members[0]
		}
	}
	for n := range words.Max + 1 {
		t.Least = append(t.Least, words.Least(n))
	}
	return t
}

// postings are the servers that have a word, as differences of their numbers: in
// their names, owner or tags, and in their description or tools. The numbers
// begin at 1, so that no difference is 0.
type postings struct {
	Strong []uint32 `json:"strong,omitempty"`
	Weak   []uint32 `json:"weak,omitempty"`
	Stem   string   `json:"stem,omitempty"` // a word whose postings count too

	lastStrong, lastWeak int
}

func (p *postings) add(number int, strong bool) {
	list, last := &p.Weak, &p.lastWeak
	if strong {
		list, last = &p.Strong, &p.lastStrong
	}
	if *last == number+1 {
		return
	}
	*list = append(*list, uint32(number+1-*last))
	*last = number + 1
}

// addWords adds the words of a server, by its number: those of its names, owner
// and tags are strong.
func (x *indexer) addWords(number int, s *registry.Server) {
	for _, name := range []string{s.Name, s.Title, s.Slug, s.Repo.Name, s.Subfolder} {
		x.addName(number, name, true)
	}
	x.addText(number, s.Repo.Owner, true)
	for _, t := range s.Tags {
		x.addText(number, t, true)
		x.addTerm(number, "#"+strings.ToLower(t), true)
	}
	if s.Repo.Owner != "" {
		x.addTerm(number, "@"+strings.ToLower(s.Repo.Owner), true)
	}
	x.addText(number, s.Description, false)
	for _, t := range s.Tools {
		x.addName(number, t.Name, false)
	}
}

func (x *indexer) addName(number int, name string, strong bool) {
	for _, spelling := range words.Spellings(name) {
		x.addText(number, spelling, strong)
	}
}

// addText adds the words of a text and their synonyms; broader terms are weak.
func (x *indexer) addText(number int, text string, strong bool) {
	all := words.Fields(words.Fold(text))
	x.addForms(number, all, strong)
	for g := range synonyms.Named(all) {
		x.addForms(number, words.Fields(g.Members[0]), strong)
	}
	for _, term := range synonyms.Wider(all) {
		x.addForms(number, words.Fields(term), false)
	}
}

func (x *indexer) addForms(number int, all []string, strong bool) {
	for _, run := range all {
		for _, w := range words.Characters(run) {
			stem, known := x.forms[w]
			if !known {
				if stem = words.Stem(w); shardOf(stem) != shardOf(w) {
					stem = w
				}
				w, stem = strings.Clone(w), strings.Clone(stem)
				x.forms[w] = stem
			}
			x.addTerm(number, stem, strong)
		}
	}
}

const maxTerm = 40 // bytes of the longest term

func (x *indexer) addTerm(number int, term string, strong bool) {
	if len(term) > maxTerm {
		return
	}
	p := x.terms[term]
	if p == nil {
		p = &postings{}
		x.terms[strings.Clone(term)] = p
	}
	p.add(number, strong)
}

// wordFiles returns the files of words by their names: the postings of each
// stem, tag ("#tag") and owner ("@owner"), and of other words their stem.
func (x *indexer) wordFiles() map[string]map[string]*postings {
	for form, stem := range x.forms {
		if form == stem || x.terms[stem] == nil {
			continue
		}
		if x.terms[form] == nil {
			x.terms[form] = &postings{}
		}
		x.terms[form].Stem = stem
	}
	files := map[string]map[string]*postings{}
	for term, p := range x.terms {
		name := shardOf(term)
		if files[name] == nil {
			files[name] = map[string]*postings{}
		}
		files[name][term] = p
	}
	return files
}

// shardOf is the file that a word is in.
func shardOf(word string) string {
	var b [2]byte
	rs := []rune(word)
	for n := range b {
		b[n] = '_'
		if n < len(rs) && (rs[n] >= 'a' && rs[n] <= 'z' || rs[n] >= '0' && rs[n] <= '9') {
			b[n] = byte(rs[n])
		}
	}
	return string(b[:])
}
