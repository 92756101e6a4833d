package catalog

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// A Choice narrows a listing. Of each of its lists a server must have one
// value; an empty list asks for nothing.
type Choice struct {
	Categories, SDKs, Transports, Licenses, Grades []string
	Package                                        bool // a published package runs it
	Remote                                         bool // its owner runs it somewhere
}

// The facets that Select counts, by the bit that says that a server is left
// out by them.
var facetNames = [...]string{"category", "sdk", "transport", "license", "grade", "type"}

const (
	byCategory = 1 << iota
	bySDK
	byTransport
	byLicense
	byGrade
	byPackage
	byRemote
)

// A trait is what a server is chosen by.
type trait struct {
	listed        bool
	category, sdk uint8
	grade         uint8 // index in registry.Grades, or their number
	traits        uint8
	license       uint32
}

// The bits of traits: the transports in the order of [registry.Transports],
// then these.
const (
	hasPackage = 1 << 6
	hasRemote  = 1 << 7
)

func traitsOf(s *registry.Server) (bits uint8) {
	for _, t := range s.Transports {
		if n := slices.Index(registry.Transports, t); n >= 0 {
			bits |= 1 << n
		}
	}
	if len(s.Packages) > 0 {
		bits |= hasPackage
	}
	if len(s.Remotes) > 0 {
		bits |= hasRemote
	}
	return bits
}

func traitOf(i *Item) trait {
	t := trait{listed: true, category: i.category, sdk: i.sdk, grade: uint8(len(registry.Grades)), traits: i.traits, license: i.license}
	if i.score >= 0 {
		t.grade = uint8(slices.Index(registry.Grades, registry.GradeOf(int(i.score))))
	}
	return t
}

// names numbers texts from 1. Numbers stay.
type names struct {
	mu    sync.RWMutex
	known map[string]uint32
	texts []string
}

// of returns the number of a text, 0 for "".
func (n *names) of(text string) uint32 {
	if text == "" {
		return 0
	}
	n.mu.RLock()
	id, ok := n.known[text]
	n.mu.RUnlock()
	if ok {
		return id
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, ok := n.known[text]; ok {
		return id
	}
	if n.known == nil {
		n.known = map[string]uint32{}
	}
	text = strings.Clone(text) // it may be a part of a whole record
	n.texts = append(n.texts, text)
	n.known[text] = uint32(len(n.texts))
	return uint32(len(n.texts))
}

// find is of for texts that need not be known: it returns 0 for them.
func (n *names) find(text string) uint32 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.known[text]
}

func (n *names) all() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.texts
}

// A chosen is what Select found.
type chosen struct {
	passes []bool // by slot; nil: all do
	counts map[string]map[string]int
	lists  map[Sort][]uint32
}

// maxChosen bounds the choices that a version remembers.
const maxChosen = 32

