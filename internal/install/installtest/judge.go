// Package installtest compares install commands and variables with the configurations
// in READMEs, for tests over recorded repositories. It reads those by itself: fenced
// blocks, decoded by encoding/json.
package installtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpcensus/internal/entry"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// A Finding says how often a fact was right, in all and by halves of the repositories:
// rules tuned to one half would not hold in the other.
type Finding struct {
	Fact       string
	Least      float64 // share of right ones that is wanted
	Right, All int
	Halves     [2]struct{ Right, All int } // names from A to M, from N to Z
	Wrong      []string
}

// is counts a fact of the server that the first of wrong begins with.
func (f *Finding) is(ok bool, wrong ...string) {
	half := &f.Halves[0]
	if strings.ToLower(wrong[0])[0] > 'm' {
		half = &f.Halves[1]
	}
	f.All++
	half.All++
	if ok {
		f.Right++
		half.Right++
	} else {
		f.Wrong = append(f.Wrong, strings.Join(wrong, " "))
	}
}

// A Judge counts in how many servers the facts are right. The zero value is ready.
type Judge struct {
	executable, arguments, variables, whole, named, precision, recall, defaults, gallery Finding
}

// Add compares a server with its README and the other texts of its repository. name
// is that of the repository and the folder.
func (j *Judge) Add(name string, s *registry.Server, readme string, texts map[string]string) {
	configs := readConfigs(readme)
	p, ok := install.First(s.Packages)
	if ok {
		j.named.is(namedIn(texts, p.RegistryType, p.Identifier), name, p.RegistryType, p.Identifier)
		j.command(name, p, configs)
	}
	j.mapped(name, s)
	j.required(name, p, s, configs)
	j.exampleDefaults(name, s)
}

// Findings returns the facts that were measured.
func (j *Judge) Findings() []Finding {
	named := func(f Finding, fact string, least float64) Finding {
		f.Fact, f.Least = "install: "+fact, least
		return f
	}
	return []Finding{
		named(j.executable, "executable as README", 0.9),
		named(j.arguments, "arguments as README", 0.9),
		named(j.variables, "at least its variables", 0.9),
		named(j.whole, "all three", 0.9),
		named(j.named, "named by repository", 1),
		named(j.precision, "required, precision", 0.9),
		named(j.recall, "required, recall", 0.9),
		named(j.defaults, "defaults, no examples", 0.95),
		named(j.gallery, "entry starts the command", 1),
	}
}

// mapped compares what VS Code makes of the server's entry with what pages print. An entry with
// neither packages nor remotes must list those that it omits.
func (j *Judge) mapped(name string, s *registry.Server) {
	head, ok := entry.HeadOf(s)
	if !ok {
		return
	}
	r, err := entry.Encoder{Namespace: "example"}.Response(s, head.Name, "")
	var record GalleryServer
	var meta entry.Meta
	err = errors.Join(err, json.Unmarshal(r.Server, &record),
		json.Unmarshal(r.Meta["example/server"], &meta))
	if err != nil {
		j.gallery.is(false, name, err.Error())
		return
	}
	got := record.Configured()
	switch p, started := install.First(s.Packages); {
	case len(record.Packages)+len(record.Remotes) == 0:
		j.gallery.is(len(meta.OmittedPackages) > 0, name, "the entry has nothing")
	case len(record.Packages) == 0:
		j.gallery.is(len(s.Remotes) > 0 && got.URL == record.Remotes[0].URL, name, got.URL)
	case started:
		l, _ := install.Of(p)
		want := append([]string{l.Command}, l.Args...)
		isSame := slices.Equal(got.Command, want) && maps.EqualFunc(got.Env, l.Env, strings.EqualFold)
		j.gallery.is(isSame, name, fmt.Sprint(got.Command, got.Env, " instead of ", want, l.Env))
	default: // only to download
		j.gallery.is(len(got.Command) == 1, name, strings.Join(got.Command, " "))
	}
}

// namedIn reports whether a text of the repository names a package by its whole
// name.
func namedIn(texts map[string]string, registryType, id string) bool {
	same := func(word string) bool { return strings.EqualFold(word, id) }
	if registryType == "pypi" {
		same = func(word string) bool {
			dashed := strings.NewReplacer("_", "-", ".", "-")
			return strings.EqualFold(dashed.Replace(word), dashed.Replace(id))
		}
	}
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
			return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("@/._-", r))
		}) {
			word = strings.TrimRight(word, "./-")
			if before, version, ok := strings.Cut(word[min(len(word), 1):], "@"); ok && version != "" {
				word = word[:1] + before
			}
			if same(word) || strings.HasSuffix(word, "/package/"+id) || strings.HasSuffix(word, "/project/"+id) {
				return true
			}
		}
	}
	return false
}

