package manifest

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

var (
	toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$`)
	fileName = vocabulary.Expressions(rules, "file_names.txt")
)

// IsToolName reports whether s can be the name of a tool.
func IsToolName(s string) bool {
	return toolName.MatchString(s) && !fileName.MatchString(s)
}

var (
	// sourceKinds are the names of files of rules by extension.
	sourceKinds = vocabulary.Pairs(rules, "sources/extensions.txt")
	sourceRules = compileSourceRules()
)

// compileSourceRules returns the expressions that find registrations of tools.
// Their first group is the name, or the function's if the tool has no other.
func compileSourceRules() map[string][]*regexp.Regexp {
	syntax := strings.NewReplacer(
		"{string}", "[\"'`]([A-Za-z][\\w.:/-]{0,99})[\"'`]",
		"{arguments}", `(?:\((?:[^()]|\([^()]*\))*\))?`,
	)
	out := map[string][]*regexp.Regexp{}
	for _, kind := range sourceKinds {
		if out[kind] != nil {
			continue
		}
		for _, line := range vocabulary.Lines(rules, "sources/"+kind+".txt") {
			out[kind] = append(out[kind], regexp.MustCompile("(?ms)"+syntax.Replace(line)))
		}
	}
	return out
}

func sourceKind(name string) string { return sourceKinds[strings.ToLower(path.Ext(name))] }

// IsSource reports whether [SourceTools] reads files with this name.
func IsSource(name string) bool {
	return sourceKind(name) != "" && !strings.HasSuffix(name, ".d.ts")
}

const maxRegistrations = 500 // of one rule in one file

// SourceTools returns the tools that a source file registers under a literal
// name, in the order of the rules and of the text. They have no descriptions.
func SourceTools(name string, b []byte) []registry.Tool {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil
	}
	var out []registry.Tool
	seen := map[string]bool{}
	matched := map[int]bool{} // where an earlier rule found the name
	for _, rule := range sourceRules[sourceKind(name)] {
		for _, m := range rule.FindAllSubmatchIndex(b, maxRegistrations) {
			if matched[m[0]] {
				continue
			}
			matched[m[0]] = true
			if n := string(b[m[2]:m[3]]); !seen[n] && IsToolName(n) {
				seen[n] = true
				out = append(out, registry.Tool{Name: n})
			}
		}
	}
	return out
}

// A transportRule finds where a source file starts a server over a transport.
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

// comment matches whole lines of comments.
var comment = regexp.MustCompile(`(?m)^\s*(?://|#|\*|/\*|--|;).*$`)

// SourceTransports returns the transports over which a source file starts an MCP
// server with one of the SDKs, each once. Comments do not count.
func SourceTransports(name string, b []byte) []string {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil
	}
	b = comment.ReplaceAll(b, nil)
	var out []string
	for _, rule := range transportRules[sourceKind(name)] {
		if !slices.Contains(out, rule.transport) && rule.call.Match(b) {
			out = append(out, rule.transport)
		}
	}
	return out
}
