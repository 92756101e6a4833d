package script

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
)

// packageFile contains the relevant fields of a package.json.
type packageFile struct {
	Name    string                     `json:"name"`
	Main    string                     `json:"main"`
	Module  string                     `json:"module"`
	Source  string                     `json:"source"`
	Bin     json.RawMessage            `json:"bin"`
	Exports json.RawMessage            `json:"exports"`
	Imports map[string]json.RawMessage `json:"imports"`
	Scripts map[string]string          `json:"scripts"`
}

func readPackage(text string) packageFile {
	var p packageFile
	_ = json.Unmarshal([]byte(text), &p) // fields of an unexpected type stay empty
	return p
}

// targets returns the files in a field such as bin or exports.
func targets(raw json.RawMessage) []string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []string{s}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var out []string
		for _, r := range list {
			out = append(out, targets(r)...)
		}
		return out
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	var keys []string
	for k := range m {
		if k != "types" && k != "typings" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var out []string
	for _, k := range keys {
		out = append(out, targets(m[k])...)
	}
	return out
}

// built are folders that compilers write to.
var built = regexp.MustCompile(
	`^(dist|build|lib|out|bin|output|esm|cjs|es|target|release|\.smithery|\.build|compiled|bundle)(-[a-z]+)?$`)

// sourcePaths returns the possible sources of a compiled file, most likely first, and the file
// itself last.
func sourcePaths(folder, target string) []string {
	target = path.Clean(strings.TrimPrefix(target, "./"))
	var out []string
	parts := strings.Split(target, "/")
	for i := 0; i < len(parts)-1 && built.MatchString(parts[i]); i++ {
		rest := strings.Join(parts[i+1:], "/")
		for _, base := range []string{"src", "", "source", "lib", "app"} {
			out = append(out, path.Join(folder, base, rest))
		}
	}
	return append(out, path.Join(folder, target))
}

func findSource(folder, target string, has func(string) bool) string {
	for _, p := range sourcePaths(folder, target) {
		if found := findFile(p, has); found != "" && IsSource(found) {
			return found
		}
	}
	return ""
}

// usual are the usual entry points of packages whose manifest has none.
var usual = []string{
	"src/index", "src/main", "src/server", "src/mcp", "src/cli", "src/stdio", "src/mcp-server", "src/mcp/index",
	"src/mcp/server", "src/worker", "index", "server", "main", "mcp-server", "mcp", "cli", "app", "src/app",
}

var scriptFile = regexp.MustCompile(`[\w@./-]+\.(?:[mc]?[jt]sx?)\b`)

// entryPoints returns the existing sources of the entry points of the package in a folder.
func entryPoints(files map[string]string, folder string, has func(string) bool) []string {
	var out []string
	add := func(target string) {
		if p := findSource(folder, target, has); p != "" && !slices.Contains(out, p) && !isOutside(p, folder) {
			out = append(out, p)
		}
	}
	p := readPackage(files[path.Join(folder, "package.json")])
	for _, t := range targets(p.Bin) {
		add(t)
	}
	for _, t := range []string{p.Source, p.Main, p.Module} {
		if t != "" {
			add(t)
		}
	}
	for _, t := range targets(p.Exports) {
		if !strings.Contains(t, "*") {
			add(t)
		}
	}
	for _, name := range []string{"start", "start:stdio", "dev", "build", "serve", "mcp", "server"} {
		for _, t := range scriptFile.FindAllString(p.Scripts[name], 8) {
			add(t)
		}
	}
	if len(out) == 0 {
		for _, u := range usual {
			add(u)
		}
	}
	return out
}

func isOutside(p, folder string) bool {
	rel, ok := within(p, folder)
	return !ok || isAside(rel)
}

// aliases are names, other than relative paths, by which files of the repository are imported.
type aliases struct {
	paths    []alias
	packages map[string]string      // folders by name of package
	main     map[string]packageFile // by name of package
}

type alias struct {
	folder         string // where it applies
	prefix, suffix string
	exact          bool
	targets        []string
}

