package scorer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/tools"
)

var documentationChecks = []CheckSpec{
	{
		ID: "readme", Category: documentation, Name: "README",
		NoPoints: "The length of a README says little about a server.",
		from:     fromReadme, measure: (*input).readmeLength,
		Question: "Does the README explain enough?",
		Formula:  "Characters of text, without badges, HTML and code.",
		Curve:    Curve{{200, 0}, {1500, .7}, {4000, 1}},
		Source:   sourceHost,
	},
	{
		ID: "client_config", Category: documentation, Name: "Client configuration", Weight: 2,
		from: fromReadme, measure: (*input).clientConfig,
		Question: "Can I copy a client's configuration from the README?",
		Formula: "A client configuration that parses, a client's add command or an install " +
			"link: 1. None: 0.",
		Source: sourceHost,
		Fix:    "Add the JSON configuration for a client to the README.",
	},
	{
		ID: "tools_documented", Category: documentation, Name: "Tools described", Weight: 5,
		from: fromTexts, measure: (*input).toolsDocumented, advise: (*input).toolsAdvice,
		Question: "Are the tools described?",
		Formula: "Share of the detected tools with at least two words of description in their " +
			"source, schema or the README, without tools that the default settings turn off; of " +
			"the tools that the README names, if that is more. A heading and at least two entries " +
			"in the README count at least 0.7, one of the two 0.35.",
		Source: sourceHost,
		NA:     "the server has no tools",
		Fix:    "List the tools in the README, with a sentence about each.",
	},
	{
		ID: "config_documented", Category: documentation, Name: "Settings described", Weight: 5,
		from: fromTexts, measure: (*input).configDocumented, advise: (*input).configAdvice,
		Question: "Are the environment variables described?",
		Formula: "Share of the environment variables that have a description in server.json, " +
			"another manifest or the README. A description that only repeats the name, or fits any " +
			"variable, such as \"Your API key\", does not count.",
		Source: sourceHost,
		NA:     "all of its source code was read, and reads none",
		Fix:    "Describe every environment variable in the README or server.json.",
	},
	{
		ID: "changelog", Category: documentation, Name: "Changelog", Weight: 3,
		from: fromRepo, measure: (*input).changelog, advise: (*input).changesAdvice,
		Question: "Are changes between versions documented?",
		Formula: "A changelog file, or notes for the latest release: 1. At least two releases or " +
			"tags without notes: 0.6. Otherwise 0.",
		Source: sourceHost,
		Fix:    "Write release notes or a CHANGELOG.md.",
	},
}

// readmeFile returns the README as evidence, nil if there is none.
func (in *input) readmeFile() []registry.Evidence {
	if in.readme == nil || in.readme.Path == "" {
		return nil
	}
	return in.file(in.readme.Path, "")
}

const noReadme = "No README."

func (in *input) readmeLength(s signal) signal {
	r := in.readme
	if r.Path == "" {
		return s.withValue(0, noReadme)
	}
	return s.withValue(float64(r.Characters), "The README has "+
		text.Count(max(0, r.Characters), "character")+" of text.", in.readmeFile()...)
}

// clientConfigs are the forms of a client configuration, in words.
var clientConfigs = map[string]string{
	"json":    "a client configuration in JSON",
	"command": "a command that adds the server to a client",
	"link":    "a link that installs the server in a client",
}

func (in *input) clientConfig(s signal) signal {
	switch r := in.readme; {
	case r.ClientConfig != "":
		form := cmp.Or(clientConfigs[r.ClientConfig], "a client configuration")
		return s.withValue(1, "The README has "+form+".", in.readmeFile()...)
	case r.Path == "":
		return s.withValue(0, noReadme)
	}
	return s.withValue(0, "The README has no client configuration.")
}

// toolsDocumented counts the described tools of the best described list: of the repository, an
// endpoint or a package.
func (in *input) toolsDocumented(s signal) signal {
	d := &in.f.Detection
	if len(d.Tools) == 0 && (d.Tools != nil || d.ToolsFrom != "") {
		return notApplicable("The server has no tools.")
	}
	list, missing := in.bestDescribed()
	n := len(list.Tools)
	switch {
	case n == 0 && slices.ContainsFunc(in.f.ToolLists(), func(l registry.ToolList) bool {
		return len(l.Tools) > 0 && (l.IsIncomplete() || slices.ContainsFunc(l.Tools, isUnread))
	}):
		return unknown("Not all of its tools, or not all of their descriptions, could be read.")
	case n == 0:
		return in.toolsListed()
	}
	if in.readme == nil && len(missing) > 0 {
		return unknown("The README, which may describe the tools, was not read.")
	}
	s = in.fromList(s, &list)
	s.value = float64(n-len(missing)) / float64(n)
	if len(missing) == 0 {
		s.reason = fmt.Sprintf("%d of %d %s have a description.", n, n, s.reason)
	} else {
		none := "No description"
		if slices.ContainsFunc(list.Tools, isBrief) {
			none += ", or only one word or a placeholder,"
		}
		s.reason = fmt.Sprintf("%s for %d of %d %s.", none, len(missing), n, s.reason)
		// More tools in the source do not make the README worse.
		if listed := in.toolsListed(); listed.value > s.value {
			s.value, s.reason = listed.value, s.reason+" "+listed.reason
			s.source, s.at, s.evidence = listed.source, listed.at, listed.evidence
		}
	}
	return s
}

