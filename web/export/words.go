package export

import (
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

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

// addName adds the spellings of a name.
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

// addForms adds the stems of words.
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
