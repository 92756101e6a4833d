package detect

import (
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
)

// remotes collects the endpoints that the server's owner runs: those of the
// registry and of server.json, and those of configurations in the README that
// are this server's.
func (c *context) remotes(d *registry.Detection) {
	u := c.unit
	seen := map[string]bool{}
	add := func(r registry.Remote) {
		key, _, _ := strings.Cut(strings.ToLower(r.URL), "?")
		key = strings.TrimRight(key, "/")
		if seen[key] || !manifest.IsRemoteURL(r.URL) || len(d.Remotes) >= 50 {
			return
		}
		seen[key] = true
		d.Remotes = append(d.Remotes, r)
	}
	for _, l := range []*registry.Listing{u.listing, u.server} {
		if l != nil {
			for _, r := range l.Remotes {
				add(r)
			}
		}
	}
	if c.readme == nil {
		return
	}
	own := c.hosts()
	for _, s := range c.readme.Servers {
		address, headers := s.URL, s.Headers
		if address == "" {
			if l, ok := manifest.ParseCommand(s.Command, s.Args); ok && manifest.IsBridge(l.Identifier) {
				address = l.URL
			}
		}
		if address == "" || !c.mine(address, s.Name, own) {
			continue
		}
		r := registry.Remote{Type: remoteType(s.Type, address), URL: address}
		names := make([]string, 0, len(headers))
		for k := range headers {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			secret := manifest.LooksSecret(k) || strings.EqualFold(k, "authorization") || strings.Contains(strings.ToLower(k), "key") || strings.Contains(strings.ToLower(k), "token")
			r.Headers = append(r.Headers, registry.Variable{Name: k, IsRequired: true, IsSecret: secret})
		}
		add(r)
	}
	for _, e := range c.readme.Endpoints {
		if c.mine(e, "", own) {
			add(registry.Remote{Type: remoteType("", e), URL: e})
		}
	}
}

func remoteType(written, address string) string {
	switch t := serverjson.Transport(written); t {
	case registry.TransportSSE, registry.TransportHTTP:
		return t
	}
	if u, err := url.Parse(address); err == nil && (strings.HasSuffix(strings.TrimRight(strings.ToLower(u.Path), "/"), "/sse")) {
		return registry.TransportSSE
	}
	return registry.TransportHTTP
}

// hosts are the words that an address of this server may be recognised by.
func (c *context) hosts() []string {
	words := wordsOf(c.repo.snap.Repo.Name)
	words = append(words, wordsOf(c.repo.snap.Repo.Owner)...)
	words = append(words, wordsOf(c.unit.dir)...)
	for _, n := range c.unit.names() {
		words = append(words, wordsOf(n)...)
	}
	for _, h := range []string{c.repo.snap.Repo.Homepage, c.homepage()} {
		if p, err := url.Parse(h); err == nil && p.Hostname() != "github.com" {
			words = append(words, wordsOf(p.Hostname())...)
		}
	}
	return words
}

func (c *context) mine(address, name string, own []string) bool {
	u, err := url.Parse(address)
	if err != nil || !manifest.IsRemoteURL(address) {
		return false
	}
	host := strings.ToLower(u.Hostname())
	words := wordsOf(strings.TrimSuffix(host, host[strings.LastIndexByte(host, '.'):]))
	if overlap(own, words) {
		return true
	}
	if isAggregator(host) {
		return false
	}
	return c.alone && c.own && name != "" && overlap(own, wordsOf(name)) && !strings.Contains(host, "registry")
}

// isAggregator says whether a host runs other people's servers: an address there
// is no evidence that the owner runs one.
func isAggregator(host string) bool {
	for rest, found := host, true; found; _, rest, found = strings.Cut(rest, ".") {
		if aggregators[rest] {
			return true
		}
	}
	return false
}

// transports collects how the server talks, from the surest source down.
func (c *context) transports(d *registry.Detection) {
	u := c.unit
	has := map[string]bool{}
	for _, l := range []*registry.Listing{u.listing, u.server} {
		if l == nil {
			continue
		}
		for _, p := range l.Packages {
			has[p.Transport.Type] = true
		}
	}
	for _, r := range d.Remotes {
		has[r.Type] = true
	}
	if u.bundle != nil {
		has[registry.TransportStdio] = true
	}
	if u.smithery != nil {
		has[serverjson.Transport(u.smithery.Type)] = true
	}
	for i := range d.Packages {
		if len(d.Packages[i].Transport.URL) == 0 && d.Packages[i].Transport.Type == registry.TransportStdio {
			has[registry.TransportStdio] = true
		}
	}
	if c.readme != nil {
		for _, s := range c.readme.Servers {
			if s.Command == "" {
				continue
			}
			if l, ok := manifest.ParseCommand(s.Command, s.Args); !ok || !manifest.IsBridge(l.Identifier) {
				has[registry.TransportStdio] = true
			}
		}
		if c.own {
			t := c.readme.Text
			if stdioText.MatchString(t) {
				has[registry.TransportStdio] = true
			}
			if httpText.MatchString(t) {
				has[registry.TransportHTTP] = true
			}
			if sseText.MatchString(t) {
				has[registry.TransportSSE] = true
			}
		}
	}
	if u.docker != nil {
		switch e := strings.ToLower(u.docker.Entrypoint); {
		case strings.Contains(e, "streamable-http") || strings.Contains(e, "transport http") || strings.Contains(e, "transport=http"):
			has[registry.TransportHTTP] = true
		case strings.Contains(e, "transport sse") || strings.Contains(e, "transport=sse"):
			has[registry.TransportSSE] = true
		}
	}
	if u.npm != nil {
		for _, dep := range u.npm.Dependencies {
			switch dep.Name {
			case "mcp-handler", "@vercel/mcp-adapter", "@hono/mcp", "workers-mcp", "agents":
				if !dep.Dev {
					has[registry.TransportHTTP] = true
				}
			}
		}
	}
	for _, p := range u.csproj {
		for _, dep := range p.Dependencies {
			if strings.EqualFold(dep.Name, "ModelContextProtocol.AspNetCore") {
				has[registry.TransportHTTP] = true
			}
		}
	}
	if u.pom != nil {
		for _, dep := range u.pom.Dependencies {
			switch {
			case strings.HasSuffix(dep.Name, "mcp-server-stdio"), strings.HasSuffix(dep.Name, "starter-mcp-server"):
				has[registry.TransportStdio] = true
			case strings.HasSuffix(dep.Name, "mcp-server-sse"), strings.HasSuffix(dep.Name, "mcp-server-http"), strings.HasSuffix(dep.Name, "mcp-server-webmvc"), strings.HasSuffix(dep.Name, "mcp-server-webflux"):
				has[registry.TransportHTTP] = true
			}
		}
	}
	for _, t := range registry.Transports {
		if has[t] {
			d.Transports = append(d.Transports, t)
		}
	}
}