func (j *Judge) command(name string, p registry.Package, configs []readConfig) {
	launch, _ := install.Of(p)
	got, ok := newReadConfig(launch.Command, launch.Args, launch.Env)
	if !ok {
		j.whole.is(false, name, "not understood:", install.Command(p))
		return
	}
	var same []readConfig
	for _, c := range configs {
		if c.kind == got.kind && strings.EqualFold(c.pkg, got.pkg) {
			same = append(same, c)
		}
	}
	if len(same) == 0 {
		return
	}
	score := func(c readConfig) (n int) {
		for i, ok := range []bool{c.program == got.program, sameWords(c.args, got.args),
			containsAll(got.env, c.env)} {
			if ok {
				n += 1 << (2 - i)
			}
		}
		return n
	}
	best := slices.MaxFunc(same, func(a, b readConfig) int { return score(a) - score(b) })
	n := score(best)
	j.executable.is(n&4 != 0, name, got.program, "want", best.program)
	j.arguments.is(n&2 != 0, name, "got", join(got.args), "want", join(best.args))
	j.variables.is(n&1 != 0, name, "got", join(got.env), "want", join(best.env))
	j.whole.is(n == 7, name)
}

func join(words []string) string { return "[" + strings.Join(words, " ") + "]" }

func containsAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}

// sameWords compares arguments, in which all placeholders are alike.
func sameWords(a, b []string) bool {
	blank := func(words []string) (out []string) {
		for _, w := range words {
			if name, value, found := strings.Cut(w, "="); found && judgedOpen(value) {
				w = name + "=?"
			} else if judgedOpen(w) {
				w = "?"
			}
			out = append(out, w)
		}
		return out
	}
	return slices.Equal(blank(a), blank(b))
}

// required judges which variables are said to be required, by the configurations
// that start the package in the way of the chosen command.
func (j *Judge) required(name string, p registry.Package, s *registry.Server, configs []readConfig) {
	kind := map[string]string{"npm": "npx", "pypi": "uvx", "oci": "docker", "nuget": "dnx"}[p.RegistryType]
	n, open, seen := 0, map[string]int{}, map[string]bool{}
	for _, c := range configs {
		for _, v := range c.env {
			seen[v] = true
		}
		if c.kind != kind || !strings.EqualFold(c.pkg, p.Identifier) {
			continue
		}
		n++
		for _, v := range c.open {
			open[v]++
		}
	}
	if n == 0 {
		return
	}
	said := map[string]bool{}
	for _, v := range s.Variables {
		said[v.Name] = v.IsRequired
		if v.IsRequired && seen[v.Name] {
			j.precision.is(open[v.Name] == n, name, v.Name, "is not in all configurations")
		}
	}
	for v, times := range open {
		if times == n {
			j.recall.is(said[v], name, v, "is in all configurations")
		}
	}
}

var plainlyExample = regexp.MustCompile(`(?i)your|example|/path/to|^/users/|^/home/|^c:\\|<.*>|xxx|\.\.\.|changeme`)

func (j *Judge) exampleDefaults(name string, s *registry.Server) {
	for _, v := range s.Variables {
		if v.Default != "" {
			j.defaults.is(!plainlyExample.MatchString(v.Default), name, v.Name, v.Default)
		}
	}
}

// A readConfig is one server of a client's configuration as the judge reads it.
type readConfig struct {
	program   string
	kind, pkg string // "npx", "uvx", "docker" or "dnx", and what it starts
	args      []string
	env, open []string // names of its variables; of those with a placeholder
}

var (
	fence       = regexp.MustCompile("^\\s*(```+|~~~+)\\s*([A-Za-z0-9]*)")
	lineComment = regexp.MustCompile(`(?m)^\s*//.*$|([,{\[])\s+//.*$`)
	lastComma   = regexp.MustCompile(`,(\s*[}\]])`)
)

// readConfigs returns the servers of all fenced blocks of a README that
// encoding/json can decode.
func readConfigs(readme string) (out []readConfig) {
	var block strings.Builder
	mark := ""
	lines := bufio.NewScanner(strings.NewReader(readme))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimLeft(lines.Text(), " \t>")
		m := fence.FindStringSubmatch(line)
		switch {
		case mark == "" && m != nil:
			mark = m[1]
			block.Reset()
		case mark != "" && strings.HasPrefix(line, mark):
			mark = ""
			out = append(out, configsIn(block.String())...)
		case mark != "":
			block.WriteString(line + "\n")
		}
	}
	return out
}