// isUnread reports whether a tool has a description that is not known.
func isUnread(t registry.Tool) bool { return t.DescriptionUnread && t.Description == "" }

// isBrief reports whether a tool has a text that is too short for a description.
func isBrief(t registry.Tool) bool {
	return t.Description != "" && !registry.IsDescription(t.Description)
}

// toolsAdvice names the tools without a description.
func (in *input) toolsAdvice(*signal) string {
	if _, missing := in.bestDescribed(); len(missing) > 0 {
		return "Describe " + some(missing, 5) + "."
	}
	return "List the tools in the README, with a sentence about each."
}

// fromList returns s with the evidence, source and date of a list of tools, and with its
// tools in words as the reason.
func (in *input) fromList(s signal, l *registry.ToolList) signal {
	s.reason, s.source, s.at = "tools", l.From, &l.At
	switch pkg := in.packageOf(l); {
	case l.From == registry.ToolsFromProbe:
		s.reason += " that the endpoint lists"
		s.evidence = []registry.Evidence{{Type: "endpoint", Ref: clean(l.Endpoint)}}
	case l.From == registry.ToolsFromRun:
		s.reason += " that the package lists"
		s.evidence = packageEvidence(pkg)
	case l.Package.Identifier != "":
		s.reason, s.source = "tools in the package's code", l.Package.RegistryType
		s.evidence = packageEvidence(pkg)
	default:
		s.source, s.at = "", at(&in.times.readme)
		s.evidence = in.repositoryEvidence(l)
	}
	return s
}

// packageOf returns the package that listed tools or whose archive has them.
func (in *input) packageOf(l *registry.ToolList) *pkg {
	for i := range in.f.Packages {
		p := &in.f.Packages[i]
		ran := l.From == registry.ToolsFromRun && p.Inspection != nil && p.Inspection.At.Equal(l.At)
		if ran || p.RegistryType == l.Package.RegistryType && p.Identifier == l.Package.Identifier {
			return &pkg{registryType: p.RegistryType, identifier: p.Identifier}
		}
	}
	return nil
}

// repositoryEvidence returns where in the repository a list of tools and its
// descriptions are from.
func (in *input) repositoryEvidence(l *registry.ToolList) (all []registry.Evidence) {
	names := map[string]string{
		registry.ToolsFromSource: "source code", registry.ToolsFromManifest: "manifest",
	}
	if ref := names[l.From]; ref != "" {
		all = append(all, registry.Evidence{Type: "source", Ref: ref,
			URL: in.f.Repo.Ref().TreeURL(in.f.Repo.Commit, in.f.Detection.Subfolder)})
	}
	if len(all) == 0 || slices.ContainsFunc(l.Tools, func(t registry.Tool) bool {
		return t.DescriptionFrom == registry.ToolsFromReadme
	}) {
		all = append(all, in.readmeFile()...)
	}
	return all
}

// bestDescribed returns the complete list with the greatest share of described tools, without those
// that a start with the default settings does not register unless these are all, and the names of
// the tools without a description; of equal lists the one that pages and responses show. Without
// one it is empty.
func (in *input) bestDescribed() (best registry.ToolList, missing []string) {
	share, lists := -1., in.f.ToolLists()
	if shown, ok := tools.Choose(lists); ok {
		lists = slices.Insert(lists, 0, shown)
	}
	for _, l := range lists {
		if len(l.Tools) == 0 || l.Stale || l.IsIncomplete() {
			continue
		}
		if byDefault := registry.DefaultTools(l.Tools); len(byDefault) > 0 {
			l.Tools = byDefault
		}
		if l.Tools = slices.DeleteFunc(slices.Clone(l.Tools), isUnread); len(l.Tools) == 0 {
			continue
		}
		var without []string
		for i := range l.Tools {
			if t := &l.Tools[i]; !registry.IsDescription(t.Description) {
				without = append(without, t.Name)
			}
		}
		if of := 1 - float64(len(without))/float64(len(l.Tools)); of > share {
			best, missing, share = l, without, of
		}
	}
	return best, missing
}

