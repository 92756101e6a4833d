package python

import "strings"

// docstring returns the docstring of a function or class, cleaned as by inspect.cleandoc. It
// reports false if there is none.
func docstring(body []*statement) (string, bool) {
	if len(body) == 0 || body[0].kind != exprStatement {
		return "", false
	}
	if l, ok := body[0].value.(literal); ok {
		if s, ok := l.value.(string); ok {
			return cleandoc(s), true
		}
	}
	return "", false
}

// cleandoc is Python's inspect.cleandoc: it removes the common indentation of all lines but the
// first, and leading and trailing blank lines.
func cleandoc(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\t", strings.Repeat(" ", tabWidth)), "\n")
	margin := commonIndent(lines[1:])
	lines[0] = strings.TrimLeft(lines[0], whitespace)
	for i, line := range lines[1:] {
		lines[i+1] = line[min(margin, len(line)):]
	}
	for len(lines) > 0 && strings.Trim(lines[len(lines)-1], whitespace) == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return strings.Join(lines, "\n")
}

const whitespace = " \t\r\f\v"

// commonIndent returns the smallest indentation of lines that are not blank.
func commonIndent(lines []string) int {
	margin := -1
	for _, line := range lines {
		content := len(strings.TrimLeft(line, whitespace))
		if indent := len(line) - content; content > 0 && (margin < 0 || indent < margin) {
			margin = indent
		}
	}
	return max(margin, 0)
}

// dedent is Python's textwrap.dedent.
func dedent(s string) string {
	lines := strings.Split(s, "\n")
	margin := commonIndent(lines)
	for i, line := range lines {
		if strings.Trim(line, whitespace) == "" {
			lines[i] = ""
			continue
		}
		lines[i] = line[margin:]
	}
	return strings.Join(lines, "\n")
}
