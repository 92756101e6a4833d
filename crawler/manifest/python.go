package manifest

import (
	"bufio"
	"bytes"
	"cmp"
	"regexp"
	"sort"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A PyProject is what a pyproject.toml, setup.cfg or setup.py says.
type PyProject struct {
	Name, Version, Description, License string
	Homepage, RepositoryURL             string
	Keywords                            []string
	Scripts                             map[string]string // command to entry point
	Dependencies                        []Dependency
	Workspace                           []string // patterns of uv workspace members
	Dynamic                             []string // fields that are computed by the build
	Private                             bool     // marked as not to be uploaded, or not a package
}

// ParsePyProject reads a pyproject.toml: PEP 621, Poetry, PEP 735 groups and
// uv workspaces.
func ParsePyProject(b []byte) (*PyProject, error) {
	o, err := untyped.TOML(b)
	if err != nil {
		return nil, err
	}
	pr, tool := o.Object("project"), o.Object("tool")
	poetry, uv := tool.Object("poetry"), tool.Object("uv")
	p := &PyProject{
		Name: pr.Text("name"), Version: pr.Text("version"), Description: pr.Text("description"),
		License: pr.Text("license"), Keywords: pr.Texts("keywords"), Dynamic: pr.Texts("dynamic"),
		Scripts: pr.TextMap("scripts"), Workspace: uv.Object("workspace").Texts("members"),
	}
	if l := pr.Object("license"); l != nil {
		p.License = licenseOfText(l.Text("text"))
	}
	p.urls(pr.TextMap("urls"))
	for _, c := range pr.Texts("classifiers") {
		p.classifier(c)
	}
	for _, d := range pr.Texts("dependencies") {
		p.add(d, false)
	}
	optional := pr.Object("optional-dependencies")
	for _, k := range optional.Keys() {
		for _, d := range optional.Texts(k) {
			p.add(d, true)
		}
	}
	groups := o.Object("dependency-groups")
	for _, k := range groups.Keys() {
		for _, d := range groups.Texts(k) {
			p.add(d, true)
		}
	}
	if pkg, ok := uv["package"].(bool); ok && !pkg {
		p.Private = true
	}
	if poetry != nil {
		p.poetry(poetry)
	}
	if p.Scripts == nil {
		p.Scripts = pr.TextMap("gui-scripts")
	}
	return p, nil
}

func (p *PyProject) poetry(o untyped.Object) {
	p.Name = cmp.Or(p.Name, o.Text("name"))
	p.Version = cmp.Or(p.Version, o.Text("version"))
	p.Description = cmp.Or(p.Description, o.Text("description"))
	p.License = cmp.Or(p.License, o.Text("license"))
	p.Homepage = cmp.Or(p.Homepage, o.Text("homepage"))
	p.RepositoryURL = cmp.Or(p.RepositoryURL, o.Text("repository"))
	if len(p.Keywords) == 0 {
		p.Keywords = o.Texts("keywords")
	}
	if len(p.Scripts) == 0 {
		p.Scripts = o.TextMap("scripts")
	}
	if v, ok := o["package-mode"].(bool); ok && !v {
		p.Private = true
	}
	deps := func(m untyped.Object, dev bool) {
		for _, name := range m.Keys() {
			if name == "python" {
				continue
			}
			v := m.Text(name)
			if t := m.Object(name); t != nil {
				v = t.Text("version")
			}
			p.Dependencies = append(p.Dependencies, Dependency{Name: PyName(name), Version: v, Dev: dev})
		}
	}
	deps(o.Object("dependencies"), false)
	deps(o.Object("dev-dependencies"), true)
	groups := o.Object("group")
	for _, k := range groups.Keys() {
		deps(groups.Object(k).Object("dependencies"), true)
	}
}

func (p *PyProject) classifier(c string) {
	if strings.HasPrefix(c, "Private ::") {
		p.Private = true
	}
	if p.License == "" && strings.HasPrefix(c, "License ::") {
		p.License = licenseOfText(c[strings.LastIndex(c, "::")+2:])
	}
}

func (p *PyProject) urls(m map[string]string) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		switch strings.ToLower(k) {
		case "homepage", "home", "website":
			p.Homepage = cmp.Or(p.Homepage, m[k])
		case "repository", "source", "source code", "github", "code":
			p.RepositoryURL = cmp.Or(p.RepositoryURL, m[k])
		}
	}
}

