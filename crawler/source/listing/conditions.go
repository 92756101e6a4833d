package listing

import (
	"slices"
	"strings"
)

// An Op is the form of a [Test].
type Op int

// The forms of tests. Other expressions are Opaque.
const (
	Opaque  Op = iota
	Named      // a variable or member
	Nothing    // no value: undefined, null, None, nil, false, or an empty text
	Not
	Both // and
	Any  // or
	Same // the operands are equal
	Differ
)

// A Test is the condition of a branch in the terms that all languages share.
type Test struct {
	Op   Op
	Path []string // of a Named one, such as config, enableWrites
	Of   []Test   // operands
}

// IsNegative reports whether a condition is that something is missing, off or different, which
// holds by default. What depends on it is not conditional.
func (t Test) IsNegative() bool {
	nothing := slices.ContainsFunc(t.Of, func(x Test) bool { return x.Op == Nothing })
	switch t.Op {
	case Not:
		return !t.Of[0].IsNegative()
	case Same:
		return nothing
	case Differ:
		return !nothing
	case Both, Any:
		return !slices.ContainsFunc(t.Of, func(x Test) bool { return !x.IsNegative() })
	}
	return false
}

func Negate(t Test) Test {
	if t.Op == Not {
		return t.Of[0]
	}
	return Test{Op: Not, Of: []Test{t}}
}

// minName is the length of the shortest last part of a name that says something: compiled code has
// shorter ones.
const minName = 4

// Name returns the variable or member that a condition requires, such as "config.enableWrites", ""
// for other conditions.
func (t Test) Name() string {
	switch t.Op {
	case Named:
		if len(t.Path) <= 5 && len(t.Path[len(t.Path)-1]) >= minName {
			return strings.Join(t.Path, ".")
		}
	case Differ, Both:
		for _, x := range t.Of {
			if name := x.Name(); name != "" && !t.IsNegative() {
				return name
			}
		}
	}
	return ""
}

// Equals returns a setting with the value that it is compared with, such as FEATURE_X=true.
func Equals(setting, value string) string {
	if setting == "" || value == "" || strings.Contains(setting, "=") {
		return setting
	}
	return setting + "=" + value
}
