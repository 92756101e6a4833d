package manifest

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

const maxVariables = 200

// ParseEnvFile reads the variables of an example .env file. A comment before or after a variable
// is its description. Variables that are commented out are optional, and their values are examples.
var ParseEnvFile = parser(plainText, func(s string) []registry.Variable {
	var out []registry.Variable
	seen := map[string]bool{}
	comment, ended := "", false // of its paragraph
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		body := strings.TrimSpace(strings.TrimLeft(line, "#"))
		name, value, ok := strings.Cut(strings.TrimPrefix(body, "export "), "=")
		name = strings.TrimSpace(name)
		switch {
		case line == "":
			comment = ""
		case !ok || !settings.IsEnvName(name):
			switch {
			case ruler.MatchString(body):
				comment = ""
			case line[0] == '#' && body == "":
				ended = true
			case line[0] == '#' && ended:
				comment, ended = body, false
			case line[0] == '#':
				comment = continued(comment, body)
			}
		case !seen[name] && len(out) < maxVariables:
			seen[name] = true
			v := exampleVariable(name, value, comment)
			if line[0] == '#' {
				v.Default = ""
			}
			out, comment, ended = append(out, v), "", false
		}
	}
	return out
})

// continued returns a comment with its next line, or that line alone if the comment is a heading:
// short and not a sentence. It ignores list items and examples below a comment.
func continued(comment, line string) string {
	r, _ := utf8.DecodeRuneInString(line)
	switch {
	case comment == "":
		return line
	case asideLine.MatchString(line):
		return comment
	case len(comment) > maxComment:
		return comment
	case unicode.IsLower(r), r == '(', len(comment) > maxHeading, strings.ContainsAny(comment, ".:;,"):
		return comment + " " + line
	}
	return line
}

const (
	// maxHeading is the length of headings in comments in bytes; longer lines are wrapped.
	maxHeading = 60
	// maxComment is the number of bytes after which no more lines are added.
	maxComment = 4 * untyped.MaxText
)

// ruler matches a line of a comment that separates groups of variables.
var ruler = regexp.MustCompile(`^[-=*~]{3,}|[-=*~]{4,}`)

// asideLine matches a line of a comment that is an item of a list or an example.
var asideLine = regexp.MustCompile(`^[-*•] |^(?i:e\.g\.|examples?|for example)[ :,]`)

// exampleVariable returns the variable of a line of an example .env file.
func exampleVariable(name, value, comment string) registry.Variable {
	value, trailing, found := strings.Cut(" "+strings.TrimSpace(value), " #")
	if found {
		comment = trailing
	}
	stated := statedNeed.FindStringSubmatch(comment)
	if stated != nil {
		comment = comment[len(stated[0]):]
	}
	r, n := utf8.DecodeRuneInString(comment)
	if stated != nil && n > 0 {
		comment = string(unicode.ToUpper(r)) + comment[n:]
	}
	if at := secondSentence.FindStringIndex(comment); at != nil && len(comment) > maxMeaning {
		comment = comment[:at[0]+1]
	}
	v := registry.Variable{Name: name, Description: untyped.Short(comment),
		IsSecret: registry.IsSecretName(name) || settings.HoldsSecret(value)}
	value = strings.Trim(strings.TrimRight(strings.TrimSpace(value), ";"), `"'`)
	if !v.IsSecret && !settings.IsExample(value) {
		v.Default = untyped.Short(value)
	}
	v.IsRequired = stated != nil && strings.EqualFold(stated[1]+stated[2], "required") && v.Default == ""
	return v
}

// maxMeaning is the number of bytes from which a comment with several sentences is more than what a
// variable means.
const maxMeaning = 200

// secondSentence matches the end of a sentence before another one.
var secondSentence = regexp.MustCompile(`[.!?]\s+\p{Lu}`)

// statedNeed matches the beginning of a comment that states whether a variable is required.
var statedNeed = regexp.MustCompile(`^(?i:[\[(](required|optional)[\])] ?[:–—-]? ?|(required|optional) ?[:–—-] ?)`)
