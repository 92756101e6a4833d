package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A Rule finds texts that hide something from users or manipulate a model.
type Rule struct {
	ID    string // "R1"
	Title string // the finding, in a few words
	Text  string // why that matters, as a sentence

	find func(text string) []int // as [regexp.Regexp.FindStringIndex]
}

func matches(expr string) func(string) []int {
	return regexp.MustCompile(expr).FindStringIndex
}

// invisible finds characters that people do not see, except direction marks, which texts in
// Arabic and Hebrew contain. Control characters are the subject of another rule.
func invisible(s string) []int {
	for i, r := range text.HiddenRunes(s) {
		if !unicode.IsControl(r) && !slices.Contains([]rune{'\u200E', '\u200F', '\u061C'}, r) {
			return []int{i, i + utf8.RuneLen(r)}
		}
	}
	return nil
}

var (
	tag = regexp.MustCompile(`(?i)<(important|system|secret|hidden|admin)>`)
	// againstUser matches instructions to hide something, to read files or pass on what they contain,
	// and to change how other tools are used.
	againstUser = regexp.MustCompile(`(?i)\b(do not|don't|never|without)\s+` +
		`(tell|mention|inform|notify|reveal|disclose|alert|show|letting)|` +
		`\b(ignore|disregard|forget|override)\b[^.]{0,40}\b(instructions|prompts|rules)\b|` +
		`\b(read|open|load|access|cat)\b[^.]{0,60}(~/|/etc/|\.(env|ssh|aws|json|netrc|pem)\b|` +
		`\b(passwords?|credentials|secrets|private keys?|(config\w*|hidden|local) files?)\b)|` +
		`\b(pass|provide|include|put|send|forward|upload|post|copy)\b[^.]{0,60}` +
		`(\b(its|their|whose|file'?s?) contents?\b|\b(conversation|chat history|system prompt)\b|` +
		`\b(to|bcc)\s+(https?://|[\w.+-]+@))|` +
		`\b(whenever|when|if|each time)\b[^.]{0,40}\b(another|other|any)\b[^.]{0,20}\btools?\b` +
		`[^.]{0,60}\b(must|also|first|instead|always)\b`)
)

// pseudoTag finds a tag that emphasizes an instruction against the user.
func pseudoTag(s string) []int {
	const most = 1000 // bytes of what a tag may enclose
	for _, at := range tag.FindAllStringIndex(s, -1) {
		enclosed, _, _ := strings.Cut(s[at[1]:min(len(s), at[1]+most)], "</")
		if m := againstUser.FindStringIndex(enclosed); m != nil {
			return []int{at[0], at[1] + m[1]}
		}
	}
	return nil
}

// Rules are all rules. None of 2,153 tools of known vendors breaks one. Findings are shown,
// not judged.
var Rules = []Rule{
	{"R1", "invisible characters",
		"Users do not see these characters, but models read them.", invisible},
	{"R2", "terminal escape sequences",
		"Terminals obey them: they can hide or overwrite text.",
		matches("\x1b\\[|\u009b")},
	{"R3", "overrides instructions",
		"The text tells the model to ignore other instructions.", matches(
			`(?i)\b(ignore|disregard|forget|override)\b[^.]{0,30}` +
				`\b(previous|prior|above|earlier|all|your|system)\b[^.]{0,30}` +
				`\b(instructions|prompts|rules|guidelines)\b`)},
	{"R4", "conceals from the user",
		"The text tells the model to keep something from the user.", matches(
			`(?i)\b(do not|don't|never|without)\s+` +
				`(tell|mention|inform|notify|reveal|disclose|alert|letting)\b[^.]{0,40}\buser`)},
	{"R5", "names secrets of the user's machine",
		"The text names a file that holds keys or passwords.", matches(
			`~/\.ssh/|\.aws/credentials|\.netrc\b|\.cursor/mcp\.json|\bid_rsa\b|\bid_ed25519\b`)},
	{"R6", "instructions in pseudo tags",
		"Such tags give weight to a text that works against the user.", pseudoTag},
	{"R7", "asks for the conversation or the system prompt",
		"The tool may receive what was not meant for it.", matches(
			`(?i)\b(send|pass|include|forward|append|provide|copy)\b[^.]{0,40}` +
				`\b((entire|whole|full|complete) (conversation|chat)|system prompt)\b`)},
	{"R8", "hidden comments",
		"Clients that render the text do not show comments, but models read them.",
		matches(`<!--`)},
}

// RuleNamed returns the rule with an ID, nil if there is none.
func RuleNamed(id string) *Rule {
	if at := slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id }); at >= 0 {
		return &Rules[at]
	}
	return nil
}

const (
	maxOfRule    = 10  // findings of a list for each rule, so that none hides another rule's
	quoteContext = 60  // bytes on each side of a finding
	maxQuote     = 400 // bytes
	maxField     = 200 // bytes of the path of a member, which is then cut
)

// Suspicious returns the parts of the tools' names, titles, descriptions and
// input schemas that break a rule, one for each rule and text, and at most ten for each
// rule.
func Suspicious(list []registry.Tool) []registry.SuspiciousText {
	var out []registry.SuspiciousText
	found := map[string]int{}
	for _, t := range list {
		texts(t, func(field, value string) {
			for _, r := range Rules {
				if at := r.find(value); at != nil && found[r.ID] < maxOfRule {
					found[r.ID]++
					out = append(out, registry.SuspiciousText{
						Rule: r.ID, Tool: text.OneLine(t.Name), Field: text.OneLine(field),
						Quote: quote(value, at),
					})
				}
			}
		})
	}
	return out
}

// texts calls yield with each text of a tool that a model reads.
func texts(t registry.Tool, yield func(field, text string)) {
	yield("name", t.Name)
	yield("title", t.Title)
	yield("description", t.Description)
	var schema any
	if json.Unmarshal(t.InputSchema, &schema) == nil {
		members("inputSchema", schema, yield)
	}
}

// members calls yield with the names and strings of a JSON value, in order of names.
func members(at string, v any, yield func(field, text string)) {
	switch v := v.(type) {
	case string:
		yield(at, v)
	case []any:
		for i, e := range v {
			members(below(at, fmt.Sprintf("[%d]", i)), e, yield)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			yield(at, name)
			members(below(at, "."+name), v[name], yield)
		}
	}
}

// below returns the path of a member. Schemas may be nested thousands of times.
func below(at, member string) string {
	if len(at) >= maxField {
		return at
	}
	return text.Shorten(at+member, maxField)
}

// quote returns the part of a text around a finding.
func quote(s string, at []int) string {
	from, to := max(0, at[0]-quoteContext), min(len(s), at[1]+quoteContext)
	return text.Shorten(text.OneLine(strings.ToValidUTF8(s[from:to], "")), maxQuote)
}
