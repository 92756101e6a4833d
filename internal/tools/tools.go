// Package tools compares, weighs and examines lists of tools. Its functions are
// pure.
package tools

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"

	"github.com/gowebpki/jcs"
	"github.com/tiktoken-go/tokenizer"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Choose returns the list with the most reliable source; of two lists with the same source,
// that of a published package, then the newer one. Of several runs or probes, the first one
// counts: the server's packages, or its endpoints, may have different tools. A list without
// tools counts only if the server itself returned it, and an incomplete one only if no other
// list has some of its tools and more. A stale list is less reliable than other sources except
// READMEs. Choose returns false if no list counts.
func Choose(lists []registry.ToolList) (registry.ToolList, bool) {
	counting := slices.DeleteFunc(slices.Clone(lists), func(l registry.ToolList) bool {
		if len(l.Tools) == 0 {
			return !fromServer(l)
		}
		return l.Partial && slices.ContainsFunc(lists, func(m registry.ToolList) bool {
			return extends(m.Tools, l.Tools)
		})
	})
	if len(counting) == 0 {
		return registry.ToolList{}, false
	}
	published := func(l registry.ToolList) int { return min(1, len(l.Package.Identifier)) }
	place := func(l registry.ToolList) int {
		if l.Stale {
			return 2*slices.Index(registry.ToolSources, registry.ToolsFromSource) + 1
		}
		return 2 * slices.Index(registry.ToolSources, l.From)
	}
	return slices.MinFunc(counting, func(a, b registry.ToolList) int {
		if c := cmp.Or(cmp.Compare(place(a), place(b)),
			cmp.Compare(published(b), published(a))); c != 0 || fromServer(a) {
			return c
		}
		return b.At.Compare(a.At)
	}), true
}

// fromServer reports whether the list is a recent response of the server itself.
func fromServer(l registry.ToolList) bool {
	return !l.Stale && (l.From == registry.ToolsFromRun || l.From == registry.ToolsFromProbe)
}

// extends reports whether all has more tools than part and some of its names.
func extends(all, part []registry.Tool) bool {
	names := ByName(part)
	return len(all) > len(part) && slices.ContainsFunc(all, func(t registry.Tool) bool {
		_, ok := names[t.Name]
		return ok
	})
}

// definition is the part of a tool that clients hand to a model, in the form of
// MCP's tools/list.
type definition struct {
	Name        string                    `json:"name"`
	Description string                    `json:"description,omitempty"`
	InputSchema json.RawMessage           `json:"inputSchema,omitempty"`
	Annotations *registry.ToolAnnotations `json:"annotations,omitempty"`
}

func define(t registry.Tool) definition {
	d := definition{Name: t.Name, Description: t.Description, Annotations: t.Annotations}
	if json.Valid(t.InputSchema) {
		d.InputSchema = t.InputSchema
	}
	return d
}

// Hash returns the SHA-256 of a tool's name, description, input schema and
// annotations as canonical JSON (RFC 8785), in hexadecimal digits. Equal tools have equal
// hashes, whatever the order of members in their schemas.
func Hash(t registry.Tool) string { return digest(define(t)) }

// Limits of a list.
const (
	MaxTools       = 500
	MaxDescription = 4 << 10  // bytes
	MaxSchema      = 64 << 10 // bytes
	maxSchemas     = 1 << 20  // bytes of all
)

// Limit returns at most [MaxTools] tools, each name once. Descriptions are cut at
// [MaxDescription] bytes; schemas that are too large, or not JSON, become unknown.
func Limit(list []registry.Tool) []registry.Tool {
	out := list[:0:0] // nil only for nil
	seen := map[string]bool{"": true}
	left := maxSchemas
	for _, t := range list {
		if seen[t.Name] || len(out) >= MaxTools {
			continue
		}
		seen[t.Name] = true
		if len(t.Description) > MaxDescription {
			t.Description = text.Shorten(t.Description, MaxDescription-len("…"))
		}
		if n := len(t.InputSchema); n > MaxSchema || n > left || !json.Valid(t.InputSchema) {
			t.InputSchema = nil
		}
		left -= len(t.InputSchema)
		out = append(out, t)
	}
	return out
}

// Examine returns the tools that a server listed with their hashes and token counts, within
// the limits of [Limit], and the suspicious parts of the whole list: models also read what is
// beyond the limits.
func Examine(list []registry.Tool) ([]registry.Tool, []registry.SuspiciousText) {
	return Weigh(Limit(list)), Suspicious(list)
}

// Weigh returns the tools with their hashes and token counts. It takes about a millisecond per
// kilobyte of definitions.
func Weigh(list []registry.Tool) []registry.Tool {
	_, each := Tokens(list)
	out := slices.Clone(list)
	for i := range out {
		out[i].Hash, out[i].Tokens = Hash(out[i]), each[i]
	}
	return out
}

// ListHash returns the SHA-256 of the hashes of tools that [Weigh] returned, sorted
// by name, in hexadecimal digits; "" if one has no hash.
func ListHash(list []registry.Tool) string {
	hashes := make([]string, 0, len(list))
	for _, t := range list {
		if t.Hash == "" {
			return ""
		}
		hashes = append(hashes, t.Name+" "+t.Hash)
	}
	slices.Sort(hashes)
	return digest(hashes)
}

