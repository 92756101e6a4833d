package manifest

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/vocabulary"
)

var (
	toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$`)
	fileName = vocabulary.Expressions(rules, "file_names.txt")
)

func IsToolName(s string) bool {
	return toolName.MatchString(s) && !fileName.MatchString(s)
}

// sourceKinds are the names of rule files by language.
var sourceKinds = vocabulary.Pairs(rules, "transports/languages.txt")

func sourceKind(name string) string { return sourceKinds[paths.Language(name)] }

// IsSource reports whether [SourceTransports] reads files with this name.
func IsSource(name string) bool {
	return sourceKind(name) != "" && !strings.HasSuffix(name, ".d.ts")
}

// A transportRule matches code that starts a server over a transport.
type transportRule struct {
	transport string
	call      *regexp.Regexp
	brackets  string // of which one is open before the call; "" for any call
}

// maxBefore is how many bytes before a call its bracket may be.
const maxBefore = 200

// matches reports whether the rule matches a text, in time linear in its length: an expression
// that begins with any bracket would be tried at each.
func (r transportRule) matches(text string) bool {
	if r.brackets == "" {
		return r.call.MatchString(text)
	}
	closing := strings.NewReplacer("[", "]", "(", ")", "{", "}").Replace(r.brackets) + "\n"
	for _, at := range r.call.FindAllStringIndex(text, -1) {
		before := text[max(0, at[0]-maxBefore-1):at[0]]
		open := strings.LastIndexAny(before, r.brackets)
		if open >= 0 && !strings.ContainsAny(before[open:], closing) {
			return true
		}
	}
	return false
}

var transportRules = compileTransportRules()

func compileTransportRules() map[string][]transportRule {
	out := map[string][]transportRule{}
	for _, kind := range sourceKinds {
		if out[kind] != nil {
			continue
		}
		for _, line := range vocabulary.Lines(rules, "transports/"+kind+".txt") {
			transport, expression, _ := strings.Cut(line, ": ")
			rule := transportRule{transport: transport}
			if after, ok := strings.CutPrefix(expression, "after "); ok {
				rule.brackets, expression, _ = strings.Cut(after, ": ")
			}
			rule.call = regexp.MustCompile(expression)
			out[kind] = append(out[kind], rule)
		}
	}
	return out
}

// comment matches comment lines.
var comment = regexp.MustCompile(`(?m)^\s*(?://|#|\*|/\*|--|;).*$`)

// SourceTransports returns the distinct transports over which a source file starts an MCP server
// with one of the SDKs. Comments are ignored.
func SourceTransports(name string, b []byte) []string {
	text, _ := plainText(b)
	text = comment.ReplaceAllString(text, "")
	var out []string
	for _, rule := range transportRules[sourceKind(name)] {
		if !slices.Contains(out, rule.transport) && rule.matches(text) {
			out = append(out, rule.transport)
		}
	}
	return out
}
