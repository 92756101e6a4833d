package readme

import (
	"regexp"
	"strings"
	"unicode"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/vocabulary"
)

var (
	reservedWord = vocabulary.Whole(rules, "tools/reserved.txt")

	numbering = regexp.MustCompile(`^[\s\d.)#•*🔧⚡️✅🛠-]*`)
	// signature is a name alone, with arguments or with a description.
	signature = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.:/-]{1,99})\s*(?:\(|:|–|—|-\s|$)`)
)

// bareName returns the name in "1. `name(args)`:".
func bareName(s string) string {
	s = strings.Trim(strings.TrimSpace(numbering.ReplaceAllString(s, "")), "`*\"'")
	if i := strings.IndexByte(s, '('); i > 0 {
		s = strings.TrimSuffix(s[:i], " ")
	}
	return strings.TrimRight(s, ":.")
}

// signatureName returns the name that a text begins with, as in "name(args)" and
// "name - description", and the description.
func signatureName(s string) (name, description string) {
	s = numbering.ReplaceAllString(s, "")
	m := signature.FindStringSubmatch(s)
	if m == nil {
		return "", ""
	}
	description = s[len(m[1]):]
	if strings.HasPrefix(description, "(") {
		_, description, _ = strings.Cut(description, ")")
	}
	return bareName(m[1]), strings.TrimSpace(strings.TrimLeft(description, " :-–—.)"))
}

// isToolName reports whether a name that stands where tools are listed can be
// a tool's.
func isToolName(name string) bool {
	if !manifest.IsToolName(name) || len(name) < 2 || strings.ContainsAny(name, "/:") {
		return false
	}
	constant := strings.ContainsAny(name, "_-") && name == strings.ToUpper(name)
	return !constant && !reservedWord.MatchString(name)
}

// codeTool returns the tool that a code span is the name of, "" if it is
// something else.
func codeTool(code string) string {
	if name := strings.TrimSuffix(code, "()"); isIdentifier(name) {
		return name
	}
	return ""
}

// isWord reports whether a name may be an ordinary word of a text: "Read-only".
func isWord(name string) bool {
	return strings.Contains(name, "-") && name != strings.ToLower(name)
}

// isIdentifier reports whether a tool's name in code can hardly be an ordinary
// word: snake_case, kebab-case or camelCase.
func isIdentifier(name string) bool {
	if !isToolName(name) || strings.HasSuffix(name, "-") {
		return false
	}
	if strings.ContainsAny(name, "_.-") {
		return true
	}
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}
