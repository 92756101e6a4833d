package copies

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/cespare/xxhash/v2"

	"mcpcensus/internal/registry"
)

const (
	// minName is the minimum length of names that are compared by their letters: changing a
	// letter or two of a shorter one makes another word.
	minName = 6
	// maxEdits is the number of letters that an imitation adds, removes or replaces.
	// Two neighbors that are swapped are two edits.
	maxEdits = 2
	// knownStars and knownPopularity make a server worth imitating; an imitation is far less
	// popular.
	knownStars, knownPopularity = 200, 40
	farLess                     = 10
	// likeText and likeDescription are the minimum similarities of READMEs and descriptions of
	// servers whose names differ in a letter or two.
	likeText, likeDescription = 0.15, 0.6
	// minVendor is the length of vendors' accounts and scopes that are compared.
	minVendor = 5
)

// name is the distinctive part of a server's name: the name of its repository or of a package,
// without punctuation and general words.
type name struct {
	text string
	hash uint64
}

// generalWords are words that many names of servers share.
var generalWords = map[string]bool{"mcp": true, "server": true, "servers": true, "the": true,
	"modelcontextprotocol": true, "official": true, "ai": true}

func nameOf(text string) (n name, ok bool) {
	var parts []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), isPunctuation) {
		if !generalWords[w] {
			parts = append(parts, w)
		}
	}
	text = strings.Join(parts, "")
	if trimmed := strings.TrimSuffix(strings.TrimPrefix(text, "mcp"), "mcp"); trimmed != "" {
		text = trimmed
	}
	n.text, n.hash = text, xxhash.Sum64String("name\x00"+text)
	return n, text != ""
}

