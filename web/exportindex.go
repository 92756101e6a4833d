package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// The search index of an export is made for a script that can only fetch
// files, and should fetch few. Servers are numbered by quality.
//
//	search/index.json     how many servers there are, the values of filters, and
//	                      for each server which it has, a letter each; and which
//	                      files of words there are
//	search/order/X.json   the numbers in another order
//	search/words/ab.json  for each word that begins so, the numbers of the servers
//	                      that have it in their name, owner or tags, and of those
//	                      that have it in their description or tools, as
//	                      differences; "#tag" and "@owner" are words too
//	search/rows/N.json    the rows of servers 64 N to 64 N + 63, as the pages
//	                      of lists have them
const rowsPerFile = 64

// letter0 stands for 0 where small numbers are written as letters.
const letter0 = '0'

// mostLicenses are those that can be filtered by, the most frequent first.
const mostLicenses = 40

type browserIndex struct {
	Servers   int                 `json:"servers"`
	PerFile   int                 `json:"perFile"`
	PerPage   int                 `json:"perPage"`
	PerFilter int                 `json:"perFilter"` // values of a filter without an end that are offered
	Values    map[string][]string `json:"values"`    // of each filter
	Traits    map[string]string   `json:"traits"`    // a letter for each server: 1 and up are values, 0 is none
	Ways      string              `json:"ways"`      // bits: transports, then package and remote
	Names     map[string]string   `json:"names"`     // of filters and values, for people
	Transport []string            `json:"transports"`
	Words     []string            `json:"words"` // the names of the files of words
}

// postings are the servers that have a word.
type postings struct {
	strong, weak         []byte // differences, as JSON
	lastStrong, lastWeak int    // number of the last server, plus 1
}

func (p *postings) add(number int, strong bool) {
	list, last := &p.weak, &p.lastWeak
	if strong {
		list, last = &p.strong, &p.lastStrong
	}
	if *last == number+1 {
		return
	}
	if len(*list) > 0 {
		*list = append(*list, ',')
	}
	*list = fmt.Append(*list, number+1-*last)
	*last = number + 1
}

// wordsOf cuts a text into words as the search of the site does (docs/search.md),
// and find.js what is typed: without case and accents; characters of scripts
// without spaces are words by themselves, and a run in mixed case gives its
// parts too.
func wordsOf(s string) (words []string) {
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Mn, r) }) {
		rs := []rune(run)
		start := 0 // of what is in one script
		for n := 0; n <= len(rs); n++ {
			if n < len(rs) && !unicode.In(rs[n], spaceless...) {
				continue
			}
			words = appendRun(words, rs[start:n])
			if n < len(rs) {
				words = appendFolded(words, rs[n:n+1])
			}
			start = n + 1
		}
	}
	return words
}

var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// appendRun appends a run and, if it is in mixed case, its parts.
func appendRun(words []string, rs []rune) []string {
	words = appendFolded(words, rs)
	start := 0
	for n := 1; n <= len(rs); n++ {
		if n < len(rs) {
			up := !unicode.IsUpper(rs[n-1]) && unicode.IsUpper(rs[n])
			down := n+1 < len(rs) && unicode.IsUpper(rs[n-1]) && unicode.IsUpper(rs[n]) && unicode.IsLower(rs[n+1])
			if !up && !down {
				continue
			}
		} else if start == 0 {
			break // it is the whole
		}
		words = appendFolded(words, rs[start:n])
		start = n
	}
	return words
}

func appendFolded(words []string, rs []rune) []string {
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(string(rs)))
	if folded == "" {
		return words
	}
	return append(words, folded)
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

const longestWord = 40

