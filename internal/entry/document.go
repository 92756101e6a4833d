package entry

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A document is a server.json, schema 2025-12-11.
type document struct {
	Schema      string             `json:"$schema"`
	Name        string             `json:"name"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description"`
	Version     string             `json:"version"`
	WebsiteURL  string             `json:"websiteUrl,omitempty"`
	Repository  *repository        `json:"repository,omitempty"`
	Icons       []icon             `json:"icons,omitempty"`
	Packages    []registry.Package `json:"packages,omitempty"`
	Remotes     []registry.Remote  `json:"remotes,omitempty"`
	Meta        *publisherProvided `json:"_meta,omitempty"`
}

type repository struct {
	URL       string `json:"url"`
	Source    string `json:"source"`
	ID        string `json:"id,omitempty"`
	Subfolder string `json:"subfolder,omitempty"`
}

type icon struct {
	Src string `json:"src"`
}

type publisherProvided struct {
	Provided struct {
		GitHub github `json:"github"`
	} `json:"io.modelcontextprotocol.registry/publisher-provided"`
}

// A github has the stars, license and README that VS Code shows.
type github struct {
	Name             string     `json:"name"`
	NameWithOwner    string     `json:"nameWithOwner"`
	DisplayName      string     `json:"displayName"`
	IsInOrganization bool       `json:"isInOrganization"`
	License          string     `json:"license,omitempty"`
	OwnerAvatarURL   string     `json:"ownerAvatarUrl,omitempty"`
	PreferredImage   string     `json:"preferredImage,omitempty"`
	PrimaryLanguage  string     `json:"primaryLanguage,omitempty"`
	PushedAt         *time.Time `json:"pushedAt,omitempty"`
	Readme           string     `json:"readme,omitempty"`
	StargazerCount   *int       `json:"stargazerCount,omitempty"`
	Topics           []string   `json:"topics,omitempty"`
}

// Lengths of texts in a server.json, in characters, and of a README in bytes.
const (
	maxDescription = 100
	maxTitle       = 100
	maxReadme      = 64 << 10
)

func (e Encoder) document(s *registry.Server, p install.Publication, name, readme string) document {
	d := document{
		Schema: Schema, Name: name, Title: short(s.Title, maxTitle), Version: versionOf(s, p),
		Description: short(s.Description, maxDescription),
		WebsiteURL:  secureURL(s.Homepage), Packages: p.Packages, Remotes: p.Remotes,
	}
	if d.Title == "" {
		d.Title = short(s.Name, maxTitle)
	}
	if d.Description == "" {
		if d.Description = d.Title; d.Description == "" {
			d.Description = short("MCP server "+s.Repo.Name, maxDescription)
		}
	}
	if src := secureURL(s.Icon); src != "" && len(src) <= 255 {
		d.Icons = []icon{{src}}
	}
	d.Repository = repositoryOf(s)
	if s.Repo.Host == registry.GitHub && s.Repo.Owner != "" {
		d.Meta = new(publisherProvided)
		d.Meta.Provided.GitHub = e.github(s, d, text.Cut(readme, maxReadme))
	}
	return d
}

var folderForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*$`)

// sources are the hosts of repositories that the official registry accepts.
var sources = map[string]bool{"github": true, "gitlab": true}

func repositoryOf(s *registry.Server) *repository {
	address := s.Repo.URL()
	if !sources[s.Repo.Host] || address == "" {
		return nil
	}
	r := &repository{URL: address, Source: s.Repo.Host}
	if s.Repo.ID != 0 {
		r.ID = strconv.FormatInt(s.Repo.ID, 10)
	}
	if folderForm.MatchString(s.Subfolder) {
		r.Subfolder = s.Subfolder
	}
	return r
}

func (e Encoder) github(s *registry.Server, d document, readme string) github {
	g := github{
		Name: s.Repo.Name, NameWithOwner: s.Repo.FullName(), DisplayName: d.Title,
		IsInOrganization: s.Repo.OwnerType == "Organization", License: s.License,
		PrimaryLanguage: s.Language, Readme: readme, StargazerCount: s.Stars, Topics: s.Tags,
		OwnerAvatarURL: s.Repo.OwnerAvatarURL,
	}
	if path := s.Repo.AvatarPath(); e.BaseURL != "" && path != "" {
		g.OwnerAvatarURL = e.link(path)
	}
	if len(d.Icons) > 0 {
		g.PreferredImage = d.Icons[0].Src
	}
	if at := s.Repo.PushedAt.UTC(); !at.IsZero() {
		g.PushedAt = &at
	}
	return g
}

// short returns a text on one line of at most n characters, cut at the end of a word.
func short(s string, n int) string {
	r := []rune(text.OneLine(s))
	if len(r) <= n {
		return string(r)
	}
	cut := n - 1
	for i := cut; i > n/2; i-- {
		if unicode.IsSpace(r[i]) {
			cut = i
			break
		}
	}
	return strings.TrimRightFunc(string(r[:cut]), func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune(",;:-–—(", c)
	}) + "…"
}

// secureURL returns an absolute https URL, "" for anything else.
func secureURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > 2000 ||
		strings.ContainsAny(s, "\"'<>\\^`{}| \t\r\n") {
		return ""
	}
	return s
}