func configsIn(block string) (out []readConfig) {
	block = lastComma.ReplaceAllString(lineComment.ReplaceAllString(block, "$1"), "$1")
	var v map[string]any
	if json.Unmarshal([]byte(block), &v) != nil && json.Unmarshal([]byte("{"+block+"}"), &v) != nil {
		return nil
	}
	var walk func(v map[string]any, depth int)
	walk = func(v map[string]any, depth int) {
		for key, inner := range v {
			o, _ := inner.(map[string]any)
			switch key {
			case "mcpServers", "servers", "context_servers", "mcp.servers":
				for _, server := range o {
					s, _ := server.(map[string]any)
					command, _ := s["command"].(string)
					env := map[string]string{}
					if e, ok := s["env"].(map[string]any); ok {
						for name, value := range e {
							env[name], _ = value.(string)
						}
					}
					list, _ := s["args"].([]any)
					var args []string
					for _, a := range list {
						text, _ := a.(string)
						args = append(args, text)
					}
					if c, ok := newReadConfig(command, args, env); ok {
						out = append(out, c)
					}
				}
			default:
				if depth < 3 {
					walk(o, depth+1)
				}
			}
		}
	}
	walk(v, 0)
	return out
}

// valued are options of the runners that the next word belongs to.
var valued = []string{"-e", "--env", "-v", "--volume", "--name", "-p", "--publish", "--network", "--mount",
	"--from", "--with", "--python", "--package", "--platform", "--user", "-u", "--env-file", "--add-host",
	"--pull", "--entrypoint", "-w", "--index-url", "--extra-index-url"}

// newReadConfig takes a command apart. It is false for those that start no
// package.
func newReadConfig(command string, args []string, env map[string]string) (c readConfig, ok bool) {
	words := append(strings.Fields(command), args...)
	if len(words) > 2 && strings.EqualFold(words[0], "cmd") {
		words = words[2:]
	}
	if len(words) < 2 {
		return c, false
	}
	c.program, words = strings.TrimSuffix(path.Base(words[0]), ".cmd"), words[1:]
	switch c.program {
	case "npx", "bunx":
		c.kind = "npx"
	case "uvx", "dnx", "docker":
		c.kind = c.program
	default:
		return c, false
	}
	values := maps.Clone(env)
	if values == nil {
		values = map[string]string{}
	}
	c.words(words, values)
	c.pkg = bare(c.kind, c.pkg)
	for name, value := range values {
		c.env = append(c.env, name)
		if judgedOpen(value) {
			c.open = append(c.open, name)
		}
	}
	slices.Sort(c.env)
	return c, c.pkg != ""
}

// words reads what follows the program; variables that options set go to values.
func (c *readConfig) words(words []string, values map[string]string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, joined := strings.Cut(w, "=")
		switch {
		case c.pkg != "" && c.kind == "dnx" && (w == "--" || w == "--yes"), w == "run" && i == 0:
		case c.pkg != "":
			c.args = append(c.args, w)
		case strings.HasPrefix(w, "-") && slices.Contains(valued, name):
			if !joined && i+1 < len(words) && (c.kind != "npx" || name == "--package" || name == "-p") {
				i++
				value = words[i]
			}
			c.option(name, value, values)
		case strings.HasPrefix(w, "-"):
		default:
			c.pkg = w
		}
	}
}

// option reads an option of the runner.
func (c *readConfig) option(name, value string, values map[string]string) {
	switch name {
	case "-e", "--env":
		if v, text, set := strings.Cut(value, "="); set || values[v] == "" {
			values[v] = text
		}
	case "--from", "--package":
		c.pkg = value
	case "-p":
		if c.kind == "npx" {
			c.pkg = value
		}
	case "--name", "--pull", "--platform":
	default:
		c.args = append(c.args, name, value)
	}
}

// bare cuts off the version of a package.
func bare(kind, spec string) string {
	if i := strings.LastIndexByte(spec, '@'); i > 0 {
		spec = spec[:i]
	}
	if kind == "docker" {
		if i := strings.LastIndexByte(spec, ':'); i > strings.LastIndexByte(spec, '/') {
			spec = spec[:i]
		}
		return strings.TrimPrefix(spec, "docker.io/")
	}
	name, _, _ := strings.Cut(spec, "==")
	name, _, _ = strings.Cut(name, "[")
	if kind == "uvx" {
		name = strings.ReplaceAll(name, "_", "-")
	}
	return name
}

var openWords = regexp.MustCompile(`(?i)^$|your|_here|<.+>|^\[.+\]$|\$\{.+\}|^\{.+\}$|xxx|\.\.\.|…|\*\*\*|` +
	`/path/|path[/\\]to|` +
	`^/users/|^/home/|^c:\\|token|secret|password|api[_-]?key|^sk-|placeholder|changeme|replace`)

// judgedOpen reports whether a value stands for one that the user fills in.
func judgedOpen(value string) bool { return openWords.MatchString(value) }