func readAliases(files map[string]string) aliases {
	a := aliases{packages: map[string]string{}, main: map[string]packageFile{}}
	var names []string
	for p := range files {
		base := path.Base(p)
		if base == "package.json" || configFile.MatchString(base) {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	for _, p := range names {
		folder := path.Dir(p)
		if folder == "." {
			folder = ""
		}
		if path.Base(p) == "package.json" {
			m := readPackage(files[p])
			if m.Name != "" {
				a.packages[m.Name] = folder
				a.main[m.Name] = m
			}
			for k, raw := range m.Imports {
				a.add(folder, k, targets(raw))
			}
			continue
		}
		a.readConfig(folder, files[p])
	}
	slices.SortFunc(a.paths, func(x, y alias) int {
		if d := len(y.folder) - len(x.folder); d != 0 {
			return d
		}
		if d := len(y.prefix) - len(x.prefix); d != 0 {
			return d
		}
		return strings.Compare(x.folder+x.prefix, y.folder+y.prefix)
	})
	return a
}

func (a *aliases) readConfig(folder, text string) {
	c, err := untyped.JSON([]byte(text))
	if err != nil {
		return
	}
	options, _ := c["compilerOptions"].(map[string]any)
	base, _ := options["baseUrl"].(string)
	paths, _ := options["paths"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(paths)) {
		list, _ := paths[k].([]any)
		var t []string
		for _, p := range list {
			if s, ok := p.(string); ok {
				t = append(t, path.Join(base, s))
			}
		}
		a.add(folder, k, t)
	}
	if base != "" {
		a.add(folder, "*", []string{path.Join(base, "*")})
	}
}

func (a *aliases) add(folder, pattern string, targets []string) {
	prefix, suffix, star := strings.Cut(pattern, "*")
	a.paths = append(a.paths, alias{folder, prefix, suffix, !star, targets})
}

// path returns the file of a specifier in the file from, or "". file finds the file of a path
// without an extension.
func (a *aliases) path(from, specifier string, file func(string) string) string {
	switch {
	case strings.HasPrefix(specifier, "."):
		return file(path.Join(path.Dir(from), specifier))
	case strings.HasPrefix(specifier, "/"):
		return ""
	}
	return a.resolve(from, specifier, file)
}

// resolve returns the file of an alias or the name of a package, or "".
func (a *aliases) resolve(from, specifier string, file func(string) string) string {
	for _, r := range a.paths {
		if _, ok := within(from, r.folder); !ok {
			continue
		}
		if r.exact && specifier != r.prefix || !strings.HasPrefix(specifier, r.prefix) ||
			!strings.HasSuffix(specifier, r.suffix) || len(specifier) < len(r.prefix)+len(r.suffix) {
			continue
		}
		middle := specifier[len(r.prefix) : len(specifier)-len(r.suffix)]
		for _, t := range r.targets {
			for _, p := range sourcePaths(r.folder, strings.Replace(t, "*", middle, 1)) {
				if found := file(p); found != "" {
					return found
				}
			}
		}
	}
	return a.workspace(specifier, file)
}

// workspace resolves the name of a package of the same repository.
func (a *aliases) workspace(specifier string, file func(string) string) string {
	name, sub := specifier, ""
	folder, ok := a.packages[name]
	for !ok {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return ""
		}
		name, sub = name[:i], specifier[i+1:]
		folder, ok = a.packages[name]
	}
	m := a.main[name]
	var tries []string
	if sub == "" {
		tries = append(tries, m.Source, m.Module, m.Main)
		tries = append(tries, targets(m.Exports)...)
		tries = append(tries, "src/index", "index")
	} else {
		var exports map[string]json.RawMessage
		if json.Unmarshal(m.Exports, &exports) == nil {
			tries = append(tries, targets(exports["./"+sub])...)
		}
		tries = append(tries, "src/"+sub, sub)
	}
	for _, t := range tries {
		if t == "" || strings.HasSuffix(t, ".d.ts") {
			continue
		}
		for _, p := range sourcePaths(folder, t) {
			if found := file(p); found != "" {
				return found
			}
		}
	}
	return ""
}
