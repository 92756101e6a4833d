package registry

import "time"

// News is something that happened to a listed server and is not in its record:
// that it was listed, that its score changed from one day to the next, or that its
// tools changed.
type News struct {
	Slug string
	// At is when it was listed, the end of the UTC day of the score, or when the changed tools
	// were first seen.
	At time.Time
	// Before and Then are the scores of two days that follow each other; both
	// are nil in other news.
	Before, Then *int
	Tools        *ToolsChange // nil in other news
}

// Kinds of events.
const (
	EventListed       = "server.listed"
	EventScoreChanged = "server.score_changed"
	EventToolsChanged = "server.tools_changed"
)

// Event returns the kind of the news.
func (n News) Event() string {
	switch {
	case n.Tools != nil:
		return EventToolsChanged
	case n.Before != nil && n.Then != nil:
		return EventScoreChanged
	}
	return EventListed
}

// A ToolsChange is the difference between two lists of tools of the same source.
type ToolsChange struct {
	From    string     // one of the ToolsFrom constants
	Package PackageKey // see [ToolList.Package]
	Version string     // of the server that has the new list; "" if unknown
	// SameVersion reports that the list before was of the same version.
	SameVersion bool
	// Sorted names of tools. Changed have another description, input schema or annotations.
	Added, Removed, Changed []string
}
