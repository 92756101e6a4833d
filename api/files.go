package api

import (
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

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

// DetailFile returns the detail record of s.
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