var (
	stdioText = regexp.MustCompile(`(?i)\bstdio\b`)
	httpText  = regexp.MustCompile(`(?i)\bstreamable[- _]?http\b|--transport[ =](?:streamable-)?http\b`)
	sseText   = regexp.MustCompile(`\bSSE\b|\bserver-sent events\b|--transport[ =]sse\b|\bsse (?:transport|mode|server)\b`)
)

// environment merges the variables of all sources; the first that describes
// one wins, and one that any authoritative source requires is required.
func (c *context) environment(d *registry.Detection) {
	u := c.unit
	at := map[string]int{}
	merge := func(list []registry.Variable, sure bool) {
		for _, v := range list {
			if v.Name == "" || len(v.Name) > 200 {
				continue
			}
			i, ok := at[v.Name]
			if !ok {
				if len(d.Variables) >= 200 {
					return
				}
				at[v.Name] = len(d.Variables)
				if !sure {
					v.IsSecret = v.IsSecret || manifest.LooksSecret(v.Name)
				}
				d.Variables = append(d.Variables, v)
				continue
			}
			w := &d.Variables[i]
			w.Description = first(w.Description, v.Description)
			w.Default = first(w.Default, v.Default)
			w.Format = first(w.Format, v.Format)
			w.IsSecret = w.IsSecret || v.IsSecret
			if len(w.Choices) == 0 {
				w.Choices = v.Choices
			}
		}
	}
	known := false
	for _, l := range []*registry.Listing{u.listing, u.server} {
		if l == nil {
			continue
		}
		for _, p := range l.Packages {
			vars := append(slices.Clone(p.EnvironmentVariables), passedToImage(p)...)
			merge(vars, true)
			known = known || len(vars) > 0
		}
	}
	if u.bundle != nil {
		merge(u.bundle.Variables, true)
	}
	if u.smithery != nil {
		merge(u.smithery.Variables, true)
	}
	if c.readme != nil && c.own {
		merge(c.readme.Variables, false)
	} else if c.readme != nil {
		for _, s := range c.readme.Servers {
			if l, ok := manifest.ParseCommand(s.Command, s.Args); ok && c.ours(l) {
				merge(envOf(s), false)
			}
		}
	}
	for _, s := range u.configs {
		merge(envOf(s), false)
	}
	merge(u.env, false)
	for i := range d.Variables {
		v := &d.Variables[i]
		if v.IsSecret {
			v.Default = ""
			v.Value = ""
		}
	}
	if known {
		return
	}
	for i := range d.Packages {
		if len(d.Packages[i].EnvironmentVariables) == 0 {
			d.Packages[i].EnvironmentVariables = required(d.Variables)
		}
	}
}

// passedToImage returns the variables that the runtime arguments of an image
// set inside it: "-e NAME={value}".
func passedToImage(p registry.Package) []registry.Variable {
	if p.RegistryType != "oci" {
		return nil
	}
	var out []registry.Variable
	for _, a := range p.RuntimeArguments {
		name, value, _ := strings.Cut(a.Value, "=")
		if a.Name != "-e" && a.Name != "--env" || !manifest.IsEnvName(name) {
			continue
		}
		v := registry.Variable{Name: name, Description: a.Description, IsRequired: a.IsRequired, IsSecret: a.IsSecret, Default: a.Default, Format: a.Format, Choices: a.Choices}
		if !strings.Contains(value, "{") {
			v.Default = first(v.Default, value)
		}
		for _, in := range a.Variables {
			v.IsSecret = v.IsSecret || in.IsSecret
			v.IsRequired = v.IsRequired || in.IsRequired
			if len(a.Variables) == 1 {
				v.Default, v.Format = first(v.Default, in.Default), first(v.Format, in.Format)
			}
		}
		out = append(out, v)
	}
	return out
}

func envOf(s manifest.ClientServer) []registry.Variable {
	names := make([]string, 0, len(s.Env))
	for k := range s.Env {
		names = append(names, k)
	}
	sort.Strings(names)
	var out []registry.Variable
	for _, k := range names {
		if manifest.IsEnvName(k) {
			out = append(out, registry.Variable{Name: k, IsSecret: manifest.LooksSecret(k), IsRequired: manifest.IsPlaceholder(s.Env[k])})
		}
	}
	return out
}

// required returns the variables that a launch must set.
func required(list []registry.Variable) []registry.Variable {
	var out []registry.Variable
	for _, v := range list {
		if v.IsRequired {
			out = append(out, v)
		}
	}
	return out
}
