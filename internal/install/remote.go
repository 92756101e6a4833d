package install

import (
	"cmp"
	"iter"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

// A remote is a URL of a server.
type remote struct {
	via     string // ViaRemote or ViaStarted
	sse     bool
	url     string
	parts   []value // the {variables} in url to fill in
	headers []header
	// choices is the URL with the parts that users may choose, which have defaults in url; nil if
	// there are none.
	choices *remote
}

type header struct {
	name string
	value
}

// open reports whether the URL has parts to fill in.
func (r *remote) open() bool { return len(r.parts) > 0 }

func (r *remote) openHeaders() []value {
	var all []value
	for _, h := range r.headers {
		all = append(all, h.value)
	}
	return opened(all)
}

// hosted returns the first of [reachable], nil if there is none.
func hosted(key string, remotes []registry.Remote) *remote {
	for r := range reachable(key, remotes) {
		return r
	}
	return nil
}

// reachable yields the remotes on the public internet, streamable HTTP before SSE.
func reachable(key string, remotes []registry.Remote) iter.Seq[*remote] {
	return func(yield func(*remote) bool) {
		for _, transport := range []string{registry.TransportHTTP, registry.TransportSSE} {
			for _, r := range remotes {
				if r.Type != transport {
					continue
				}
				address := resolveAddress(r.URL, r.Variables)
				u, ok := parseAddress(address)
				if _, isPublic := hosts.OfTemplate(address); !ok || u.Scheme != "https" || !isPublic {
					continue
				}
				headers, ok := headersOf(key, r.Headers)
				out := remote{
					via: ViaRemote, sse: transport == registry.TransportSSE, url: address,
					parts: partsOf(address, r.Variables), headers: headers,
				}
				if all := partsOf(r.URL, r.Variables); slices.ContainsFunc(all, value.isChoice) {
					choices := out
					choices.url, choices.parts = r.URL, all
					out.choices = &choices
				}
				if ok && !yield(&out) {
					return
				}
			}
		}
	}
}

// hiddenRemote returns the obstacle of a hidden character in the URL or a header of the hosted
// endpoints, nil if clients can use one of them.
func hiddenRemote(s *registry.Server) *Obstacle {
	if hosted(Key(s), s.Remotes) != nil {
		return nil
	}
	for _, r := range s.Remotes {
		if o := unsound("URL", r.URL); o != nil {
			return o
		}
		for _, h := range r.Headers {
			if o := cmp.Or(unsound("header", h.Name), hiddenIn("value of "+h.Name, h)); o != nil {
				return o
			}
		}
	}
	return nil
}

// WhyRemote returns the reason why clients get no configuration for a hosted endpoint, nil if
// they get one.
func WhyRemote(r registry.Remote) *Obstacle {
	s := &registry.Server{Remotes: []registry.Remote{r}}
	if hosted(Key(s), s.Remotes) != nil {
		return nil
	}
	if o := hiddenRemote(s); o != nil {
		return o
	}
	address := resolveAddress(r.URL, r.Variables)
	u, ok := parseAddress(address)
	host, isPublic := hosts.OfTemplate(address)
	switch {
	case !ok || u.Scheme != "https":
		return obstacle("The URL “%s” is not a valid https URL.", excerpt(r.URL))
	case !isPublic && isTemplate(host):
		return obstacle("The endpoint is on “%s”, which may be any host: its domain is a variable.", excerpt(host))
	case !isPublic:
		return obstacle("The endpoint is on “%s”, which is not a public host.", excerpt(host))
	}
	return obstacle("Clients cannot send its headers.")
}

// started returns the URL of p on the user's machine after the user has started it, nil if p
// declares none.
func started(key string, p registry.Package) *remote {
	variables := addressVariables(p)
	address := resolveAddress(p.Transport.URL, variables)
	u, ok := parseAddress(address)
	if !ok || u.Scheme != "http" && u.Scheme != "https" || hosts.KindOf(u.Hostname()) != hosts.Loopback {
		return nil
	}
	headers, ok := headersOf(key, p.Transport.Headers)
	if !ok {
		return nil
	}
	return &remote{
		via: ViaStarted, sse: p.Transport.Type == registry.TransportSSE, url: address,
		parts: partsOf(address, variables), headers: headers,
	}
}

// addressVariables returns the environment variables and arguments that a {name} in the URL
// of a package may refer to.
func addressVariables(p registry.Package) map[string]registry.Variable {
	out := map[string]registry.Variable{}
	for _, a := range slices.Concat(p.RuntimeArguments, p.PackageArguments) {
		maps.Copy(out, a.Variables)
		v := registry.Variable{
			Description: a.Description, Value: a.Value, Default: a.Default,
			Placeholder: a.Placeholder, Choices: a.Choices, IsSecret: a.IsSecret,
		}
		for _, name := range []string{a.ValueHint, a.Name, strings.TrimLeft(a.Name, "-")} {
			if name != "" {
				out[name] = v
			}
		}
	}
	for _, v := range p.EnvironmentVariables {
		out[v.Name] = v
	}
	return out
}

// resolveAddress replaces the {names} in a URL with their declared values if those are safe
// in a URL.
func resolveAddress(address string, variables map[string]registry.Variable) string {
	if len(address) > maxAddress {
		return address
	}
	return template.ReplaceAllStringFunc(address, func(m string) string {
		v := variables[templateName(m)]
		if text := cmp.Or(v.Value, v.Default); !v.IsSecret && safePart.MatchString(text) {
			return text
		}
		return m
	})
}

// partsOf returns the {names} in a URL.
func partsOf(address string, variables map[string]registry.Variable) (parts []value) {
	for _, m := range template.FindAllString(address, 20) {
		v := variables[templateName(m)]
		parts = append(parts, value{
			name: m, open: true, secret: v.IsSecret, description: oneLine(v.Description),
			example: oneLine(v.Placeholder), choices: choices(v.Choices), preset: oneLine(v.Default),
		})
	}
	return parts
}

func (v value) isChoice() bool { return len(v.choices) > 1 }

const maxAddress = 2000

// parseAddress parses a URL with a number, which may be a port, instead of its {names}. It reports
// false for a URL that is not safe in a configuration or on a command line.
func parseAddress(address string) (*url.URL, bool) {
	if address == "" || len(address) > maxAddress || !sound(address) ||
		strings.ContainsAny(address, " \"'`\\") {
		return nil, false
	}
	u, err := url.Parse(template.ReplaceAllString(address, "1"))
	return u, err == nil && u.User == nil && u.Host != ""
}

var (
	safePart   = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,200}$`)
	headerName = regexp.MustCompile(`^[A-Za-z0-9!#$&*+.^_|~-]{1,100}$`)
)

// headersOf returns the headers to send with distinct names. It reports false if a required
// header cannot be sent.
func headersOf(key string, declared []registry.Variable) ([]header, bool) {
	var out []header
	for _, h := range declared {
		text := resolve(cmp.Or(h.Value, h.Default), h.Variables, false)
		if !h.IsRequired && !hasRequired(text, h.Variables) && (text == "" || h.IsSecret) {
			continue
		}
		if !headerName.MatchString(h.Name) {
			if h.IsRequired {
				return nil, false
			}
			continue
		}
		if slices.ContainsFunc(out, func(o header) bool { return strings.EqualFold(o.name, h.Name) }) {
			continue
		}
		v, ok := headerValue(key, h, text)
		if !ok {
			return nil, false
		}
		out = append(out, header{h.Name, v})
	}
	return out, true
}

// headerValue returns a header's value. An open value is named after the {variable} at the end
// of its text, after the server for tokens, or after the header.
func headerValue(key string, h registry.Variable, text string) (value, bool) {
	v := value{
		option: h.Name, description: oneLine(h.Description), example: oneLine(h.Placeholder),
		secret: h.IsSecret, choices: choices(h.Choices),
	}
	all := template.FindAllStringIndex(text, -1)
	switch {
	case text != "" && !h.IsSecret && all == nil:
		v.fixed = text
		return v, sound(text)
	case len(all) == 1 && all[0][1] == len(text) && sound(text[:all[0][0]]):
		name := templateName(text[all[0][0]:])
		declared := h.Variables[name]
		v.prefix, v.name = text[:all[0][0]], variable(name)
		v.description = cmp.Or(oneLine(declared.Description), v.description)
		v.example = cmp.Or(oneLine(declared.Placeholder), v.example)
		v.secret = v.secret || declared.IsSecret
		if len(v.choices) == 0 {
			v.choices = choices(declared.Choices)
		}
	case hasDeclared(text, h.Variables) && sound(text):
		v.fixed, v.inside = v.blanksIn(text, h.Placeholder, h.Variables)
		return v, true
	case strings.EqualFold(h.Name, "Authorization"):
		v.prefix, v.name = "Bearer ", variable(key+"_TOKEN")
	default:
		v.name = variable(h.Name)
	}
	v.open, v.name = true, strings.ToUpper(v.name)
	return v, true
}