func (p *PyProject) add(requirement string, dev bool) {
	if name, version, ok := Requirement(requirement); ok {
		p.Dependencies = append(p.Dependencies, Dependency{Name: name, Version: version, Dev: dev})
	}
}

var requirementRE = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]{0,99})\s*(?:\[[^\]]{0,200}\])?\s*\(?\s*([^;#)]{0,200})`)

// Requirement splits a PEP 508 requirement into the normalised name and the
// version specifier; extras and markers are dropped.
func Requirement(s string) (name, version string, ok bool) {
	m := requirementRE.FindStringSubmatch(untyped.Short(s))
	if m == nil {
		return "", "", false
	}
	version = strings.TrimSpace(m[2])
	if strings.HasPrefix(version, "@") {
		version = ""
	}
	return PyName(m[1]), version, true
}

var pySeparators = regexp.MustCompile(`[-_.]+`)

// PyName normalises a Python package's name as PEP 503 does.
func PyName(name string) string {
	return strings.ToLower(pySeparators.ReplaceAllString(untyped.Short(name), "-"))
}

// ParseRequirements reads a requirements.txt.
func ParseRequirements(b []byte) ([]Dependency, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	var out []Dependency
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, untyped.MaxSize+1)
	for sc.Scan() && len(out) < untyped.MaxList {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' || line[0] == '-' {
			continue
		}
		if name, version, ok := Requirement(line); ok {
			out = append(out, Dependency{Name: name, Version: version})
		}
	}
	return out, nil
}

var (
	setupField   = regexp.MustCompile(`(?m)\b(name|version|description|license|url)\s*=\s*(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')`)
	setupList    = regexp.MustCompile(`(?s)\b(install_requires|requires|console_scripts)["']?\s*[=:]\s*\[(.*?)\]\s*[,)}\n]`)
	quotedString = regexp.MustCompile(`"([^"\n]{1,300})"|'([^'\n]{1,300})'`)
)

// ParseSetupPy reads the literal arguments of a setup.py; it is not executed.
func ParseSetupPy(b []byte) (*PyProject, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	s := string(b)
	if i := strings.LastIndex(s, "setup("); i >= 0 {
		// Literals of the call win over those of variables before it.
		s = s[i:] + "\n" + s[:i]
	}
	p := &PyProject{}
	for _, m := range setupField.FindAllStringSubmatch(s, 50) {
		v := cmp.Or(m[2], m[3])
		switch m[1] {
		case "name":
			p.Name = cmp.Or(p.Name, v)
		case "version":
			p.Version = cmp.Or(p.Version, v)
		case "description":
			p.Description = cmp.Or(p.Description, v)
		case "license":
			p.License = cmp.Or(p.License, v)
		case "url":
			p.Homepage = cmp.Or(p.Homepage, v)
		}
	}
	for _, m := range setupList.FindAllStringSubmatch(s, 20) {
		for _, q := range quotedString.FindAllStringSubmatch(m[2], untyped.MaxList) {
			v := cmp.Or(q[1], q[2])
			if m[1] == "console_scripts" {
				p.script(v)
			} else {
				p.add(v, false)
			}
		}
	}
	return p, nil
}

func (p *PyProject) script(line string) {
	if name, entry, ok := strings.Cut(line, "="); ok {
		if p.Scripts == nil {
			p.Scripts = map[string]string{}
		}
		p.Scripts[strings.TrimSpace(name)] = strings.TrimSpace(entry)
	}
}

// ParseSetupCfg reads a setup.cfg.
func ParseSetupCfg(b []byte) (*PyProject, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	p := &PyProject{}
	section, key := "", ""
	for raw := range strings.Lines(string(b)) {
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			section, key = strings.Trim(line, "[]"), ""
			continue
		}
		value := line
		if raw[0] != ' ' && raw[0] != '\t' {
			k, v, ok := strings.Cut(line, "=")
			if !ok {
				continue
			}
			key, value = strings.TrimSpace(k), untyped.Short(v)
		}
		if value == "" || len(p.Dependencies) > untyped.MaxList {
			continue
		}
		switch section + "/" + key {
		case "metadata/name":
			p.Name = cmp.Or(p.Name, value)
		case "metadata/version":
			p.Version = cmp.Or(p.Version, value)
		case "metadata/description":
			p.Description = cmp.Or(p.Description, value)
		case "metadata/license":
			p.License = cmp.Or(p.License, value)
		case "metadata/url":
			p.Homepage = cmp.Or(p.Homepage, value)
		case "metadata/keywords":
			p.Keywords = append(p.Keywords, strings.FieldsFunc(value, func(r rune) bool { return r == ',' })...)
		case "metadata/classifiers":
			p.classifier(value)
		case "options/install_requires":
			p.add(value, false)
		case "options.entry_points/console_scripts":
			p.script(value)
		}
	}
	return p, nil
}

