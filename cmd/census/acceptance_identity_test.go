package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
)

// emptyTags are words that could be tags of every server.
var emptyTags = []string{
	"mcp", "mcp-server", "mcp-servers", "mcpserver", "model-context-protocol", "modelcontextprotocol",
	"server", "servers", "tool", "tools", "ai", "llm", "api", "open-source", "opensource", "github",
}

// identity compares names, owners and tags of servers with lists and READMEs.
func (a *acceptance) identity(corpus string, records []*repoRecord) {
	a.t.Helper()
	var tags, keys, names, official, recalled, deprecated, successors tally
	vendors, community := ownersInLists(a.t, corpus)
	for _, r := range records {
		servers := a.servers(r.full())
		seen, called := map[string]bool{}, map[string]bool{}
		for _, s := range servers {
			for _, tag := range s.Tags {
				tags.is(synonyms.FoldTag(tag) == tag && !slices.Contains(emptyTags, tag), "%s: %s", s.Slug, tag)
			}
			if key := install.Key(&s); len(servers) > 1 {
				keys.is(!seen[key], "%s: %s", s.Slug, key)
				names.is(!called[s.Name], "%s: %s", s.Slug, s.Name)
				seen[key], called[s.Name] = true, true
			}
		}
		if len(servers) == 0 {
			continue
		}
		s, owner := servers[0], strings.ToLower(r.Owner)
		isOfficial := slices.ContainsFunc(servers, func(s registry.Server) bool { return s.Official })
		if isOfficial && (vendors[owner] || community[owner]) {
			official.is(vendors[owner], "%s: %s", r.full(), s.OfficialReason)
		}
		if vendors[owner] {
			recalled.is(isOfficial, "%s", r.full())
		}
		if says := sayDeprecated(r); len(servers) == 1 {
			if says != "" || s.Status == registry.StatusDeprecated {
				deprecated.is(says != "" && s.Status == registry.StatusDeprecated, "%s: %s: %s", r.full(), s.Status, says)
			}
			if strings.Contains(says, "](http") {
				successors.is(s.SuccessorURL != "", "%s: %s", r.full(), says)
			}
		}
	}
	tags.report(a.t, "tags folded, none empty", 1)
	keys.report(a.t, "client keys of members", 1)
	names.report(a.t, "names of members", 0.95)
	official.report(a.t, "official, as lists say", 1)
	recalled.report(a.t, "vendors of lists, official", 0)
	deprecated.report(a.t, "deprecated, as the README says", 0.7)
	successors.report(a.t, "successors that READMEs link", 0.7)
}

// ownersInLists returns the owners, in lower case, that a hand-made list marks as the
// product's vendor, and those that no list does.
func ownersInLists(t *testing.T, corpus string) (vendors, community map[string]bool) {
	t.Helper()
	vendors, community = map[string]bool{}, map[string]bool{}
	for _, list := range []string{"servers_readme", "toolhive"} {
		f, err := os.Open(filepath.Join(corpus, "lists", list+".jsonl"))
		if err != nil {
			continue // a corpus may have none
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var l struct {
				Repo, Tier string
				Heading    string `json:"category_heading"`
			}
			owner, _, ok := "", "", false
			if json.Unmarshal(lines.Bytes(), &l) == nil {
				owner, _, ok = strings.Cut(strings.ToLower(l.Repo), "/")
			}
			switch kind := l.Tier + l.Heading; {
			case !ok:
			case strings.HasPrefix(kind, "Official"):
				vendors[owner] = true
			default:
				community[owner] = true
			}
		}
		f.Close()
	}
	for owner := range vendors {
		delete(community, owner)
	}
	return vendors, community
}

var deprecation = regexp.MustCompile(`(?i)\b(?:this|the)(?: \w+){0,3} (?:server|repository|repo|project|package)\**` +
	`(?: has been| is| was)?(?: now)? (?:deprecated|archived|superseded|no longer maintained|unmaintained|replaced)`)

// sayDeprecated returns the paragraph near the beginning of a README that declares the server
// deprecated, "" if none does.
func sayDeprecated(r *repoRecord) string {
	if r.Readme == nil {
		return ""
	}
	text := r.Readme.Text[:min(len(r.Readme.Text), 3000)]
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(text, "\n>", "\n"), "\n\n") {
		if deprecation.MatchString(paragraph) {
			return strings.Join(strings.Fields(paragraph), " ")
		}
	}
	return ""
}
