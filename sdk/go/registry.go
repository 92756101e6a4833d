package census

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"
	"time"
)

// A RegistryService reads the registry through the official registry's API, under /v0.1. It
// requires no key.
type RegistryService struct {
	Entries
}

// Views returns the built-in views.
func (s *RegistryService) Views(ctx context.Context, options ...CallOption) (*Views, error) {
	return get[Views](ctx, s.c, "/r", nil, options)
}

// View returns a view: a built-in one, such as "healthy", or a custom endpoint by its
// token. It sends no request.
func (s *RegistryService) View(name string) *RegistryView {
	return &RegistryView{Entries{s.c, []string{"r", name, "v0.1"}}, pathOf("r", name)}
}

// Validate checks a server.json, any value that encodes as a JSON object. A document with errors is
// a result, not an error.
func (s *RegistryService) Validate(
	ctx context.Context, document any, options ...CallOption,
) (*ValidationResult, error) {
	return send[ValidationResult](ctx, s.c,
		call{method: http.MethodPost, path: "/v0.1/validate", body: document}, options)
}

// Ping returns whether the API responds.
func (s *RegistryService) Ping(ctx context.Context, options ...CallOption) (*RegistryPing, error) {
	return get[RegistryPing](ctx, s.c, "/v0.1/ping", nil, options)
}

// Health returns the state of the API.
func (s *RegistryService) Health(ctx context.Context, options ...CallOption) (*RegistryHealth, error) {
	return get[RegistryHealth](ctx, s.c, "/v0.1/health", nil, options)
}

// Version returns the version of the registry.
func (s *RegistryService) Version(
	ctx context.Context, options ...CallOption,
) (*RegistryAppVersion, error) {
	return get[RegistryAppVersion](ctx, s.c, "/v0.1/version", nil, options)
}

// A RegistryView reads the servers of a view: the best results of a stored query.
type RegistryView struct {
	Entries
	path string
}

// Documents returns the server.json of all servers of the view.
func (v *RegistryView) Documents(ctx context.Context, options ...CallOption) ([]ServerJSON, error) {
	all, err := get[[]ServerJSON](ctx, v.c, v.path+"/servers.json", nil, options)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// ManagedSettings returns managed settings for clients that allow the servers of the view.
func (v *RegistryView) ManagedSettings(
	ctx context.Context, options ...CallOption,
) (*ManagedSettings, error) {
	return get[ManagedSettings](ctx, v.c, v.path+"/managed-settings.json", nil, options)
}

// Entries reads the records of all servers, or of a view.
type Entries struct {
	c    *Client
	base []string // segments of the path before "servers"
}

func (e *Entries) path(segments ...string) string {
	return pathOf(append(append([]string{}, e.base...), segments...)...)
}

// EntriesParams are the parameters of [Entries.List]. Zero values are omitted.
type EntriesParams struct {
	Search  string `json:"search,omitempty"`
	Version string `json:"version,omitempty"` // "latest", or an exact version
	// UpdatedSince excludes records that have not changed since, and includes deleted servers.
	UpdatedSince time.Time `json:"updatedSince,omitzero"`
	// IncludeDeleted includes servers that were removed in the last 90 days.
	IncludeDeleted bool `json:"includeDeleted,omitempty"`
	Limit          int  `json:"limit,omitempty"` // 1 to 100
	// Cursor continues after a page. Only Limit may be set with it.
	Cursor string `json:"cursor,omitempty"`
}

// List returns a page of the records, by name or, with Search, best first.
func (e *Entries) List(
	ctx context.Context, p EntriesParams, options ...CallOption,
) (*ServerEntryList, error) {
	return get[ServerEntryList](ctx, e.c, e.path("servers"), values("search", p.Search,
		"version", p.Version, "updated_since", p.UpdatedSince, "include_deleted", p.IncludeDeleted,
		"limit", p.Limit, "cursor", p.Cursor), options)
}

// All iterates over all records.
func (e *Entries) All(
	ctx context.Context, p EntriesParams, options ...CallOption,
) iter.Seq2[ServerEntry, error] {
	return all(p, func(p *EntriesParams) (*int, *string) { return &p.Limit, &p.Cursor },
		func(p EntriesParams) (*ServerEntryList, error) { return e.List(ctx, p, options...) },
		func(page *ServerEntryList) ([]ServerEntry, *string) { return page.Servers, &page.Metadata.NextCursor })
}

// EntryParams are the parameters of [Entries.Versions] and [Entries.Retrieve]. Zero values are
// omitted.
type EntryParams struct {
	Version string `json:"version,omitempty"` // by default "latest"; only for Retrieve
	// IncludeDeleted also finds servers that were removed in the last 90 days.
	IncludeDeleted bool `json:"includeDeleted,omitempty"`
}

// Versions returns the versions of a server, latest first.
func (e *Entries) Versions(
	ctx context.Context, name string, p EntryParams, options ...CallOption,
) (*ServerEntryList, error) {
	return get[ServerEntryList](ctx, e.c, e.path("servers", name, "versions"),
		values("include_deleted", p.IncludeDeleted), options)
}

// Retrieve returns a record by the name of the server. The [NotFoundError] for an unknown name has
// candidates; List with Search finds others.
func (e *Entries) Retrieve(
	ctx context.Context, name string, p EntryParams, options ...CallOption,
) (*ServerEntry, error) {
	path := e.path("servers", name, "versions", firstOf(p.Version, "latest"))
	return get[ServerEntry](ctx, e.c, path, values("include_deleted", p.IncludeDeleted), options)
}

// officialMeta is the member of _meta that the official registry defines.
const officialMeta = "io.modelcontextprotocol.registry/official"

// OfficialMeta returns the metadata in the format of the official registry: status and times. It is
// nil if the entry has none.
func (e *ServerEntry) OfficialMeta() *OfficialMeta {
	return metaAs[OfficialMeta](e.Meta[officialMeta])
}

// RegistryMeta returns the registry's metadata of the server: score, tools, flags. It is
// nil for deleted servers.
func (e *ServerEntry) RegistryMeta() *RegistryMeta {
	for name, v := range e.Meta {
		if name != officialMeta && strings.HasSuffix(name, "/server") {
			return metaAs[RegistryMeta](v)
		}
	}
	return nil
}

// metaAs converts a decoded JSON object.
func metaAs[T any](v any) *T {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	out := new(T)
	if json.Unmarshal(text, out) != nil {
		return nil
	}
	return out
}
