package lint

import (
	_ "embed"
	"strings"
)

// A Rule describes a problem that clients have with valid files.
type Rule struct {
	ID       string // [Issue.Reference]
	Client   string
	Severity string
	Title    string
	Text     string // effect and remedy
}

// Rules returns the rules about clients in the order of the documentation.
func Rules() []Rule { return rules }

//go:embed rules.txt
var rulesText string

var rules = parseRules(rulesText)

// parseRules reads paragraphs of a line with ID, severity, client and title, and the text.
func parseRules(text string) (all []Rule) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		head, text, _ := strings.Cut(paragraph, "\n")
		f := strings.Split(head, " | ")
		all = append(all, Rule{ID: f[0], Severity: f[1], Client: f[2], Title: f[3],
			Text: strings.ReplaceAll(text, "\n", " ")})
	}
	return all
}

var severities = func() map[string]string {
	m := map[string]string{}
	for _, r := range rules {
		m[r.ID] = r.Severity
	}
	return m
}()

// URLs of the documentation of issues.
const (
	page       = "/lint#"
	documents  = "https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/"
	format     = documents + "generic-server-json.md"
	publishing = documents + "official-registry-requirements.md"
)

// Docs returns the URL of an issue's documentation: a path on this registry's pages for
// rules about clients, and a URL of the official registry for others.
func Docs(i Issue) string {
	switch i.Type {
	case TypeLinter:
		return page + i.Reference
	case TypeSemantic:
		return publishing
	}
	return format
}
