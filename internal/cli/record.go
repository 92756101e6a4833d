package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcpcensus/internal/client"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A record is a server. Some members require a key.
type record struct {
	client.Server
	health *client.Health // the report, only for those who show it
	// Hash of the tools, the latest version, the command, or the reason why there is none; ""
	// if unknown.
	tools, version, command, reason string
	clients                         json.RawMessage // the object under mcpServers; nil if unknown
	variables                       []registry.Variable
}

// MarshalJSON adds the health report and facts from it to the members of the record.
func (r *record) MarshalJSON() ([]byte, error) {
	var received map[string]json.RawMessage
	if err := json.Unmarshal(r.JSON, &received); err != nil {
		return nil, err
	}
	members := map[string]any{}
	for name, value := range received {
		members[name] = value
	}
	members["health"] = r.health
	for name, fact := range map[string]string{
		"toolsHash": r.tools, "latestVersion": r.version, "command": r.command, "reason": r.reason,
	} {
		if members[name] = nil; fact != "" {
			members[name] = fact
		}
	}
	return json.Marshal(members)
}

// record returns the record of a server, without its report. id is a slug, a name in the
// official registry, owner/name or the URL of a repository, the name of a package, or the URL of
// a remote.
func (c *call) record(ctx context.Context, id string) (*record, error) {
	notListed := &ExitError{ExitNotFound, fmt.Errorf("the registry does not list %s", id)}
	if id = asked(id); id == "" {
		return nil, notListed
	}
	s, err := c.client.Server(ctx, id)
	if hasStatus(err, http.StatusNotFound) || hasStatus(err, http.StatusBadRequest) {
		slugs, otherErr := c.find(ctx, id)
		switch {
		case otherErr != nil:
			return nil, otherErr
		case len(slugs) > 1:
			return nil, usagef("several servers are %s: %s", id, strings.Join(slugs, ", "))
		case len(slugs) == 1:
			s, err = c.client.Server(ctx, slugs[0])
		}
	}
	if err != nil {
		return nil, err
	}
	r := &record{
		Server: *s, version: s.LatestVersion, tools: s.ToolList.Hash,
		command: s.Install.Command, reason: s.Install.Reason,
		clients: s.Install.Clients["mcpServers"], variables: slices.Clone(s.EnvironmentVariables),
	}
	for _, remote := range s.Remotes {
		r.variables = append(r.variables, remote.Headers...)
	}
	return r, nil
}

// asked returns an ID as the registry may learn it, "" if it must not: of a package its name, and
// of an address what is not secret.
func asked(id string) string {
	_, notRepository := registry.ParseRepoRef(id) // of a public code host
	is := address(id)
	switch p := packageOf(id); {
	case notRepository == nil:
	case p.kind != "":
		if !registry.IsPackageName(p.kind, p.name) {
			return ""
		}
		return p.kind + ":" + p.name
	case is.isPrivate(), packageIdentity("oci", id, "").isPrivate(),
		is.kind == "" && strings.Contains(id, "://"):
		return ""
	case is.kind != "":
		return is.name
	}
	return id
}

// packageOf returns the package that "npm:NAME" or "pypi:NAME" is, with a version if it has one; the
// zero value for other IDs.
func packageOf(id string) identity {
	kind, name, _ := strings.Cut(id, ":")
	runner := map[string]string{"npm": "npx", "pypi": "uvx"}[kind]
	if runner == "" {
		return identity{}
	}
	is := identityOf(runner, []string{name})
	is.kind = kind
	return is
}

// unlisted returns the record of a server that the registry does not list: id is "npm:NAME",
// "pypi:NAME" or the URL of a remote. It is nil for other IDs, such as
// repositories of supported code hosts.
func unlisted(id string) *record {
	if _, err := registry.ParseRepoRef(id); err == nil {
		return nil
	}
	kind, name, _ := strings.Cut(id, ":")
	own := client.Server{ID: id, Packages: []registry.Package{{RegistryType: kind, Identifier: name}},
		Risks: []risk{{Severity: registry.SeverityCaution,
			Text: "The registry does not list it, and knows nothing about it."}}}
	entry := map[string]any{}
	switch {
	case kind != "npm" && kind != "pypi":
		name = hostOf(id)
		own.Packages, own.Remotes = nil, []client.Remote{{URL: id}}
		entry["type"], entry["url"] = registry.TransportHTTP, id
	case !registry.IsPackageName(kind, name):
		return nil
	case kind == "npm":
		entry["command"], entry["args"] = "npx", []string{"-y", name}
	default:
		entry["command"], entry["args"] = "uvx", []string{name}
	}
	if name == "" {
		return nil
	}
	own.Name = name
	key := strings.Trim(text.Cut(registry.Slug("", name, ""), 32), "-")
	clients, _ := json.Marshal(map[string]any{key: entry}) // strings have no errors
	return &record{Server: own, clients: clients, command: name}
}

// find returns the slugs of the servers in a repository, with a package or at a URL. Packages may be
// "npm:NAME" or "pypi:NAME".
func (c *call) find(ctx context.Context, text string) (slugs []string, err error) {
	kind, words, _ := strings.Cut(text, ":")
	ref, notRepository := registry.ParseRepoRef(text)
	host := hostOf(text)
	switch {
	case kind == "npm", kind == "pypi":
	case notRepository == nil:
		kind, words = "", ref.Owner+" "+ref.Name
	case host != "":
		_, words, _ = strings.Cut(text, host)
	default:
		words = text
	}
	servers, err := c.client.List(ctx, client.Query{Words: searchable(words), Limit: 50})
	if err == nil && len(servers) == 0 && notRepository != nil && host != "" { // its path says nothing
		servers, err = c.client.List(ctx, client.Query{Words: searchable(host), Limit: 50})
	}
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		isRemote := func(r client.Remote) bool { return address(r.URL).of(address(text)) }
		if notRepository == nil && isRepository(s, ref, text) || slices.ContainsFunc(s.Remotes, isRemote) {
			slugs = append(slugs, s.ID)
		}
	}
	is := func(p identity) bool {
		return packageIdentity(p.kind, text, "").of(p) || packageIdentity(kind, words, "").of(p)
	}
	for slug, failed := range c.withPackage(ctx, words, is) {
		slugs, err = append(slugs, slug), failed
	}
	slices.Sort(slugs)
	return slices.Compact(slugs), err
}

