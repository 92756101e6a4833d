package readme

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
)

// What READMEs say of the parameters of tools. Only forms that can hardly mean
// anything else are read: list items with a type, or below a label such as
// "Parameters:", tables with a column of parameters, signatures, and schemas in
// code blocks. What is read becomes an input schema.

// parameters reads what the README says of the parameters of the tools that it
// lists.
func (r *Document) parameters(blocks []block) {
	if len(r.Tools) == 0 {
		return
	}
	at := map[string]int{}
	for i, t := range r.Tools {
		at[t.Name] = i
	}
	found := make([]parameterList, len(r.Tools))
	under := 0 // level of the heading that is the current tool
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		if b.kind == heading && b.level <= under {
			under = 0
		}
		tool, end, level := -1, 0, 0
		switch {
		case b.kind == heading:
			tool = toolOf(b, at)
			if under > 0 {
				tool = -1
			}
			if end = i + 1; tool >= 0 {
				under, level = b.level, b.level
				for end < len(blocks) && !(blocks[end].kind == heading && blocks[end].level <= b.level) {
					end++
				}
			}
		case under > 0:
		case b.kind == item:
			if tool = toolOf(b, at); tool >= 0 {
				for end = i + 1; end < len(blocks) && within(blocks, end, i); end++ {
				}
			}
		case b.kind == paragraph && b.outer < 0 && b.lead != "" && strings.HasPrefix(b.text, b.lead):
			if tool = toolOf(b, at); tool >= 0 {
				for end = i + 1; end < len(blocks) && blocks[end].kind != heading && !(blocks[end].outer < 0 && (blocks[end].kind == paragraph || blocks[end].kind == item) && toolOf(blocks[end], at) >= 0); end++ {
				}
			}
		case b.kind == marked && b.tag == "summary":
			if tool = toolOf(b, at); tool >= 0 {
				for end = i + 1; end < len(blocks) && blocks[end].kind != heading && !(blocks[end].kind == marked && blocks[end].tag != "tr" && blocks[end].tag != "li"); end++ {
				}
			}
		case b.kind == code:
			for i, l := range callsOf(b.text, at) {
				if !found[i].known {
					found[i] = l
				}
			}
			continue
		case b.kind == row || b.kind == marked && b.tag == "tr":
			if tool = toolOf(b, at); tool >= 0 && !found[tool].known {
				found[tool] = rowParameters(b)
			}
			continue
		}
		if tool < 0 || found[tool].known {
			continue
		}
		list := signatureOf(b, r.Tools[tool].Name)
		if described := parametersIn(blocks, i, end, level); described.known && (len(described.all) >= len(list.all) || described.raw != nil) {
			list = described
		}
		found[tool] = list
	}
	room := longestSchemas
	for i := range found {
		if s := found[i].schema(); s != nil && len(s) <= room && r.Tools[i].InputSchema == nil {
			r.Tools[i].InputSchema = s
			room -= len(s)
		}
	}
}

// toolOf returns the index of the tool that a block is about, -1 if none.
func toolOf(b block, at map[string]int) int {
	candidates := []string{b.lead}
	if len(b.code) > 0 {
		candidates = append(candidates, b.code[0])
	}
	t := toolPrefix.ReplaceAllString(unnumbered(b.text), "")
	if b.kind == row || b.kind == marked && b.tag == "tr" {
		candidates = slices.Concat(b.leads[:min(len(b.leads), 2)], b.cells[:min(len(b.cells), 2)])
	} else if m := signature.FindStringSubmatch(t); m != nil {
		candidates = append(candidates, m[1])
	} else if b.kind == heading || b.kind == marked {
		candidates = append(candidates, t)
	}
	for _, c := range candidates {
		if i, ok := at[clip(c)]; ok && c != "" {
			return i
		}
	}
	return -1
}

