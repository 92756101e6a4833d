package manifest

import (
	"regexp"
	"strings"
	"unicode"

	"mcpcensus/internal/registry"
)

var (
	toolName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$`)
	toolHeading  = regexp.MustCompile(`(?i)\btools?\b|\btool (?:list|reference)\b|\bavailable (?:functions|commands|actions|operations)\b|\bmcp (?:functions|methods|commands)\b|工具|ツール`)
	notToolHead  = regexp.MustCompile(`(?i)\b(?:instal\w*|set ?up|configur\w*|develop\w*|client|dev tools|built with|tools? used|toolkits?|adding|testing|debug|related|integrations?|cli tools?|other tools|build tools|prerequisite|require|creat(?:e|ing)|choos|contribut|why|how|with other|your own|custom tools?|inspector|migrat|enabl|disabl|filter|restrict|limit|select(?:ing|ion)|exclud|registering|new tool|mode|quick ?start|usage with|using .* with|supported (?:ai )?tools|compatible|ide|editor|tool annotations?|dynamic)\b`)
	weakHeading  = regexp.MustCompile(`(?i)\b(?:features?|capabilit(?:y|ies)|components|functions|commands|methods|functionality|api reference|reference|actions|operations)\b`)
	notTools     = regexp.MustCompile(`(?i)\b(?:prompts?|resources?|param(?:eter)?s?|arguments|options|inputs?|outputs?|types?|fields?|config\w*|settings?|environment|variables?|examples?|usage|requirements?|install\w*|setup|limitations?|troubleshooting|permissions?|scopes?|colou?rs?|hints?|annotations?)\b`)
	paramType    = regexp.MustCompile(`(?i)^(?:[(\[\x60]+(?:string|str|int|integer|number|float|bool|boolean|array|object|list|dict|enum|any|optional|required|default)\b|(?:string|integer|boolean|bool|str|required|optional)\b\s*(?:[,:)\]|.(-]|$))`)
	paramHeads   = regexp.MustCompile(`(?i)\b(?:param|argument|option|variable|env|setting|flag|field|key|property|input|client|category)\b`)
	nameHeads    = regexp.MustCompile(`(?i)\btools?\b|\bname\b|\bfunction|\bcommand|\bmethod|\baction|\boperation`)
	oneTool      = regexp.MustCompile(`(?i)^(?:the\s+)?tool\s*[:–—-]?$`)
	numbering    = regexp.MustCompile(`^[\s\d.)#•*🔧⚡️✅🛠-]*`)
	signature    = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.:/-]{1,99})\s*(?:\(|:|–|—|-\s|$)`)
	reservedWord = regexp.MustCompile(`(?i)^(?:inputs?|outputs?|param(?:eter)?s?|returns?|arguments?|args|examples?|notes?|descriptions?|required|optional|name|type|response|defaults?|usage|options?|results?|use case|use cases|purpose|features?|method|endpoint|prompts?|resources?|tools?|string|number|boolean|integer|object|array|true|false|null|none|schema|read-only|destructive|annotations?|behavior|limitations?|errors?|json|npx|uvx|docker|node|python|stdio|sse|http|title|bash|example prompts?|supports?|important|warning|tip|hints?|the|auth|authentication)$`)
	fileLike     = regexp.MustCompile(`(?i)\.(?:json|md|ts|js|py|go|rs|ya?ml|toml|exe|sh|env|txt|csproj|java|html|com|org|io|dev|ai|net|app)$|^https?:|^/|^\.|^src/|^--|/$`)
)

// IsToolName says whether s can be the name of a tool.
func IsToolName(s string) bool {
	return len(s) <= 128 && toolName.MatchString(s) && !fileLike.MatchString(s)
}

// distinct says whether a name could hardly be an ordinary word.
func distinct(s string) bool {
	if strings.ContainsAny(s, "_-/:.") {
		return !strings.HasSuffix(s, "-") && !strings.HasSuffix(s, ":")
	}
	lower := false
	for _, r := range s {
		if unicode.IsUpper(r) && lower {
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}

// tools collects the tools that the README lists: list items, table rows and
// headings below a heading that announces them.
func (r *Readme) tools(blocks []block) {
	seen := map[string]int{}
	section, weak := 0, false // level of the section's heading, 0 outside
	skip := 0                 // level of a heading inside whose section is no list of tools
	under := 0                // level of the heading that is itself a tool
	last := -1
	isTool := make([]bool, len(blocks))
	add := func(name, description string) bool {
		name = strings.TrimSpace(name)
		key := strings.ToLower(name)
		if i, ok := seen[key]; ok {
			if r.Tools[i].Description == "" {
				r.Tools[i].Description = short(description)
			}
			last = i
			return true
		}
		if len(r.Tools) >= 500 {
			return false
		}
		seen[key] = len(r.Tools)
		last = len(r.Tools)
		r.Tools = append(r.Tools, registry.Tool{Name: name, Description: short(description)})
		return true
	}
	for i, b := range blocks {
		if b.kind == heading {
			t := strings.TrimSpace(numbering.ReplaceAllString(b.text, ""))
			if skip > 0 && b.level > skip {
				continue
			}
			skip = 0
			if b.level <= under {
				under = 0
			}
			if section > 0 && b.level > section {
				name := first(clip(b.lead), clip(t))
				fromCode := len(b.code) > 0 && clip(b.code[0]) == name
				if len(b.code) > 0 && !fromCode && distinct(clip(b.code[0])) && plausibleTool(clip(b.code[0]), true) && under == 0 {
					name, fromCode = clip(b.code[0]), true // "Web Search (`web_search`)"
					b.rest = ""
				}
				if fromCode && plausibleTool(name, true) || !strings.Contains(t, " ") && plausibleTool(name, distinct(name)) {
					isTool[i] = add(name, b.rest)
					under = b.level
					continue
				}
				if under > 0 && b.level > under {
					continue // a part of the tool's description
				}
				under = 0
				if notTools.MatchString(t) {
					skip = b.level
				}
				continue
			}
			section, under, weak, last = 0, 0, false, -1
			switch {
			case toolHeading.MatchString(t) && !notToolHead.MatchString(t):
				section = b.level
				r.ToolHeading = true
				if name := clip(first(b.code...)); len(b.code) == 1 && plausibleTool(name, distinct(name)) {
					isTool[i] = add(name, "") // "The `run_query` tool"
					if oneTool.MatchString(strings.TrimSpace(strings.Replace(t, b.code[0], "", 1))) {
						under = b.level // the section is about it alone
					}
				}
			case weakHeading.MatchString(t) && !notToolHead.MatchString(t):
				section, weak = b.level, true
			}
			if b.level == 1 && section > 0 && len(r.Headings) > 1 {
				// The title of a README that has "tool" in it is no list.
				if i < 3 {
					section, weak = 0, false
					r.ToolHeading = false
				}
			}
			continue
		}
		if section == 0 {
			if b.kind == row && len(b.heads) > 0 && toolHeading.MatchString(b.heads[0]) && !notToolHead.MatchString(b.heads[0]) {
				if name, desc := rowTool(b, false); name != "" {
					isTool[i] = add(name, desc)
				}
			}
			continue
		}
		if skip > 0 {
			continue
		}
		if under > 0 && b.kind != row {
			if last >= 0 && b.kind == paragraph && r.Tools[last].Description == "" {
				r.Tools[last].Description = short(b.text)
			}
			continue
		}
		switch b.kind {
		case item:
			if insideTool(blocks, isTool, i) {
				continue
			}
			if names := several(b, weak); len(names) > 1 {
				for _, n := range names {
					isTool[i] = add(n, "") || isTool[i]
				}
				continue
			}
			if name := leadTool(b, weak); name != "" {
				isTool[i] = add(name, b.rest)
			}
		case paragraph:
			if b.outer >= 0 {
				if isTool[b.outer] && last >= 0 && r.Tools[last].Description == "" {
					r.Tools[last].Description = short(b.text)
				}
				continue
			}
			if b.lead != "" && strings.HasPrefix(b.text, b.lead) && (distinct(clip(b.lead)) || len(b.code) > 0 && b.code[0] == b.lead) && signature.MatchString(b.lead) {
				if name := leadTool(b, true); name != "" {
					isTool[i] = add(name, b.rest)
				}
			}
		case row:
			if under > 0 {
				continue
			}
			if name, desc := rowTool(b, weak); name != "" {
				isTool[i] = add(name, desc)
			} else if !weak && (len(b.heads) == 0 || !paramHeads.MatchString(b.heads[0]) || strings.Contains(b.heads[0], "categor")) {
				for _, c := range b.code {
					if n := clip(c); n == strings.TrimSuffix(c, "()") && plausibleTool(n, distinct(n)) {
						add(n, "")
					}
				}
			}
		}
	}
	if len(r.Tools) == 0 {
		r.scattered(blocks, add)
	}
	r.ToolEntries = len(r.Tools)
	if len(r.Tools) == 0 && r.ToolHeading {
		r.ToolEntries = entries(blocks)
	}
}

// scattered takes list items that begin with a name in code and describe it as
// tools, for READMEs that list their tools under headings of their own
// ("Test management", "Accessibility"). There must be several of them.
func (r *Readme) scattered(blocks []block, add func(name, description string) bool) {
	type entry struct{ name, description string }
	var found []entry
	skip := 0
	for _, b := range blocks {
		if b.kind == heading {
			if skip == 0 || b.level <= skip {
				skip = 0
				if notTools.MatchString(b.text) || notToolHead.MatchString(b.text) {
					skip = b.level
				}
			}
			continue
		}
		if b.kind != item || skip > 0 || b.level > 0 || len(b.code) == 0 || b.code[0] != b.lead || len(strings.Fields(b.rest)) < 3 || paramType.MatchString(b.rest) {
			continue
		}
		if name := clip(b.lead); plausibleTool(name, distinct(name)) && !strings.Contains(name, ".") {
			found = append(found, entry{name, b.rest})
		}
	}
	if len(found) < 3 {
		return
	}
	for _, e := range found {
		add(e.name, e.description)
	}
}

// entries counts list items and table rows directly below a tools heading,
// whatever they look like.
func entries(blocks []block) int {
	n, section := 0, 0
	for _, b := range blocks {
		switch {
		case b.kind == heading:
			if section > 0 && b.level > section {
				n++
				continue
			}
			section = 0
			if toolHeading.MatchString(b.text) && !notToolHead.MatchString(b.text) {
				section = b.level
			}
		case section > 0 && (b.kind == item && b.level == 0 || b.kind == row):
			n++
		}
	}
	return n
}

func insideTool(blocks []block, isTool []bool, i int) bool {
	for o := blocks[i].outer; o >= 0; o = blocks[o].outer {
		if isTool[o] {
			return true
		}
	}
	return false
}

// clip cuts a name out of "`name(args): …`".
func clip(s string) string {
	s = strings.Trim(strings.TrimSpace(numbering.ReplaceAllString(s, "")), "`*\"'")
	if i := strings.IndexAny(s, "( "); i > 0 && (s[i] == '(' || i+1 < len(s) && s[i+1] == '(') {
		s = s[:i]
	}
	return strings.TrimRight(s, ":.")
}

