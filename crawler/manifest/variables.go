package manifest

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

const maxVariables = 200

var (
	envName     = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$`)
	systemNames = vocabulary.Set(rules, "variables/system.txt")
	secretWords = vocabulary.Set(rules, "variables/secrets.txt")
	notSetting  = vocabulary.Expressions(rules, "variables/not_settings.txt")
	notSecrets  = vocabulary.Lines(rules, "variables/not_secrets.txt")
	kinds       = vocabulary.Set(rules, "variables/key_kinds.txt")
	// secretEndings are endings of several words.
	secretEndings = vocabulary.Lines(rules, "variables/secret_endings.txt")
	placeholder   = vocabulary.Expressions(rules, "variables/placeholders.txt")
)

// IsEnvName reports whether s is an environment variable that may be a setting of a server,
// rather than one of the system or of tests, or the name of an error.
func IsEnvName(s string) bool {
	if len(s) < 3 || len(s) > 100 || strings.HasPrefix(s, "YOUR_") || notSetting.MatchString(s) {
		return false
	}
	return envName.MatchString(s) && !systemNames[s]
}

// envAccess matches code that reads an environment variable. One of its groups is the name.
var envAccess = vocabulary.Expressions(rules, "variables/access.txt")

// SourceEnvironment returns the names of the environment variables that a source file reads, with
// duplicates.
func SourceEnvironment(b []byte) []string {
	var out []string
	for _, m := range envAccess.FindAllSubmatch(b, maxVariables) {
		for _, name := range m[1:] {
			if IsEnvName(string(name)) {
				out = append(out, string(name))
			}
		}
	}
	return out
}

// LooksSecret reports whether a variable probably contains a secret, judging by its name.
func LooksSecret(name string) bool {
	name = "_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	endsIn := func(ending string) bool { return strings.HasSuffix(name, "_"+ending) }
	if slices.ContainsFunc(notSecrets, endsIn) {
		return false
	}
	last := name[strings.LastIndexByte(name, '_')+1:]
	endsInWord := func(word string) bool { return strings.HasSuffix(last, word) }
	kind, isKey := strings.CutSuffix(last, "KEY") // "APIKEY", and not "VALKEY"
	return isKey && kinds[kind] || slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSWORD"}, endsInWord) ||
		secretWords[last] || slices.ContainsFunc(secretEndings, endsIn)
}

// IsPlaceholder reports whether a value in an example is a placeholder that the user must
// replace.
func IsPlaceholder(value string) bool {
	return placeholder.MatchString(strings.TrimSpace(value))
}

// ParseEnvFile reads the variables of an example .env file. A comment before or after a variable
// is its description. Variables that are commented out are optional.
var ParseEnvFile = parser(plainText, func(s string) []registry.Variable {
	var out []registry.Variable
	seen := map[string]bool{}
	comment := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		body := strings.TrimSpace(strings.TrimLeft(line, "#"))
		name, value, ok := strings.Cut(strings.TrimPrefix(body, "export "), "=")
		name = strings.TrimSpace(name)
		switch {
		case line == "":
			comment = ""
		case !ok || !IsEnvName(name):
			if ruler.MatchString(body) {
				comment = ""
			} else if line[0] == '#' && body != "" {
				comment = continued(comment, body)
			}
		case !seen[name] && len(out) < maxVariables:
			seen[name] = true
			out = append(out, exampleVariable(name, value, comment))
			comment = ""
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
	case unicode.IsLower(r), r == '(', len(comment) > maxHeading, strings.ContainsAny(comment, ".:;,"):
		return comment + " " + line
	}
	return line
}

// maxHeading is the length of headings in comments in bytes; longer lines are wrapped.
const maxHeading = 60

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
	v := registry.Variable{Name: name, Description: untyped.Short(comment),
		IsSecret: LooksSecret(name) || HoldsSecret(value)}
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	if !v.IsSecret && !IsExample(value) {
		v.Default = untyped.Short(value)
	}
	v.IsRequired = stated != nil && strings.EqualFold(stated[1]+stated[2], "required") && v.Default == ""
	return v
}

// statedNeed matches the beginning of a comment that states whether a variable is required.
var statedNeed = regexp.MustCompile(`^(?i:[\[(](required|optional)[\])] ?[:–—-]? ?|(required|optional) ?[:–—-] ?)`)