// licenseOfText returns the SPDX identifier that a short text names, or the
// text itself if it is as short as one.
func licenseOfText(s string) string {
	s = untyped.Short(s)
	l := strings.ToLower(s)
	switch {
	case s == "":
		return ""
	case strings.Contains(l, "apache"):
		return "Apache-2.0"
	case strings.Contains(l, "affero"):
		return "AGPL-3.0"
	case strings.Contains(l, "lesser general"):
		return "LGPL-3.0"
	case strings.Contains(l, "gnu general public license v2"):
		return "GPL-2.0"
	case strings.Contains(l, "general public license"):
		return "GPL-3.0"
	case strings.Contains(l, "mozilla"):
		return "MPL-2.0"
	case strings.HasPrefix(l, "mit") || strings.Contains(l, "mit license"):
		return "MIT"
	case strings.Contains(l, "isc license"):
		return "ISC"
	case strings.Contains(l, "bsd"):
		if strings.Contains(s, "2") {
			return "BSD-2-Clause"
		}
		return "BSD-3-Clause"
	case len(s) <= 40 && !strings.Contains(s, "\n"):
		return s
	}
	return ""
}

var scriptBlock = regexp.MustCompile(`(?m)^# /// script[ \t]*\n((?:#(?: [^\n]*)?\n){1,200})# ///[ \t]*$`)

// ScriptDependencies returns the dependencies that a Python script declares in
// itself (PEP 723), nil if it declares none.
func ScriptDependencies(b []byte) []Dependency {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil
	}
	m := scriptBlock.FindSubmatch(append(b, '\n'))
	if m == nil {
		return nil
	}
	var inner strings.Builder
	for line := range strings.Lines(string(m[1])) {
		inner.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
	}
	v, err := untyped.TOML([]byte(inner.String()))
	if err != nil {
		return nil
	}
	list, _ := v["dependencies"].([]any)
	var out []Dependency
	for _, e := range list[:min(len(list), untyped.MaxList)] {
		if s, ok := e.(string); ok {
			if name, version, ok := Requirement(s); ok {
				out = append(out, Dependency{Name: name, Version: version})
			}
		}
	}
	return out
}

// ParsePipfile reads the packages of a Pipfile.
func ParsePipfile(b []byte) ([]Dependency, error) {
	v, err := untyped.TOML(b)
	if err != nil {
		return nil, err
	}
	var out []Dependency
	for _, table := range []string{"packages", "dev-packages"} {
		m, _ := v[table].(map[string]any)
		for name, constraint := range m {
			version, ok := constraint.(string)
			if t, isTable := constraint.(map[string]any); !ok && isTable {
				version, _ = t["version"].(string)
			}
			if len(out) < untyped.MaxList {
				out = append(out, Dependency{Name: PyName(name), Version: strings.TrimPrefix(version, "*"), Dev: table == "dev-packages"})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}
