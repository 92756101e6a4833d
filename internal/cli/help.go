package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"mcpcensus/internal/install"
)

// commands returns all commands, in the order in which they are shown.
func commands() []command {
	return []command{
		{
			name: "search", args: "[WORDS...]", max: -1, flags: searchFlags, run: search,
			short:    "Find servers",
			long:     "Finds listed servers by their names, descriptions and tags, the best match first. Without words, lists them by score.",
			examples: []string{"search postgres --min-score 80", "search --category data --sort stars --limit 5 --json"},
		},
		{
			name: "show", args: "ID", min: 1, max: 1, flags: commonFlags, run: show,
			short:    "Show a server",
			long:     "Shows the record of a server, what speaks against it and how to raise its score. ID is its slug or its name in the official registry. With CENSUS_API_KEY, the record is complete.",
			examples: []string{"show octo-weather-mcp", "show io.github.octo/weather-mcp --json"},
		},
		{
			name: "check", args: "URL", min: 1, max: 1, flags: commonFlags, run: check,
			short:    "Print the health report of a repository",
			long:     "Prints the health report of a GitHub repository. A repository that the registry does not list is checked first.",
			examples: []string{"check https://github.com/octo/weather-mcp", "check octo/weather-mcp --json"},
		},
		{
			name: "compare", args: "ID ID...", min: 2, max: 6, flags: commonFlags, run: compare,
			short:    "Compare servers",
			long:     "Shows two to six servers side by side.",
			examples: []string{"compare octo-weather-mcp other-weather"},
		},
		{
			name: "install", args: "ID", min: 1, max: 1, flags: installFlags, run: installServer,
			short: "Set a client up for a server",
			long: "Adds a server to the configuration of a client, and changes nothing else in that file. Shows the change, asks, and keeps a copy of the file beside it. " +
				"Servers with known risks and with scores below --min-score are refused unless --anyway is given. " +
				"Secrets are asked for without showing them, or stay placeholders or references to the environment.",
			examples: []string{
				"install octo-weather-mcp --client cursor", "install octo-weather-mcp --client vscode --project --dry-run",
				"install octo-weather-mcp --client claude-desktop --set WEATHER_KEY --yes",
			},
		},
		{
			name: "uninstall", args: "NAME", min: 1, max: 1, flags: fileFlags, run: uninstall,
			short:    "Remove a server from a client",
			long:     "Removes an entry from the configuration of a client, and changes nothing else in that file. NAME is that of the entry, or the ID of a server that was installed.",
			examples: []string{"uninstall weather --client cursor"},
		},
		{
			name: "list", flags: listFlags, run: listServers,
			short:    "List the servers that clients are set up for",
			long:     "Lists the entries of the configurations of all known clients on this machine, and of those in the current folder.",
			examples: []string{"list", "list --client codex --json"},
		},
		{
			name: "clients", flags: commonFlags, run: clientsCommand,
			short: "List the known clients and their files", long: "Lists the clients that install knows, with the files that it edits.",
			examples: []string{"clients"},
		},
		{
			name: "outdated", flags: listFlags, run: outdated,
			short:    "List servers that have a newer version",
			long:     "Compares the versions in the configurations of all clients with the latest ones. The exit status is 7 if there is an older one.",
			examples: []string{"outdated"},
		},
		{
			name: "audit", flags: auditFlags, run: audit,
			short: "Check the servers that clients are set up for",
			long: "Looks the servers in the configurations of all clients up in the registry and reports those that are dead, deprecated, outdated, vulnerable, changed since they were installed, copies or look-alikes of others, " +
				"have a low score or a heavy list of tools. The exit status is 7 if there is a problem. Remote servers are looked up with CENSUS_API_KEY only.",
			examples: []string{"audit", "audit --min-score 65 --max-tokens 10000 --json"},
		},
		{
			name: "completion", args: "bash|zsh|fish", min: 1, max: 1, run: completion,
			short: "Print the completion of a shell", long: "Prints a script that completes commands and options in a shell.",
			examples: []string{"completion bash > ~/.local/share/bash-completion/completions/mcpcensus"},
		},
		{
			name: "man", run: man, short: "Print the manual page", long: "Prints the manual page.",
			examples: []string{"man > mcpcensus.1"},
		},
		{
			name: "version", run: printVersion, short: "Print the version", long: "Prints the version.",
		},
	}
}

func printVersion(_ context.Context, c *call) error {
	fmt.Fprintf(c.Stdout, "%s %s\n", c.Name, c.Version)
	return nil
}

const environment = `  CENSUS_URL       address of the registry; default http://127.0.0.1:8080
  CENSUS_API_KEY   key of the registry, for complete records and remote servers
  NO_COLOR         print no colors
`

const statuses = `  0  success               4  not found
  1  failure               5  no health score
  2  wrong usage           6  refused, or the answer was no
  3  not an MCP server     7  outdated or audit found problems
                           8  a client's file cannot be edited
`

