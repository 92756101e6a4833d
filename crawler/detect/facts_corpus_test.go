package detect

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCorpusFacts reports how many descriptions describe the server, how many members of
// repositories have distinct names, how many endpoints are not web pages and, with CENSUS_MIRROR,
// how many variables are in other files than the selected texts, or are named after an option in
// the same line of the README, because the program may be in a package of another repository.
func TestCorpusFacts(t *testing.T) {
	says := regexp.MustCompile(`(?i)^(?:#|\[|!|(?:the )?model context protocol(?: \(mcp\))?,? (?:is|standard|defines))`)
	var descriptions, names, remotes, variables tally
	for _, r := range readRecords(t, filepath.Join(corpusDir(t), "repos")) {
		servers := Servers(r.withSources(r.snapshot()), nil).Servers
		count := map[string]int{}
		for _, s := range servers {
			count[s.Detection.Name]++
		}
		for _, s := range servers {
			d := s.Detection
			at := r.full() + " " + d.Subfolder
			descriptions.is(d.Description != "" && !says.MatchString(d.Description), at+": "+d.Description)
			if len(servers) > 1 {
				names.is(d.Name != "" && count[d.Name] == 1, at+": "+d.Name)
			}
			for _, e := range d.Remotes {
				remotes.is(!regexp.MustCompile(`://(?:docs|blog|www|github)\.(?:[^m]|m[^c])|/(?:docs|blog|guides?)/`).MatchString(e.URL),
					at+": "+e.URL)
			}
			for _, v := range d.Variables {
				if os.Getenv("CENSUS_MIRROR") != "" && len(servers) == 1 {
					variables.is(r.uses(v.Name) || r.ofOption(v.Name), at+": "+v.Name)
				}
			}
		}
	}
	descriptions.report(t, "descriptions", 0.95)
	names.report(t, "names of members", 0.95)
	remotes.report(t, "endpoints", 1)
	if variables.all > 0 {
		variables.report(t, "variables in source or of options", 0.9)
	}
}

// uses reports whether a name is in a file of the repository other than the texts.
func (r *record) uses(name string) bool {
	dir := filepath.Join(os.Getenv("CENSUS_MIRROR"), r.Owner+"+"+r.Name, "repo")
	out, err := exec.Command("git", "-C", dir, "grep", "-lwF", name, r.Head.Sha, "--", ":!*.md", ":!*.mdx").Output()
	return err == nil && strings.TrimSpace(string(out)) != ""
}

// ofOption reports whether a line of the README contains both a name and an option whose words
// are the end of the name: "--tide-port" and SEA_TIDE_PORT.
func (r *record) ofOption(name string) bool {
	if r.Readme == nil {
		return false
	}
	for line := range strings.Lines(r.Readme.Text) {
		if !strings.Contains(line, name) {
			continue
		}
		for _, o := range regexp.MustCompile(`--[a-z][a-z0-9-]+`).FindAllString(line, -1) {
			if strings.HasSuffix(name, "_"+strings.ToUpper(strings.ReplaceAll(o[2:], "-", "_"))) {
				return true
			}
		}
	}
	return false
}
