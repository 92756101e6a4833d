package schema

import (
	"cmp"
	"strings"

	"mcpcensus/internal/registry"
)

// Tools is a list of tools without duplicates, in the order in which they were added. The
// zero value is an empty list.
type Tools struct {
	list  []registry.Tool
	index map[string]int
}

// maxTools is the length of the longest list.
const maxTools = 2000

// Add appends a tool. If the list has its name, Add only fills in missing fields. It
// returns false if the list is full.
func (l *Tools) Add(t registry.Tool) bool {
	i, found := l.index[t.Name]
	if !found && len(l.list) == maxTools {
		return false
	}
	if !found {
		if l.index == nil {
			l.index = map[string]int{}
		}
		l.index[t.Name] = len(l.list)
		l.list = append(l.list, t)
		return true
	}
	known := &l.list[i]
	known.Title = cmp.Or(known.Title, t.Title)
	known.Description = cmp.Or(known.Description, t.Description)
	known.Annotations = cmp.Or(known.Annotations, t.Annotations)
	if known.InputSchema == nil {
		known.InputSchema = t.InputSchema
	}
	return true
}

// All returns the tools. The caller must not change them.
func (l *Tools) All() []registry.Tool { return l.list }

// IsToolName reports whether s can be the name of a tool.
func IsToolName(s string) bool {
	return s != "" && len(s) <= 128 && !strings.ContainsAny(s, " \t\r\n\"'`{}<>()[]%")
}
