package install

import (
	"cmp"
	"slices"

	"mcpcensus/internal/registry"
)

// A target is a server to configure clients for.
type target struct {
	key, title, description string
	entry                   string // name in the registry, "" if unknown; see [registryNamed]
	stdio                   *launch
	remotes                 []*remote // the hosted remote, then the one that the user starts
	windows                 bool
}

func targetOf(s *registry.Server) target {
	t := target{key: Key(s), description: oneLine(s.Description)}
	if s.RegistryName != "" || s.Repo.Owner != "" {
		t.entry = s.EntryName()
	}
	t.title = cmp.Or(oneLine(s.Title), oneLine(s.Name), t.key)
	p, ok := First(s.Packages)
	if ok && overStdio(p) {
		if l, o := launchOf(p); o == nil {
			t.stdio = &l
		}
	}
	if r := hosted(t.key, s.Remotes); r != nil {
		t.remotes = append(t.remotes, r)
	}
	if ok && !overStdio(p) {
		if r := started(t.key, p); r != nil {
			t.remotes = append(t.remotes, r)
		}
	}
	return t
}

// registryNamed are the clients that accept names of the registry. Policies that allow only the
// servers of a registry compare them. Copilot CLI has such policies too, but accepts only letters,
// digits, "_" and "-".
var registryNamed = []string{"vscode", "visual-studio"}

// of returns the target with the name that a client knows the server by.
func (t target) of(clientID string) target {
	if t.entry != "" && slices.Contains(registryNamed, clientID) {
		t.key = t.entry
	}
	return t
}

// A way is one way for clients to use a server: start it, or connect to a URL.
type way struct {
	via    string
	stdio  *launch // nil: remote
	remote *remote
}

func (t target) ways() (all []way) {
	if t.stdio != nil {
		all = append(all, way{via: ViaPackage, stdio: t.stdio})
	}
	for _, r := range t.remotes {
		all = append(all, way{via: r.via, remote: r})
	}
	return all
}

// linkable reports whether links and commands can contain the URL: it has no parts to fill in.
func (w way) linkable() bool { return w.stdio != nil || !w.remote.open() }

// plainHTTP reports whether the way is a linkable URL without headers.
func (w way) plainHTTP() bool { return w.remote != nil && w.linkable() && len(w.remote.headers) == 0 }

// open returns the values to fill in, except parts of the URL.
func (w way) open() []value {
	if w.stdio != nil {
		return w.stdio.open()
	}
	return w.remote.openHeaders()
}

// A remoteForm returns a client's configuration of a remote.
type remoteForm func(*remote, style) object

// underKey is the form with the URL under a key.
func underKey(key string) remoteForm {
	return func(r *remote, s style) object { return r.object(key, s) }
}

// withType is the form with a type before the URL.
func withType(http, sse string) remoteForm {
	return func(r *remote, s style) object { return typed(r.either(http, sse), r.object("url", s)) }
}

// object returns a client's configuration of the server.
func (w way) object(s style, form remoteForm) object {
	if w.stdio != nil {
		return w.stdio.object(s)
	}
	return form(w.remote, s)
}

// typed is object with a type.
func (w way) typed(s style, stdio string) object {
	if w.stdio != nil {
		return typed(stdio, w.stdio.object(s))
	}
	return withType("http", "sse")(w.remote, s)
}

// snippet returns s for this way, with the values that a client of that style leaves to the
// user.
func (w way) snippet(style style, s Snippet) Snippet {
	s.Via = w.via
	env, rest := w.open(), []value(nil)
	if w.stdio != nil {
		env, rest = opened(w.stdio.env), opened(w.stdio.args)
	} else {
		for _, part := range w.remote.parts {
			s.replace = append(s.replace, part.name)
		}
	}
	switch style {
	case fromInput:
		s.asks = names(w.open())
		return s
	case asPlaceholder:
		rest = append(slices.Clone(env), rest...)
	default:
		s.set = names(env)
	}
	for _, v := range rest {
		if name := asPlaceholder.of(v); !slices.Contains(s.replace, name) {
			s.replace = append(s.replace, name)
		}
	}
	return s
}

func names(open []value) (all []string) {
	for _, v := range open {
		all = append(all, v.name)
	}
	return all
}

// object returns {command, args, env}. Open arguments are placeholders unless the client
// prompts for them, because few clients expand variables in arguments.
func (l *launch) object(s style) object {
	args := asPlaceholder
	if s == fromInput {
		args = s
	}
	o := object{{"command", l.command}, {"args", texts(l.args, args)}}
	if len(l.env) > 0 {
		o = append(o, member{"env", l.envObject(s)})
	}
	return o
}

func (l *launch) envObject(s style) object {
	var o object
	for _, e := range l.env {
		o = append(o, member{e.name, e.text(s)})
	}
	return o
}

// object returns the URL under a key, and the headers.
func (r *remote) object(key string, s style) object {
	o := object{{key, r.url}}
	if len(r.headers) > 0 {
		var headers object
		for _, h := range r.headers {
			headers = append(headers, member{h.name, h.text(s)})
		}
		o = append(o, member{"headers", headers})
	}
	return o
}

// either returns a client's name of the transport.
func (r *remote) either(http, sse string) string {
	if r.sse {
		return sse
	}
	return http
}

func named(t target, inner object) object   { return append(object{{"name", t.key}}, inner...) }
func wrap(key, name string, v any) object   { return object{{key, object{{name, v}}}} }
func typed(kind string, rest object) object { return append(object{{"type", kind}}, rest...) }