// searchIndex writes the index.
func (e *exporter) searchIndex(ctx context.Context) error {
	l := e.view.List("", catalog.ByQuality, -1)
	_, counts := e.view.Select(catalog.Choice{}, catalog.ByQuality)
	var licenses []string
	for name := range counts["license"] {
		licenses = append(licenses, name)
	}
	slices.SortFunc(licenses, func(a, b string) int {
		return cmp.Or(counts["license"][b]-counts["license"][a], strings.Compare(a, b))
	})
	x := browserIndex{
		Servers: l.Total(), PerFile: rowsPerFile, PerPage: pageSize, PerFilter: mostChoices, Names: map[string]string{}, Transport: registry.Transports, Traits: map[string]string{},
		Values: map[string][]string{"category": registry.Categories, "sdk": registry.SDKs, "grade": registry.Grades, "license": licenses[:min(len(licenses), mostLicenses)]},
	}
	for _, f := range filters {
		x.Names[f.param] = f.name
		values := x.Values[f.param]
		switch f.param {
		case "transport":
			values = registry.Transports
		case "has":
			values = []string{query.TypePackage, query.TypeRemote}
		}
		for _, v := range values {
			x.Names[f.param+"="+v] = valueName(f.param, v)
		}
	}
	words := map[string]*postings{}
	add := func(number int, strong bool, word string) {
		if len(word) > longestWord {
			return
		}
		p := words[word]
		if p == nil {
			p = &postings{}
			words[strings.Clone(word)] = p
		}
		p.add(number, strong)
	}
	traits := map[string][]byte{}
	var ways []byte
	for n := range l.Total() {
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := l.At(n).Server()
		for _, t := range append([]string{s.Name, s.Title, s.Slug, s.Repo.Owner, s.Repo.Name, s.Subfolder}, s.Tags...) {
			for _, w := range wordsOf(t) {
				add(n, true, w)
			}
		}
		for _, w := range wordsOf(s.Description) {
			add(n, false, w)
		}
		for _, t := range s.Tools {
			for _, w := range wordsOf(t.Name) {
				add(n, false, w)
			}
		}
		for _, t := range s.Tags {
			add(n, true, "#"+strings.ToLower(t))
		}
		if s.Repo.Owner != "" {
			add(n, true, "@"+strings.ToLower(s.Repo.Owner))
		}
		for name, value := range map[string]string{"category": s.Category, "sdk": s.SDK, "grade": s.Health.Grade, "license": s.License} {
			traits[name] = append(traits[name], byte(letter0+1+slices.Index(x.Values[name], value)))
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
		ways = append(ways, byte(letter0+bits))
	}
	for name, letters := range traits {
		x.Traits[name] = string(letters)
	}
	x.Ways = string(ways)
	shards := map[string][]string{}
	for w := range words {
		shard := shardOf(w)
		shards[shard] = append(shards[shard], w)
	}
	x.Words = slices.Sorted(maps.Keys(shards))
	if err := e.putJSON("search/index.json", x); err != nil {
		return err
	}
	if err := e.orders(l); err != nil {
		return err
	}
	if err := e.wordFiles(words, shards); err != nil {
		return err
	}
	return e.rowFiles(ctx, l)
}

func (e *exporter) putJSON(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return e.folder.Put(name, append(b, '\n'))
}

// orders writes the orders besides that of quality.
func (e *exporter) orders(l catalog.List) error {
	number := make(map[*catalog.Item]int, l.Total())
	for n := range l.Total() {
		number[l.At(n)] = n
	}
	for _, s := range []catalog.Sort{catalog.ByStars, catalog.ByDownloads, catalog.ByPopularity, catalog.ByName, catalog.ByUpdated, catalog.ByCreated} {
		other := e.view.List("", s, -1)
		b := append(make([]byte, 0, 7*other.Total()), '[')
		for n := range other.Total() {
			if n > 0 {
				b = append(b, ',')
			}
			b = fmt.Append(b, number[other.At(n)])
		}
		if err := e.folder.Put("search/order/"+s.String()+".json", append(b, ']', '\n')); err != nil {
			return err
		}
	}
	return nil
}

// wordFiles writes the words, by the files that they are in.
func (e *exporter) wordFiles(words map[string]*postings, shards map[string][]string) error {
	for shard, in := range shards {
		slices.Sort(in)
		var b bytes.Buffer
		b.WriteByte('{')
		for n, w := range in {
			if n > 0 {
				b.WriteString(",\n")
			}
			key, err := json.Marshal(w)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s:[[%s],[%s]]", key, words[w].strong, words[w].weak)
		}
		b.WriteString("}\n")
		if err := e.folder.Put("search/words/"+shard+".json", b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// rowFiles writes the rows of lists, each as the template of lists has it.
func (e *exporter) rowFiles(ctx context.Context, l catalog.List) error {
	for from := 0; from < l.Total(); from += rowsPerFile {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := fmt.Sprintf("search/rows/%d.json", from/rowsPerFile)
		if e.folder.Done(name) {
			continue
		}
		rows, err := rowsOf(l, from, from+rowsPerFile)
		if err != nil {
			return err
		}
		var all []string
		for _, r := range rows {
			var b bytes.Buffer
			if err := e.site.pages["servers"].ExecuteTemplate(&b, "rows", []row{r}); err != nil {
				return err
			}
			page := string(e.rewrite(b.Bytes(), "rows.html")) // links are those of a page in the root
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
