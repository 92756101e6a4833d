package web

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// Before says what somebody should know before following a link that installs
// the server: above all what it needs that no link carries.
func (p serverPage) Before(s install.Snippet) string {
	missing, replaced := strings.CutPrefix(s.Note, "Replace ")
	missing = strings.TrimSuffix(missing, ".")
	switch {
	case replaced && s.Client == "goose":
		return "Then set " + strings.ReplaceAll(missing, "YOUR_", "") + " in " + s.Name + ": the link does not carry it, and without it the server does not start."
	case replaced:
		return "Then replace " + missing + " in " + s.Name + "’s settings: links carry no secrets, and without it the server does not start."
	case s.Note != "":
		return s.Note
	}
	if s.Client == "vscode" || s.Client == "visual-studio" {
		if needed := p.needed(); s.Via == "package" && needed != "" {
			return s.Name + " asks for " + needed + "."
		}
	}
	return ""
}

// needed are the names of the settings without which the server does not start.
func (p serverPage) needed() string {
	var names []string
	for _, v := range p.Variables {
		if v.IsRequired && v.Value == "" && (v.Default == "" || v.IsSecret) && len(names) < 6 {
			names = append(names, v.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Plain says whether a link is the second way to the same, by a web page.
func (p serverPage) Plain(s install.Snippet) bool {
	return s.Client == "vscode" && strings.HasPrefix(s.URL, "https://")
}

// OwnerFeed is the address of the feed of its owner's servers, "" if there is no
// owner.
func (p serverPage) OwnerFeed() string {
	if p.Repository.Owner == "" {
		return ""
	}
	return feedScope{Owner: strings.ToLower(p.Repository.Owner)}.path()
}

var (
	// movedOn are words with which owners send people elsewhere.
	movedOn = regexp.MustCompile(`(?i)deprecated|no longer|moved to|move to|replaced by|superseded|successor|instead|migrate`)
	// repositoryLink is a repository's address in a text or in a page.
	repositoryLink = regexp.MustCompile(`https://github\.com/[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}`)
)

const (
	readmeBeginning = 8 << 10 // of a README, in which a successor is looked for
	nearWords       = 400     // bytes behind the words that lead on
)

// successor returns the listed server that the owners of one that should not be
// used any more point to: by an address in what they say of it, or in their
// README near words that say so. It is nil where there is none.
func (p serverPage) successor(v *catalog.View) *row {
	if p.Status != "deprecated" && p.Status != "archived" {
		return nil
	}
	texts := []string{p.StatusMessage, p.Server.Description}
	if p.extras != nil && p.Readme != nil {
		text := string(p.Readme.Body[:min(len(p.Readme.Body), readmeBeginning)])
		for _, at := range movedOn.FindAllStringIndex(text, 20) {
			texts = append(texts, text[at[0]:min(len(text), at[1]+nearWords)])
		}
	}
	for _, text := range texts {
		for _, link := range repositoryLink.FindAllString(html.UnescapeString(text), 5) {
			ref, err := registry.ParseRepoRef(strings.TrimRight(link, "."))
			if err != nil || strings.EqualFold(ref.Owner, p.Repository.Owner) && strings.EqualFold(ref.Name, p.Repository.Name) {
				continue
			}
			items := v.InRepo(ref.Key())
			if at := slices.IndexFunc(items, func(i *catalog.Item) bool { return i.Slug() != p.Slug }); at >= 0 {
				if r, err := rowOf(items[at]); err == nil && r.Status == "active" {
					return &r
				}
			}
		}
	}
	return nil
}