// withPackage returns the slugs of the servers that a search finds, of which a package is. An error
// comes last, without a slug.
func (c *call) withPackage(
	ctx context.Context, words string, is func(identity) bool,
) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		q := client.Query{Words: searchable(words), Limit: 50}
		launches, failed := c.client.Launches(ctx, q)
		for _, l := range launches {
			packages, err := c.packagesOf(ctx, l)
			switch {
			case isMissing(err): // no longer listed
			case isOfOne(err):
				failed = err
			case err != nil:
				yield("", err)
				return
			case slices.ContainsFunc(packages, is) && !yield(l.ID, nil):
				return
			}
		}
		if failed != nil {
			yield("", failed)
		}
	}
}

// isRepository reports whether a server is in a repository, which text names.
func isRepository(s client.Server, ref registry.RepoRef, text string) bool {
	own, err := registry.ParseRepoRef(s.Repository.URL)
	name := ref.Owner + "/" + ref.Name // without a host, it is on any
	return err == nil && strings.EqualFold(own.Owner+"/"+own.Name, name) && (own.Host == ref.Host || text == name)
}

// identities returns the packages and addresses of a server.
func (r *record) identities() (all []identity) {
	var entries map[string]any
	if json.Unmarshal(r.clients, &entries) == nil {
		for _, e := range entries {
			all = append(all, identityOfEntry(e))
		}
	}
	for _, p := range r.Packages {
		all = append(all, packageIdentity(p.RegistryType, p.Identifier, p.Version))
	}
	for _, remote := range r.Remotes {
		all = append(all, address(remote.URL))
	}
	return all
}

// A risk is a reason not to use a server.
type risk = registry.Risk

// noted reports whether a risk does not keep from using a server. usesEndpoint reports that it is
// used by its endpoint, which only servers with another way can do without.
func noted(r risk, usesEndpoint bool) bool {
	return r.Severity == registry.SeverityNotice && !usesEndpoint
}

// hostOf returns the host of a URL; "" if there is none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// licenseLine returns the license with its source and date.
func (r *record) licenseLine() string {
	if r.License != "" && r.LicenseSource == registry.LicenseFromManifest {
		return dated(r.License+", from the manifest", "read", r.LastCrawledAt)
	}
	return r.fromHost(r.License)
}

// starsLine returns the stars of the repository, and whether it has other parts than the server.
func (r *record) starsLine() string {
	stars := number(r.Stars)
	if r.Stars != nil && r.Repository.Subfolder != "" {
		stars += " (whole repository)"
	}
	return r.fromHost(stars)
}

// endpoint returns the liveness of the first remote with the server's state, zero if none was
// probed.
func (r *record) endpoint() client.Liveness {
	for _, e := range r.Remotes {
		if l := e.Liveness; l != nil && registry.LivenessOf(l.State) == r.Liveness {
			return *l
		}
	}
	return client.Liveness{}
}

func (r *record) endpointLine() string {
	l := r.endpoint()
	line := dated(r.Liveness, "checked", l.CheckedAt)
	if up := text.Uptime(l.Uptime30, l.Probes); up != "" {
		line += ", up " + up
	}
	return line
}

// versionLine returns the latest version with its source and date.
func (r *record) versionLine() string {
	version, from := r.version, cmp.Or(r.LatestVersionSource, &client.VersionSource{})
	if name := install.RegistryName(from.Source); version != "" && name != "" {
		version += ", from " + name
	}
	return dated(version, "read", from.ReadAt)
}

// toolCount returns the number of tools: "6"; "at least 6" if only that many are certain,
// "incomplete" if none is.
func toolCount(s *client.Server) string {
	if !s.ToolList.IsPartial() {
		return number(s.ToolCount)
	}
	certain := 0
	for _, t := range s.Tools {
		if t.Conditional == nil {
			certain++
		}
	}
	if certain > 0 {
		return fmt.Sprint("at least ", certain)
	}
	return "incomplete"
}

// requires lists the environment variables that the server requires.
func (r *record) requires() string {
	var names []string
	for _, v := range r.EnvironmentVariables {
		if v.IsRequired {
			names = append(names, v.Name)
		}
	}
	return strings.Join(names, ", ")
}

// toolsLine returns the source of the tools, the version that has them, and the date.
func (r *record) toolsLine() string {
	from := r.ToolList
	return dated(strings.TrimSpace(from.Source+" "+from.Version), "read", from.ReadAt)
}

// startFrom returns the source and date of the command; "" without one.
func (r *record) startFrom() string {
	if r.command == "" {
		return ""
	}
	return dated(hostOf(r.Repository.URL), "read", r.LastCrawledAt)
}

// fromHost returns a fact from the repository's host with its source and date.
func (r *record) fromHost(fact string) string {
	if host := hostOf(r.Repository.URL); host != "" && fact != "" && fact != "–" {
		fact += ", from " + host
	}
	return dated(fact, "read", r.LastCrawledAt)
}