// within says whether block i is in the list item outer.
func within(blocks []block, i, outer int) bool {
	for o := blocks[i].outer; o >= 0; o = blocks[o].outer {
		if o == outer {
			return true
		}
	}
	return false
}

// parametersIn reads the blocks from behind a tool's own to end.
func parametersIn(blocks []block, tool, end, level int) (list parameterList) {
	const none, params, other = 0, 1, 2
	state, required := none, false
	labelOf := map[int]int{} // of items that are labels
	needed := map[int]bool{} // of those, the ones that say "required"
	taken := map[int]bool{}  // items that are parameters: what is in them is not
	begin := tool + 1
	label := func(text string) int {
		text = strings.TrimSpace(strings.Trim(text, "*_ "))
		switch {
		case paramLabel.MatchString(text):
			return params
		case otherLabel.MatchString(text) && len(strings.Fields(text)) <= 8:
			return other
		}
		return none
	}
	for i := begin; i < end; i++ {
		b := blocks[i]
		context, labelNeeds, inParameter := none, false, false
		nested := false
		for o := b.outer; o >= begin; o = blocks[o].outer {
			nested = true
			if taken[o] {
				inParameter = true
			}
			if context == none {
				context, labelNeeds = labelOf[o], needed[o]
			}
		}
		if inParameter {
			continue
		}
		if context == none {
			context, labelNeeds = state, required
		}
		switch b.kind {
		case heading:
			state, required = label(unnumbered(b.text)), startsRequired(b.text)
			if state == none && level > 0 && b.level > level {
				state = other // an example, a part of its own
				if paramHeads.MatchString(b.text) {
					state = none
				}
			}
		case paragraph:
			if noneLine.MatchString(b.text) && context != other {
				list.known = true
				continue
			}
			if m := inlineLabel.FindStringSubmatch(b.text); m != nil && context != other {
				if l := inlineParameters(m[1], b.code); l.known {
					for _, p := range l.all {
						list.add(p)
					}
					list.known = true
					continue
				}
			}
			if nested {
				if l := label(b.text); l != none {
					labelOf[b.outer], needed[b.outer] = l, startsRequired(b.text)
				}
				continue
			}
			if l := label(b.text); l != none {
				state, required = l, startsRequired(b.text)
			} else if strings.HasSuffix(b.text, ":") {
				state, required = none, false
			}
		case item:
			if context == other {
				continue
			}
			if m := inlineLabel.FindStringSubmatch(b.text); m != nil && !(len(b.code) > 0 && strings.HasPrefix(b.text, b.code[0])) {
				if l := inlineParameters(m[1], b.code); l.known {
					for _, p := range l.all {
						list.add(p)
					}
					list.known, taken[i] = true, true
					continue
				}
			}
			if !(len(b.code) > 0 && strings.HasPrefix(b.text, b.code[0])) {
				if noneLine.MatchString(b.text) || context == params && noneWord.MatchString(b.text) {
					list.known = true
					continue
				}
				if l := label(b.text); l != none {
					labelOf[i], needed[i] = l, startsRequired(b.text)
					continue
				}
			}
			if p, ok := parameterOf(b.text, b.lead, b.code, context == params); ok {
				p.required = p.required || labelNeeds && p.fallback == ""
				list.add(p)
				taken[i] = true
			}
		case row, marked:
			if b.kind == marked && b.tag != "tr" || context == other {
				continue
			}
			if p, ok := rowParameter(b); ok {
				list.add(p)
			}
		case code:
			if context != other && !list.known {
				list = codeParameters(b.text, context == params)
			}
		}
	}
	return list
}

func startsRequired(s string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimLeft(s, "*_ ")), "required")
}

