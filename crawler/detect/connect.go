package detect

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

const (
	maxRemotes = 50  // endpoints of one server
	maxKey     = 100 // bytes of the name of a server in a client
)

// remotes collects the endpoints that the server's owner runs: those in the registry and in
// server.json, and this server's in the README, or else in files of clients.
func (c *candidate) remotes(d *registry.Detection) {
	at := map[string]int{} // index in d.Remotes by address
	add := func(r registry.Remote, mayAdd bool) {
		key := keyOf(r.URL)
		i, known := at[key]
		var before []registry.Variable
		if known {
			before = d.Remotes[i].Headers
		}
		r.Headers = c.withOptional(r.Headers, before, key)
		if known {
			in := &d.Remotes[i]
			in.Key = cmp.Or(in.Key, r.Key)
			in.Beside = append(in.Beside, r.Beside...)
			_, query, _ := strings.Cut(r.URL, "?")
			for pair := range strings.SplitSeq(query, "&") {
				if name, _, _ := strings.Cut(pair, "="); name != "" && !strings.Contains(in.URL, name+"=") {
					in.Beside = append(in.Beside, "?"+name)
				}
			}
			for _, h := range r.Headers {
				isIt := func(o registry.Variable) bool { return strings.EqualFold(o.Name, h.Name) }
				if !slices.ContainsFunc(in.Headers, isIt) {
					in.Headers = append(in.Headers, h)
				}
			}
			return
		}
		if !mayAdd || len(d.Remotes) >= maxRemotes {
			return
		}
		r.Variables = urlVariables(&r)
		r.SignsIn = c.signsIn(key, slices.ContainsFunc(slices.Collect(maps.Values(r.Variables)), isSecret))
		at[key] = len(d.Remotes)
		d.Remotes = append(d.Remotes, r)
	}
	for _, l := range c.unit.listings() {
		for _, r := range l.Remotes {
			r.Type = c.declaredType(r)
			if add(r, isDeclarable(r.URL)); !isDeclarable(r.URL) {
				c.elsewhere(d, r)
			}
		}
	}
	own := c.hostWords()
	known, reads := c.knownValues()
	configured := func(servers []manifest.ClientServer, mayAdd bool) {
		for _, s := range servers {
			e := c.endpointOf(s)
			r := registry.Remote{Type: remoteType(e.Type, e.URL), URL: e.URL,
				Headers: headersOf(s, e.Headers), Beside: e.Beside}
			switch {
			case e.URL == "":
				continue
			case !c.isOwnAddress(e.URL, s.Name, own):
				if mayAdd && c.isOwnServer(s.Name, e.URL, own) {
					c.elsewhere(d, r)
				}
				continue
			}
			if known != nil {
				r.URL = settings.WithoutOwnQuery(r.URL, known, reads)
			}
			r.Variables = urlVariables(&r)
			s.Declare(&r)
			if !s.Special && len(s.Name) <= maxKey && utf8.ValidString(s.Name) {
				r.Key = s.Name
			}
			add(r, mayAdd)
		}
	}
	configured(c.readme.Servers, true)
	endpoints := slices.Clone(c.readme.Endpoints)
	for _, r := range d.Remotes {
		endpoints = append(endpoints, r.URL)
	}
	for _, e := range c.readme.Endpoints {
		if c.isOwnAddress(e, "", own) && !isBareOf(e, endpoints) {
			add(registry.Remote{Type: remoteType("", e), URL: manifest.WithVariables(e)}, true)
		}
	}
	if len(d.Remotes) == 0 {
		configured(c.configs(), true)
	} else {
		configured(slices.Concat(c.unit.configs, c.unit.others), false)
	}
}

// isOwnServer reports whether a README's configuration with a name and an address that is not the
// owner's connects to this server: on the user's machine or network, or at a host of others.
func (c *candidate) isOwnServer(name, address string, own []string) bool {
	host, _ := hosts.OfTemplate(address)
	return c.own && (overlap(own, wordsOf(name)) || c.alone && hosts.KindOf(host) != hosts.Public ||
		isAggregator(host) && overlap(own, wordsOf(address)))
}

