// Package entry makes the entries that the official registry's API (v0.1) has for listed
// servers: the server.json as its owner published it, else one made of the server's
// record, and what this registry knows of the server in _meta.
//
// Packages, versions, transports, arguments and variables come from [install.Published],
// or agree with it, so clients that build a command of an entry build the one that
// package install prints.
package entry

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Schema is the $schema of the server.json documents that are made here.
const Schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// Keys of _meta that the official registry defines.
const (
	OfficialMeta  = "io.modelcontextprotocol.registry/official"
	publisherMeta = "io.modelcontextprotocol.registry/publisher-provided"
)

// iconMeta is the key in _meta of the icon that VS Code shows if publisher-provided has none.
const iconMeta = "x-ms-icon"

// Values of the status of an entry.
const (
	Active     = "active"
	Deprecated = "deprecated"
	Deleted    = "deleted"
)

// A Head identifies the entry of a server.
type Head struct {
	// Name is the name before names that several servers have are told apart: see
	// [registry.DistinctEntryName].
	Name      string
	Version   string
	Published bool // its owner published it in the official registry
}

// HeadOf returns the head of the entry of s. ok is false for servers without an entry:
// clients can neither start nor reach them.
func HeadOf(s *registry.Server) (h Head, ok bool) {
	p, ok := install.Published(s)
	if !ok {
		return Head{}, false
	}
	if published := s.Published; published != nil {
		if d, ok := publishedOf(published.Document); ok {
			return Head{Name: d.name, Version: d.version, Published: true}, true
		}
	}
	return Head{Name: s.EntryName(), Version: versionOf(s, p)}, true
}

// Status returns the status of the entry of a server with a status.
func Status(status string) string {
	if status == registry.StatusActive || status == "" {
		return Active
	}
	return Deprecated
}

// An Encoder encodes entries. It is safe for concurrent use.
type Encoder struct {
	Namespace string // reverse DNS, for _meta: "org.example"
	BaseURL   string // of the registry, "" makes links relative
	// Enriched adds what galleries read to documents as their owners published them.
	Enriched bool
}

// A Response is an entry as the API returns it.
type Response struct {
	Server json.RawMessage            `json:"server"`
	Meta   map[string]json.RawMessage `json:"_meta"`
}

// An official holds the registry's metadata of a version.
type official struct {
	Status          string     `json:"status"`
	StatusChangedAt time.Time  `json:"statusChangedAt"`
	StatusMessage   string     `json:"statusMessage,omitempty"`
	PublishedAt     time.Time  `json:"publishedAt"`
	UpdatedAt       *time.Time `json:"updatedAt,omitempty"`
	IsLatest        bool       `json:"isLatest"`
}

// Response returns the entry of s under a name, which [registry.DistinctEntryName] has made of that of its
// head. readme is shown by clients; it may be "", and only documents that are made here or
// enriched have it. It fails if s has no entry.
func (e Encoder) Response(s *registry.Server, name, readme string) (Response, error) {
	document, meta, err := e.server(s, name, readme)
	if err != nil {
		return Response{}, err
	}
	updated := s.UpdatedAt.UTC()
	o := official{
		Status: Status(s.Status), StatusMessage: s.StatusMessage, IsLatest: true,
		PublishedAt: publishedAt(s), UpdatedAt: &updated,
	}
	if o.StatusChangedAt = o.PublishedAt; o.Status != Active {
		o.StatusChangedAt = updated
		if at := s.Repo.ArchivedAt; s.Status == registry.StatusArchived && at != nil {
			o.StatusChangedAt = at.UTC()
		}
	}
	if o.Status == Active {
		o.StatusMessage = ""
	}
	r, err := e.response(document, o, meta)
	if icon := cmp.Or(iconOf(s), secureURL(e.avatarOf(s))); err == nil && icon != "" && !meta.Synthesized {
		r.Meta[iconMeta], err = text.JSON(icon)
	}
	return r, err
}

func (e Encoder) response(document []byte, o official, meta *Meta) (Response, error) {
	r := Response{Server: document, Meta: map[string]json.RawMessage{}}
	raw, err := text.JSON(o)
	if err != nil {
		return r, err
	}
	r.Meta[OfficialMeta] = raw
	if meta != nil {
		if raw, err = text.JSON(meta); err != nil {
			return r, err
		}
		r.Meta[e.Namespace+"/server"] = raw
	}
	return r, nil
}

func (e Encoder) server(s *registry.Server, name, readme string) ([]byte, *Meta, error) {
	p, ok := install.Published(s)
	if !ok {
		return nil, nil, registry.Errorf(registry.ErrNotFound, "%s has no entry", s.Slug)
	}
	if published := s.Published; published != nil {
		if d, ok := publishedOf(published.Document); ok {
			d.align(p)
			if e.Enriched {
				d.enrich(e.provided(s, p, readme))
			}
			document, err := d.encode(name)
			return document, e.meta(s, false, d.repaired, p.Omitted), err
		}
	}
	document, err := text.JSON(e.document(s, p, name, readme))
	return document, e.meta(s, true, nil, p.Omitted), err
}

// Earlier returns an entry that a later version has replaced, as its owner published it. The
// server now has a status. ok is false if clients cannot read the document.
func (e Encoder) Earlier(l *registry.Listing, status string) (r Response, ok bool) {
	d, ok := publishedOf(l.Document)
	if !ok || d.name != l.Name || d.version != l.Version || l.PublishedAt == nil {
		return Response{}, false
	}
	o := official{Status: Status(status), PublishedAt: l.PublishedAt.UTC(), UpdatedAt: l.UpdatedAt}
	if l.Status == Deprecated {
		o.Status, o.StatusMessage = Deprecated, l.StatusText
	}
	if o.StatusChangedAt = o.PublishedAt; o.Status != Active && l.UpdatedAt != nil {
		o.StatusChangedAt = l.UpdatedAt.UTC()
	}
	r, err := e.response(l.Document, o, nil)
	return r, err == nil
}

// A Gone is a server that has left the registry.
type Gone struct {
	Head
	At time.Time
}

// Gone returns the entry of a server that left, with its identifying members only.
func (e Encoder) Gone(g Gone) (Response, error) {
	at := g.At.UTC()
	document, err := text.JSON(document{
		Schema: Schema, Name: g.Name, Description: "No longer listed.", Version: g.Version,
	})
	if err != nil {
		return Response{}, err
	}
	return e.response(document, official{
		Status: Deleted, StatusChangedAt: at, PublishedAt: at, UpdatedAt: &at, IsLatest: true,
	}, nil)
}

// publishedAt returns when the version was published, or else when the server was listed.
func publishedAt(s *registry.Server) time.Time {
	switch {
	case s.Published != nil && s.Published.At != nil:
		return s.Published.At.UTC()
	case s.ReleasedAt != nil:
		return s.ReleasedAt.UTC()
	}
	return s.ListedAt.UTC()
}

// link returns the URL of a path of the registry.
func (e Encoder) link(path string) string { return strings.TrimSuffix(e.BaseURL, "/") + path }
