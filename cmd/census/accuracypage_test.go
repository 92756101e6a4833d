package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"
)

// A Group has the figures of one subject.
type Group struct {
	Name    string
	Data    string // measured, with its date
	Figures []Figure
}

// Dates returns the days of the measurements: "23 Nov 2026, 24 Nov 2026".
func (g Group) Dates() string {
	var days []string
	for _, f := range g.Figures {
		if d := dayOf(f.Date); !slices.Contains(days, d) {
			days = append(days, d)
		}
	}
	return strings.Join(days, ", ")
}

// Targets reports whether any figure has a target.
func (g Group) Targets() bool {
	return slices.ContainsFunc(g.Figures, func(f Figure) bool { return f.Target() != "" })
}

// day writes a date for people: "22 Nov 2026".
func dayOf(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 Jan 2006")
}

// Commits returns the days of the oldest and newest recorded commits: "13 Dec 2024 to 22 Aug 2026".
func (r Report) Commits() string { return dayOf(r.OldestCommit) + " to " + dayOf(r.NewestCommit) }

// Groups returns all figures by subject, in the order of the first of each.
func (r Report) Groups() (groups []Group) {
	for _, f := range r.Figures {
		of := f.subject()
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == of.name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Name: of.name, Data: of.data})
		}
		groups[i].Figures = append(groups[i].Figures, f)
	}
	return groups
}

// Data of groups.
const (
	recording = "the recorded repositories"
	archives  = "archives of packages of the recorded repositories"
	atRandom  = "41 servers drawn at random on 23 Nov 2026"
)

// countedEnd is the end of facts that are measured with counted registrations, after the language.
const countedEnd = ", counted)"

// A subject is the name and data of a group of figures. part is part of the names of its facts.
type subject struct{ part, name, data string }

// subjects are the groups. The first match counts.
var subjects = []subject{
	{"(README alone)", "Tools, from the README alone", recording},
	{"(same version)", "Tools, if the recorded version responded", recording},
	{"(archive)", "Tools, from archives of packages", archives},
	{"(unseen archive, first)", "Tools of servers drawn at random, first measurement", atRandom +
		", before any rule was made with them in view"},
	{"(unseen archive, third sample)", "Tools of servers drawn at random, third sample",
		"the 17 that responded of 65 other packages drawn at random on 24 Nov 2026, never used for any rule"},
	{"(unseen archive, fourth sample)", "Tools of servers drawn at random, fourth sample",
		"the 17 that responded of 38 packages of npm drawn at random on 28 Nov 2026, measured once"},
	{"(unseen archive, fifth sample)", "Tools of servers drawn at random, fifth sample",
		"the 32 that responded of 85 packages of npm and PyPI drawn at random on 29 Nov 2026, measured once"},
	{"(unseen archive, sixth sample)", "Tools of servers drawn at random, sixth sample",
		"the 38 that responded of 116 packages of npm and PyPI drawn at random on 30 Nov 2026, before any change"},
	{"first look)", "Servers that are listed, of unseen repositories",
		"94 public repositories and, after changes, 32 others; five in dispute are left out"},
	{countedEnd, "Tools, by language", "public repositories of each language, at least five"},
	{"(unseen repository)", "Tools of servers drawn at random, from their repositories",
		"all sources of the available repositories of " + atRandom},
	{"unseen", "Tools of servers drawn at random, from archives of packages", atRandom +
		", after adding general rules for missed tools"},
	{"install:", "Install commands and variables", recording},
	{"archives read", "Tools, from archives of packages", archives},
	{"of tools", "Tools", recording},
	{"no tools", "Tools", recording},
	{"listed", "Servers that are listed", recording},
	{"the sources", "Servers that are listed", recording},
	{"of monorepos", "Servers that are listed", recording},
	{"after a change", "Servers that are listed", recording},
	{"after one miss", "Servers that are listed", recording},
	{"after three misses", "Servers that are listed", recording},
	{"official", "Official, deprecated and copied servers", recording},
	{"deprecated", "Official, deprecated and copied servers", recording},
	{"successors", "Official, deprecated and copied servers", recording},
	{"copies", "Official, deprecated and copied servers", recording},
	{"score", "Scores", recording},
	{"CI", "Scores", recording},
	{"workflows", "Scores", recording},
}

// targets are the smallest shares, in percent, that were set as a goal for servers that were not
// in view when the program was developed.
var targets = map[string]int{
	"names of tools, F1": 90, "descriptions of tools equal": 80, "parameters of tools found": 70,
}

// Target returns the smallest share that was set as a goal: "90%"; "" for none.
func (f Figure) Target() string {
	for fact, percent := range targets {
		if strings.HasPrefix(f.Fact, fact+" (unseen ") {
			return fmt.Sprintf("%d%%", percent)
		}
	}
	return ""
}

func (f Figure) subject() subject {
	for _, s := range subjects {
		if strings.Contains(f.Fact, s.part) {
			return s
		}
	}
	return subject{name: "Facts about servers", data: recording}
}