// inlineParameters reads "`path` (string), `depth` (number, optional)".
func inlineParameters(s string, code []string) (list parameterList) {
	s = strings.TrimSpace(s)
	if noneWord.MatchString(s) {
		return parameterList{known: true}
	}
	var found []parameter
	depth, start := 0, 0
	var parts []string
	for i, r := range s {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',', ';':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	parts = append(parts, s[start:])
	coded := 0
	for _, part := range parts {
		part = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "and ")), "."))
		var c []string
		for _, x := range code {
			if strings.HasPrefix(part, x) {
				c = []string{x}
			}
		}
		p, ok := parameterOf(part, cmp.Or(c...), c, true)
		if !ok || len(p.description) > 0 && len(parts) > 1 && len(strings.Fields(p.description)) > 8 {
			if len(found) > 0 && len(c) == 0 {
				break // a sentence goes on
			}
			return parameterList{}
		}
		if len(c) > 0 || p.kind != "" {
			coded++
		} else if !wordOrCode.MatchString(part) {
			return parameterList{}
		}
		found = append(found, p)
	}
	if coded == 0 && !(len(found) > 0 && len(code) == 0 && slices.ContainsFunc(found, func(p parameter) bool { return strings.Contains(p.name, "_") })) {
		return parameterList{}
	}
	for _, p := range found {
		list.add(p)
	}
	return list
}

// rowParameter reads a row of a table with a column of parameters.
func rowParameter(b block) (p parameter, ok bool) {
	if len(b.heads) < 2 || len(b.cells) < 2 || !paramColumn.MatchString(strings.TrimSpace(b.heads[0])) {
		return p, false
	}
	strict := false
	for col, head := range b.heads[:min(len(b.heads), len(b.cells))] {
		head, cell := strings.TrimSpace(head), strings.TrimSpace(b.cells[col])
		switch {
		case col == 0:
			name := strings.Trim(cell, "`* ")
			if n, more, cut := strings.Cut(name, " "); cut {
				if !p.setTags(strings.Trim(more, "()* ")) && strings.Trim(more, "* ") != "" {
					return p, false
				}
				name = n
			}
			if strings.HasSuffix(name, "*") {
				p.required = true
			}
			p.name = strings.TrimRight(name, "?*")
		case typeCol.MatchString(head):
			strict = true
			if !p.setTags(cell) {
				p.setType(cell)
			}
		case requiredCol.MatchString(head):
			strict = true
			yes := yesCell.MatchString(strings.Trim(cell, "*` "))
			p.required = yes != strings.HasPrefix(strings.ToLower(head), "optional")
		case defaultCol.MatchString(head):
			strict = true
			if cell != "" && cell != "-" && cell != "—" && !strings.EqualFold(cell, "none") {
				p.setDefault(cell)
			}
		case describeCol.MatchString(head):
			p.description = cell
		}
	}
	// A table of names and descriptions may list anything.
	sure := strict || sureColumn.MatchString(b.heads[0])
	return p, sure && paramName.MatchString(p.name)
}

// rowParameters reads the cell of a tool's row that lists its parameters.
func rowParameters(b block) (list parameterList) {
	for col, head := range b.heads[:min(len(b.heads), len(b.cells))] {
		if col == 0 || !listColumn.MatchString(strings.TrimSpace(head)) {
			continue
		}
		cell := strings.TrimSpace(b.cells[col])
		if cell == "" {
			continue
		}
		if noneWord.MatchString(cell) {
			list.known = true
			continue
		}
		var code []string
		for _, c := range b.code {
			if strings.Contains(cell, c) {
				code = append(code, c)
			}
		}
		l := inlineParameters(cell, code)
		if strings.HasPrefix(cell, "•") {
			l = bulletedParameters(cell, code)
		}
		if m := objectForm.FindStringSubmatch(cell); m != nil {
			l = signatureParameters(strings.ReplaceAll(m[1], ";", ","))
		}
		for _, p := range l.all {
			p.required = p.required || startsRequired(head)
			list.add(p)
		}
	}
	return list
}

