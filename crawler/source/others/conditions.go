package others

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
)

// A region is a part of a file that has an effect only under a condition.
type region struct {
	from, to int
	listing.Branch
}

// Limits of a file.
const (
	maxRegions   = 2000
	maxNamed     = 20_000 // places that name classes
	maxCondition = 200    // tokens of a condition that is read
)

// collectRegions finds the branches of a file, and the items with conditional attributes.
func (s *source) collectRegions() {
	for i := range s.tokens {
		if len(s.regions) >= maxRegions {
			s.tools.Partial = true
			break
		}
		if s.is(i-1, "class") {
			s.classes[s.at(i).text] = true
			if name, _, isTool := s.rubyTool(i - 1); isTool {
				s.rubyTools = append(s.rubyTools, name)
			}
		}
		switch id := s.at(i).text; {
		case s.language == "Ruby":
			s.rubyBranch(i)
		case s.is(i, "if"):
			s.ifBranch(i)
		case s.is(i, "cfg") && s.language == "Rust" && s.is(i-1, "[", "#[") && s.is(i+1, "("):
			s.cfg(i)
		case s.is(i-1, "@") && strings.HasPrefix(id, "ConditionalOn"):
			s.conditionalOn(i)
		}
	}
}

// around returns the branches around a position, outermost first.
func (s *source) around(i int) (out []listing.Branch) {
	for _, r := range s.regions {
		if r.from <= i && i < r.to {
			out = append(out, r.Branch)
		}
	}
	return out
}

// noteTypes notes in which branches the classes of a file that registers them are named.
func (s *source) noteTypes() {
	if s.language != "C#" && s.language != "Ruby" {
		return
	}
	named := 0
	for i, t := range s.tokens {
		if s.classes[t.text] && t.kind == tokenWord && !s.is(i-1, "class") &&
			!s.is(i-3, "class") && named < maxNamed {
			named++
			s.types.Note(t.text, s.around(i))
		}
	}
	s.tools.Partial = s.tools.Partial || named == maxNamed
}

// branch adds the region of a condition, unless that holds by default.
func (s *source) branch(from, to, body, end int) {
	if to-from > maxCondition {
		s.regions = append(s.regions, region{body, end, listing.Branch{Node: &s.tokens[body]}})
		return
	}
	for k := from; k < to; k++ {
		if s.is(k, "&&", "and") {
			s.branch(from, k, body, end)
			s.branch(k+1, to, body, end)
			return
		}
		if s.is(k, "(", "[", "{") {
			k = s.end(k)
		}
	}
	t := s.testOf(from, to)
	if to <= from || t.IsNegative() {
		return
	}
	b := listing.Branch{Node: &s.tokens[from], Setting: t.Name()}
	texts, allowed := 0, 1
	for k := from; k < to; k++ {
		if s.at(k).kind != tokenString {
			continue
		}
		texts++
		if s.isSetting(k) && b.Default == listing.Undecided {
			b.Setting, b.Default = s.at(k).text, listing.Off
		}
		if s.is(k-1, "==") && k == to-1 {
			b.Setting, allowed = listing.Equals(b.Setting, s.at(k).text), 2
		}
	}
	if texts > allowed { // one may be a default
		b.Default = listing.Undecided
	}
	s.regions = append(s.regions, region{body, end, b})
}

var flagForm = regexp.MustCompile(`^--[a-z][\w-]*$`)

// isSetting reports whether the string at k is a flag, or the name of a variable that the code
// reads from the environment.
func (s *source) isSetting(k int) bool {
	if flagForm.MatchString(s.at(k).text) {
		return true
	}
	if !s.is(k-1, "(", "[") {
		return false
	}
	return slices.ContainsFunc(s.tokens[max(0, k-4):k], func(t token) bool {
		return t.kind == tokenWord && strings.Contains(strings.ToLower(t.text), "env")
	})
}

// testOf returns a condition in the terms of all languages.
func (s *source) testOf(from, to int) listing.Test {
	if s.is(from, "!") {
		return listing.Negate(s.testOf(from+1, to))
	}
	for k := from + 1; k < to-1; k++ {
		of := func() []listing.Test { return []listing.Test{s.testOf(from, k), s.testOf(k+1, to)} }
		switch {
		case s.is(k, "=="):
			return listing.Test{Op: listing.Same, Of: of()}
		case s.is(k, "!="):
			return listing.Test{Op: listing.Differ, Of: of()}
		}
	}
	t := listing.Test{Op: listing.Named}
	for k := from; k < to; k++ {
		switch {
		case s.is(k, "null", "nil", "None", "false"), s.at(k).kind == tokenString && s.at(k).text == "":
			return listing.Test{Op: listing.Nothing}
		case s.at(k).kind == tokenWord:
			t.Path = append(t.Path, s.at(k).text)
		case !s.is(k, "."):
			return listing.Test{}
		}
	}
	if len(t.Path) == 0 {
		return listing.Test{}
	}
	return t
}

