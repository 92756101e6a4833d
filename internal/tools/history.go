package tools

import (
	"cmp"

	"mcpcensus/internal/registry"
)

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