// elsewhere adds an endpoint that clients are not offered, with the names of its headers, to those
// that a note names: on the user's machine without its query and a private path, at a public host this
// alone, and else without its name. Endpoints that packages declare are offered with these, and successors
// are named apart.
func (c *candidate) elsewhere(d *registry.Detection, r registry.Remote) {
	u, err := hosts.ParseTemplate(r.URL)
	starts := func(p registry.Package) bool { return keyOf(p.Transport.URL) == keyOf(r.URL) }
	follows := func(successor string) bool { return sameHost(successor, r.URL) }
	if err != nil || len(d.Elsewhere) >= maxRemotes || slices.ContainsFunc(d.Packages, starts) ||
		slices.ContainsFunc(c.readme.Successors, follows) {
		return
	}
	text := "a private or example host"
	host, _ := hosts.OfTemplate(r.URL)
	switch kind := hosts.KindOf(u.Host); {
	case kind == hosts.Loopback:
		address, _, _ := strings.Cut(userOf.ReplaceAllString(r.URL, "//"), "#")
		text, _, _ = strings.Cut(manifest.WithVariables(address), "?")
		if settings.IsOwn("", u.Path) || !plainPath.MatchString(u.Path) {
			text = strings.Join(strings.SplitN(text, "/", 4)[:3], "/")
		}
	case kind == hosts.Public && !hosts.IsExample(u.Host) && !registry.IsRandom(host) && !settings.IsOwn("", u.Host):
		text = host
	}
	for i, h := range r.Headers {
		text += map[bool]string{true: " with ", false: ", "}[i == 0] + h.Name
	}
	if !slices.Contains(d.Elsewhere, text) {
		d.Elsewhere = append(d.Elsewhere, text)
	}
}

// userOf matches the user in a URL.
var userOf = regexp.MustCompile(`//[^/?#]*@`)

// isDeclarable reports whether a declaration of an endpoint counts: it is public, or would be if its
// domain were no variable. Clients get the reason for the latter.
func isDeclarable(address string) bool {
	host, _ := hosts.OfTemplate(address)
	return manifest.IsRemoteURL(address) || hosts.Variables.MatchString(host)
}

// urlVariables returns the variables of an endpoint, with those in its URL that nothing declares.
func urlVariables(r *registry.Remote) map[string]registry.Variable {
	out := maps.Clone(r.Variables)
	for _, part := range hosts.Variables.FindAllString(r.URL, -1) {
		name := strings.Trim(part, "$ {}<>")
		if _, declared := out[name]; declared {
			continue
		}
		if out == nil {
			out = map[string]registry.Variable{}
		}
		out[name] = registry.Variable{IsRequired: true, IsSecret: registry.IsSecretName(name)}
	}
	return out
}

// keyOf returns a URL without the parts that differ between configurations of one endpoint.
func keyOf(address string) string {
	key, _, _ := strings.Cut(strings.ToLower(address), "?")
	return strings.TrimRight(key, "/")
}

// withOptional returns the headers of the endpoint with a key. Headers are optional if the
// README says so, if one of its configurations of the endpoint lacks them, or if they
// authorize requests and users sign in with OAuth. Of secrets that all configurations send one of,
// the first one is required, unless one of the headers before is.
func (c *candidate) withOptional(headers, before []registry.Variable, key string) []registry.Variable {
	headers = slices.Clone(headers)
	first := slices.IndexFunc(headers, isSecret)
	isNeeded := func(h registry.Variable) bool { return h.IsSecret && h.IsRequired }
	if c.isLacking(key, registry.IsSecretName) || slices.ContainsFunc(before, isNeeded) {
		first = -1
	}
	for i := range headers {
		name := headers[i].Name
		lacking := i != first && c.isLacking(key, func(h string) bool { return strings.EqualFold(h, name) })
		said := lacking || isOptional(c.readme.Text, name) ||
			strings.EqualFold(name, "Authorization") && c.signsIn(key, false)
		if said {
			headers[i] = headers[i].Optional()
		}
		if h := &headers[i]; !h.IsRequired && h.Variables == nil && (said || strings.Contains(h.Value, "{") || settings.IsExample(h.Value)) {
			h.Placeholder, h.Value = cmp.Or(h.Placeholder, h.Value), ""
		}
	}
	return headers
}

// isLacking reports whether a configuration of the endpoint with a key sends no header of some.
func (c *candidate) isLacking(key string, is func(name string) bool) bool {
	return slices.ContainsFunc(c.readme.Servers, func(s manifest.ClientServer) bool {
		e := c.endpointOf(s)
		return e.URL != "" && keyOf(e.URL) == key && !slices.ContainsFunc(slices.Collect(maps.Keys(e.Headers)), is)
	})
}

