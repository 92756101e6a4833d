package feeds

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

// A software is a server in terms of schema.org. Unknown values are omitted. The health score
// is not a rating, because no user gave it.
type software struct {
	Context      string    `json:"@context"`
	Type         string    `json:"@type"`
	ID           string    `json:"@id,omitempty"`
	Name         string    `json:"name"`
	Description  string    `json:"description,omitempty"`
	URL          string    `json:"url,omitempty"`
	Author       *author   `json:"author,omitempty"`
	Category     string    `json:"applicationCategory"`
	SubCategory  string    `json:"applicationSubCategory,omitempty"`
	Version      string    `json:"softwareVersion,omitempty"`
	Requirements string    `json:"softwareRequirements,omitempty"`
	License      string    `json:"license,omitempty"`
	Keywords     []string  `json:"keywords,omitempty"`
	SameAs       []string  `json:"sameAs,omitempty"`
	Created      string    `json:"dateCreated,omitempty"`
	Modified     string    `json:"dateModified,omitempty"`
	Image        string    `json:"image,omitempty"`
	Features     []string  `json:"featureList,omitempty"`
	Interactions []counter `json:"interactionStatistic,omitempty"`
	BasedOn      string    `json:"isBasedOn,omitempty"`       // the repository
	Read         string    `json:"sdDatePublished,omitempty"` // when it was read
}

type author struct {
	Type string `json:"@type"`
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

type counter struct {
	Type  string `json:"@type"`
	Kind  string `json:"interactionType"`
	Count int64  `json:"userInteractionCount"`
	Start string `json:"startTime,omitempty"`
	End   string `json:"endTime,omitempty"` // when it was counted
}

// counterOf returns a counter that was read at a time; days is its period, 0 for all time.
func counterOf(action string, n int64, at *time.Time, days int) counter {
	c := counter{Type: "InteractionCounter", Kind: "https://schema.org/" + action, Count: n}
	if at != nil {
		c.End = at.UTC().Format(time.DateOnly)
		if days > 0 {
			c.Start = at.UTC().AddDate(0, 0, -days).Format(time.DateOnly)
		}
	}
	return c
}

// maxFeatures is the maximum number of named tools.
const maxFeatures = 50

// MetaOf returns the metadata in the head of a server's page.
func MetaOf(s *site.Site, r record.Record) site.Meta {
	path := "/servers/" + r.Slug
	d := software{
		Context: "https://schema.org", Type: "SoftwareApplication", Name: r.Name,
		Description: r.Description,
		Category:    "DeveloperApplication",
		SubCategory: "MCP server: " + format.Category(r.Category),
		Version:     r.LatestVersion, Keywords: r.Tags, License: licenseURL(r.License),
	}
	m := site.Meta{Markdown: path + ".md"}
	if s.HasPictures() {
		m.Image, m.ImageAlt = "/social/"+r.Slug+".png",
			r.Label()+": "+format.Health(r.Health.Score, r.Health.Grade)
		if at := r.Health.ComputedAt; !at.IsZero() {
			m.ImageAlt += ", " + text.Day(at)
		}
	}
	if s.BaseURL != "" {
		d.URL = s.Address(path)
		d.ID = d.URL + "#server"
		if m.Image != "" {
			d.Image = s.BaseURL + m.Image
		}
	}
	if r.Repo.Owner != "" {
		d.Author = &author{"Person", r.Repo.Owner, ""}
		if r.Repo.OwnerType == "Organization" {
			d.Author.Type = "Organization"
		}
		if host := registry.HostOf(r.Repo.Host); host.Domain != "" {
			d.Author.URL = "https://" + host.Domain + "/" + r.Repo.Owner
		}
	}
	if !r.CreatedAt.IsZero() {
		d.Created = r.CreatedAt.UTC().Format(time.DateOnly)
	}
	if at := r.LastCrawledAt; at != nil {
		d.BasedOn, d.Read = format.SafeURL(r.Repo.URL()), at.UTC().Format(time.DateOnly)
	}
	if at := r.LastCommitAt; at != nil {
		d.Modified = at.UTC().Format(time.DateOnly)
	}
	for _, a := range []string{r.Repo.URL(), r.Homepage} {
		if format.SafeURL(a) != "" && !slices.Contains(d.SameAs, a) {
			d.SameAs = append(d.SameAs, a)
		}
	}
	for _, t := range r.Tools[:min(len(r.Tools), maxFeatures)] {
		d.Features = append(d.Features, text.OneLine(t.Name))
	}
	d.Interactions = countersOf(r.Server)
	m.Data = d
	return m
}

func countersOf(s *registry.Server) (all []counter) {
	if s.Stars != nil {
		all = append(all, counterOf("LikeAction", int64(*s.Stars), s.LastCrawledAt, 0))
	}
	if s.Downloads != nil {
		all = append(all, counterOf("DownloadAction", *s.Downloads, s.DownloadsAt, 30))
	}
	return all
}

var spdxID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]{0,60}$`)

// licenseURL is the address of a license's text, "" if the name is not an SPDX identifier.
func licenseURL(id string) string {
	if !spdxID.MatchString(id) || strings.EqualFold(id, "NOASSERTION") ||
		strings.EqualFold(id, "other") ||
		strings.HasPrefix(id, "LicenseRef") {
		return ""
	}
	return "https://spdx.org/licenses/" + url.PathEscape(id) + ".html"
}
