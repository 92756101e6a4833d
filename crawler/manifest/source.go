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

// IsToolName reports whether s may be the name of a tool.
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
			out[kind] = append(out[kind], transportRule{transport, regexp.MustCompile(expression)})
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
		if !slices.Contains(out, rule.transport) && rule.call.MatchString(text) {
			out = append(out, rule.transport)
		}
	}
	return out
}