// toolsListed returns the signal of a server whose tools could not be detected,
// from what the README lists.
func (in *input) toolsListed() signal {
	r := in.readme
	if r == nil {
		return unknown("Neither the tools nor the README were read.")
	}
	s := signal{state: StateOK, at: at(&in.times.readme), evidence: in.readmeFile()}
	switch entries := r.ToolEntries >= 2; {
	case r.ToolHeading && entries:
		s.value, s.reason = .7, "The README lists "+text.Count(r.ToolEntries, "tool")+" under a heading."
	case r.ToolHeading:
		s.value, s.reason = .35, "The README has a heading for tools, but fewer than two were found below it."
	case entries:
		s.value, s.reason = .35, "The README lists "+text.Count(r.ToolEntries, "tool")+" without a heading."
	case r.Path == "":
		s.reason = "No README, and no tools were detected."
	case in.f.Failures["sources"] != "":
		return unknown("No list of tools was found in the README, and not all source files were read.")
	default:
		s.reason = "No list of tools was found in the README, and none were detected."
		if hasTools(in.f.ToolLists()) {
			s.reason = "No list of tools was found in the README or the source code."
		}
	}
	if s.value == 0 && in.f.Detection.ToolsPartial {
		return unknown("No list of tools was found in the README, and those that the source code " +
			"registers could not be read.")
	}
	if r.ToolsNamed < 2 {
		return s
	}
	explained := min(max(0, r.ToolsExplained), r.ToolsNamed)
	if share := float64(explained) / float64(r.ToolsNamed); share > s.value {
		s.value = share
		s.reason = fmt.Sprintf("The README describes %d of the %d tools that it names.", explained,
			r.ToolsNamed)
	}
	return s
}

func hasTools(lists []registry.ToolList) bool {
	return slices.ContainsFunc(lists, func(l registry.ToolList) bool { return len(l.Tools) > 0 })
}

func (in *input) configDocumented(s signal) signal {
	names, described := in.variables()
	if len(names) == 0 {
		if !in.f.Detection.ReadsNoVariables {
			return unknown("Unknown which environment variables it needs.")
		}
		return notApplicable("No environment variables.")
	}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return described[name] })
	if in.readme == nil && len(missing) > 0 && in.f.Failures["readme"] != "" {
		return unknown("The README, which may describe the environment variables, was not read.")
	}
	s.evidence = in.readmeFile()
	if in.readme == nil {
		s.source, s.at = "official-registry", at(&in.times.listing)
	}
	s.value = float64(len(names)-len(missing)) / float64(len(names))
	if s.reason = "All environment variables are described."; len(missing) > 0 {
		s.reason = fmt.Sprintf("No description for %d of %d environment variables.", len(missing),
			len(names))
	}
	return s
}

// configAdvice names the variables without a description, and the place that has the others.
func (in *input) configAdvice(*signal) string {
	names, described := in.variables()
	missing := slices.DeleteFunc(names, func(name string) bool { return described[name] })
	place := "the README"
	if in.f.Detection.ServerJSON {
		place = "server.json"
	}
	return "Describe " + some(missing, 5) + " in " + place + "."
}

// maxVariables is the most environment variables of a server that are looked at.
const maxVariables = 500

// variables returns the environment variables of the server, and which of them
// are described.
func (in *input) variables() (names []string, described map[string]bool) {
	described = map[string]bool{}
	for _, v := range in.f.Detection.Variables[:min(len(in.f.Detection.Variables), maxVariables)] {
		if _, known := described[v.Name]; !known && v.Name != "" {
			names = append(names, v.Name)
		}
		described[v.Name] = described[v.Name] || registry.IsDescriptionOf(v.Description, v.Name) &&
			!strings.HasPrefix(v.Description, registry.OnlyTool)
	}
	return names, described
}

func (in *input) changelog(s signal) signal {
	if t := in.tree; t != nil && t.Changelog != "" {
		s.at = at(&in.times.tree)
		return s.withValue(1, "Found "+clean(t.Changelog)+".", in.file(t.Changelog, "")...)
	}
	r := &in.f.Repo
	var newest registry.Release
	if len(r.LatestReleases) > 0 {
		newest = r.LatestReleases[0]
	}
	if newest.HasNotes != nil && *newest.HasNotes {
		return s.withValue(1, "Release "+clean(newest.Tag)+" has notes.")
	}
	isRead := newest.HasNotes != nil || len(r.LatestReleases) == 0 && r.Releases != nil
	n := releaseCount(r)
	switch {
	case in.tree == nil, !isRead:
		return unknown("Unknown whether there is a changelog or release notes.")
	case n >= 2:
		s.value, s.reason = .6, fmt.Sprintf("%d releases or tags without notes, and no changelog.", n)
	default:
		s.reason = "No changelog and no release notes."
	}
	return s
}

func (in *input) changesAdvice(*signal) string {
	if len(in.f.Repo.LatestReleases) > 0 {
		return "Add notes to releases, or a CHANGELOG.md."
	}
	return "Add a CHANGELOG.md."
}

func releaseCount(r *registry.Repository) int {
	n := len(r.LatestReleases)
	for _, known := range []*int{r.Releases, r.Tags} {
		if known != nil {
			n = max(n, *known)
		}
	}
	return n
}
