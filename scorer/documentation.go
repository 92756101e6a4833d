package scorer

import (
	"fmt"
	"slices"
	"strings"
)

const noReadme = "There is no README."

func (in *input) readmeLength() signal {
	r := in.readme
	if r == nil {
		return signal{state: StateUnknown, reason: in.failed("The README has not been read.", "readme", "texts", "tree")}
	}
	s := signal{state: StateOK, at: at(&in.times.readme)}
	if r.Path == "" {
		s.reason = noReadme
		s.fix = "Write a README that describes purpose, set-up and limits."
		return s
	}
	s.value = checks[readme].Curve.At(float64(r.Characters))
	s.reason = "The README has " + count(max(0, r.Characters), "character") + " of text."
	s.evidence = in.file(r.Path, "")
	return s
}

func (in *input) clientConfig() signal {
	r := in.readme
	if r == nil {
		return signal{state: StateUnknown, reason: in.failed("The README has not been read.", "readme", "texts", "tree")}
	}
	s := signal{state: StateOK, at: at(&in.times.readme)}
	switch r.ClientConfig {
	case "":
		s.reason = "The README shows no configuration for a client."
		if r.Path == "" {
			s.reason = noReadme
		}
		return s
	case "json":
		s.reason = "The README shows a client configuration in JSON."
	case "command":
		s.reason = "The README shows a command that adds the server to a client."
	case "link":
		s.reason = "The README has a link that installs the server in a client."
	default:
		s.reason = "The README shows a client configuration."
	}
	s.value = 1
	s.evidence = in.file(r.Path, "")
	return s
}

func (in *input) toolsDocumented() signal {
	d := &in.f.Detection
	if len(d.Tools) == 0 {
		if d.Tools != nil || d.ToolsFrom != "" {
			return signal{state: StateNA, reason: "The server has no tools."}
		}
		r := in.readme
		if r == nil {
			return signal{state: StateUnknown, reason: in.failed("Neither the tools nor the README have been read.", "readme", "texts", "tree")}
		}
		s := signal{state: StateOK, at: at(&in.times.readme)}
		if r.Path != "" {
			s.evidence = in.file(r.Path, "")
		}
		switch entries := r.ToolEntries >= 2; {
		case r.ToolHeading && entries:
			s.value, s.reason = 1, "The README lists "+count(r.ToolEntries, "tool")+" under a heading."
		case r.ToolHeading:
			s.value, s.reason = .5, "The README has a heading for tools, but lists fewer than two."
		case entries:
			s.value, s.reason = .5, "The README lists "+count(r.ToolEntries, "tool")+" without a heading."
		case r.Path == "":
			s.reason = "There is no README, and no tools could be detected."
		default:
			s.reason = "The README lists no tools, and none could be detected."
		}
		return s
	}
	var described []string
	if in.readme != nil {
		described = in.readme.ToolsDescribed
	}
	has := func(name string) bool { return slices.Contains(described, name) }
	if len(described) > 16 {
		set := make(map[string]struct{}, len(described))
		for _, name := range described {
			set[name] = struct{}{}
		}
		has = func(name string) bool { _, ok := set[name]; return ok }
	}
	var missing []string
	for i := range d.Tools {
		if t := &d.Tools[i]; !hasWords(t.Description, 5) && !has(t.Name) {
			missing = append(missing, t.Name)
		}
	}
	n := len(d.Tools)
	if in.readme == nil && len(missing) > 0 {
		return signal{state: StateUnknown, reason: in.failed("The README, which may describe the tools, has not been read.", "readme", "texts", "tree")}
	}
	s := signal{state: StateOK, at: at(&in.times.readme)}
	s.value = float64(n-len(missing)) / float64(n)
	s.reason = fmt.Sprintf("Tools with a description: %d of %d.", n-len(missing), n)
	if in.readme != nil && in.readme.Path != "" {
		s.evidence = in.file(in.readme.Path, "")
	}
	if len(missing) > 0 {
		s.fix = "Describe " + some(missing, 5) + "."
	}
	return s
}

// hasWords says that s has at least n words.
func hasWords(s string, n int) bool {
	for range strings.FieldsSeq(s) {
		if n--; n <= 0 {
			return true
		}
	}
	return false
}

func (in *input) configDocumented() signal {
	d := &in.f.Detection
	type variable struct {
		name      string
		described bool
	}
	var few [16]variable
	list := few[:0]
	add := func(name string, described bool) {
		if name == "" || len(list) >= 500 {
			return
		}
		for i := range list {
			if list[i].name == name {
				list[i].described = list[i].described || described
				return
			}
		}
		list = append(list, variable{name, described})
	}
	for i := range d.Variables {
		add(d.Variables[i].Name, strings.TrimSpace(d.Variables[i].Description) != "")
	}
	if l := in.listing; l != nil {
		for i := range l.Packages {
			for _, v := range l.Packages[i].EnvironmentVariables {
				add(v.Name, strings.TrimSpace(v.Description) != "")
			}
		}
	}
	s := signal{state: StateOK, at: at(&in.times.readme)}
	if r := in.readme; r != nil {
		for _, name := range r.VariablesKnown {
			add(name, false)
		}
		for i := range list {
			list[i].described = list[i].described || slices.Contains(r.VariablesDescribed, list[i].name)
		}
		if r.Path != "" {
			s.evidence = in.file(r.Path, "")
		}
	} else {
		s.source, s.at = "official-registry", at(&in.times.listing)
	}
	if len(list) == 0 {
		if in.readme == nil {
			return signal{state: StateUnknown, reason: in.failed("Which settings it needs has not been read.", "readme", "texts", "tree")}
		}
		return signal{state: StateNA, reason: "It needs no environment variables."}
	}
	var missing []string
	for i := range list {
		if !list[i].described {
			missing = append(missing, list[i].name)
		}
	}
	s.value = float64(len(list)-len(missing)) / float64(len(list))
	s.reason = fmt.Sprintf("Environment variables described: %d of %d.", len(list)-len(missing), len(list))
	if len(missing) > 0 {
		s.fix = "Describe " + some(missing, 5) + "; mark secrets with isSecret."
	}
	return s
}

func (in *input) changelog() signal {
	r := &in.f.Repo
	if t := in.tree; t != nil && t.Changelog != "" {
		return signal{state: StateOK, value: 1, reason: "There is a " + clean(t.Changelog) + ".", evidence: in.file(t.Changelog, ""), at: at(&in.times.tree)}
	}
	s := signal{state: StateOK, at: at(&in.times.repo)}
	if len(r.LatestReleases) > 0 {
		newest := &r.LatestReleases[0]
		if newest.HasNotes != nil && *newest.HasNotes {
			s.value, s.reason = 1, "Release "+clean(newest.Tag)+" has notes."
			return s
		}
	}
	n := len(r.LatestReleases)
	if r.Releases != nil {
		n = max(n, *r.Releases)
	}
	if r.Tags != nil {
		n = max(n, *r.Tags)
	}
	switch {
	case in.tree == nil, len(r.LatestReleases) > 0 && r.LatestReleases[0].HasNotes == nil, r.Releases == nil && len(r.LatestReleases) == 0:
		return signal{state: StateUnknown, reason: in.failed("Whether there is a changelog or release notes has not been read.", "tree", "releases")}
	case n >= 2:
		s.value, s.reason = .6, fmt.Sprintf("There are %d releases or tags without notes, and no changelog.", n)
	default:
		s.reason = "There is no changelog, and no release with notes."
	}
	return s
}
