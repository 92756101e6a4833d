package detect

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/settings"
	"mcpcensus/internal/registry"
)

// shellLines returns the shell lines of the README that start the server in a package: those
// without arguments, and those that the text names as its start. ok is false if there are only
// others: uses of a command line, of which it is not known whether a start without arguments
// serves.
func (c *candidate) shellLines(p *registry.Package) (out []registry.Configuration, ok bool) {
	uses, tool := c.usages(p), !hasMCP(p.Identifier)
	confirmed := c.confirmed(uses)
	inCode := func(u readme.Usage) bool { return confirmed[lastCommand(u)] && !overHTTP(u) }
	told := slices.DeleteFunc(slices.Clone(uses), func(u readme.Usage) bool {
		return hasRivals(u, uses) || len(u.Args) > 0 && !inCode(u) && !startsServer(u)
	})
	told = preferring(told, inCode)
	if tool {
		told = preferring(told, func(u readme.Usage) bool { return len(u.Args) > 0 && saysMCP(u) })
	}
	for _, u := range told {
		conf, ok := manifest.ConfigurationOf(u.Launch)
		switch {
		case !slices.Equal(commandsOf(u), commandsOf(told[0])):
			return nil, !tool
		case ok:
			out = append(out, conf)
		}
	}
	isCommand := func(u readme.Usage) bool { return len(commandsOf(u)) > 0 }
	return out, len(told) > 0 || !tool || !slices.ContainsFunc(uses, isCommand)
}

// preferring returns the shell lines for which a condition holds, all if there are none.
func preferring(list []readme.Usage, holds func(readme.Usage) bool) []readme.Usage {
	if !slices.ContainsFunc(list, holds) {
		return list
	}
	return slices.DeleteFunc(list, func(u readme.Usage) bool { return !holds(u) })
}

// usages returns the shell lines of the README that run the program of a package that is the
// server, by the package or by the program's name once it is installed.
func (c *candidate) usages(p *registry.Package) (out []readme.Usage) {
	key := PackageMark(p.RegistryType, p.Identifier)
	script, _ := c.script(p)
	all := c.programs(p)
	usual := byPackage(p, all)
	another, program := script != "" && usual != "", cmp.Or(script, usual)
	for _, u := range c.readme.Usages {
		if !u.Runs && all[u.Script] != "" && (program == "" || u.Script == program) {
			u.RegistryType, u.Identifier = p.RegistryType, p.Identifier
			u.Runner, u.Runs = registry.Programs[p.RegistryType], true
			if u.Script == usual {
				u.Script = ""
			}
		}
		if PackageMark(u.RegistryType, u.Identifier) == key && (!another || u.Script == script) {
			out = append(out, u)
		}
	}
	return out
}

// alwaysPassed returns claims that variables of a package are required: those whose values, which
// the user fills in, each shell line of the README that runs the package passes as an option.
func (c *candidate) alwaysPassed(p *registry.Package) (claims []settings.Claim) {
	uses := slices.DeleteFunc(c.usages(p), func(u readme.Usage) bool { return asksForHelp(u.Launch) })
	for _, v := range p.EnvironmentVariables {
		without := func(u readme.Usage) bool { return !passes(u.Args, v.Name) }
		if len(uses) > 0 && !slices.ContainsFunc(uses, without) {
			claims = append(claims, settings.Claim{Variable: registry.Variable{Name: v.Name},
				Source: settings.Command, Need: settings.Required, At: 1})
		}
	}
	return claims
}

// passes reports whether words have an option that corresponds to a variable, with an example.
func passes(words []string, variable string) bool {
	for i, w := range words {
		if _, value, joined := strings.Cut(w, "="); settings.OptionName(w) == variable {
			return joined && settings.IsExample(value) ||
				!joined && i+1 < len(words) && settings.IsExample(words[i+1])
		}
	}
	return false
}

var (
	commandWord = regexp.MustCompile(`^[a-z][a-z0-9]*(?:[:_-][a-z0-9]+)*$`)
	protocol    = regexp.MustCompile(`(?i)\bmcp\b|model context protocol`)
	listens     = regexp.MustCompile(`(?:^| )--?(?:port|host)(?:[= ]|$)`)
	informs     = regexp.MustCompile(`^(?:--help|--version|-h)$`)
)

// commandsOf returns the sub-commands of a shell line: the words before its options and values.
func commandsOf(u readme.Usage) []string {
	n := slices.IndexFunc(u.Args, func(w string) bool {
		return !commandWord.MatchString(w) || settings.IsExample(w)
	})
	if n < 0 {
		n = len(u.Args)
	}
	return u.Args[:n]
}

// lastCommand returns the last sub-command of a shell line, "" if there is none.
func lastCommand(u readme.Usage) string {
	if all := commandsOf(u); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// overHTTP reports whether a shell line starts a server that listens.
func overHTTP(u readme.Usage) bool {
	line := strings.Join(u.Args, " ")
	return httpOption.MatchString(line) ||
		listens.MatchString(line) && !strings.Contains(line, registry.TransportStdio)
}

// saysMCP reports whether a shell line or its sentence names the protocol.
func saysMCP(u readme.Usage) bool {
	return protocol.MatchString(u.Sentence) || slices.ContainsFunc(commandsOf(u), hasMCP)
}

// startsServer reports whether the words of a shell line say that they start the server: all its
// sub-commands are words for serving, or it names standard input, and it, the package, its sentence
// or its heading names the protocol. Without sub-commands, a package whose name has it starts with a
// value, and a container that reads its standard input.
func startsServer(u readme.Usage) bool {
	commands, named := commandsOf(u), hasMCP(u.Identifier)
	isValue := func(w string) bool { return !strings.HasPrefix(w, "-") || strings.Contains(w, "=") }
	switch {
	case overHTTP(u), asksForHelp(u.Launch),
		!named && !saysMCP(u) && !protocol.MatchString(u.Heading):
		return false
	case strings.Contains(strings.Join(u.Args, " "), registry.TransportStdio),
		len(commands) == 0 && readsPipe(u.Launch):
		return true
	case len(commands) == 0:
		return named && slices.ContainsFunc(u.Args, isValue)
	}
	return !slices.ContainsFunc(commands, func(w string) bool { return !isServing(w) })
}

// isServing reports whether a sub-command consists of words for serving or of the protocol's name.
func isServing(command string) bool {
	parts := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(":_-", r) })
	return !slices.ContainsFunc(parts, func(w string) bool { return !serverjson.Subcommands[w] })
}

// hasRivals reports whether a shell line with sub-commands, none of which names the protocol, is in
// one block with other ones.
func hasRivals(u readme.Usage, all []readme.Usage) bool {
	own := commandsOf(u)
	return len(own) > 0 && !slices.ContainsFunc(own, hasMCP) && slices.ContainsFunc(all, func(o readme.Usage) bool {
		return o.Block == u.Block && len(commandsOf(o)) > 0 && !slices.Equal(commandsOf(o), own)
	})
}