func plausibleTool(name string, sure bool) bool {
	return IsToolName(name) && !strings.ContainsAny(name, "/:") && len(name) > 1 && !reservedWord.MatchString(name) && !(envNameRE.MatchString(name) && strings.Contains(name, "_") && name == strings.ToUpper(name)) && sure
}

func leadTool(b block, strict bool) string {
	if paramType.MatchString(b.rest) {
		return "" // a parameter with its type
	}
	fromCode := len(b.code) > 0 && b.lead == b.code[0]
	if b.lead != "" {
		name := clip(b.lead)
		if len(b.code) > 0 && clip(b.code[0]) == name {
			fromCode = true
		}
		ok := fromCode || distinct(name)
		if !strict && !ok {
			// A bold lower-case word in a list of tools.
			ok = name != "" && unicode.IsLower(rune(name[0]))
		}
		if strict {
			// A list of features: only what can be nothing but a name.
			ok = strings.Contains(name, "_") || fromCode && distinct(name) && name == strings.ToLower(name)
		} else if !fromCode && strings.Contains(name, "-") && name != strings.ToLower(name) {
			ok = false
		}
		if plausibleTool(name, ok) {
			return name
		}
		// "**Search** (`web_search`): …"
		if len(b.code) > 0 && strings.Index(b.text, b.code[0]) < len(b.lead)+6 {
			if n := clip(b.code[0]); plausibleTool(n, distinct(n)) {
				return n
			}
		}
		return ""
	}
	m := signature.FindStringSubmatch(numbering.ReplaceAllString(b.text, ""))
	if m == nil {
		return ""
	}
	name := clip(m[1])
	if plausibleTool(name, distinct(name) && (strings.ContainsAny(name, "_") || !strict)) {
		return name
	}
	return ""
}