var (
	oauthPhrase   = vocabulary.Expressions(rules, "phrases/oauth.txt")
	oauthDenied   = vocabulary.Expressions(rules, "phrases/no_oauth.txt")
	hostedService = regexp.MustCompile(`(?i)\b(?:remote|hosted|managed)\b`)
)

func isSecret(v registry.Variable) bool { return v.IsSecret }

// signsIn reports whether a configuration of the endpoint with a key has settings of OAuth, or the
// README mentions OAuth in or near a paragraph about an endpoint without a secret in its URL.
func (c *candidate) signsIn(key string, hasSecret bool) bool {
	const near = 8 // paragraphs
	if slices.ContainsFunc(c.readme.Servers, func(s manifest.ClientServer) bool {
		return s.OAuth && keyOf(s.URL) == key
	}) {
		return true
	} else if hasSecret {
		return false
	}
	host := hostOf(key)
	paragraphs := strings.Split(c.readme.Text, "\n")
	about := func(p string) bool { return hostedService.MatchString(p) || strings.Contains(strings.ToLower(p), host) }
	for i, text := range paragraphs {
		if oauthPhrase.MatchString(text) && !oauthDenied.MatchString(text) &&
			slices.ContainsFunc(paragraphs[max(0, i-near):min(i+near, len(paragraphs))], about) {
			return true
		}
	}
	return false
}

// isOptional reports whether a line of a text begins with the name of a header and calls it
// optional.
func isOptional(text, name string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t*-`\"")
		if len(line) > len(name) && strings.EqualFold(line[:len(name)], name) &&
			optionalMark.MatchString(line[len(name):]) {
			return true
		}
	}
	return false
}

// optionalMark matches the text after an optional name: "(optional)".
var optionalMark = regexp.MustCompile(`(?i)^[\s` + "`" + `"*:|(\[–—-]*optional\b|[(\[]optional[)\]]`)

// declaredType returns the transport of an endpoint of server.json: the declared one, or the one
// suggested by its path if the README or another endpoint on the same host declares that.
func (c *candidate) declaredType(r registry.Remote) string {
	path := pathType(r.URL)
	if path == "" || path == r.Type || r.Type != registry.TransportSSE && r.Type != registry.TransportHTTP {
		return r.Type
	}
	declares := func(t, address string) bool {
		return t != "" && serverjson.Transport(t) == path && sameHost(address, r.URL)
	}
	inListing := func(l *registry.Listing) bool {
		return slices.ContainsFunc(l.Remotes, func(o registry.Remote) bool { return declares(o.Type, o.URL) })
	}
	inReadme := func(s manifest.ClientServer) bool {
		e := c.endpointOf(s)
		return declares(e.Type, e.URL)
	}
	if slices.ContainsFunc(c.unit.listings(), inListing) || slices.ContainsFunc(c.readme.Servers, inReadme) {
		return path
	}
	return r.Type
}

// pathType returns the transport named by the path of a URL, "" if there is none.
func pathType(address string) string {
	u, err := hosts.ParseTemplate(address)
	if err != nil {
		return ""
	}
	types := map[string]string{"sse": registry.TransportSSE, "mcp": registry.TransportHTTP}
	return types[path.Base(strings.ToLower(u.Path))]
}

// sameHost reports whether two addresses have the same host and port.
func sameHost(a, b string) bool { return hostOf(a) != "" && hostOf(a) == hostOf(b) }

// hostOf returns the host and port of an address in lower case, "" if it has none.
func hostOf(address string) string {
	u, err := hosts.ParseTemplate(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// isBareOf reports whether a URL has no path while an endpoint on the same host has one. It is
// then probably a web page about the endpoint.
func isBareOf(address string, endpoints []string) bool {
	isBare := func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && strings.Trim(u.Path, "/") == ""
	}
	return isBare(address) &&
		slices.ContainsFunc(endpoints, func(e string) bool { return sameHost(e, address) && !isBare(e) })
}

// endpointOf returns the endpoint that a client's configuration connects to, directly or through a
// bridge, without a URL if there is none. A bridge is a known one, or a package that is not this
// server's, to which the configuration passes an endpoint's URL.
func (c *candidate) endpointOf(s manifest.ClientServer) shell.Entry {
	if s.URL != "" {
		return s.Entry
	}
	l, err := s.Launch()
	if e := l.Endpoint; err == nil && (shell.IsBridge(l.Identifier) ||
		pathType(e.URL) != "" && l.Runs && !l.Source && !c.ours(l)) {
		e.URL, e.Beside = manifest.WithVariables(e.URL), slices.Concat(e.Beside, s.Beside)
		return e
	}
	return shell.Entry{}
}

// headerName matches the names of headers, which contain no value.
var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,99}$`)

// headersOf returns the headers that a configuration sends to an endpoint.
func headersOf(s manifest.ClientServer, headers map[string]string) (out []registry.Variable) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if headerName.MatchString(name) && !settings.IsPrivate(name) {
			out = append(out, manifest.Header(name, headers[name], s.Env))
		}
	}
	return out
}

