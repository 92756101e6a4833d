package api

import (
	"encoding/json"
	"reflect"
	"strings"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// An Encoder encodes servers as the API's JSON documents. It is safe for
// concurrent use.
type Encoder struct {
	metaKey string // of _meta in a tool entry: "<namespace>/server"
	install Install
	avatars bool   // avatars of owners are served, below base
	base    string // URL of the registry
}

// Install returns how clients are set up for a server: the JSON object in
// "install.clients". A nil Install is [install.JSON].
type Install func(s *registry.Server) (json.RawMessage, error)

// NewEncoder returns an encoder. The namespace is a reverse DNS name, for _meta
// keys.
func NewEncoder(namespace string, clients Install) *Encoder {
	if clients == nil {
		clients = install.JSON
	}
	return &Encoder{metaKey: namespace + "/server", install: clients}
}

// WithAvatars returns an encoder that links the avatars of owners that the
// registry at base serves. Other encoders give none.
func (e *Encoder) WithAvatars(base string) *Encoder {
	return &Encoder{metaKey: e.metaKey, install: e.install, avatars: true, base: base}
}

// Basic returns the list entry of s. It needs the fields of
// [mcpcensus/internal/catalog.Item.Summary].
func (e *Encoder) Basic(s *registry.Server) ([]byte, error) { return text.JSON(basicOf(s)) }

func Entry(s *registry.Server) any { return basicOf(s) }

func (e *Encoder) Detail(s *registry.Server) ([]byte, error) { return text.JSON(e.detailOf(s)) }

// Health returns the health report of s, a listed server.
func (e *Encoder) Health(s *registry.Server) ([]byte, error) { return text.JSON(e.healthOf(s, true)) }

// Fields returns the JSON names of the members of a detail record, in their
// order.
func Fields() []string { return membersOf(reflect.TypeFor[detailBody]()) }

func membersOf(t reflect.Type) []string {
	out := make([]string, t.NumField())
	for i := range out {
		out[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return out
}

// clients returns "install.clients" of s, an empty object if s is harmful.
func (e *Encoder) clients(s *registry.Server) json.RawMessage {
	if s.Severity() != registry.SeverityHarmful {
		if b, err := e.install(s); err == nil && rawObject(b) != nil {
			return b
		}
	}
	return json.RawMessage(`{}`)
}

// launch returns how a client starts s, nil if there is no command or s is harmful.
func (e *Encoder) launch(s *registry.Server) *launchBody {
	if p, ok := install.First(s.Packages); ok && s.Severity() != registry.SeverityHarmful {
		l, _ := install.Of(p)
		return &launchBody{Command: l.Command, Args: EmptyList(l.Args), Env: l.Env}
	}
	return nil
}

// A FileLink returns the relative link of a file of an export to a path of the
// site, such as "/servers/octo-weather", "" if the export does not have it.
type FileLink = func(path string) string

// ServersFile returns a page of the directory, as /api/servers returns it
// except for the cursor: "next" is the link to the file with the next page, null
// if it is "".
func (e *Encoder) ServersFile(
	servers []*registry.Server, offset, limit, total int, next string, link FileLink,
) ([]byte, error) {
	var body struct {
		Servers    []basicBody `json:"servers"`
		Pagination struct {
			paginationBody
			Next *string `json:"next"`
		} `json:"pagination"`
	}
	body.Servers = each(servers, func(s *registry.Server) basicBody {
		b := basicOf(s)
		b.Links.relink(link)
		return b
	})
	p := &body.Pagination
	p.Total, p.Limit, p.Offset, p.Next = total, limit, offset, Known(next)
	if end := offset + len(servers); end < total {
		p.HasMore, p.NextOffset = true, &end
	}
	return text.JSON(body)
}

func (e *Encoder) DetailFile(s *registry.Server, link FileLink) ([]byte, error) {
	d := e.WithAvatars("").detailOf(s)
	d.Links.relink(link)
	if d.Owner != nil {
		d.Owner.AvatarURL = relinked(d.Owner.AvatarURL, link)
	}
	return text.JSON(d)
}

// HealthFile returns the health report of s, a listed server.
func (e *Encoder) HealthFile(s *registry.Server, link FileLink) ([]byte, error) {
	h := e.healthOf(s, true)
	l := &h.Links
	for _, path := range []**string{&l.Self, &l.History, &l.Badge, &l.HTML} {
		*path = relinked(*path, link)
	}
	for _, section := range h.Breakdown {
		for i := range section.Checks {
			section.Checks[i].Docs = link(section.Checks[i].Docs)
		}
	}
	return text.JSON(h)
}

func (l *recordLinkBody) relink(link FileLink) {
	for _, path := range []*string{&l.Self, &l.HTML, &l.Health, &l.Badge} {
		*path = link(*path)
	}
}

// relinked returns the link to a path, nil if there is none.
func relinked(path *string, link FileLink) *string {
	if path == nil {
		return nil
	}
	return Known(link(*path))
}
