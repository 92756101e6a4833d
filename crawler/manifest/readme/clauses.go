package readme

import (
	"regexp"
	"strings"

	"mcpcensus/crawler/settings"
)

var (
	clauseEnd = regexp.MustCompile(`[.,;:!?]\s+|\s[-–—]+\s|[()\[\]|]`)
	joined    = regexp.MustCompile(`^(?i:and|or)\b`)
	// notSubject matches the words of a clause before its state that are not its subject.
	notSubject = regexp.MustCompile(`(?i)^(?:(?:but|and|or|so|then|if|when|unless|where|an?|the|` +
		`is|are|be|also|not|no|longer|only|always|may|can|otherwise|in|by|\w+ly)\b\W*)+`)
	// itself matches a subject that refers to the variable.
	itself = regexp.MustCompile(`(?i)^(?:it|this|that|these|they|which|both|either|` +
		`(?:environment )?variables?|settings?|values?|options?|parameters?)\b`)
	statedDefault = regexp.MustCompile("(?i)\\bdefaults?(?: value)?(?:\\s*[:=]|\\s+(?:to|is)\\b|\\s)\\s*" +
		"(?:[`\"']([^`\"'\\n]+)[`\"']|([^\\s`\"',;()]+?))(?:[),;\\]]|[.,;]\\s|\\.?$)")
	// defaultThing matches a name of what a variable is for: "Default account".
	defaultThing = regexp.MustCompile(`(?i)^\W*defaults?\s+[a-z]+\W*$`)
)

// ownClauses returns a description without the clauses that state what something other than the
// variable is: "Key. Names of boxes are optional." The first clause is about the variable.
func ownClauses(name, text string) string {
	var kept strings.Builder
	for start, before := 0, ""; start < len(text); {
		end, next := len(text), len(text)
		if m := clauseEnd.FindStringIndex(text[start:]); m != nil {
			end, next = start+m[0], start+m[1]
		}
		clause := text[start:end]
		goesOn := strings.HasPrefix(before, ",") && joined.MatchString(clause)
		if strings.TrimSpace(kept.String()) == "" || goesOn || isAbout(name, clause) {
			kept.WriteString(clause)
		}
		before = text[end:next]
		kept.WriteString(before)
		start = next
	}
	return kept.String()
}

// isAbout reports whether a clause states nothing about something other than a variable.
func isAbout(name, clause string) bool {
	subject := clause
	for _, re := range []*regexp.Regexp{requiredWord, optionalWord, statedDefault} {
		if at := re.FindStringIndex(subject); at != nil {
			subject = subject[:at[0]]
		}
	}
	if subject == clause {
		return true
	}
	subject = strings.TrimLeft(subject, " *_`\"'")
	subject = subject[len(notSubject.FindString(subject)):]
	if strings.TrimSpace(subject) == "" || itself.MatchString(subject) {
		return true
	}
	for word := range strings.FieldsSeq(strings.ToUpper(subject)) {
		for part := range strings.SplitSeq(name, "_") {
			if len(part) > 2 && strings.Trim(word, "*`\"'") == part {
				return true
			}
		}
	}
	return strings.Contains(subject, name)
}

// defaultOf returns the default that a description of a variable states: "(default: 20)".
func defaultOf(text string) string {
	m := statedDefault.FindStringSubmatch(text)
	if m == nil || defaultThing.MatchString(text) {
		return ""
	}
	value := m[1] + m[2]
	if noDefault.MatchString(value) || isUnset(value) || !settings.IsValue(value) ||
		settings.IsExample(value) {
		return ""
	}
	return value
}