// remoteType returns the declared transport of a URL, or the one that its path suggests.
func remoteType(written, address string) string {
	if t := serverjson.Transport(written); t != "" && t != registry.TransportStdio {
		return t
	}
	return cmp.Or(pathType(address), registry.TransportHTTP)
}

// hostWords returns the words that identify a URL as this server's.
func (c *candidate) hostWords() []string {
	words := wordsOf(c.repo.snap.Repo.Name)
	words = append(words, wordsOf(c.repo.snap.Repo.Owner)...)
	words = append(words, wordsOf(c.unit.dir)...)
	for _, n := range c.unit.names() {
		words = append(words, wordsOf(n)...)
	}
	for _, h := range []string{c.repo.snap.Repo.Homepage, c.homepage()} {
		if p, err := url.Parse(h); err == nil && !isCodeHost(p.Hostname()) {
			words = append(words, wordsOf(p.Hostname())...)
		}
	}
	return words
}

// isAggregator reports whether a host runs third-party servers, so that a URL there may not be
// the owner's.
func isAggregator(host string) bool {
	_, parent, found := strings.Cut(host, ".")
	return aggregators[host] || found && isAggregator(parent)
}

// isOwnAddress reports whether a URL in a README belongs to this server: its host contains
// one of the words, or a configuration with the server's name connects to it.
func (c *candidate) isOwnAddress(address, name string, words []string) bool {
	u, err := hosts.ParseTemplate(address)
	host, _ := hosts.OfTemplate(address)
	deployed := hosts.Variables.MatchString(host) && strings.HasPrefix(address, "http:") // by users
	if err != nil || deployed || !manifest.IsRemoteURL(address) ||                       // or the URL of a successor
		slices.ContainsFunc(c.readme.Successors, func(s string) bool { return sameHost(s, address) }) {
		return false
	}
	host = strings.ToLower(u.Hostname())
	switch {
	case overlap(words, wordsOf(strings.TrimSuffix(host, path.Ext(host)))):
		return true
	case isAggregator(host), strings.Contains(host, "registry"):
		return false
	}
	return c.alone && c.own && overlap(words, wordsOf(name))
}

// transports sets the transports of the server, from all sources.
func (c *candidate) transports(d *registry.Detection) {
	found := map[string]bool{}
	for _, of := range []func(*registry.Detection) []string{
		c.declaredTransports, c.configuredTransports, c.mentionedTransports, c.dockerTransports,
		c.dependencyTransports, c.sourceTransports,
	} {
		for _, t := range of(d) {
			found[t] = true
		}
	}
	for _, t := range registry.Transports {
		if found[t] {
			d.Transports = append(d.Transports, t)
		}
	}
}

// declaredTransports returns the transports in the registry, remotes, packages and manifests.
func (c *candidate) declaredTransports(d *registry.Detection) []string {
	var out []string
	for _, l := range c.unit.listings() {
		for _, p := range l.Packages {
			out = append(out, p.Transport.Type)
		}
	}
	for _, r := range d.Remotes {
		out = append(out, r.Type)
	}
	if c.unit.bundle != nil {
		out = append(out, registry.TransportStdio)
	}
	if c.unit.smithery != nil {
		out = append(out, serverjson.Transport(c.unit.smithery.Type))
	}
	for _, p := range d.Packages {
		if p.Transport.URL == "" && p.Transport.Type == registry.TransportStdio {
			out = append(out, registry.TransportStdio)
		}
	}
	return out
}

