package install

import (
	"slices"

	"mcpcensus/internal/registry"
)

// A Blank is a value that only the user knows. Commands and configurations contain its
// Placeholder.
type Blank struct {
	Placeholder string // "YOUR_FOLDER", or "{tenant}" in a URL
	Option      string // option, header or variable of the value: "--dir"; "" if none
	Description string
	Example     string
	Default     string
	Choices     []string
	IsSecret    bool
}

// Blanks returns the values to fill into the command of s and the snippets of [Clients], in
// the order of the command. It omits environment variables, which are listed with the
// server, but not parts of their values.
func Blanks(s *registry.Server) []Blank {
	var all []value
	if p, ok := First(s.Packages); ok {
		if l, o := launchOf(p); o == nil {
			all = opened(l.args)
			for _, e := range l.env {
				all = append(all, e.inside...)
			}
		}
	}
	for _, r := range targetOf(s).remotes {
		if r.choices != nil {
			all = append(all, r.choices.parts...)
		}
		all = slices.Concat(all, r.parts, r.openHeaders())
	}
	var out []Blank
	for _, v := range all {
		b := v.blank()
		if isTemplate(v.name) {
			b.Placeholder = v.name
		}
		if b.IsSecret {
			b.Default, b.Example = "", ""
		}
		if !slices.ContainsFunc(out, func(x Blank) bool { return x.Placeholder == b.Placeholder }) {
			out = append(out, b)
		}
	}
	return out
}

// Fixes reports whether the command of s sets an environment variable without a value of the user.
func Fixes(s *registry.Server, variable string) bool {
	t := targetOf(s)
	return t.stdio != nil && slices.ContainsFunc(t.stdio.env, func(v value) bool {
		return v.name == variable && !v.open && len(v.inside) == 0
	})
}

// An Endpoint is the endpoint of a server that the user has started.
type Endpoint struct {
	Transport string // one of registry.Transports except stdio
	URL       string // "" if the package declares no URL on the user's machine
}

// Started returns the endpoint of the server while its command runs, nil if it uses the stdio
// transport or has no command.
func Started(s *registry.Server) *Endpoint {
	p, ok := First(s.Packages)
	if !ok || overStdio(p) {
		return nil
	}
	e := &Endpoint{Transport: p.Transport.Type}
	if r := started(Key(s), p); r != nil {
		e.URL = r.url
	}
	return e
}
