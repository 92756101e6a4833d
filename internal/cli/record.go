package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mcpcensus/internal/client"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A record is a server with its health report. Some members require a key.
type record struct {
	client.Server
	health *client.Health
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

// record returns the record of a server with its health report. id is a slug or a
// name in the official registry.
func (c *call) record(ctx context.Context, id string) (*record, error) {
	health, err := c.client.ServerHealth(ctx, id)
	if err != nil {
		return nil, err
	}
	if health.Server == "" {
		return nil, &ExitError{ExitNotFound, fmt.Errorf("the registry does not list %s", id)}
	}
	r := &record{health: health, version: health.LatestVersion}
	if c.client.HasKey() {
		return r, c.retrieve(ctx, r, health.Server)
	}
	return r, c.search(ctx, r, health.Server)
}

// retrieve reads a record with a key.
func (c *call) retrieve(ctx context.Context, r *record, slug string) error {
	s, err := c.client.Server(ctx, slug)
	if err != nil {
		return err
	}
	r.Server, r.clients = *s, s.Install.Clients["mcpServers"]
	r.command, r.reason, r.tools = s.Install.Command, s.Install.Reason, s.ToolList.Hash
	r.variables = slices.Clone(s.EnvironmentVariables)
	for _, remote := range s.Remotes {
		r.variables = append(r.variables, remote.Headers...)
	}
	return nil
}

var errNeedsKey = errors.New("is not among the first results of a search")

// search finds a record without a key, by searching for its slug.
func (c *call) search(ctx context.Context, r *record, slug string) error {
	words := client.Query{Words: strings.ReplaceAll(slug, "-", " ")}
	servers, err := c.client.List(ctx, words)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(servers, func(s client.Server) bool { return s.ID == slug })
	if i < 0 {
		return fmt.Errorf("%s %w: set CENSUS_API_KEY to read its record", slug, errNeedsKey)
	}
	r.Server = servers[i]
	launches, err := c.client.Launches(ctx, words)
	if err != nil {
		return err
	}
	for _, l := range launches {
		if l.ID != slug {
			continue
		}
		if r.command = l.Text; l.Install == nil {
			continue
		}
		key := install.Key(&registry.Server{
			Slug: slug, Name: r.Name, Subfolder: r.Repository.Subfolder,
			Repo: registry.Repository{Owner: r.Repository.Owner, Name: r.Repository.Name},
		})
		if r.clients, err = json.Marshal(map[string]any{key: l.Install}); err != nil {
			return err
		}
	}
	return nil
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

// noted reports whether a risk does not keep from using a server: its tools changed, or its
// endpoint is down and usesEndpoint is false.
func noted(r risk, usesEndpoint bool) bool {
	return r.Kind == registry.RiskToolsChanged || r.Kind == registry.RiskEndpointDown && !usesEndpoint
}

// hostOf returns the host of a URL; "" if there is none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// licenseLine returns the licence with its source and date.
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
	version, from := r.version, r.health.LatestVersionSource
	if name := install.RegistryName(from.Source); version != "" && name != "" {
		version += ", from " + name
	}
	return dated(version, "read", from.ReadAt)
}

// toolCount returns the number of tools: "6"; "at least 6" for an incomplete list,
// "incomplete" if that is without its tools.
func toolCount(s *client.Server) string {
	switch {
	case !s.ToolList.IsPartial():
		return number(s.ToolCount)
	case len(s.Tools) > 0:
		return fmt.Sprint("at least ", len(s.Tools))
	}
	return "incomplete"
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