// configuredTransports returns stdio if a client's configuration in the README starts the
// server. It ignores the root's README for members without a program.
func (c *candidate) configuredTransports(*registry.Detection) []string {
	if !c.own && c.unit.dir != "" && c.repo.entryPoint(c.unit) == "" {
		return nil
	}
	for _, s := range c.readme.Servers {
		if s.Command == "" {
			continue
		}
		if l, err := s.Launch(); err != nil || !shell.IsBridge(l.Identifier) {
			return []string{registry.TransportStdio}
		}
	}
	return nil
}

var (
	transportTexts = map[string]*regexp.Regexp{
		registry.TransportStdio: vocabulary.Expressions(rules, "transports/stdio.txt"),
		registry.TransportHTTP:  vocabulary.Expressions(rules, "transports/http.txt"),
		registry.TransportSSE:   vocabulary.Expressions(rules, "transports/sse.txt"),
	}
	transportDenied = vocabulary.Expressions(rules, "transports/denied.txt")
)

// mentionedTransports returns the transports that a README about this server mentions.
func (c *candidate) mentionedTransports(*registry.Detection) (out []string) {
	if !c.own {
		return nil
	}
	for line := range strings.Lines(c.readme.Text) {
		if transportDenied.MatchString(line) {
			continue
		}
		for transport, text := range transportTexts {
			if text.MatchString(strings.TrimSpace(line)) {
				out = append(out, transport)
			}
		}
		for _, m := range transportURL.FindAllStringSubmatch(line, -1) {
			switch kind := hosts.KindOf(m[1]); {
			case kind != hosts.Loopback && kind != hosts.Private: // [candidate.remotes]
			case strings.EqualFold(m[2], "sse"):
				out = append(out, registry.TransportSSE)
			default:
				out = append(out, registry.TransportHTTP)
			}
		}
	}
	return out
}

// transportURL matches URLs with a path that is named after a transport.
var transportURL = regexp.MustCompile("(?i)https?://([^/\\s\"'`<>()|]+)/(mcp|sse)\\b")

// sourceTransports returns the transports in the server's source code.
func (c *candidate) sourceTransports(*registry.Detection) (out []string) {
	for _, p := range c.repo.sources(c.unit, c.alone) {
		out = append(out, manifest.SourceTransports(path.Base(p), []byte(c.repo.snap.Texts[p]))...)
	}
	return out
}

// dockerTransports returns the transport that the image's entry point selects.
func (c *candidate) dockerTransports(*registry.Detection) []string {
	if c.unit.docker == nil {
		return nil
	}
	switch m := dockerTransport.FindStringSubmatch(c.unit.docker.Entrypoint); {
	case m == nil:
		return nil
	case m[1] != "":
		return []string{registry.TransportSSE}
	}
	return []string{registry.TransportHTTP}
}

var dockerTransport = regexp.MustCompile(`(?i)streamable-http|transport[ =](?:http|(sse))`)

// dependencyTransports returns the transports of dependencies that support only one.
func (c *candidate) dependencyTransports(*registry.Detection) (out []string) {
	for kind, d := range c.unit.dependencies() {
		switch {
		case kind == "npm" && npmOverHTTP[d.Name] && !d.Dev,
			kind == "nuget" && strings.EqualFold(d.Name, "ModelContextProtocol.AspNetCore"):
			out = append(out, registry.TransportHTTP)
		case kind == "maven":
			for suffix, t := range mavenTransports {
				if strings.HasSuffix(d.Name, suffix) {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// npmOverHTTP are npm packages for servers over HTTP.
var npmOverHTTP = map[string]bool{
	"mcp-handler": true, "@vercel/mcp-adapter": true, "@hono/mcp": true, "workers-mcp": true,
	"agents": true,
}

// mavenTransports are the transports of Maven artifacts by the end of their name.
var mavenTransports = map[string]string{
	"mcp-server-stdio":   registry.TransportStdio,
	"starter-mcp-server": registry.TransportStdio,
	"mcp-server-sse":     registry.TransportHTTP,
	"mcp-server-http":    registry.TransportHTTP,
	"mcp-server-webmvc":  registry.TransportHTTP,
	"mcp-server-webflux": registry.TransportHTTP,
}