func (p *Program) usage(w io.Writer) {
	fmt.Fprintf(w, "Find MCP servers, set clients up for them, and audit what is set up.\n\nUsage:\n  %s COMMAND [options] [arguments]\n\nCommands:\n", p.Name)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.short)
	}
	fmt.Fprintf(w, "\n`%s COMMAND --help` describes a command.\n\nEnvironment:\n%s\nExit status:\n%s", p.Name, environment, statuses)
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

func flagsOf(c command) (all []described) {
	c.flagSet(&options{}).VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && !strings.Contains(usage, "default") {
			usage += " (default " + f.DefValue + ")"
		}
		all = append(all, described{f.Name, value, usage})
	})
	return all
}

func clientIDs() string {
	var ids []string
	for _, c := range install.ClientNames() {
		ids = append(ids, c[0])
	}
	return strings.Join(ids, " ")
}

func completion(_ context.Context, c *call) error {
	script, ok := map[string]func(string) string{"bash": bash, "zsh": zsh, "fish": fish}[c.args[0]]
	if !ok {
		return usagef("completion is for bash, zsh or fish, not %q", c.args[0])
	}
	_, err := io.WriteString(c.Stdout, script(c.Name))
	return err
}

func names() string {
	var all []string
	for _, c := range commands() {
		all = append(all, c.name)
	}
	return strings.Join(all, " ")
}

func bash(name string) string {
	var cases strings.Builder
	for _, c := range commands() {
		var flags []string
		for _, f := range flagsOf(c) {
			flags = append(flags, "--"+f.name)
		}
		fmt.Fprintf(&cases, "    %s) words=%q ;;\n", c.name, strings.Join(flags, " "))
	}
	function := "_" + strings.ReplaceAll(name, "-", "_")
	return fmt.Sprintf(`# bash completion of %[1]s
%[2]s() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W %[3]q -- "$current"))
    return
  fi
  if [ "$previous" = --client ]; then
    COMPREPLY=($(compgen -W %[4]q -- "$current"))
    return
  fi
  case ${COMP_WORDS[1]} in
    completion) words="bash zsh fish" ;;
%[5]s  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F %[2]s %[1]s
`, name, function, names(), clientIDs(), strings.Replace(cases.String(), "    completion) words=\"\" ;;\n", "", 1))
}

func zsh(name string) string {
	var lines, cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&lines, "    %s\n", shellQuoted(c.name+":"+c.short))
		fmt.Fprintf(&cases, "    %s) _arguments", c.name)
		for _, f := range flagsOf(c) {
			spec := "--" + f.name + "[" + strings.NewReplacer("[", "(", "]", ")", ":", " ").Replace(f.usage) + "]"
			if f.name == "client" {
				spec += ":client:(" + clientIDs() + ")"
			} else if f.value != "" {
				spec += ":" + f.value + ":"
			}
			fmt.Fprintf(&cases, " %s", shellQuoted(spec))
		}
		cases.WriteString(" ;;\n")
	}
	return fmt.Sprintf(`#compdef %[1]s
_%[1]s() {
  local -a commands
  commands=(
%[2]s  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
%[3]s  esac
}
compdef _%[1]s %[1]s
`, name, lines.String(), cases.String())
}

func fish(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion of %s\ncomplete -c %s -f\n", name, name)
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", name, c.name, shellQuoted(c.short))
		for _, f := range flagsOf(c) {
			fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from %s' -l %s -d %s", name, c.name, f.name, shellQuoted(f.usage))
			if f.name == "client" {
				fmt.Fprintf(&b, " -x -a %s", shellQuoted(clientIDs()))
			} else if f.value != "" {
				b.WriteString(" -x")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// shellQuoted returns a word in single quotes for all three shells.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "’") + "'" }

func man(_ context.Context, c *call) error {
	var b strings.Builder
	upper := strings.ToUpper(c.Name)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s %s\"\n.SH NAME\n%s \\- find MCP servers, set clients up for them, and audit what is set up\n",
		upper, c.Name, roff(c.Version), c.Name)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I command\n[options] [arguments]\n.SH COMMANDS\n", c.Name)
	for _, k := range commands() {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(c.Name+" "+k.line()), roff(k.long))
		for _, f := range flagsOf(k) {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.spelling()), roff(f.usage))
		}
		for _, e := range k.examples {
			fmt.Fprintf(&b, ".PP\n.RS\n%s\n.RE\n", roff(c.Name+" "+e))
		}
	}
	fmt.Fprintf(&b, ".SH ENVIRONMENT\n.nf\n%s.fi\n.SH EXIT STATUS\n.nf\n%s.fi\n", roff(environment), roff(statuses))
	b.WriteString(".SH FILES\nBefore a file of a client is changed, its text is copied to FILE.TIME.bak beside it.\n")
	_, err := io.WriteString(c.Stdout, b.String())
	return err
}

// roff escapes a text for a manual page.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