// several returns the names of an item that lists more than one: "Issues:
// `get_issue`, `list_issues`".
func several(b block, weak bool) []string {
	if len(b.code) < 2 {
		return nil
	}
	rest := b.text
	var names []string
	for _, c := range b.code {
		rest = strings.Replace(rest, c, "", 1)
		n := strings.TrimSuffix(c, "()")
		if !plausibleTool(n, strings.Contains(n, "_") || distinct(n) && !weak) {
			return nil
		}
		names = append(names, n)
	}
	rest = strings.TrimSpace(strings.Trim(rest, " ,/|&."))
	if strings.HasPrefix(b.text, b.code[0]) && len(rest) > 3*len(names) {
		return nil // the first is the tool, the others are mentioned
	}
	if len(rest) > 60 {
		return nil
	}
	return names
}

func rowTool(b block, strict bool) (name, description string) {
	col := 0
	for i, h := range b.heads {
		if nameHeads.MatchString(h) {
			col = i
			break
		}
	}
	if len(b.heads) > 0 && paramHeads.MatchString(b.heads[0]) && !nameHeads.MatchString(b.heads[0]) && !strings.Contains(b.heads[0], "categor") {
		return "", ""
	}
	if col >= len(b.cells) {
		return "", ""
	}
	cell := clip(first(b.leads[col], b.cells[col]))
	sure := b.leads[col] != "" || distinct(cell)
	if strict {
		sure = strings.Contains(cell, "_")
	}
	if !plausibleTool(cell, sure) {
		return "", ""
	}
	for i, c := range b.cells {
		if i != col && len(c) > len(description) {
			description = c
		}
	}
	return cell, description
}
