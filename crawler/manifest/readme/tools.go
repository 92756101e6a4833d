package readme

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

var (
	toolHeading = regexp.MustCompile(`(?i)\btools?\b|\bavailable (?:functions|commands|actions|operations|methods|endpoints)\b|\bmcp (?:functions|methods|commands|actions)\b|\b(?:herramientas|outils|werkzeuge|ferramentas|strumenti)\b|инструмент|工具|ツール|도구`)
	notToolHead = regexp.MustCompile(`(?i)\b(?:instal\w*|set ?up|configur\w*|develop\w*|client|dev tools|built with|tools? used|toolkits?|adding|testing|debug|related|integrations?|cli tools?|other tools|build tools|prerequisite|require|creat(?:e|ing)|choos(?:e|ing)|contribut\w*|why|how|with other|your own|custom tools?|inspector|migrat\w*|enabl(?:e|ing)|disabl(?:e|ing)|disabled tools|filter(?:s|ed|ing)?|restrict\w*|limit\w*|select(?:ing|ion)|exclud(?:e|ed|ing)|registering|new tool|modes?|similar|alternatives?|recommended|community|third[- ]party|external|allowlist|permissions?|roadmap|planned|upcoming|quick ?start|usage with|using .* with|supported (?:ai )?tools|compatible|ide|editor|tool annotations?|dynamic|(?:common|shared|global|general|additional) (?:options|parameters|arguments|settings|features))\b`)
	categories  = regexp.MustCompile(`(?i)\bcategories\b`) // a list of them, or of the tools in them
	weakHeading = regexp.MustCompile(`(?i)\b(?:features?|capabilit(?:y|ies)|components|functions|commands|methods|functionality|api reference|reference|actions|operations)\b`)
	notTools    = regexp.MustCompile(`(?i)\b(?:prompts?|resources?|param(?:eter)?s?|arguments|options|inputs?|outputs?|types?|fields?|config\w*|settings?|environment|variables?|examples?|usage|requirements?|install\w*|setup|limitations?|troubleshooting|permissions?|scopes?|colou?rs?|hints?|annotations?|backwards?|compatibility|legacy|telemetry|pricing|previews?)\b`)
	paramType   = regexp.MustCompile(`(?i)^(?:[(\[\x60]+(?:string|str|int|integer|number|float|bool|boolean|array|object|list|dict|enum|any|optional|required|default)\b|(?:string|integer|boolean|bool|str|required|optional)\b\s*(?:[,:)\]|.(-]|$))`)
	paramHeads  = regexp.MustCompile(`(?i)\b(?:param|argument|option|variable|env|setting|flag|field|key|property|input|client|category)\b`)
	toolColumn  = regexp.MustCompile(`(?i)^(?:mcp )?(?:tools?|tool names?|functions?|function names?|methods?)$`)
	toolsColumn = regexp.MustCompile(`(?i)^(?:[\w-]+ )?tools?(?: names?)?$`)
	nameHeads   = regexp.MustCompile(`(?i)\btools?\b|\bname\b|\bfunction|\bcommand|\bmethod|\baction|\boperation`)
	// groupHead is over a group of tools, whatever words of parameters it has
	// in it ("Field management").
	groupHead = regexp.MustCompile(`(?i)\b(?:tools?|operations?|management|actions?|functions?|commands?|methods?|queries|access|apis?)\b`)
	// labels announce what belongs to a tool, or no tools at all.
	labelled     = regexp.MustCompile(`(?i)^(?:[\w-]+ ){0,2}(?:params?|parameters?|arguments?|args|options?|inputs?|outputs?|returns?|response|fields?|examples?|codes?|values?|types?|categor(?:y|ies)|toolsets?|modes?|notes?|settings?|environment variables?|flags?|prompts?|resources?|requirements?|permissions?|scopes?|use cases?|limitations?)\b[^.]{0,12}:?$`)
	otherList    = regexp.MustCompile(`(?i)\b(?:categor(?:y|ies)|types|groups|kinds) of tools\b|\btool (?:categor(?:y|ies)|types|groups)\b.{0,40}:$|\b(?:example|sample) (?:prompts|queries|questions)\b.{0,40}:$`)
	featureList  = regexp.MustCompile(`(?i)\b(?:features|fields|params|options|flags|values|variables|parameters|settings)\b[^.]{0,10}:$`)
	foldedAside  = regexp.MustCompile(`(?i)\b(?:param(?:eter)?s?|arguments|options|inputs?|outputs?|examples?|prompts?|resources?|settings|environment variables?|install\w*|troubleshooting|response)\b`)
	toolParts    = regexp.MustCompile(`(?i)^examples?\b|\b(?:prompts?|resources?|param(?:eter)?s?|arguments|options|inputs?|outputs?|types?|fields?|config\w*|settings?|variables?|examples?|usage|requirements?|setup|limitations?|permissions?|scopes?|hints?|annotations?)$`)
	nameLabel    = regexp.MustCompile(`(?i)^(?:(?:tool|function|command|method)\s+)?(?:name|id)\s*:\s*$|^(?:tool|function|command|method)\s*:\s*$`)
	announced    = regexp.MustCompile(`(?i)\b(?:server|it|mcp|we|this|which|and|there|following|these|available)\b.{0,60}\b(?:provides?|exposes?|offers?|includes?|implements?|has|are|following|available)\b.{0,40}\btools\b[^.]{0,40}:$`)
	groupLabel   = regexp.MustCompile(`^[A-Z][A-Za-z /&-]{2,40}:\s*$`)
	labelledName = regexp.MustCompile(`(?i)^.{2,80}\s(?:(?:tool|function|command|method)\s+)?name\s*:\s*$`)
	labelledDesc = regexp.MustCompile(`(?i)\b(?:description|purpose)\s*:\s*(.{3,400}?)\s*(?:\b(?:parameters?|params|arguments?|args|inputs?|outputs?|returns?|response|examples?|required|optional)\s*:|$)`)
	descLabel    = regexp.MustCompile(`(?i)^(?:tool\s+)?(?:description|purpose|summary|does|what it does)\s*[:–—-]\s*`)
	sideLabel    = regexp.MustCompile(`(?i)^(?:required|optional|title|read-?only|destructive|idempotent|open world|annotations?|tags?|category|scopes?|endpoint|http|method|permissions?|since|parameters?|params?|arguments?|args|options?|inputs?|outputs?|returns?|response|examples?|usage|note|supports?)\b`)
	toolPrefix   = regexp.MustCompile(`(?i)^(?:tool|function|command|method)\s*\d*\s*[:.–—-]\s*`)
	codeSign     = regexp.MustCompile(`^\s*(?:@[^\n]{1,100}\n\s*)*(?:(?:export|public|async|static|pub)\s+)*(?:(?:def|function|func|fun|fn)\s+)?([A-Za-z][A-Za-z0-9_-]{1,63})\s*\(`)
	oneTool      = regexp.MustCompile(`(?i)^(?:the\s+)?tool\s*[:–—-]?$`)
	numbering    = regexp.MustCompile(`^[\s\d.)#•*🔧⚡️✅🛠-]*`)
	signature    = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.:/-]{1,99})\s*(?:\(|:|–|—|-\s|$)`)
	reservedWord = regexp.MustCompile(`(?i)^(?:inputs?|outputs?|param(?:eter)?s?|returns?|arguments?|args|examples?|notes?|descriptions?|required|optional|name|type|response|defaults?|usage|options?|results?|use case|use cases|purpose|features?|method|endpoint|prompts?|resources?|tools?|string|number|boolean|integer|object|array|true|false|null|none|schema|read-only|destructive|annotations?|behavior|limitations?|errors?|json|npx|uvx|docker|node|python|stdio|sse|http|title|bash|example prompts?|supports?|important|warning|tip|hints?|the|auth|authentication)$`)
)

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

var (
	// changes is over what became of tools from one version to another.
	changes = regexp.MustCompile(`(?i)^(?:what(?:'s| is|’s)? (?:new|changed)|change ?log|release notes)\b|\bbreaking changes\b`)
	// changedTools announces tools that are no more, or that have come: that is
	// no list of those there are.
	changedTools = regexp.MustCompile(`(?i)^(?:the )?(?:removed|old|former|previous|renamed|replaced|retired|discontinued|dropped|new|added)(?: \S+)? (?:tools?|tool names?|names?)\b`)
	// plannedTool is the state of a tool in a table of them.
	plannedTool = regexp.MustCompile(`(?i)^[^\pL]*(?:planned|to ?do|not (?:yet )?implemented|in progress|coming soon|proposed|removed)[^\pL]*$`)
	goneTool    = regexp.MustCompile(`(?i)^[\s:–—-]*\(?(?:removed|replaced by|renamed to|superseded by|no longer available)\b`)
)

// withoutChanges returns the blocks with those left blank that tell of other
// versions: what a change log lists, and the rows and items that name tools
// which are no more.
func withoutChanges(blocks []block) []block {
	out := slices.Clone(blocks)
	log, label := 0, false // level of the change log's heading; a label announced changed tools
	for i, b := range out {
		switch b.kind {
		case heading:
			if log == 0 || b.level <= log {
				log = 0
				if changes.MatchString(unnumbered(b.text)) {
					log = b.level
				}
			}
			label = changedTools.MatchString(unnumbered(b.text))
			continue
		case paragraph:
			if b.outer < 0 {
				label = changedTools.MatchString(b.text) && strings.HasSuffix(strings.TrimSpace(b.text), ":")
			}
			continue
		case row:
			planned := len(b.cells) > 1 && slices.ContainsFunc(b.cells[1:], plannedTool.MatchString)
			if !slices.ContainsFunc(b.heads, changedTools.MatchString) && log == 0 && !label && !planned {
				continue
			}
		case item:
			if log == 0 && !label && !goneTool.MatchString(b.rest) {
				continue
			}
		default:
			continue
		}
		out[i] = block{kind: code, outer: b.outer}
	}
	return out
}

// tools collects the tools that the README lists: list items, table rows and
// headings below a heading that announces them.
func (r *Document) tools(blocks []block) {
	blocks = withoutChanges(blocks)
	seen := map[string]int{}
	section, weak := 0, false // level of the section's heading, 0 outside
	skip := 0                 // level of a heading inside whose section is no list of tools
	under := 0                // level of the heading that is itself a tool
	last := -1
	above := 0     // level of the last heading
	aside := false // a label has announced what is no list of tools
	open := -1     // index of the entry whose description may follow in its own list
	isTool := make([]bool, len(blocks))
	add := func(name, description string) bool {
		name = strings.TrimSpace(name)
		key := strings.ToLower(name)
		if i, ok := seen[key]; ok {
			if r.Tools[i].Description == "" {
				r.Tools[i].Description = untyped.Short(description)
			}
			last = i
			return true
		}
		if len(r.Tools) >= 500 {
			return false
		}
		seen[key] = len(r.Tools)
		last = len(r.Tools)
		r.Tools = append(r.Tools, registry.Tool{Name: name, Description: untyped.Short(description)})
		return true
	}
	for i, b := range blocks {
		if b.kind == heading {
			t := strings.TrimSpace(toolPrefix.ReplaceAllString(unnumbered(b.text), ""))
			aside, open, above = false, -1, b.level
			if skip > 0 && b.level > skip {
				continue
			}
			skip = 0
			if b.level <= under {
				under = 0
			}
			if weak && b.level > section && under == 0 && toolHeading.MatchString(t) && !notToolHead.MatchString(t) && !plausibleTool(clip(cmp.Or(b.code...)), true) {
				section, weak, last, r.ToolHeading = b.level, false, -1, true // "Tools" below "Features"
				continue
			}
			if section > 0 && b.level > section {
				name := cmp.Or(clip(b.lead), clip(t))
				if b.lead == "" {
					b.rest = "" // the heading is the name
				}
				fromCode := len(b.code) > 0 && clip(b.code[0]) == name
				if len(b.code) > 0 && !fromCode && distinct(clip(b.code[0])) && plausibleTool(clip(b.code[0]), true) && under == 0 {
					name, fromCode = clip(b.code[0]), true // "Web Search (`web_search`)"
					b.rest = ""
				}
				if fromCode && plausibleTool(name, true) || !strings.Contains(t, " ") && plausibleTool(name, distinct(name)) && !(strings.Contains(name, "-") && name != strings.ToLower(name)) {
					isTool[i] = add(name, b.rest)
					under = b.level
					continue
				}
				if m := signature.FindStringSubmatch(t); m != nil && strings.ContainsAny(m[1], "_-") && plausibleTool(clip(m[1]), distinct(clip(m[1]))) && clip(m[1]) == strings.ToLower(clip(m[1])) {
					isTool[i] = add(clip(m[1]), afterSignature(t, m[1])) // "get_tide(harbour) - when the water is high"
					under = b.level
					continue
				}
				if under > 0 && b.level > under {
					continue // a part of the tool's description
				}
				under = 0
				if notTools.MatchString(t) && (!groupHead.MatchString(t) || toolParts.MatchString(t)) {
					skip = b.level
				}
				continue
			}
			section, under, weak, last = 0, 0, false, -1
			switch {
			case toolHeading.MatchString(t) && !notToolHead.MatchString(t) && categories.MatchString(t):
				section, weak = b.level, true
			case toolHeading.MatchString(t) && !notToolHead.MatchString(t):
				section = b.level
				r.ToolHeading = true
				if name := clip(cmp.Or(b.code...)); len(b.code) == 1 && plausibleTool(name, distinct(name)) {
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
		if b.kind == marked {
			switch b.tag {
			case "li":
				b.kind = item
			case "tr":
				b.kind = row
			case "end":
				if section == folded {
					section = 0
				}
				if under == folded {
					under = 0
				}
				if skip == folded {
					skip = 0
				}
				continue
			case "summary":
				if skip > 0 && skip < folded {
					continue
				}
				t := unnumbered(b.text)
				name := clip(cmp.Or(b.lead, cmp.Or(b.code...), t))
				aside, skip, open = false, 0, -1
				if under == folded {
					under = 0
				}
				switch {
				case section == 0 && toolHeading.MatchString(t) && !notToolHead.MatchString(t):
					section, weak, r.ToolHeading = folded, false, true
				case section > 0 && (b.lead == name || len(b.code) > 0 && clip(b.code[0]) == name || t == name) && plausibleTool(name, distinct(name)):
					isTool[i] = add(name, strings.TrimLeft(strings.TrimPrefix(t, name), " \t:-–—.()*"))
					under = folded
				case section > 0 && foldedAside.MatchString(t):
					skip = folded
				}
				continue
			}
		}
		if b.kind == paragraph && b.outer < 0 && !b.quote && skip == 0 && above > 1 && (section == 0 || weak) && announced.MatchString(b.text) && !notToolHead.MatchString(b.text) {
			section, weak, under, aside = above, false, 0, false // "The server provides four tools:"
			continue
		}
		if section == 0 {
			if b.kind == row && len(b.heads) > 0 && toolHeading.MatchString(b.heads[0]) && !notToolHead.MatchString(b.heads[0]) {
				if name, desc := rowTool(b, false); name != "" {
					isTool[i] = add(name, desc)
				}
			} else if b.kind == row {
				for col, head := range b.heads[:min(len(b.heads), len(b.cells))] {
					if !toolsColumn.MatchString(head) {
						continue
					}
					for _, c := range b.code {
						if strings.Contains(b.cells[col], c) && plausibleTool(c, strings.Contains(c, "_") && !strings.HasSuffix(c, "_")) {
							add(c, "")
						}
					}
				}
			}
			continue
		}
		if skip > 0 {
			continue
		}
		if b.kind == paragraph && b.outer < 0 {
			aside = labelled.MatchString(b.text) && !toolHeading.MatchString(b.text) || otherList.MatchString(b.text) || !weak && featureList.MatchString(b.text)
		}
		if b.kind == item && len(b.code) > 0 && b.lead != b.code[0] && b.level == 0 && labelledName.MatchString(before(b.text, b.code[0])) && plausibleTool(clip(b.code[0]), true) {
			isTool[i], open = add(clip(b.code[0]), labelledText(b.text)), i
			continue
		}
		if b.kind == item && len(b.code) > 0 && nameLabel.MatchString(strings.TrimSpace(before(b.text, b.code[0]))) && plausibleTool(clip(b.code[0]), true) {
			isTool[i] = add(clip(b.code[0]), "")
			under = max(section, above)
			continue
		}
		if under > 0 && b.kind != row {
			if last >= 0 && (b.kind == paragraph || b.kind == item) && r.Tools[last].Description == "" {
				r.describeTool(last, b)
			}
			continue
		}
		if aside && b.kind != code {
			continue
		}
		switch b.kind {
		case code:
			// A heading such as "Search tool" over the function's signature.
			if m := codeSign.FindStringSubmatch(b.text); m != nil && i > 0 && blocks[i-1].kind == heading && blocks[i-1].level > section && strings.Count(b.text, "\n") <= 6 && plausibleTool(m[1], true) {
				isTool[i] = add(m[1], "")
				under = blocks[i-1].level
			}
		case item:
			if insideTool(blocks, isTool, i) {
				if open >= 0 && b.outer == open && last >= 0 && (r.Tools[last].Description == "" || descLabel.MatchString(b.text)) {
					r.describeTool(last, b)
				}
				continue
			}
			if names := several(b, weak); len(names) > 1 {
				for _, n := range names {
					isTool[i] = add(n, "") || isTool[i]
				}
				continue
			}
			if name := leadTool(b, weak); name != "" {
				if b.lead == "" {
					b.rest = afterSignature(b.text, name)
				}
				isTool[i], open = add(name, b.rest), i
			} else if !weak && len(b.code) == 1 && strings.HasSuffix(b.text, b.code[0]) && groupLabel.MatchString(before(b.text, b.code[0])) && plausibleTool(b.code[0], strings.Contains(b.code[0], "_")) {
				isTool[i] = add(b.code[0], "") // "Cache: `clear_cache`"
			}
		case paragraph:
			if b.outer >= 0 {
				if isTool[b.outer] && last >= 0 && r.Tools[last].Description == "" {
					r.Tools[last].Description = untyped.Short(b.text)
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
	r.calls(blocks, add)
	r.signatures(blocks, add)
	r.ordinary(blocks, add)
	r.shortened()
	r.odd()
	r.parameters(blocks)
	r.ToolEntries = len(r.Tools)
	if len(r.Tools) == 0 && r.ToolHeading {
		r.ToolEntries = entries(blocks)
	}
}

var (
	callName = regexp.MustCompile(`"(name|tool|tool_?[nN]ame)"\s*:\s*"([A-Za-z][A-Za-z0-9_-]{2,63})"`)
	callArgs = regexp.MustCompile(`"(?:arguments|params|parameters|input|args)"\s*:\s*\{`)
)

// calls takes the names of the calls that code blocks show: {"name":
// "tide_table", "arguments": {…}}. Each must stand below a heading of tools or
// be one of several.
func (r *Document) calls(blocks []block, add func(name, description string) bool) {
	type call struct {
		name, about string
		sure        bool
	}
	var found []call
	section, about := 0, ""
	for _, b := range blocks {
		switch b.kind {
		case heading:
			about = ""
			if section == 0 || b.level <= section {
				section = 0
				if toolHeading.MatchString(b.text) && !notToolHead.MatchString(b.text) {
					section = b.level
				}
			}
		case paragraph:
			if b.outer < 0 {
				about = strings.TrimSuffix(b.text, ":")
			}
		case code:
			m := callName.FindStringSubmatch(b.text)
			if m == nil || !callArgs.MatchString(b.text) || strings.Contains(b.text, "mcpServers") || !plausibleTool(m[2], distinct(m[2])) {
				continue
			}
			found = append(found, call{m[2], about, section > 0})
		}
	}
	for _, c := range found {
		if !c.sure && len(found) < 3 {
			continue
		}
		if !slices.ContainsFunc(r.Tools, func(t registry.Tool) bool { return strings.EqualFold(t.Name, c.name) }) && len(strings.Fields(c.about)) < 4 {
			c.about = ""
		}
		add(c.name, c.about)
	}
}

// labelledText returns what stands behind "Description:".
func labelledText(s string) string {
	if m := labelledDesc.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

var (
	apiHeading = regexp.MustCompile(`(?i)\b(?:tools?|api(?: reference)?|functions|commands|operations|methods|capabilities)\b`)
	// callLine is a call or a signature alone on its line, whose arguments may
	// go on below.
	callLine = regexp.MustCompile(`^(?:(?:async\s+)?(?:def|function)\s+)?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\((?:[^()]*\)\s*(?:->\s*[\w\[\], |.]{1,60})?:?|[^()]*,)\s*(?:#.*)?$`)
)

// signatures takes as tools what code blocks below headings such as "API
// reference" list as calls, one a line, if nothing else in them is run: at
// least three of them, and more than were found otherwise.
func (r *Document) signatures(blocks []block, add func(name, description string) bool) {
	var names []string
	section := 0
	for _, b := range blocks {
		if b.kind == heading {
			if section == 0 || b.level <= section {
				section = 0
				if apiHeading.MatchString(b.text) && !notToolHead.MatchString(b.text) {
					section = b.level
				}
			}
			continue
		}
		if b.kind != code || section == 0 || strings.Contains(b.text, "import ") {
			continue
		}
		var found []string
		calls, lines := 0, 0
		for line := range strings.Lines(b.text) {
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ")") {
				continue // blank, a comment, or a signature that goes on
			}
			lines++
			if m := callLine.FindStringSubmatch(strings.TrimRight(line, " \r\n")); m != nil && plausibleTool(m[1], true) {
				calls++
				found = append(found, m[1])
			}
		}
		if calls == lines {
			names = append(names, found...)
		}
	}
	names = distinctNames(names)
	if len(names) < 3 || len(names) <= len(r.Tools) {
		return
	}
	for _, n := range names {
		add(n, "")
	}
}

// distinctNames returns each name once, in order.
func distinctNames(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	})
}

var ordinaryItem = regexp.MustCompile(`^([a-z][a-z0-9]{2,24})\s*(?::|–|—|\s-)\s+(\S+ .+)$`)

// ordinary takes an item such as "search: finds notes" for a tool if those
// beside it in the same list are tools written the same way.
func (r *Document) ordinary(blocks []block, add func(name, description string) bool) {
	known := map[string]bool{}
	for _, t := range r.Tools {
		known[t.Name] = true
	}
	for i := 0; i < len(blocks); i++ {
		if blocks[i].kind != item || blocks[i].level > 0 || blocks[i].lead != "" {
			continue
		}
		tools := 0
		var words []*block
		j := i
		for ; j < len(blocks) && (blocks[j].kind == item || blocks[j].outer >= i); j++ {
			b := &blocks[j]
			if b.kind != item || b.level > 0 || b.lead != "" {
				continue
			}
			if m := signature.FindStringSubmatch(b.text); m != nil && known[clip(m[1])] {
				tools++
			} else if m := ordinaryItem.FindStringSubmatch(b.text); m != nil && plausibleTool(m[1], true) {
				words = append(words, b)
			}
		}
		if tools >= 2 && len(words) <= tools {
			for _, b := range words {
				m := ordinaryItem.FindStringSubmatch(b.text)
				add(m[1], m[2])
			}
		}
		i = max(i, j-1)
	}
}

// shortened drops names that are those of other tools without the prefix that
// most have: prose says "scrape" for "acme_scrape".
func (r *Document) shortened() {
	count := map[string]int{}
	for _, t := range r.Tools {
		if i := strings.IndexAny(t.Name, "_-"); i > 1 {
			count[t.Name[:i+1]]++
		}
	}
	names := map[string]bool{}
	for _, t := range r.Tools {
		names[t.Name] = true
	}
	for prefix, n := range count {
		if n >= 3 && n*2 >= len(r.Tools) {
			r.Tools = slices.DeleteFunc(r.Tools, func(t registry.Tool) bool { return names[prefix+t.Name] })
			return
		}
	}
}

// odd drops names in another style than nearly all others: fields and flags in
// the text about tools, as "flowDirection" among "list_flows".
func (r *Document) odd() {
	spaced, mixed := 0, 0
	isMixed := func(n string) bool {
		return !strings.ContainsAny(n, "_-") && n != strings.ToLower(n) && n != strings.ToUpper(n)
	}
	for _, t := range r.Tools {
		switch {
		case isMixed(t.Name):
			mixed++
		case strings.ContainsAny(t.Name, "_-") && t.Name == strings.ToLower(t.Name):
			spaced++
		}
	}
	if spaced >= 8 && mixed*6 <= spaced {
		r.Tools = slices.DeleteFunc(r.Tools, func(t registry.Tool) bool { return isMixed(t.Name) })
	}
}

// folded is the level of a section that an HTML summary opens: below every
// heading.
const folded = 7

// describeTool takes what stands below a tool for its description, unless it
// is about parameters and the like.
func (r *Document) describeTool(at int, b block) {
	text := strings.TrimSpace(b.text)
	if m := descLabel.FindString(text); m != "" {
		r.Tools[at].Description = untyped.Short(strings.TrimSpace(text[len(m):]))
		return
	}
	if r.Tools[at].Description != "" || sideLabel.MatchString(text) || labelled.MatchString(text) || paramType.MatchString(b.rest) || strings.HasSuffix(text, ":") && (b.kind == item || len(strings.Fields(text)) < 4) {
		return
	}
	if b.kind == item && (b.lead != "" && (len(b.code) > 0 && b.code[0] == b.lead || strings.HasPrefix(text, b.lead+":")) || len(strings.Fields(text)) < 3 || paramItem.MatchString(text)) {
		return
	}
	r.Tools[at].Description = untyped.Short(strings.TrimSuffix(text, ":"))
}

// paramItem is a parameter with its type: "limit (number): how many".
var paramItem = regexp.MustCompile(`(?i)^[\w.\[\]-]{1,60}\??\s*(?:[(:]\s*(?:string|str|int|integer|number|float|bool|boolean|array|object|list|dict|enum|any|optional|required)\b)`)

// unnumbered strips numbers and pictures off the front of a heading.
func unnumbered(s string) string {
	return strings.TrimSpace(strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }))
}

func before(s, sep string) string {
	s, _, _ = strings.Cut(s, sep)
	return s
}

// afterSignature returns what a heading says behind "name(arguments)".
func afterSignature(s, name string) string {
	if i := strings.Index(s, name); i >= 0 {
		s = s[i+len(name):]
	}
	if strings.HasPrefix(s, "(") {
		if i := strings.IndexByte(s, ')'); i >= 0 {
			s = s[i+1:]
		}
	}
	return strings.TrimSpace(strings.TrimLeft(s, " :-–—.)"))
}

// scattered takes as tools what is written as such under headings of their own
// ("Test management", "Server usage"): "Name: `…`" with a description below,
// headings that are nothing but a name, list items that begin with a name in
// code and describe it. There must be several of a kind.
func (r *Document) scattered(blocks []block, add func(name, description string) bool) {
	type entry struct {
		name string
		body *block
	}
	var named, titled, listed []entry
	sure := 0 // of listed: under headings that do not speak of something else
	levels := map[int]int{}
	skip := 0
	for i := range blocks {
		b := &blocks[i]
		var next *block
		if i+1 < len(blocks) {
			next = &blocks[i+1]
		}
		if b.kind == heading {
			if skip == 0 || b.level <= skip {
				skip = 0
				if notTools.MatchString(b.text) && !groupHead.MatchString(b.text) || notToolHead.MatchString(b.text) {
					skip = b.level
				}
			}
			t := toolPrefix.ReplaceAllString(unnumbered(b.text), "")
			name := clip(t)
			if m := signature.FindStringSubmatch(t); m != nil {
				name = clip(m[1])
			}
			if skip == 0 && b.level > 1 && plausibleTool(name, strings.Contains(name, "_") || distinct(name) && len(b.code) > 0 && clip(b.code[0]) == name) && !strings.Contains(name, ".") && (strings.HasPrefix(t, name)) && name == strings.TrimLeft(name, "-_") {
				levels[b.level]++
				titled = append(titled, entry{name, next})
			}
			continue
		}
		if b.kind != item {
			continue
		}
		if len(b.code) > 0 && nameLabel.MatchString(strings.TrimSpace(before(b.text, b.code[0]))) && descriptionFollows(blocks, i) {
			if name := clip(b.code[0]); plausibleTool(name, true) {
				named = append(named, entry{name, next})
			}
			continue
		}
		if b.level > 0 || len(b.code) == 0 || b.code[0] != b.lead || len(strings.Fields(b.rest)) < 3 || paramType.MatchString(b.rest) {
			continue
		}
		if name := clip(b.lead); plausibleTool(name, distinct(name)) && !strings.Contains(name, ".") {
			if skip > 0 && (sure < 5 || !strings.Contains(b.text, "—")) {
				continue
			}
			if skip == 0 {
				sure++
			}
			listed = append(listed, entry{name, &block{kind: paragraph, text: b.rest}})
		}
	}
	most := 0
	for _, n := range levels {
		most = max(most, n)
	}
	take := func(list []entry) {
		for _, e := range list {
			if add(e.name, "") && e.body != nil && (e.body.kind == paragraph || e.body.kind == item) {
				r.describeTool(r.toolAt(e.name), *e.body)
			}
		}
	}
	switch {
	case len(named) >= 2:
		take(named)
	case most >= 3:
		take(titled)
	case len(listed) >= 3:
		take(listed)
	}
}

// descriptionFollows says whether the item after the i-th says "Description:".
func descriptionFollows(blocks []block, i int) bool {
	for _, b := range blocks[i+1 : min(i+3, len(blocks))] {
		if b.kind == item && descLabel.MatchString(b.text) {
			return true
		}
	}
	return false
}

func (r *Document) toolAt(name string) int {
	for i := range r.Tools {
		if strings.EqualFold(r.Tools[i].Name, name) {
			return i
		}
	}
	return 0
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
	return manifest.IsToolName(name) && !strings.ContainsAny(name, "/:") && len(name) > 1 && !reservedWord.MatchString(name) && !(strings.ContainsAny(name, "_-") && name == strings.ToUpper(name)) && sure
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
	cell := clip(cmp.Or(b.leads[col], b.cells[col]))
	coded := slices.Contains(b.code, b.leads[col])
	sure := coded || distinct(cell) || b.leads[col] != "" && cell == strings.ToLower(cell)
	named := col < len(b.heads) && toolColumn.MatchString(b.heads[col])
	if !coded && !strings.Contains(cell, "_") && cell != "" && unicode.IsUpper(rune(cell[0])) && !(named && distinct(cell) && !strings.ContainsAny(cell, "-. ")) {
		sure = false // a product's name, as a link or in bold
	}
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
