package detect

import (
	"cmp"
	"regexp"
	"strings"

	"mcpcensus/internal/registry"
)

// groupCommand returns the only sub-command that starts the server of a package whose program, an
// entry point in Python such as "tides.cli:main", is a group of commands that requires one; "" if
// that is unknown. ok is false for other programs.
func (c *candidate) groupCommand(p *registry.Package) (command string, ok bool) {
	programs := c.programs(p)
	script, _ := c.script(p)
	entry := programs[cmp.Or(script, byPackage(p, programs))]
	_, name, isEntry := strings.Cut(entry, ":")
	file := c.repo.sourceOf(c.unit, entry)
	if !isEntry || !entryName.MatchString(name) || sidesLanguage(file) != "Python" {
		return "", false
	}
	return commandOfGroup(file, c.repo.snap.Texts[file], name)
}

// commandOfGroup does the same for the object with a name in a file.
func commandOfGroup(file, text, name string) (command string, ok bool) {
	declared := regexp.MustCompile(`(?m)^@(?:\w+\.)?group\(.*\n(?:[@ )].*\n)*def ` + name + `\(|` +
		`^` + name + `\s*=\s*(?:typer\.)?Typer\(`).FindString(text)
	commands := regexp.MustCompile(`(?m)^@`+name+`\.command\((?:\s*(?:name\s*=\s*)?["']([\w-]+)["'])?`).
		FindAllStringSubmatchIndex(text, maxHandlers)
	optional := regexp.MustCompile(`\bcls\s*=|invoke_without_command|(?m)^@` + name + `\.callback\(`)
	added := regexp.MustCompile(`(?m)^` + name + `\.add_(?:command|typer)\(`).MatchString(text)
	if strings.HasSuffix(declared, "Typer(") && (len(commands) > 1 || added) {
		declared = text // callbacks are separate
	} else if strings.HasSuffix(declared, "Typer(") {
		commands = nil // the only command needs no name
	}
	if declared == "" || len(commands) == 0 && !added || optional.MatchString(declared) {
		return "", false
	}
	serving := 0
	for _, m := range commands {
		def := definition.FindStringSubmatch(text[m[1]:])
		if def != nil && (serveCall.MatchString(def[2]) || uses(file, def[2])) {
			serving++
			command = strings.ReplaceAll(def[1], "_", "-")
			if m[2] >= 0 {
				command = text[m[2]:m[3]]
			}
		}
	}
	if serving != 1 { // those of other files may serve, too
		command = ""
	}
	return command, true
}

var (
	entryName = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	// definition matches a function in Python with its body.
	definition = regexp.MustCompile(`(?m)^(?:async )?def (\w+)(\(.*\n(?:(?:[^\w@\n].*)?\n)*)`)
)
