package record

import (
	"cmp"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/tools"
	"mcpcensus/web/format"
)

// MaxToolLists is the number of lists of a server's tools that its page compares.
const MaxToolLists = 11

const (
	maxToolChanges     = 20   // shown for a revision
	maxComparedText    = 1500 // bytes of a description
	maxComparedPerPage = 12 << 10
)

// A ToolRevision is a change of a server's tools as pages show it.
type ToolRevision struct {
	At          time.Time // when the list was stored
	Source      string    // such as "Read from the source code"
	Version     string
	Moved       string // the source of the previous list, in words; "" if unchanged
	Tools       int    // of the new list
	SameVersion bool
	FromRepo    bool // the list is from the repository, not from the installed package or endpoint
	Changes     []ToolChange
	More        int // changes that are not shown
}

// A ToolChange is a tool that was added, removed or changed.
type ToolChange struct {
	Name, Kind string
	Fields     []string  // changed fields, in words
	Passages   []Segment // of the description
}

// fieldNames are the names of the parts of tools for people.
var fieldNames = map[string]string{"inputSchema": "parameters"}

// ToolRevisions returns the changes between a server's lists of tools. Lists and changes are
// newest first; the oldest list has no entry.
func ToolRevisions(lists []registry.ToolList) (all []ToolRevision) {
	size := maxComparedPerPage
	for _, r := range tools.History(lists) {
		if r.First() || len(r.Changes) == 0 && r.Moved == nil {
			continue
		}
		x := ToolRevision{At: r.At, Source: format.ToolSource(r.From, r.Package), Version: r.Version,
			Tools: len(r.Tools), SameVersion: r.SameVersion,
			FromRepo: r.From != registry.ToolsFromRun && r.From != registry.ToolsFromProbe &&
				r.Package.Identifier == "",
			More: max(0, len(r.Changes)-maxToolChanges)}
		if m := r.Moved; m != nil {
			x.Moved = sourceNouns[m.From]
			if m.Package.Identifier != "" {
				x.Moved += " of the package " + text.Fit(m.Package.Identifier, 60)
			}
		}
		for _, c := range r.Changes[:min(len(r.Changes), maxToolChanges)] {
			x.Changes = append(x.Changes, toolChange(c, &size))
		}
		all = append(all, x)
	}
	return all
}

// toolChange returns a change. Descriptions are compared while size is not used up.
func toolChange(c tools.Change, size *int) ToolChange {
	x := ToolChange{Name: text.OneLine(c.Name), Kind: c.Kind}
	for _, f := range c.Fields {
		x.Fields = append(x.Fields, cmp.Or(fieldNames[f], f))
	}
	var before, after string
	if c.Before != nil {
		before = text.Fit(text.OneLine(c.Before.Description), maxComparedText)
	}
	if c.After != nil {
		after = text.Fit(text.OneLine(c.After.Description), maxComparedText)
	}
	if *size -= len(before) + len(after); *size >= 0 && before != after && c.Kind == tools.Changed {
		x.Passages = Passages(before, after)
	}
	return x
}

// sourceNouns are the sources of lists of tools for people.
var sourceNouns = map[string]string{
	registry.ToolsFromProbe:    "the hosted endpoint",
	registry.ToolsFromRun:      "the published package",
	registry.ToolsFromManifest: "the manifest",
	registry.ToolsFromSource:   "the source code",
	registry.ToolsFromReadme:   "the README",
}

// A Segment is a part of a text that two versions have in common, or that only
// one has.
type Segment struct {
	Text           string
	Removed, Added bool // neither: both versions have it
}

// Passages compares two texts word by word. Joined with spaces, the passages
// without the added ones are the words of the first text.
func Passages(before, after string) (all []Segment) {
	for _, p := range text.Diff(strings.Fields(before), strings.Fields(after)) {
		all = append(all, Segment{strings.Join(p.Text, " "), p.Op == '-', p.Op == '+'})
	}
	return all
}
