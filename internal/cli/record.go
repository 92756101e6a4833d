package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	census "mcpcensus/sdk/go"
)

// A record is a server with its health report. Members that require a key are nil without
// one.
type record struct {
	census.Server
	Tools   *string        `json:"toolsHash"`
	Version *string        `json:"latestVersion"`
	Command *string        `json:"command"`
	Reason  *string        `json:"reason"`
	Health  *census.Health `json:"health"`

	clients   json.RawMessage // the object under mcpServers; nil if unknown
	variables []registry.Variable
}

// record returns the record of a server with its health report. id is a slug or a
// name in the official registry.
func (c *call) record(ctx context.Context, id string) (*record, error) {
	health, err := c.client.Health(ctx, census.HealthParams{Server: id})
	if err != nil {
		return nil, err
	}
	if health.Server == nil {
		return nil, &ExitError{ExitNotFound, fmt.Errorf("the registry does not list %s", id)}
	}
	r := &record{Health: health, Version: health.LatestVersion}
	if c.client.HasKey() {
		return r, c.retrieve(ctx, r, *health.Server)
	}
	return r, c.search(ctx, r, *health.Server)
}

// retrieve reads a record with a key.
func (c *call) retrieve(ctx context.Context, r *record, slug string) error {
	d, err := c.client.Servers.Retrieve(ctx, slug)
	if err != nil {
		return err
	}
	// A detail record has all members of a list entry.
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &r.Server); err != nil {
		return err
	}
	r.Command, r.Reason = d.Install.Command, d.Install.Reason
	if d.ToolList != nil {
		r.Tools = d.ToolList.Hash
	}
	if servers, ok := d.Install.Clients["mcpServers"]; ok {
		r.clients, err = json.Marshal(servers)
	}
	for _, v := range d.EnvironmentVariables {
		r.variables = append(r.variables, variableOf(v))
	}
	for _, remote := range d.Remotes {
		for _, v := range remote.Headers {
			r.variables = append(r.variables, variableOf(v))
		}
	}
	return err
}

func variableOf(v census.Variable) registry.Variable {
	return registry.Variable{
		Name: v.Name, Description: v.Description, IsSecret: v.IsSecret, IsRequired: v.IsRequired,
		Choices: v.Choices, Default: v.Default, Placeholder: v.Placeholder,
	}
}

var errNeedsKey = errors.New("is not among the first results of a search")

// search finds a record without a key, by searching for its slug.
func (c *call) search(ctx context.Context, r *record, slug string) error {
	words := strings.ReplaceAll(slug, "-", " ")
	page, err := c.client.Directory.List(ctx, census.DirectoryParams{Search: words, Limit: 100})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(page.Servers, func(s census.Server) bool { return s.ID == slug })
	if i < 0 {
		return fmt.Errorf("%s %w: set CENSUS_API_KEY to read its record", slug, errNeedsKey)
	}
	r.Server = page.Servers[i]
	tools, err := c.client.DiscoverTools(ctx, census.DiscoverParams{Search: words, Limit: 100})
	if err != nil {
		return err
	}
	for _, t := range tools.Tools {
		meta := metaOf(t)
		if meta.ID != slug {
			continue
		}
		r.Command = t.Installation
		if l := meta.Install; l != nil {
			key := install.Key(&registry.Server{
				Slug: slug, Name: r.Name, Subfolder: value(r.Repository.Subfolder),
				Repo: registry.Repository{Owner: value(r.Repository.Owner),
					Name: value(r.Repository.Name)},
			})
			r.clients, err = json.Marshal(map[string]any{key: l})
		}
	}
	return err
}

func version(v string) *string {
	if v == "" {
		return nil
	}
	return &v
}

// metaOf returns the registry's own member of an entry.
func metaOf(t census.ToolEntry) census.ToolEntryMeta {
	for _, meta := range t.Meta {
		return meta
	}
	return census.ToolEntryMeta{}
}

// endpoint returns the liveness of the first remote with the server's state; nil if none was
// probed.
func (r *record) endpoint() *census.Liveness {
	for _, e := range r.Remotes {
		if l := e.Liveness; l != nil && registry.LivenessOf(l.State) == value(r.Liveness) {
			return l
		}
	}
	return nil
}

type risk = registry.Risk

// risksOf returns the reasons not to use the server.
func risksOf(h *census.Health) (all []risk) {
	for _, r := range h.Risks {
		all = append(all, risk{Kind: r.Kind, Text: oneLine(r.Text), Source: r.Source, At: r.At})
	}
	return all
}

// noted reports whether a risk does not keep from using a server: its tools changed, or its
// endpoint is down and usesEndpoint is false.
func noted(r risk, usesEndpoint bool) bool {
	return r.Kind == registry.RiskToolsChanged || r.Kind == registry.RiskEndpointDown && !usesEndpoint
}

// host returns the host of the repository, the source of facts such as stars; "" if there is
// no repository.
func (r *record) host() string { return hostOf(r.Repository.URL) }

// hostOf returns the host of a URL; "" for nil.
func hostOf(address *string) string {
	u, err := url.Parse(value(address))
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// license returns the licence, with its source if that is not the repository's host.
func (r *record) license() string {
	l := value(r.License)
	if l != "" && value(r.LicenseSource) == registry.LicenseFromManifest {
		l += ", from the manifest"
	}
	return l
}

func (r *record) licenseLine() string {
	if value(r.LicenseSource) == registry.LicenseFromManifest {
		return dated(r.license(), "read", r.LastCrawledAt)
	}
	return r.fromHost(r.license())
}

// stars returns the stars of the repository, and whether it has other parts than the server.
func (r *record) stars() string {
	stars := number(r.Stars)
	if r.Stars != nil && value(r.Repository.Subfolder) != "" {
		stars += " (whole repository)"
	}
	return stars
}

// startFrom returns the source and date of the command; "" without one.
func (r *record) startFrom() string {
	if value(r.Command) == "" {
		return ""
	}
	return dated(r.host(), "read", r.LastCrawledAt)
}

// fromHost returns a fact from the repository's host with its source and date.
func (r *record) fromHost(fact string) string {
	if host := r.host(); host != "" && fact != "" && fact != "–" {
		fact += ", from " + host
	}
	return dated(fact, "read", r.LastCrawledAt)
}