func namesOf(s *Server) (names []name) {
	texts := []string{s.Repo}
	if s.Subfolder != "" {
		texts = []string{s.Subfolder[strings.LastIndexByte(s.Subfolder, '/')+1:]}
	}
	for _, p := range s.Packages {
		switch p.Type {
		case "npm", "pypi", "nuget", "cargo":
			texts = append(texts, p.Identifier[strings.LastIndexByte(p.Identifier, '/')+1:])
		}
	}
	for _, t := range texts {
		if n, ok := nameOf(t); ok && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// alikeNames reports whether two servers have names that differ in a letter or two, or the
// same name if that counts.
func alikeNames(o, y *Server, same bool) bool {
	for _, a := range o.names {
		for _, b := range y.names {
			switch {
			case a.text == b.text:
				if same {
					return true
				}
			case min(len(a.text), len(b.text)) >= minName && distance(a.text, b.text, maxEdits) <= maxEdits:
				return true
			}
		}
	}
	return false
}

// distance returns the number of letters in which two names differ, more than most if their
// lengths do.
func distance(a, b string, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	return levenshtein.ComputeDistance(a, b)
}

// imitations compares names and namespaces with those of well-known and official
// servers.
func (f *finder) imitations() {
	names, spaces := typoIndex{deletions: maxEdits}, typoIndex{deletions: 1}
	for i, s := range f.servers {
		if s.Fork {
			continue
		}
		if s.known() || s.Official {
			for _, n := range s.names {
				if len(n.text) >= minName {
					names.add(n.text, i)
				}
			}
		}
		if s.Official {
			for _, space := range spacesOf(s) {
				spaces.add(squashed(space), i)
			}
		}
	}
	names.sort()
	spaces.sort()
	var near []int32
	for young, y := range f.servers {
		near = near[:0]
		for _, n := range y.names {
			if len(n.text) >= minName {
				near = names.near(n.text, near)
			}
		}
		for _, space := range spacesOf(y) {
			near = spaces.near(squashed(space), near)
		}
		slices.Sort(near)
		for _, old := range slices.Compact(near) {
			if int(old) < young { // the servers are sorted by age
				f.imitation(int(old), young)
			}
		}
	}
}

// imitation records the match of a server with an older one that has a similar name or
// namespace, if there is one.
func (f *finder) imitation(old, young int) {
	if f.compare(old, young); f.best[young].of != nil {
		return
	}
	if m, ok := imitated(f.servers[old], f.servers[young]); ok {
		f.offer(young, m)
	}
}

func (s *Server) known() bool { return s.Stars >= knownStars || s.Popularity >= knownPopularity }

// imitated reports whether y imitates the name or the namespace of o.
func imitated(o, y *Server) (m match, ok bool) {
	byName := alikeNames(o, y, false) && o.known() && o.Stars >= farLess*y.Stars
	space := ""
	if o.Official && o.Category == y.Category {
		space = imitatedSpace(o, y)
	}
	if !byName && space == "" || !eligible(o, y) || !alikeText(o, y) {
		return m, false
	}
	m = match{of: o, kind: registry.LookAlike, strength: o.Readme.Similarity(y.Readme)}
	if byName {
		m.reason = "Its name differs in a letter or two from that of the far more popular " + o.label() +
			", and their texts or tools are alike."
	} else {
		m.reason = "Its account or package scope " + space + " resembles that of the vendor, " + o.Owner +
			", and its texts or tools are like those of " + o.label() + "."
	}
	m.reason += " " + ageReason(o, y)
	return m, true
}

func alikeText(o, y *Server) bool {
	if o.Readme.Similarity(y.Readme) >= likeText {
		return true
	}
	if n, union, _ := commonTools(o, y); n >= 3 && 2*n >= union {
		return true
	}
	return o.Category == y.Category && len(o.description) >= 4 &&
		jaccard(o.description, y.description) >= likeDescription
}

// imitatedSpace returns the account or the package scope of y that differs in a letter or in
// punctuation from the vendor o's; "" if none does.
func imitatedSpace(o, y *Server) string {
	vendor := spacesOf(o)
	for _, theirs := range spacesOf(y) {
		for _, v := range vendor {
			a, b := squashed(theirs), squashed(v)
			if theirs != v && min(len(a), len(b)) >= minVendor && distance(a, b, 1) <= 1 {
				return theirs
			}
		}
	}
	return ""
}

// spacesOf returns the account and the scopes of the packages of a server.
func spacesOf(s *Server) []string {
	spaces := []string{strings.ToLower(s.Owner)}
	for _, p := range s.Packages {
		if scope := strings.TrimPrefix(p.scope(), "@"); scope != "" {
			spaces = append(spaces, scope)
		}
	}
	return spaces
}

// squashed returns the letters and digits of a name.
func squashed(s string) string { return strings.Join(strings.FieldsFunc(s, isPunctuation), "") }

func isPunctuation(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }

// maxName is the maximum length of names in a [typoIndex]; longer ones are left out.
const maxName = 32

// A typoIndex finds names that differ in a few letters from a given one: deleting some letters
// makes both equal.
type typoIndex struct {
	deletions int // per name
	entries   []entry
}

// add adds a name of the server with this index. sort must follow.
func (x *typoIndex) add(name string, index int) {
	if len(name) > maxName {
		return
	}
	variants(name, 0, x.deletions, func(key uint64) {
		x.entries = append(x.entries, entry{key, int32(index)})
	})
}

func (x *typoIndex) sort() {
	slices.SortFunc(x.entries, byKey)
	x.entries = slices.Compact(x.entries)
}

// near appends the indexes of the servers with similar names, possibly several times, and of
// some others.
func (x *typoIndex) near(name string, to []int32) []int32 {
	if len(name) > maxName {
		return to
	}
	variants(name, 0, x.deletions, func(key uint64) {
		i, _ := slices.BinarySearchFunc(x.entries, key,
			func(e entry, key uint64) int { return cmp.Compare(e.key, key) })
		for ; i < len(x.entries) && x.entries[i].key == key; i++ {
			to = append(to, x.entries[i].index)
		}
	})
	return to
}

// variants yields the hashes of a name and of its forms without one or two letters from an
// index on, up to the given number of deletions.
func variants(name string, from, deletions int, yield func(key uint64)) {
	yield(xxhash.Sum64String(name))
	if deletions == 0 {
		return
	}
	for i := from; i < len(name); i++ {
		variants(name[:i]+name[i+1:], i, deletions-1, yield)
	}
}