// Select returns the servers that fit a choice, in an order, and how many
// servers there would be for each value of category, sdk, transport, license,
// grade and type (package or remote): of those that fit the choice in all
// other respects. Callers must not change the counts.
func (v *View) Select(c Choice, s Sort) (List, map[string]map[string]int) {
	key := fmt.Sprintf("%q %q %q %q %q %t %t", c.Categories, c.SDKs, c.Transports, c.Licenses, c.Grades, c.Package, c.Remote)
	v.mu.Lock()
	found := v.chosen[key]
	v.mu.Unlock()
	if found == nil {
		found = v.choose(c)
		v.mu.Lock()
		if known := v.chosen[key]; known != nil {
			found = known
		} else {
			if v.chosen == nil {
				v.chosen = map[string]*chosen{}
			}
			if len(v.chosen) >= maxChosen {
				for old := range v.chosen {
					delete(v.chosen, old)
					break
				}
			}
			v.chosen[key] = found
		}
		v.mu.Unlock()
	}
	if found.passes == nil {
		return v.List("", s, -1), found.counts
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	slots, ok := found.lists[s]
	if !ok {
		for _, slot := range v.orders[s][0] {
			if found.passes[slot] {
				slots = append(slots, slot)
			}
		}
		found.lists[s] = slots
	}
	return List{view: v, sort: s, slots: slots}, found.counts
}

// choose goes through all servers once.
func (v *View) choose(c Choice) *chosen {
	set := func(values, among []string) (bits uint16) {
		if len(values) == 0 {
			return ^uint16(0)
		}
		for _, x := range values {
			if n := slices.Index(among, x); n >= 0 {
				bits |= 1 << n
			}
		}
		return bits
	}
	categories, sdks, grades := set(c.Categories, registry.Categories), set(c.SDKs, registry.SDKs), set(c.Grades, registry.Grades)
	transports := uint8(set(c.Transports, registry.Transports))
	texts, licenses := v.licenses.all(), map[uint32]bool{}
	for n, text := range texts {
		if slices.ContainsFunc(c.Licenses, func(l string) bool { return strings.EqualFold(l, text) }) {
			licenses[uint32(n+1)] = true
		}
	}
	var (
		byCat     [categoriesMost]int
		byLang    [sdkCount + 1]int
		byWay     [8]int
		byLetter  [8]int
		withs     [2]int
		byLicence = make([]int, len(texts)+1)
		all       = len(c.Categories)+len(c.SDKs)+len(c.Transports)+len(c.Licenses)+len(c.Grades) == 0 && !c.Package && !c.Remote
		passes    []bool
	)
	if !all {
		passes = make([]bool, len(v.traits))
	}
	for slot := range v.traits {
		t := &v.traits[slot]
		if !t.listed {
			continue
		}
		out := 0
		if categories&(1<<t.category) == 0 {
			out |= byCategory
		}
		if sdks&(1<<t.sdk) == 0 {
			out |= bySDK
		}
		if len(c.Transports) > 0 && transports&t.traits == 0 {
			out |= byTransport
		}
		if len(c.Licenses) > 0 && !licenses[t.license] {
			out |= byLicense
		}
		if grades&(1<<t.grade) == 0 {
			out |= byGrade
		}
		if c.Package && t.traits&hasPackage == 0 {
			out |= byPackage
		}
		if c.Remote && t.traits&hasRemote == 0 {
			out |= byRemote
		}
		if out == 0 && passes != nil {
			passes[slot] = true
		}
		if bits.OnesCount(uint(out)) > 1 {
			continue
		}
		if out&^byCategory == 0 {
			byCat[t.category]++
		}
		if out&^bySDK == 0 {
			byLang[t.sdk]++
		}
		if out&^byTransport == 0 {
			for n := range registry.Transports {
				if t.traits&(1<<n) != 0 {
					byWay[n]++
				}
			}
		}
		if out&^byLicense == 0 {
			byLicence[t.license]++
		}
		if out&^byGrade == 0 {
			byLetter[t.grade]++
		}
		if out&^byPackage == 0 && t.traits&hasPackage != 0 {
			withs[0]++
		}
		if out&^byRemote == 0 && t.traits&hasRemote != 0 {
			withs[1]++
		}
	}
	counts := map[string]map[string]int{}
	for _, name := range facetNames {
		counts[name] = map[string]int{}
	}
	put := func(facet string, names []string, n []int) {
		for i, name := range names {
			if n[i] > 0 {
				counts[facet][name] = n[i]
			}
		}
	}
	put("category", registry.Categories, byCat[:])
	put("sdk", registry.SDKs, byLang[:])
	put("transport", registry.Transports, byWay[:])
	put("license", texts, byLicence[1:])
	put("grade", registry.Grades, byLetter[:])
	put("type", []string{query.TypePackage, query.TypeRemote}, withs[:])
	return &chosen{passes: passes, counts: counts, lists: map[Sort][]uint32{}}
}

// categoriesMost is how many categories there may be.
const categoriesMost = 16
