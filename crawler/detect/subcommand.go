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
// unit, without other servers in its folder, confirms that they start the server: what follows the quoted name of one, up to the next
// name written in the same way, uses the server's side of an SDK, imports a file that does, or
// calls a function that does.
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
				return c.reachesServer(p, code, serving)
			})
		})
	}
	return out
}

// handlers returns the code after each quoted name of a sub-command in a text.
func handlers(text, command string) (out []string) {
	for _, quote := range []string{`"`, `'`, "`"} {
		parts := strings.SplitN(text, quote+command, maxHandlers)
		for i, after := range parts[1:] {
			if !strings.HasPrefix(after, quote) && !strings.HasPrefix(after, " ") {
				continue
			}
			line := parts[i][strings.LastIndexByte(parts[i], '\n')+1:]
			after = after[:min(len(after), maxHandler)]
			if mark := strings.TrimSpace(line) + quote; len(mark) > 1 {
				after, _, _ = strings.Cut(after, mark)
			}
			out = append(out, after)
		}
	}
	return out
}

var (
	called     = regexp.MustCompile(`\b([A-Za-z_]\w{2,})\s*\(`)
	unindented = regexp.MustCompile(`\n[A-Za-z@]`)
)

// reachesServer reports whether code of a file uses the server's side of an SDK, imports a serving
// file, or calls a function of one that uses it.
func (c *candidate) reachesServer(file, code string, serving []string) bool {
	if uses(file, code) || len(source.Imports(source.Files{file: code}, serving)) > 0 {
		return true
	}
	for _, m := range called.FindAllStringSubmatch(code, maxHandlers) {
		defines := regexp.MustCompile(`\b(?:function|def|func|fn|const|let|var)\s+` + m[1] + `\b`)
		if slices.ContainsFunc(serving, func(p string) bool {
			text := c.repo.snap.Texts[p]
			at := defines.FindStringIndex(text)
			if at == nil {
				return false
			}
			body := text[at[1]:min(len(text), at[1]+maxHandler)]
			if end := unindented.FindStringIndex(body); end != nil {
				body = body[:end[0]]
			}
			return uses(p, body)
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
