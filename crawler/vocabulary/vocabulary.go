// Package vocabulary loads lists of words and phrases that packages embed as
// text files.
//
// A file has one entry per line. Empty lines and lines that begin with "#" are
// ignored. In the files of [Anywhere] and [Whole] an entry is a case-insensitive
// phrase, in which "(s)" is optional, "*" matches the rest of a word and a space
// matches any white space. Entries match whole words: "tool(s)" matches in
// "All tools", not in "toolbox".
package vocabulary

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Rules returns the folder "rules" of embedded files.
func Rules(embedded fs.FS) fs.FS {
	rules, err := fs.Sub(embedded, "rules")
	if err != nil {
		panic("vocabulary: " + err.Error())
	}
	return rules
}

// Lines returns the entries of a file in order. Like all functions of this package, it
// panics if the file is missing.
func Lines(files fs.FS, name string) []string {
	b, err := fs.ReadFile(files, name)
	if err != nil {
		panic("vocabulary: " + err.Error())
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// Set returns the entries of a file as a set.
func Set(files fs.FS, name string) map[string]bool {
	out := map[string]bool{}
	for _, line := range Lines(files, name) {
		out[line] = true
	}
	return out
}

// Pairs returns the entries of a file of the form "key: value" as a map. A
// value may be empty.
func Pairs(files fs.FS, name string) map[string]string {
	out := map[string]string{}
	for _, line := range Lines(files, name) {
		key, value, found := strings.Cut(line, ":")
		if !found {
			panic("vocabulary: " + name + ": entry without a colon: " + line)
		}
		out[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return out
}

// Expressions returns an expression that finds any entry of a file in a text.
// Entries are case-insensitive expressions in the syntax of package regexp; the first
// that matches wins. In an entry, "{name}" matches any entry of the file name.txt in
// the same folder.
func Expressions(files fs.FS, name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + expressions(files, name))
}

var reference = regexp.MustCompile(`\{[a-z_]+\}`)

func expressions(files fs.FS, name string) string {
	entries := Lines(files, name)
	for i, e := range entries {
		entries[i] = reference.ReplaceAllStringFunc(e, func(ref string) string {
			return expressions(files, path.Join(path.Dir(name), ref[1:len(ref)-1]+".txt"))
		})
	}
	return `(?:` + strings.Join(entries, `|`) + `)`
}

// Anywhere returns an expression that finds any entry of a file in a text.
func Anywhere(files fs.FS, name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + alternatives(Lines(files, name)))
}

// Whole returns an expression that matches a text only if the whole text is an entry of a file.
func Whole(files fs.FS, name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^` + alternatives(Lines(files, name)) + `$`)
}

// alternatives returns the pattern of phrases, each bounded by the ends of
// words. Phrases with the same bounds share them, which makes matching faster.
func alternatives(phrases []string) string {
	bounded := map[[2]string][]string{}
	for _, p := range phrases {
		bounds := boundaries(p)
		bounded[bounds] = append(bounded[bounds], syntax.Replace(regexp.QuoteMeta(p)))
	}
	var patterns []string
	for _, bounds := range [][2]string{{`\b`, `\b`}, {`\b`, ``}, {``, `\b`}, {``, ``}} {
		if list := bounded[bounds]; list != nil {
			patterns = append(patterns, bounds[0]+`(?:`+strings.Join(list, `|`)+`)`+bounds[1])
		}
	}
	return `(?:` + strings.Join(patterns, `|`) + `)`
}

// syntax translates the marks of an entry, after quoting, to an expression.
var syntax = strings.NewReplacer(`\(`, `(?:`, `\)`, `)?`, `\*`, `\w*`, ` `, `\s+`)

// boundaries returns the assertions before and after a phrase: \b where it begins or
// ends with an ASCII word, because \b is ASCII-only. An optional part at either end
// must be ASCII.
func boundaries(phrase string) (out [2]string) {
	if wordBegins.MatchString(phrase) {
		out[0] = `\b`
	}
	if wordEnds.MatchString(phrase) {
		out[1] = `\b`
	}
	return out
}

var wordBegins, wordEnds = regexp.MustCompile(`^[\w(]`), regexp.MustCompile(`[\w)*]$`)
