package detect

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/source"
)

const (
	maxHandler  = 4 << 10 // bytes of the code of a sub-command
	maxHandlers = 20      // of one name in a file
	maxCommands = 10      // sub-commands that are looked for
)

// confirmed returns the sub-commands at the ends of those in shell lines of which the code of the
// unit, without other servers in its folder, confirms that they start the server: the code of a quoted
// name, up to the next one written in the same way, uses the server's side of an SDK, imports a file
// that does, or calls a function that does.
func (c *candidate) confirmed(lines []readme.Usage) map[string]bool {
	out := map[string]bool{}
	for _, u := range lines {
		if last := lastCommand(u); last != "" && len(out) < maxCommands {
			out[last] = false
		}
	}
	if len(out) == 0 {
		return out
	}
	var own, serving []string
	for p := range c.repo.snap.Texts {
		if !strings.HasPrefix(p, prefix(c.unit.dir)) || !isOwn(p) || sidesLanguage(p) == "" ||
			c.repo.isOtherServer(dirOf(p), c.unit) {
			continue
		}
		own = append(own, p)
		if c.repo.sidesAt(p).serves() {
			serving = append(serving, p)
		}
	}
	for command := range out {
		out[command] = len(serving) > 0 && slices.ContainsFunc(own, func(p string) bool {
			return slices.ContainsFunc(handlers(c.repo.snap.Texts[p], command), func(code string) bool {
				return c.reachesServer(p, code, serving, maxCalls)
			})
		})
	}
	return out
}

// handlers returns the code of each quoted name of a sub-command in a text.
func handlers(text, command string) (out []string) {
	for _, quote := range []string{`"`, `'`, "`"} {
		parts := strings.SplitN(text, quote+command, maxHandlers)
		for i, after := range parts[1:] {
			if !strings.HasPrefix(after, quote) && !strings.HasPrefix(after, " ") {
				continue
			}
			line := parts[i][strings.LastIndexByte(parts[i], '\n')+1:]
			after = after[:min(len(after), maxHandler)]
			if mark := strings.TrimLeft(line, " \t") + quote; len(mark) > 1 {
				after, _, _ = strings.Cut(after, mark)
			}
			out = append(out, handler(line, after))
		}
	}
	return out
}

var (
	condition = regexp.MustCompile(`^(?:\}? ?el(?:se )?if|if|case|when|match)\b|[=!]==?|=>$`)
	member    = regexp.MustCompile(`^["']?\w+["']?\s*[:=]>?\s*$`)
	assigned  = regexp.MustCompile(`^(?:(?:const|let|var|final) )?(\w+)\s*:?=[^=]`)
)

// handler returns the code of a name in a line, from the code after it: the lines that are indented
// deeper, and after the name in an object its other members, after that in a call the chained calls,
// those of the result, and a decorated function.
func handler(line, after string) string {
	lines := strings.SplitAfter(after, "\n")
	before := strings.TrimLeft(line, " \t")
	base := len(line) - len(before)
	result := "\x00"
	if m := assigned.FindStringSubmatch(before); m != nil {
		result = m[1] + "."
	}
	isCondition, isMember := condition.MatchString(before), member.MatchString(before)
	isDecorator := strings.HasPrefix(before, "@")
	n := 1
	for isOpen := true; n < len(lines) && isOpen; n++ {
		rest := strings.TrimLeft(lines[n], " \t")
		depth := len(lines[n]) - len(rest)
		switch {
		case strings.TrimSpace(rest) == "", depth > base:
		case depth < base, isCondition:
			isOpen = false
		case isDecorator:
			isDecorator = strings.HasPrefix(rest, "@")
		case !isMember && strings.Trim(rest[:1], ".)}]") != "" && !strings.HasPrefix(rest, result):
			isOpen = false
		}
	}
	if n < len(lines) {
		n--
	}
	return strings.Join(lines[:n], "")
}

const maxCalls = 3 // one within another, from the code of a sub-command

var (
	called     = regexp.MustCompile(`\b([A-Za-z_]\w{2,})\s*(?:[(),;]|$)`)
	unindented = regexp.MustCompile(`\n[A-Za-z@]`)
)

// reachesServer reports whether code of a file uses the server's side of an SDK, imports a serving
// file, or names a function of this file or of a serving one that does.
func (c *candidate) reachesServer(file, code string, serving []string, calls int) bool {
	if uses(file, code) || len(source.Imports(source.Files{file: code}, serving)) > 0 {
		return true
	}
	if calls == 0 {
		return false
	}
	for _, m := range called.FindAllStringSubmatch(code, maxHandlers) {
		defines := regexp.MustCompile(`\b(?:function|def|func|fn|const|let|var)\s+` + m[1] + `\b`)
		if slices.ContainsFunc(append([]string{file}, serving...), func(p string) bool {
			text := c.repo.snap.Texts[p]
			at := defines.FindStringIndex(text)
			if at == nil {
				return false
			}
			body := text[at[1]:min(len(text), at[1]+maxHandler)]
			if end := unindented.FindStringIndex(body); end != nil {
				body = body[:end[0]]
			}
			return c.reachesServer(p, body, serving, calls-1)
		}) {
			return true
		}
	}
	return false
}

// uses reports whether code of a file uses the server's side of an SDK.
func uses(file, code string) bool {
	server := sideRules[sidesLanguage(file)]["server"]
	return server != nil && server.MatchString(code)
}