// Meaning describes the comparison, "" if that follows from the name.
func (f Figure) Meaning() string {
	if fact, language, ok := strings.Cut(f.Fact, " ("); ok && strings.HasSuffix(language, countedEnd) {
		return meanings[fact] + "; against registrations that a plain search counts in the files"
	}
	for suffix, meaning := range variants {
		if fact, ok := strings.CutSuffix(f.Fact, suffix); ok {
			return meanings[fact] + "; " + meaning
		}
	}
	return meanings[f.Fact]
}

// variants are endings of facts that are measured in several ways.
var variants = map[string]string{
	" (README alone)":                  "reading the README without the source code",
	" (same version)":                  "of servers whose recorded version is the one that responded",
	" (archive)":                       "reading archives of the versions that responded",
	" (unseen archive, first)":         "reading archives of the versions that responded",
	" (unseen archive)":                "reading archives of the versions that responded",
	" (unseen archive, third sample)":  "reading archives of the versions that responded",
	" (unseen archive, fourth sample)": "reading archives of the versions that responded",
	" (unseen archive, fifth sample)":  "reading archives of the versions that responded",
	" (unseen archive, sixth sample)":  "reading archives of the versions that responded",
	" (unseen repository)":             "reading all sources of the repositories",
}

var meanings = map[string]string{
	"named by the sources": "repositories with a server that a list, the search or the official " +
		"registry led to",
	"servers listed":                       "repositories with a server that are listed",
	"listed is a server (first look)":      "repositories with a server, of those listed",
	"servers listed (first look)":          "of the repositories with a server",
	"not servers, not listed (first look)": "of the repositories without one",
	"not servers, not listed":              "repositories about MCP without a server that are not listed",
	"sdk":                                  "SDK, against the dependencies in the manifests",
	"licence":                              "license, against the text of the license file",
	"members of monorepos":                 "servers in subfolders, against manifests with an SDK and a program",
	"packages, one of them":                "repositories with at least one right package, against package records",
	"packages, each":                       "all packages, against package records",
	"workflows read":                       "servers whose workflows were read or whose tests were found",
	"settings with a description": "environment variables with a description; some READMEs " +
		"have none",
	"CI steps that their files have": "steps of continuous integration, against the files",
	"tags folded, none empty":        "tags that are not empty and have one spelling",
	"client keys of members":         "servers of one repository with different client keys",
	"install: executable as README": "programs of install commands, against the README's configurations of the " +
		"same package",
	"install: arguments as README":    "arguments of install commands, against the same configurations",
	"install: at least its variables": "install commands with all variables of the same configuration",
	"install: all three":              "install commands for which the three rows above are right",
	"install: named by repository":    "packages of install commands that a text of the repository names",
	"install: required, precision": "required variables to fill in, in each configuration of the " +
		"package",
	"install: required, recall": "variables to fill in, in each configuration of the package, that are " +
		"required here",
	"install: defaults, no examples": "defaults of variables that are not plainly examples",
	"names of members":               "servers of one repository with different names",
	"official, as lists say":         "servers that we call official, against hand-made lists",
	"vendors of lists, official":     "vendors of hand-made lists whose server we call official",
	"deprecated, as the README says": "deprecated servers, against a reading of the README",
	"successors that READMEs link":   "successors of deprecated servers",
	"names of tools found":           "tools that servers returned, by name",
	"names of tools right":           "names of tools that we list, against these responses",
	"names of tools, F1": "F1, the harmonic mean of the shares found and right: twice the right names, " +
		"of all listed and all returned",
	"descriptions of tools equal": "descriptions that servers returned, compared exactly",
	"parameters of tools found":   "parameters that servers returned, by name",
	"parameters of tools right":   "parameters that we list, of tools with the right name, against these responses",
	"parameters of tools, F1": "F1, the harmonic mean of the shares found and right: twice the right parameters, " +
		"of all listed and all returned",
	"originals, not called copies": "listed servers, all of which are originals",
	"made copies, found": "copies of recorded servers under other owners, with up to 20% of the README's words " +
		"replaced",
	"archives read":              "downloaded archives of packages",
	"archives read whole":        "the same, without known missing tools",
	"unseen archives read":       "downloaded archives of packages of servers outside the recording",
	"unseen archives read whole": "the same, without known missing tools",
	"not servers, no tools":      "repositories about MCP without a server for which we list no tools",
	"scored":                     "servers with a score",
	"pairs and bounds of scores": "pairs of servers of which one must score higher, and bounds of scores",
	"archived after a change":    "repositories archived during the test, shown as such",
	"unreachable after one miss": "repositories removed during the test, first unreachable",
	"deleted after three misses": "the same, then deleted",

	"listed is a server (after changes, first look)":      "as above",
	"servers listed (after changes, first look)":          "as above",
	"not servers, not listed (after changes, first look)": "as above",
}

//go:embed testdata/accuracy.md.tmpl
var docText string

var docTemplate = template.Must(template.New("accuracy").Parse(docText))

// Markdown returns docs/accuracy.md: the figures, and how they were measured.
func Markdown() string {
	var b strings.Builder
	if err := docTemplate.Execute(&b, Last()); err != nil {
		panic("accuracy: " + err.Error()) // the template does not fit the data
	}
	return b.String()
}