// ifBranch adds the body of the if statement at i.
func (s *source) ifBranch(i int) {
	from, to := i+1, s.find(i, "{", "}", ";", "=>")
	body := to
	if s.is(from, "(") {
		to = s.end(from)
		from, body = from+1, to+1
	}
	switch {
	case body < 0 || body >= len(s.tokens) || to == body && !s.is(body, "{"):
	case s.is(body, "{"):
		s.branch(from, to, body, s.end(body))
	default: // one statement
		end := body + 1
		for end < len(s.tokens) && !s.is(end, ";", "}", "else") &&
			(s.language != "Kotlin" || !s.at(end).line) {
			if s.is(end, "(", "{", "[") {
				end = s.end(end)
			}
			end++
		}
		s.branch(from, to, body, end)
	}
}

// rubyBranch adds the statement before, or the body after, the if at i.
func (s *source) rubyBranch(i int) {
	if !s.is(i, "if") {
		return
	}
	to := i + 1
	for to < len(s.tokens) && !s.at(to).line && !s.is(to, "then") {
		to++
	}
	if !s.at(i).line {
		from := i
		for from > 0 && !s.at(from).line {
			from--
		}
		s.branch(i+1, to, from, i)
		return
	}
	s.branch(i+1, to, to, s.rubyEnd(to))
}

// rubyEnd returns the end of the body at i: an end, or another branch.
func (s *source) rubyEnd(i int) int {
	depth := 1
	for limit := min(len(s.tokens), i+maxHeader); i < limit; i++ {
		opens := s.at(i).line && s.is(i, "if", "unless", "while", "case", "def", "class", "begin")
		switch {
		case opens || s.is(i, "do"):
			depth++
		case s.is(i, "end"):
			depth--
		}
		if depth == 0 || depth == 1 && s.is(i, "else", "elsif") {
			break
		}
	}
	return i
}

// item adds the item with an attribute or annotation that ends before next.
func (s *source) item(i, next int, b listing.Branch) {
	from := i
	for from > max(0, i-maxHeader) && !s.is(from-1, "{", "}", ";") {
		from--
	}
	for end := min(len(s.tokens), next+maxHeader); next < end && !s.is(next, "{", ";"); next++ {
		if s.is(next, "(", "[", "#[") {
			next = s.end(next)
		}
	}
	if s.is(next, "{") {
		next = s.end(next)
	}
	b.Node = &s.tokens[i]
	s.regions = append(s.regions, region{from, next, b})
}

// cfg adds the item after a #[cfg(...)], which may require a feature of the package.
func (s *source) cfg(i int) {
	var b listing.Branch
	switch {
	case s.is(i+2, "not"):
		return
	case s.is(i+2, "test"):
		b.Default = listing.Off
	case s.is(i+2, "feature") && s.is(i+3, "="):
		if s.features[s.at(i+4).text] {
			return
		}
		b.Setting = "--features " + s.at(i+4).text
	}
	s.item(i, s.end(i+1)+2, b)
}

// featureList matches the members of a feature in a Cargo.toml.
var featureList = regexp.MustCompile(`(?m)^[ \t]*"?([\w-]+)"?[ \t]*=[ \t]*\[([^\[\]]*)\]`)

// defaultFeatures returns the features that builds of the packages in the files have by default.
func defaultFeatures(files map[string]string) map[string]bool {
	on := map[string]bool{}
	for p, text := range files {
		if path.Base(p) != "Cargo.toml" {
			continue
		}
		members := map[string][]string{}
		for _, m := range featureList.FindAllStringSubmatch(text, -1) {
			members[m[1]] = strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune("\", '\n\t ", r) })
		}
		for next := members["default"]; len(next) > 0; next = next[1:] {
			if name := next[0]; !on[name] {
				on[name] = true
				next = append(next, members[name]...)
			}
		}
	}
	return on
}

// conditionalOn adds the item after an annotation of Spring, which may require a property.
func (s *source) conditionalOn(i int) {
	var b listing.Branch
	next := i + 1
	if s.is(next, "(") {
		args := s.arguments(next)
		next = s.end(next) + 1
		name := named(args, "name", "value")
		if name == nil && len(args) == 1 {
			name = &args[0]
		}
		b.Setting = s.textOf(name)
		if prefix := s.textOf(named(args, "prefix")); prefix != "" && b.Setting != "" {
			b.Setting = strings.TrimSuffix(prefix, ".") + "." + b.Setting
		}
		b.Setting = listing.Equals(b.Setting, s.textOf(named(args, "havingValue")))
		if on := s.boolean(named(args, "matchIfMissing")); on != nil && *on {
			b.Default = listing.On
		} else if s.is(i, "ConditionalOnProperty") {
			b.Default = listing.Off
		}
	}
	s.item(i, next, b)
}
