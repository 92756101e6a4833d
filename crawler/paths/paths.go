// Package paths tells from a path in a repository whether a file is part of the program, and in
// which language it is written. What follows from that, such as which files are read, is
// decided by the callers.
package paths

import (
	"embed"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/text"
)

//go:embed rules
var embedded embed.FS

// A Kind tells whose a file or folder is and what it is for.
type Kind uint8

// Kinds. If parts of a path have different ones, the last in this list applies.
const (
	Own       Kind = iota // part of the program
	Tooling               // for developing it: scripts, configuration, benchmarks, helpers of tests
	Docs                  // documentation
	Example               // examples and demonstrations
	Test                  // tests
	Fixture               // data and mocks of tests
	Generated             // made by a program
	Foreign               // code of other projects
)

var kindNames = []string{
	"own", "tooling", "docs", "example", "test", "fixture", "generated", "foreign",
}

var (
	rules     = vocabulary.Rules(embedded)
	folders   = kindsOf("folders.txt")
	words     = kindsOf("words.txt")
	files     = fileRules()
	languages = vocabulary.Pairs(rules, "languages.txt")
)

func kindsOf(name string) map[string]Kind {
	kinds := map[string]Kind{}
	for word, kind := range vocabulary.Pairs(rules, name) {
		kinds[word] = parseKind(kind)
	}
	return kinds
}

func parseKind(s string) Kind {
	i := slices.Index(kindNames, s)
	if i < 0 {
		panic("paths: unknown kind " + s)
	}
	return Kind(i)
}

// fileRules returns one expression on the names of files for each kind.
func fileRules() map[Kind]*regexp.Regexp {
	patterns := map[Kind][]string{}
	for _, line := range vocabulary.Lines(rules, "files.txt") {
		kind, pattern, _ := strings.Cut(line, ": ")
		patterns[parseKind(kind)] = append(patterns[parseKind(kind)], `(?:`+pattern+`)`)
	}
	out := map[Kind]*regexp.Regexp{}
	for kind, p := range patterns {
		out[kind] = regexp.MustCompile(strings.Join(p, `|`))
	}
	return out
}

// Language returns the language of a source file, as code hosts spell it, and "" for other
// files.
func Language(p string) string { return languages[strings.ToLower(path.Ext(p))] }

// Languages returns all languages, sorted.
func Languages() []string {
	return slices.Compact(slices.Sorted(maps.Values(languages)))
}

func File(p string) Kind {
	dir, base := path.Split(slashed.Replace(p))
	kind := Folder(dir)
	if Language(base) == "" {
		return kind
	}
	for k, rule := range files {
		if k > kind && rule.MatchString(base) {
			kind = k
		}
	}
	return kind
}

// slashed replaces the separators of Windows.
var slashed = strings.NewReplacer(`\`, "/")

// packageNames matches the folders of Maven and Gradle for a program. Those below are named after
// packages, such as com/example.
var packageNames = regexp.MustCompile(`(^|/)src/main/(java|kotlin|scala|groovy)/`)

func Folder(dir string) Kind {
	dir = slashed.Replace(dir)
	if at := packageNames.FindStringIndex(dir); at != nil {
		dir = dir[:at[1]]
	}
	kind, parent := Own, ""
	for name := range strings.SplitSeq(dir, "/") {
		kind = max(kind, kindOf(name, parent))
		parent = strings.ToLower(name)
	}
	return kind
}

// kindOf returns the kind of a folder in a parent in lower case, regardless of those above.
func kindOf(name, parent string) Kind {
	lower := strings.ToLower(name)
	if kind, ok := folders[parent+"/"+lower]; ok {
		return kind
	}
	if kind, ok := folders[lower]; ok {
		if isSubject(lower, parent) && kind != Fixture && kind != Foreign {
			return Own
		}
		return kind
	}
	if strings.HasPrefix(name, ".") && name != "." {
		return Tooling
	}
	first, last := Ends(name)
	return max(words[first], words[last])
}

// isSubject reports whether a folder is named after what a tool or a server operates on, such as
// tools/docs.
func isSubject(name, parent string) bool {
	return (parent == "tools" || strings.HasSuffix(parent, "servers")) && !strings.Contains(name, "test")
}

// Ends returns the first and the last word of the name of a folder, in lower case.
func Ends(name string) (first, last string) {
	all := strings.FieldsFunc(strings.ToLower(text.Apart(name)), func(r rune) bool { return strings.ContainsRune("._- ", r) })
	if len(all) == 0 {
		return "", ""
	}
	return all[0], all[len(all)-1]
}
