package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

const environment = `  CENSUS_URL       address of the registry; default http://127.0.0.1:8080
  CENSUS_API_KEY   key of the registry, for complete records and remote servers
  NO_COLOR         print no colors
`

const statuses = `  0  success               4  not found
  1  failure               5  no health score
  2  wrong usage           6  refused, or declined
  3  not an MCP server     7  outdated or audit found problems
                           8  a client's file cannot be read or edited
`

func (p *Program) usage(w io.Writer) {
	fmt.Fprintf(
		w,
		"Find MCP servers, add them to MCP clients, and audit the configured servers.\n\nUsage:\n  %s "+
			"COMMAND [options] [arguments]\n\nCommands:\n",
		p.Name,
	)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.short)
	}
	fmt.Fprintf(w, "\n`%s COMMAND --help` describes a command.\n\nEnvironment:\n%s\nExit status:\n%s",
		p.Name, environment, statuses)
}

func (p *Program) help(w io.Writer, c command) {
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s %s\n", wrapped(c.long, 80), p.Name, c.line())
	for i, f := range flagsOf(c) {
		if i == 0 {
			fmt.Fprint(w, "\nOptions:\n")
		}
		fmt.Fprintf(w, "  %-20s %s\n", f.spelling(), f.usage)
	}
	for i, e := range c.examples {
		if i == 0 {
			fmt.Fprint(w, "\nExamples:\n")
		}
		fmt.Fprintf(w, "  %s %s\n", p.Name, e)
	}
}

// wrapped breaks a text into lines.
func wrapped(text string, width int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case at+1+len(word) > width:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}

// A described is a flag for help.
type described struct{ name, value, usage string }

func (d described) spelling() string { return strings.TrimSpace("--" + d.name + " " + d.value) }

// flagsOf returns the documented flags of a command.
func flagsOf(c command) (all []described) {
	c.flagSet(&options{}).VisitAll(func(f *flag.Flag) {
		if f.Name == formerRegistryFlag {
			return
		}
		value, usage := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" &&
			!strings.Contains(usage, "default") {
			usage += " (default " + f.DefValue + ")"
		}
		all = append(all, described{f.Name, value, usage})
	})
	return all
}