// bulletedParameters reads "• `city` (required): where • `days`: how many".
func bulletedParameters(s string, code []string) (list parameterList) {
	for part := range strings.SplitSeq(s, "•") {
		part = strings.TrimSpace(part)
		var c []string
		for _, x := range code {
			if strings.HasPrefix(part, x) {
				c = []string{x}
			}
		}
		if p, ok := parameterOf(part, cmp.Or(c...), c, true); ok {
			list.add(p)
		} else if part != "" {
			return parameterList{}
		}
	}
	return list
}

// signatureOf reads the parameters of "search(query, limit=10)".
func signatureOf(b block, name string) (list parameterList) {
	for _, text := range append(slices.Clone(b.code), b.lead, b.text) {
		at := strings.Index(text, name+"(")
		if at < 0 {
			continue
		}
		inside, _, closed := strings.Cut(text[at+len(name)+1:], ")")
		if !closed || strings.ContainsAny(inside, "({") {
			continue
		}
		if inside = strings.TrimSpace(inside); inside == "" {
			continue // often written for any function
		}
		return signatureParameters(inside)
	}
	return list
}

// signatureParameters reads "query: string, limit = 10".
func signatureParameters(s string) (list parameterList) {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" || part == "*" {
			continue
		}
		var p parameter
		part, value, hasDefault := strings.Cut(part, "=")
		n, kind, hasType := strings.Cut(part, ":")
		n = strings.TrimSpace(n)
		p.name = strings.TrimSuffix(n, "?")
		if !paramName.MatchString(p.name) || hasType && !p.setType(kind) {
			return parameterList{}
		}
		if hasDefault {
			p.setDefault(value)
		}
		p.required = hasType && !hasDefault && n == p.name
		list.add(p)
	}
	return list
}

// callsOf reads the signatures of tools that a code block lists: two at least,
// since one may be an example.
func callsOf(s string, at map[string]int) map[int]parameterList {
	out := map[int]parameterList{}
	for _, m := range callOfTool.FindAllStringSubmatch(s, 200) {
		tool, ok := at[m[1]]
		if !ok {
			continue
		}
		if strings.TrimSpace(m[2]) == "" {
			out[tool] = parameterList{known: true}
			continue
		}
		l := signatureParameters(strings.Join(strings.Fields(m[2]), " "))
		if !l.known {
			return nil // values: these are calls
		}
		if _, again := out[tool]; again {
			return nil
		}
		out[tool] = l
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// codeParameters reads a schema, or an object whose members are types, from a
// code block.
func codeParameters(s string, labelled bool) (list parameterList) {
	s = strings.TrimSpace(s)
	if len(s) > 4*longestSchema || !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") {
		return list
	}
	if o, err := untyped.JSON([]byte(s)); err == nil {
		schema := o
		if inner := o.Object("inputSchema", "input_schema", "parameters"); inner != nil && o.Text("type") == "" {
			schema = inner
		}
		if schema.Text("type") == "object" && schema.Object("properties") != nil {
			if raw, err := json.Marshal(schema); err == nil && len(raw) <= longestSchema {
				return parameterList{known: true, raw: raw}
			}
		}
	}
	lines := strings.Split(s[1:len(s)-1], "\n")
	if len(lines) > 2*mostParameters || !labelled && len(lines) < 2 {
		return list
	}
	var all []parameter
	for _, line := range lines {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		m := tsLine.FindStringSubmatch(line)
		if m == nil {
			return parameterList{}
		}
		p := parameter{name: m[1], description: m[4]}
		kind := m[3]
		if unquoted := strings.Trim(kind, `"'`); len(unquoted) == len(kind)-2 && !strings.Contains(kind, "|") {
			kind = unquoted // "query": "string"
			if jsonTypes[strings.ToLower(kind)] == "" {
				return parameterList{} // an example
			}
		}
		if !p.setType(kind) {
			return parameterList{}
		}
		p.required = m[2] == "" && !strings.Contains(strings.ToLower(m[4]), "optional") && kind == m[3]
		all = append(all, p)
	}
	for _, p := range all {
		list.add(p)
	}
	return list
}
