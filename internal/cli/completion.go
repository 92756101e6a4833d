package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"mcpcensus/internal/install"
)

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
`, name, function, names(), clientIDs(), strings.Replace(cases.String(), "    completion) "+
		"words=\"\" ;;\n", "", 1))
}

func zsh(name string) string {
	var lines, cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&lines, "    %s\n", shellQuoted(c.name+":"+c.short))
		fmt.Fprintf(&cases, "    %s) _arguments", c.name)
		for _, f := range flagsOf(c) {
			spec := "--" + f.name + "[" + strings.NewReplacer("[", "(", "]", ")", ":", " ").
				Replace(f.usage) +
				"]"
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
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", name, c.name,
			shellQuoted(c.short))
		for _, f := range flagsOf(c) {
			fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from %s' -l %s -d %s", name,
				c.name, f.name, shellQuoted(f.usage))
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
