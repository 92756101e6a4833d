package listing

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

// maxTools is the maximum number of tools of a list.
const maxTools = 2000

// A Default says whether a condition holds with the default settings.
type Default int

// The defaults of conditions.
const (
	Undecided Default = iota
	Off
	On
)

// A Branch is code that runs only under a condition that may not hold.
type Branch struct {
	Node any // identifies the condition
	// Setting is the setting that the condition depends on, or the condition itself, "" if
	// neither can be named.
	Setting string
	Default Default
}

// Tools are the tools that a reader finds, each name once. The zero value is empty.
type Tools struct {
	Reading *Reading
	// Partial reports that tools may be missing.
	Partial bool
	// Filtered reports that the server may leave out tools when it lists them.
	Filtered bool

	list   []registry.Tool
	around [][]Branch // of the tools
	index  map[string]int
	does   map[string]Evidence // by name
}

// name matches the names that the specification recommends, and the slash, colon and dot that
// servers use for groups.
var name = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_./:-]{0,127}$`)

// IsName reports whether s may be the name of a tool.
func IsName(s string) bool { return name.MatchString(s) }

// Add adds a tool that is registered in some branches, outermost first. A tool that is registered
// several times has the facts of the first registration that states them, and the branches of the
// one with the fewest. A tool without a valid name makes the list partial.
func (l *Tools) Add(t registry.Tool, branches []Branch) {
	branches = l.open(branches)
	i, found := l.index[t.Name]
	switch {
	case !IsName(t.Name) || !found && len(l.list) == maxTools:
		l.Partial = true
	case !found:
		if l.index == nil {
			l.index = map[string]int{}
		}
		l.index[t.Name] = len(l.list)
		l.list, l.around = append(l.list, t), append(l.around, branches)
	default:
		if Likelier(branches, l.around[i]) {
			l.around[i] = branches
		}
		known := &l.list[i]
		known.Title = cmp.Or(known.Title, t.Title)
		known.Description = cmp.Or(known.Description, t.Description)
		if known.InputSchema == nil {
			known.InputSchema = t.InputSchema
		}
		known.Annotations = cmp.Or(known.Annotations, t.Annotations)
	}
}

// Within adds a branch around the registration of a tool.
func (l *Tools) Within(name string, b Branch) {
	if i, found := l.index[name]; found {
		l.around[i] = append(slices.Clone(l.around[i]), b)
	}
}

// Names are the names of the tools, in their order.
func (l *Tools) Names() (all []string) {
	for _, t := range l.list {
		all = append(all, t.Name)
	}
	return all
}

// Does notes what the code of a tool does.
func (l *Tools) Does(name string, e Evidence) {
	if l.does == nil {
		l.does = map[string]Evidence{}
	}
	l.does[name] = l.does[name].or(e)
}

// infer sets the effects that the code of tools has. What one place changes for most of several
// tools, such as a log of calls, is not what one of them does, and neither is a cache of one that
// reads.
func (l *Tools) infer() {
	number := map[Evidence]int{}
	for _, e := range l.does {
		number[e]++
	}
	for i, t := range l.list {
		e := l.does[t.Name]
		isOwn := e.Effect == registry.EffectExecute || e.Effect == registry.EffectRead
		isShared := !isOwn && number[e] > 3 && 2*number[e] > len(l.list)
		if e.MayCache && tools.Reads(&t) {
			e.Effect = registry.EffectUnknown
		}
		if e.Effect != "" && e.Effect != undecided && !isShared {
			l.list[i].Inferred = &registry.ToolEffect{
				Effect: e.Effect, Basis: registry.BasisSource, Evidence: e.Place}
		}
	}
}

// Likelier reports whether code in the branches a runs more likely than in b.
func Likelier(a, b []Branch) bool {
	if isOff(a) != isOff(b) {
		return isOff(b)
	}
	return len(a) < len(b)
}

func isOff(branches []Branch) bool {
	return slices.ContainsFunc(branches, func(b Branch) bool { return b.Default == Off })
}

// open returns the branches without those that a start with the required variables and the default
// settings takes. Whether it takes one that needs a value of a required variable is unknown.
func (l *Tools) open(branches []Branch) (out []Branch) {
	for _, b := range branches {
		name, _, compared := strings.Cut(b.Setting, "=")
		isRequired := l.Reading.Requires(name)
		if b.Default == On || isRequired && !compared {
			continue
		}
		if isRequired {
			b.Default = Undecided
		}
		out = append(out, b)
	}
	return out
}

func (l *Tools) Len() int { return len(l.list) }

// Conditional returns the tools with their conditions. A branch that all of them share is one of
// the server, such as how it is started.
func (l *Tools) Conditional() []registry.Tool {
	l.infer()
	in := map[any]int{} // how many are in a branch
	for _, branches := range l.around {
		for node := range nodes(branches) {
			in[node]++
		}
	}
	for i, branches := range l.around {
		own := slices.DeleteFunc(slices.Clone(branches), func(b Branch) bool {
			return in[b.Node] == len(l.list)
		})
		if len(own) == 0 && !l.Filtered {
			continue
		}
		c := registry.ToolCondition{Off: isOff(own)}
		for _, b := range own { // the innermost one with a name
			c.Setting = cmp.Or(b.Setting, c.Setting)
		}
		l.list[i].Conditional = &c
	}
	return l.list
}

func nodes(branches []Branch) map[any]bool {
	out := map[any]bool{}
	for _, b := range branches {
		out[b.Node] = true
	}
	return out
}

// Calls are the branches in which functions are called, outermost first: of several calls, those
// of the likeliest one.
type Calls[F comparable] map[F][]Branch

// Note notes a call in some branches.
func (c Calls[F]) Note(f F, branches []Branch) {
	if known, found := c[f]; !found || Likelier(branches, known) {
		c[f] = slices.Clone(branches)
	}
}

// Around returns the branches in which functions are called, and then the given ones.
func (c Calls[F]) Around(functions []F, branches []Branch) []Branch {
	var out []Branch
	for _, f := range functions {
		out = append(out, c[f]...)
	}
	return append(out, branches...)
}