func digest(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("tools: " + err.Error()) // strings, booleans and valid JSON
	}
	// A number beyond IEEE 754 has no canonical form: its text is hashed unchanged.
	if canonical, err := jcs.Transform(b); err == nil {
		b = canonical
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Kinds of changes.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// A Change is the difference of one tool between two lists.
type Change struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Fields are the parts that differ, of a changed tool: "description",
	// "inputSchema", "annotations".
	Fields []string       `json:"fields,omitempty"`
	Before *registry.Tool `json:"before,omitempty"` // nil of an added tool
	After  *registry.Tool `json:"after,omitempty"`  // nil of a removed tool
}

// Diff returns the changes from the list before to the list after, sorted by name. Titles and
// the order of tools do not count.
func Diff(before, after []registry.Tool) []Change {
	former := ByName(before)
	var out []Change
	for name, t := range ByName(after) {
		old, known := former[name]
		delete(former, name)
		switch {
		case !known:
			out = append(out, Change{Name: name, Kind: Added, After: &t})
		case Hash(old) != Hash(t):
			out = append(out, Change{
				Name: name, Kind: Changed, Fields: differing(old, t), Before: &old, After: &t,
			})
		}
	}
	for name, t := range former {
		out = append(out, Change{Name: name, Kind: Removed, Before: &t})
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// ByName returns the tools by their names.
func ByName(list []registry.Tool) map[string]registry.Tool {
	out := make(map[string]registry.Tool, len(list))
	for _, t := range list {
		out[t.Name] = t
	}
	return out
}

func differing(a, b registry.Tool) []string {
	var out []string
	if a.Description != b.Description {
		out = append(out, "description")
	}
	if digest(define(a).InputSchema) != digest(define(b).InputSchema) {
		out = append(out, "inputSchema")
	}
	if digest(a.Annotations) != digest(b.Annotations) {
		out = append(out, "annotations")
	}
	return out
}

// A Revision is a list of tools in the history of a server.
type Revision struct {
	registry.ToolList
	// Before is the list of the same source that was replaced; nil if there is none.
	Before *registry.ToolList
	// Moved is the list before, if it is of another source; nil otherwise.
	Moved   *registry.ToolList
	Changes []Change // since Before
	// SameVersion reports that the tools changed while the version of the server
	// stayed the same.
	SameVersion bool
}

// First reports whether nothing is known of the time before.
func (r Revision) First() bool { return r.Before == nil && r.Moved == nil }

// sameSource reports whether two lists are of the same source. The repository and the
// archive of a package are different ones.
func sameSource(a, b *registry.ToolList) bool { return a.From == b.From && a.Package == b.Package }

// History compares the lists of tools that a server has had, the newest first. A
// list is compared with the last one of the same source: a change of the source is not
// a change of the server.
func History(lists []registry.ToolList) []Revision {
	all := make([]Revision, len(lists))
	for i, l := range lists {
		r := Revision{ToolList: l}
		if i+1 < len(lists) && !sameSource(&lists[i+1], &l) {
			r.Moved = &lists[i+1]
		}
		for n := range lists[i+1:] {
			if b := &lists[i+1+n]; sameSource(b, &l) {
				r.Before, r.Changes = b, Diff(b.Tools, l.Tools)
				r.SameVersion = len(r.Changes) > 0 && SameVersion(b, l.Version)
				break
			}
		}
		all[i] = r
	}
	return all
}

// SameVersion reports whether a list that replaces another one is of the same
// version of the server; false if the version is unknown.
func SameVersion(before *registry.ToolList, version string) bool {
	last := cmp.Or(before.LastVersion, before.Version)
	return last != "" && last == version
}

// ContextWindow is the number of tokens with which pages compare the weight of
// a list.
const ContextWindow = 200_000

// Heavy is the number of tokens from which a list is called heavy: 8% of 68
// measured servers have more.
const Heavy = 20_000

var encoding = sync.OnceValues(func() (tokenizer.Codec, error) {
	return tokenizer.Get(tokenizer.O200kBase)
})

// Tokens returns how many tokens of a model's context a list of tools takes: its names,
// descriptions and input schemas as compact JSON, in the encoding o200k_base. Models differ,
// so the count is approximate. each has the counts of the single tools.
func Tokens(list []registry.Tool) (total int, each []int) {
	each = make([]int, len(list))
	for i, t := range list {
		d := define(t)
		d.Annotations = nil
		b, err := json.Marshal(d)
		if err != nil {
			panic("tools: " + err.Error()) // strings and valid JSON
		}
		each[i] = count(string(b)) + 1 // the comma
		total += each[i]
	}
	return total, each
}

func count(text string) int {
	codec, err := encoding()
	if err != nil {
		panic("tools: " + err.Error()) // the vocabulary is embedded
	}
	n, err := codec.Count(text)
	if err != nil {
		return len(text) / 4 // text that the encoding's expression cannot split
	}
	return n
}
