package web

import (
	"encoding/json"
	"html"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A meta is what the head of a page tells programs besides what the frame
// has.
type meta struct {
	Markdown string // path of the page as Markdown
	Image    string // path of a picture for those who share the page
	ImageAlt string
	Data     any // for JSON-LD; nil for none
	// Shared says that the page is for those who are sent its address, though
	// not for search engines.
	Shared bool
}

// A software is a server as schema.org has it. What is not known is left out,
// and the health score, which no user gave, is no rating.
type software struct {
	Context      string    `json:"@context"`
	Type         string    `json:"@type"`
	ID           string    `json:"@id,omitempty"`
	Name         string    `json:"name"`
	Description  string    `json:"description,omitempty"`
	URL          string    `json:"url,omitempty"`
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
}

type counter struct {
	Type  string `json:"@type"`
	Kind  string `json:"interactionType"`
	Count int64  `json:"userInteractionCount"`
}

// mostFeatures bounds the tools that are named.
const mostFeatures = 50

// softwareOf returns what the page of a server tells programs.
func (s *Site) softwareOf(r *record) meta {
	path := "/servers/" + r.Slug
	d := software{
		Context: "https://schema.org", Type: "SoftwareApplication", Name: r.Name, Description: r.Server.Description,
		Category: "DeveloperApplication", SubCategory: "MCP server: " + categoryName(r.Category),
		Version: r.LatestVersion, Keywords: r.Tags, License: licenseURL(r.License),
	}
	if d.Name == "" {
		d.Name = r.Slug
	}
	if s.BaseURL != "" {
		d.URL = s.address(path)
		d.ID = d.URL + "#server"
		if s.hasSocial() {
			d.Image = s.BaseURL + "/social/" + r.Slug + ".png"
		}
	}
	if !r.CreatedAt.IsZero() {
		d.Created = r.CreatedAt.UTC().Format(time.DateOnly)
	}
	if at := r.LastCommitAt; at != nil {
		d.Modified = at.UTC().Format(time.DateOnly)
	}
	for _, a := range []string{r.Repository.URL, r.Homepage} {
		if outside(a) != "" && a != "" && !slices.Contains(d.SameAs, a) {
			d.SameAs = append(d.SameAs, a)
		}
	}
	for _, t := range r.Tools[:min(len(r.Tools), mostFeatures)] {
		d.Features = append(d.Features, t.Name)
	}
	if r.Stars != nil {
		d.Interactions = append(d.Interactions, counter{"InteractionCounter", "https://schema.org/LikeAction", int64(*r.Stars)})
	}
	if r.Downloads != nil {
		d.Interactions = append(d.Interactions, counter{"InteractionCounter", "https://schema.org/DownloadAction", *r.Downloads})
	}
	m := meta{Markdown: path + ".md", Data: d}
	if s.hasSocial() {
		m.Image, m.ImageAlt = "/social/"+r.Slug+".png", d.Name+": "+healthText(r.Health.Score, r.Health.Grade)
	}
	return m
}

// hasSocial says whether there are pictures of servers to share.
func (s *Site) hasSocial() bool { return !s.Static || s.Pictures }

// healthText is a score in words.
func healthText(score *int, grade string) string {
	if score == nil {
		return "no health score yet"
	}
	return "health " + grouped(int64(*score)) + " of 100, grade " + grade
}

var spdxID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]{0,60}$`)

// licenseURL is where a licence's text is, "" if its name is none of SPDX.
func licenseURL(id string) string {
	if !spdxID.MatchString(id) || strings.EqualFold(id, "NOASSERTION") || strings.EqualFold(id, "other") || strings.HasPrefix(id, "LicenseRef") {
		return ""
	}
	return "https://spdx.org/licenses/" + url.PathEscape(id) + ".html"
}

// A website is the registry as schema.org has it.
type website struct {
	Context string        `json:"@context"`
	Type    string        `json:"@type"`
	Name    string        `json:"name"`
	URL     string        `json:"url"`
	Search  *searchAction `json:"potentialAction,omitempty"`
}

type searchAction struct {
	Type   string `json:"@type"`
	Target string `json:"target"`
	Input  string `json:"query-input"`
}

func (s *Site) website() website {
	w := website{Context: "https://schema.org", Type: "WebSite", Name: s.Brand.Name(), URL: s.address("/")}
	if !s.Static {
		w.Search = &searchAction{"SearchAction", s.BaseURL + "/servers?q={q}", "required name=q"}
	}
	return w
}

// MetaTags are the lines of the head for programs: OpenGraph and what X calls
// a card, the feeds, the page as Markdown, and JSON-LD. A data block is
// nothing that runs: the policy of scripts does not apply to it, and in JSON no
// "<" can end it, since encoding/json writes it as \u003c.
func (f frame) MetaTags() template.HTML {
	s := f.Site
	var b strings.Builder
	tag := func(kind, name, content string) {
		if content = xmlText(content); content != "" {
			b.WriteString(`<meta ` + kind + `="` + name + `" content="` + html.EscapeString(content) + `">` + "\n")
		}
	}
	link := func(kind, title, href string) {
		b.WriteString(`<link rel="alternate" type="` + kind + `" title="` + html.EscapeString(xmlText(title)) + `" href="` + html.EscapeString(href) + `">` + "\n")
	}
	if f.Canonical != "" && (!f.NoIndex || f.Meta.Shared) {
		title := f.Title
		if title == "" {
			title = s.Brand.Name() + ", the registry of MCP servers"
		}
		tag("property", "og:type", "website")
		tag("property", "og:site_name", s.Brand.Name())
		tag("property", "og:title", title)
		tag("property", "og:description", f.Description)
		if s.BaseURL != "" {
			tag("property", "og:url", f.Address())
		}
		card := "summary"
		if f.Meta.Image != "" && s.BaseURL != "" {
			tag("property", "og:image", s.BaseURL+f.Meta.Image)
			tag("property", "og:image:type", "image/png")
			tag("property", "og:image:width", "1200")
			tag("property", "og:image:height", "630")
			tag("property", "og:image:alt", f.Meta.ImageAlt)
			card = "summary_large_image"
		}
		tag("name", "twitter:card", card)
	}
	name := s.Brand.Name()
	link("application/atom+xml", name+": news of all servers", feedScope{}.path())
	switch kind, of, _ := strings.Cut(strings.TrimPrefix(f.Canonical, "/"), "/"); {
	case strings.ContainsAny(of, "/?"):
	case kind == "categories":
		link("application/atom+xml", name+": "+categoryName(of)+" servers", feedScope{Category: of}.path())
	case kind == "owners":
		if owner, err := url.PathUnescape(of); err == nil {
			link("application/atom+xml", name+": servers of "+owner, feedScope{Owner: strings.ToLower(owner)}.path())
		}
	}
	if f.Meta.Markdown != "" {
		link("text/markdown", "This page as Markdown", f.Meta.Markdown)
	}
	data := f.Meta.Data
	if f.Canonical == "/" && s.BaseURL != "" {
		data = s.website()
	}
	if data != nil {
		if j, err := json.Marshal(data); err == nil {
			b.WriteString(`<script type="application/ld+json">` + string(j) + "</script>\n")
		}
	}
	return template.HTML(strings.TrimSuffix(b.String(), "\n"))
}
