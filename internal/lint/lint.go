// Package lint checks server.json files against the JSON schema of their generation and the
// rules of the official registry, and for problems in clients.
//
// Files are untrusted: their size, depth and number of values are limited, and so are the
// number and length of issues.
package lint

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/text"
)

// Limits of one file.
const (
	MaxSize   = 1 << 20 // bytes
	MaxDepth  = 64      // of nested objects and arrays
	maxValues = 20_000
	maxIssues = 200
	maxQuote  = 120 // bytes of a text of the file in a message
	maxPath   = 300 // bytes
)

// Values of [Issue.Type].
const (
	TypeJSON     = "json"     // the text is not JSON, or parsers read it differently
	TypeSchema   = "schema"   // the file violates the JSON schema
	TypeSemantic = "semantic" // the official registry rejects the file
	TypeLinter   = "linter"   // a client does not behave as the file intends
)

// Values of [Issue.Severity]. Only errors make a file invalid.
const (
	Error   = "error"
	Warning = "warning"
	Info    = "info"
)

// A Result has the format of the official registry's results, which have no positions and
// no issues of clients.
type Result struct {
	Valid  bool    `json:"valid"`
	Issues []Issue `json:"issues"` // never nil; errors first, then warnings
}

// An Issue is one problem of a file.
type Issue struct {
	Type      string `json:"type"`
	Path      string `json:"path"` // "packages[0].transport.url"; "" for the whole file
	Message   string `json:"message"`
	Severity  string `json:"severity"`
	Reference string `json:"reference"` // name of a rule, or path in the schema
	// Line and Column are the position of the value, counted from 1, columns in
	// characters; 0 if unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Docs is the URL of an explanation; [Check] leaves it empty.
	Docs string `json:"docs,omitempty"`
}

// Count returns the number of issues of a severity.
func (r Result) Count(severity string) int {
	n := 0
	for _, i := range r.Issues {
		if i.Severity == severity {
			n++
		}
	}
	return n
}

// Refused returns the number of issues for which the official registry refuses the file on
// publication, or which would make a secret public.
func (r Result) Refused() int {
	n := 0
	for _, i := range r.Issues {
		isRule := i.Type == TypeSemantic ||
			slices.Contains([]string{"unknown-member", "format-2025-07", "published-secret"}, i.Reference)
		if i.Severity == Error || i.Severity == Warning && isRule && i.Reference != "schema-version-deprecated" {
			n++
		}
	}
	return n
}

// Check checks a file. Invalid JSON results in an issue of TypeJSON. Check is safe for
// concurrent use.
func Check(data []byte) Result {
	c := &checker{data: data}
	if root, err := c.parse(); err != nil {
		c.unreadable(err)
	} else if root.kind != object {
		c.add(place{node: root}, TypeSchema, Error, "not-an-object",
			"server.json must be a JSON object, got %s", root.kind)
	} else {
		c.check(place{node: root})
	}
	return c.result()
}

// Unreadable returns the issue of a file that is not JSON or exceeds a limit. ok is false if
// the file was read.
func (r Result) Unreadable() (i Issue, ok bool) {
	if len(r.Issues) == 0 || r.Issues[0].Type != TypeJSON || r.Issues[0].Severity != Error {
		return Issue{}, false
	}
	return r.Issues[0], true
}

func (c *checker) check(root place) {
	if inner := root.member("server"); inner.is(object) && !root.member("name").is(str) {
		c.rule(root, "registry-response", "The file is the response of a registry. Only its member server was checked.")
		root = inner
	}
	c.generation(root)
	c.official(root)
	c.schema(root)
	c.unknownMembers(root)
	c.characters(root, "")
	c.clients(root)
}

// A checker collects the issues of one file.
type checker struct {
	data    []byte
	values  int    // number of values read
	version string // of the schema
	found   []found
	more    int // number of dropped issues
}

// found is an issue and its offset in the file.
type found struct {
	Issue
	offset int
}

// An unreadableError describes why a file cannot be read.
type unreadableError struct {
	offset        int
	rule, message string
}

func (e *unreadableError) Error() string { return e.message }

func (c *checker) unreadable(err error) {
	f := found{Issue: Issue{Type: TypeJSON, Severity: Error, Reference: "json-syntax"}}
	if e, ok := errors.AsType[*unreadableError](err); ok {
		f.Message, f.Reference, f.offset = e.message, e.rule, e.offset
	} else {
		f.Message = "not valid JSON: " + text.Cut(err.Error(), maxQuote)
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			f.offset = max(0, int(e.Offset)-1)
		}
	}
	c.found = []found{f}
}

// add adds an issue at a place.
func (c *checker) add(at place, kind, severity, rule, format string, args ...any) {
	// Errors have a higher limit because the first one makes the file invalid.
	if len(c.found) >= maxIssues && (severity != Error || len(c.found) >= 2*maxIssues) {
		c.more++
		return
	}
	f := found{Issue: Issue{Type: kind, Path: text.Cut(at.path, maxPath), Message: format,
		Severity: severity, Reference: rule}}
	if len(args) > 0 {
		f.Message = fmt.Sprintf(format, args...)
	}
	if at.node != nil {
		f.offset = at.start
	} else if at.parent != nil {
		f.offset = at.parent.start
	}
	c.found = append(c.found, f)
}

// rule adds an issue of one of [Rules].
func (c *checker) rule(at place, id, format string, args ...any) {
	c.add(at, TypeLinter, severities[id], id, format, args...)
}

// hasError reports whether there is an error at a path.
func (c *checker) hasError(path string) bool {
	return slices.ContainsFunc(c.found,
		func(f found) bool { return f.Path == path && f.Severity == Error })
}

var order = map[string]int{Error: 0, Warning: 1, Info: 2}

func (c *checker) result() Result {
	slices.SortStableFunc(c.found, func(a, b found) int { return cmp.Compare(a.offset, b.offset) })
	line, column, counted := 1, 1, 0 // of the last issue
	for i := range c.found {
		f := &c.found[i]
		passed := c.data[counted:min(f.offset, len(c.data))]
		if n := bytes.Count(passed, []byte("\n")); n > 0 {
			line += n
			counted += bytes.LastIndexByte(passed, '\n') + 1
			column = 1
		}
		column += utf8.RuneCount(c.data[counted:min(f.offset, len(c.data))])
		counted = min(f.offset, len(c.data))
		f.Line, f.Column = line, column
	}
	slices.SortStableFunc(c.found, func(a, b found) int {
		return cmp.Compare(order[a.Severity], order[b.Severity])
	})
	r := Result{Valid: true, Issues: []Issue{}}
	for _, f := range c.found[:min(len(c.found), maxIssues)] {
		r.Issues = append(r.Issues, f.Issue)
	}
	r.Valid = r.Count(Error) == 0
	if more := c.more + len(c.found) - len(r.Issues); more > 0 {
		r.Issues = append(r.Issues, Issue{Type: TypeLinter, Severity: Info, Reference: "more-issues",
			Message: text.Count(more, "more issue") + " not shown."})
	}
	return r
}

// quote quotes and shortens a text of the file for a message.
func quote(s string) string {
	return fmt.Sprintf("%q", text.Shorten(strings.ToValidUTF8(s, "\uFFFD"), maxQuote))
}

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
