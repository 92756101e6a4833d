package search

import (
	"net/url"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

// texts are the words of a server by place.
type texts struct {
	names       []string // name, title, repository and subfolder
	labels      []string // tags, owner, category, and wider terms of the short texts
	tools       []string // names of tools
	description string
	details     []string // identifiers of packages, hosts of remotes, descriptions of tools
	readme      string
}

// How many bytes of a README and of a tool's description are indexed.
const (
	maxReadme   = 40_000
	maxToolText = 400
)

func textsOf(s *registry.Server) texts {
	t := texts{description: s.Description, readme: s.Readme}
	if len(t.readme) > maxReadme {
		t.readme = strings.ToValidUTF8(t.readme[:maxReadme], "")
	}
	for _, name := range []string{s.Name, s.Title, s.Repo.Name, s.Subfolder} {
		for _, spelling := range words.Spellings(name) {
			if !slices.Contains(t.names, spelling) {
				t.names = append(t.names, spelling)
			}
		}
	}
	t.labels = append(slices.Clone(s.Tags), s.Repo.Owner, s.Category)
	t.details = addressesOf(s)
	for i := range s.Tools {
		t.tools = append(t.tools, words.Spellings(s.Tools[i].Name)...)
		if d := s.Tools[i].Description; d != "" {
			t.details = append(t.details, strings.ToValidUTF8(d[:min(len(d), maxToolText)], ""))
		}
	}
	short := slices.Concat(t.names, t.labels, t.tools, []string{t.description})
	t.labels = append(t.labels, synonyms.Wider(words.Fields(strings.ToLower(strings.Join(short, "\n"))))...)
	return t
}

// addressesOf returns the identifiers of a server's packages and the hosts of its remotes.
func addressesOf(s *registry.Server) (all []string) {
	for i := range s.Packages {
		all = append(all, s.Packages[i].Identifier)
	}
	for _, r := range s.Remotes {
		if u, err := url.Parse(r.URL); err == nil {
			all = append(all, u.Hostname())
		}
	}
	return all
}
