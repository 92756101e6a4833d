package python

import (
	"regexp"
	"strings"
)

// A document is a docstring as FastMCP reads it: the text before the first section, and the
// descriptions of parameters.
type document struct {
	text       string
	parameters map[string]string
	structured bool // it has sections
}

var (
	// section matches the title of a section in Google style. The lines below are indented.
	section = regexp.MustCompile(`^(\w[\w\s-]*):(?:\s+\S.*)?\s*$`)
	// item matches a parameter in such a section.
	item = regexp.MustCompile(`^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$`)
	// fieldList matches a parameter in Sphinx style.
	fieldList = regexp.MustCompile(`^:(?:param|parameter|arg|argument|key|keyword)\s+(?:.*\s)?(\w+):\s*(.*)$`)
)

// sectionsOfParameters are the titles of sections with parameters.
var sectionsOfParameters = map[string]bool{
	"args": true, "arguments": true, "params": true, "parameters": true,
}

// documented reads a docstring that [cleandoc] returned. Without sections, the whole text is the
// description.
func documented(doc string) document {
	lines := strings.Split(doc, "\n")
	for _, style := range []func([]string) document{googleStyle, sphinxStyle} {
		if d := style(lines); d.structured {
			return d
		}
	}
	return document{text: doc}
}

// before returns d with the text before the first line of its sections.
func (d document) before(lines []string, first int) document {
	d.text, d.structured = strings.TrimSpace(strings.Join(lines[:first], "\n")), first < len(lines)
	return d
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, whitespace)) }

func isBlank(line string) bool { return strings.Trim(line, whitespace) == "" }

// googleStyle reads sections such as "Args:", whose lines are indented.
func googleStyle(lines []string) document {
	d := document{parameters: map[string]string{}}
	first := len(lines)
	for i, line := range lines {
		m := section.FindStringSubmatch(line)
		if m == nil || i+1 >= len(lines) || indentOf(lines[i+1]) == 0 || isBlank(lines[i+1]) ||
			i > 0 && !isBlank(lines[i-1]) {
			continue
		}
		first = min(first, i)
		if sectionsOfParameters[strings.ToLower(m[1])] {
			end := i + 1
			for end < len(lines) && (isBlank(lines[end]) || indentOf(lines[end]) > 0) {
				end++
			}
			d.items(lines[i+1:end], item)
		}
	}
	return d.before(lines, first)
}

// sphinxStyle reads fields such as ":param name: text".
func sphinxStyle(lines []string) document {
	d := document{parameters: map[string]string{}}
	first := len(lines)
	for i, line := range lines {
		if strings.HasPrefix(line, ":") && fieldList.MatchString(line) {
			first = min(first, i)
		}
	}
	d.items(lines[first:], fieldList)
	return d.before(lines, first)
}

// items reads parameters that match begin. Indented lines continue them.
func (d *document) items(lines []string, begin *regexp.Regexp) {
	if len(lines) == 0 {
		return
	}
	name, indent := "", indentOf(lines[0])
	for _, line := range lines {
		text := strings.TrimSpace(line)
		if m := begin.FindStringSubmatch(text); m != nil && indentOf(line) <= indent {
			name = m[1]
			d.parameters[name] = m[2]
		} else if strings.HasPrefix(text, ":") { // another field
			name = ""
		} else if name != "" && text != "" {
			d.parameters[name] = strings.TrimSpace(d.parameters[name] + "\n" + text)
		}
	}
}
