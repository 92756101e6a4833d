package install

import (
	"strings"

	"mcpcensus/internal/registry"
)

// A Fill returns the value of a blank; name is the name of its variable.
type Fill func(name string, b Blank) string

// Filled is like [Of], with the values of fill instead of placeholders.
func Filled(p registry.Package, fill Fill) (Launch, bool) {
	l, o := launchOf(p)
	if o != nil {
		return Launch{}, false
	}
	out := Launch{Command: l.command, Args: make([]string, len(l.args)), Env: map[string]string{}}
	for i, v := range l.args {
		out.Args[i] = v.filled(fill)
	}
	for _, v := range l.env {
		out.Env[v.name] = v.filled(fill)
	}
	return out, true
}

func (v value) filled(fill Fill) string {
	if v.open {
		return v.prefix + fill(v.name, v.blank())
	}
	text := v.fixed
	for _, in := range v.inside {
		text = strings.ReplaceAll(text, asPlaceholder.of(in), in.filled(fill))
	}
	return text
}

func (v value) blank() Blank {
	return Blank{
		Placeholder: asPlaceholder.of(v), Option: v.option, Description: v.description,
		Example: v.example, Default: v.preset, Choices: v.choices, IsSecret: v.secret,
	}
}
