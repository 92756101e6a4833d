package manifest

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// A PyProject is what a pyproject.toml, setup.cfg or setup.py says.
type PyProject struct {
	Name, Version, Description, License string
	Homepage, RepositoryURL             string
	Keywords                            []string
	Scripts                             map[string]string // command to entry point
	Dependencies                        []Dependency
	Workspace                           []string // patterns of uv workspace members
	Private                             bool     // marked as not to be uploaded, or not a package
}

// ParsePyProject reads a pyproject.toml: PEP 621, Poetry, PEP 735 groups and
// uv workspaces.
func ParsePyProject(b []byte) (*PyProject, error) {
	o, err := untyped.TOML(b)
	if err != nil {
		return nil, err
	}
	project, tool := o.Object("project"), o.Object("tool")
	poetry, uv := tool.Object("poetry"), tool.Object("uv")
	p := &PyProject{
		Name: project.Text("name"), Version: project.Text("version"), Description: project.Text("description"),
		License: project.Text("license"), Keywords: project.Texts("keywords"),
		Scripts: project.TextMap("scripts"), Workspace: uv.Object("workspace").Texts("members"),
	}
	if l := project.Object("license"); l != nil {
		p.License = licenseOfText(l.Text("text"))
	}
	p.setURLs(project.TextMap("urls"))
	for _, c := range project.Texts("classifiers") {
		p.setClassifier(c)
	}
	p.add(false, project.Texts("dependencies")...)
	for _, groups := range []untyped.Object{project.Object("optional-dependencies"), o.Object("dependency-groups")} {
		for _, k := range groups.Keys() {
			p.add(true, groups.Texts(k)...)
		}
	}
	if isPackage, known := uv.Bool("package"); known && !isPackage {
		p.Private = true
	}
	if poetry != nil {
		p.setPoetry(poetry)
	}
	if p.Scripts == nil {
		p.Scripts = project.TextMap("gui-scripts")
	}
	return p, nil
}

func (p *PyProject) setPoetry(o untyped.Object) {
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
	if isPackage, known := o.Bool("package-mode"); known && !isPackage {
		p.Private = true
	}
	p.addTable(o.Object("dependencies"), false)
	p.addTable(o.Object("dev-dependencies"), true)
	groups := o.Object("group")
	for _, k := range groups.Keys() {
		p.addTable(groups.Object(k).Object("dependencies"), true)
	}
}

// addTable adds dependencies written as a table of constraints by name.
func (p *PyProject) addTable(table untyped.Object, dev bool) {
	for _, name := range table.Keys() {
		if name == "python" {
			continue
		}
		version := table.Text(name)
		if t := table.Object(name); t != nil {
			version = t.Text("version")
		}
		p.Dependencies = append(p.Dependencies,
			Dependency{Name: registry.PyPIName(untyped.Short(name)), Version: version, Dev: dev})
	}
}

func (p *PyProject) setClassifier(c string) {
	if strings.HasPrefix(c, "Private ::") {
		p.Private = true
	}
	if p.License == "" && strings.HasPrefix(c, "License ::") {
		p.License = licenseOfText(c[strings.LastIndex(c, "::")+2:])
	}
}

func (p *PyProject) setURLs(urls map[string]string) {
	for _, k := range slices.Sorted(maps.Keys(urls)) {
		switch strings.ToLower(k) {
		case "homepage", "home", "website":
			p.Homepage = cmp.Or(p.Homepage, urls[k])
		case "repository", "source", "source code", "github", "code":
			p.RepositoryURL = cmp.Or(p.RepositoryURL, urls[k])
		}
	}
}

// setField sets a field of setuptools unless it is set.
func (p *PyProject) setField(name, value string) {
	field := map[string]*string{
		"name": &p.Name, "version": &p.Version, "description": &p.Description,
		"license": &p.License, "url": &p.Homepage,
	}[name]
	if field != nil && *field == "" {
		*field = value
	}
}

// setScript adds a script written as "command = entry point".
func (p *PyProject) setScript(line string) {
	if name, entry, ok := strings.Cut(line, "="); ok {
		if p.Scripts == nil {
			p.Scripts = map[string]string{}
		}
		p.Scripts[strings.TrimSpace(name)] = strings.TrimSpace(entry)
	}
}

func (p *PyProject) add(dev bool, requirements ...string) {
	p.Dependencies = append(p.Dependencies, requirementsOf(requirements, dev)...)
}

// requirementsOf returns the dependencies in lines of requirements.
func requirementsOf(lines []string, dev bool) (out []Dependency) {
	for _, line := range lines[:min(len(lines), untyped.MaxList)] {
		if name, version, ok := splitRequirement(line); ok {
			out = append(out, Dependency{Name: name, Version: version, Dev: dev})
		}
	}
	return out
}

var requirement = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]{0,99})\s*(?:\[[^\]]{0,200}\])?\s*` +
	`\(?\s*([^;#)]{0,200})`)

// splitRequirement splits a PEP 508 requirement into the normalised name and the
// version specifier. Extras and markers are dropped.
func splitRequirement(s string) (name, version string, ok bool) {
	m := requirement.FindStringSubmatch(untyped.Short(s))
	if m == nil {
		return "", "", false
	}
	version = strings.TrimSpace(m[2])
	if strings.HasPrefix(version, "@") {
		version = ""
	}
	return registry.PyPIName(m[1]), version, true
}

// ParseRequirements reads a requirements.txt.
func ParseRequirements(b []byte) ([]Dependency, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != '-' {
			lines = append(lines, line)
		}
	}
	return requirementsOf(lines, false), nil
}

var (
	setupField = regexp.MustCompile(`(?m)\b(name|version|description|license|url)\s*=\s*` +
		`(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')`)
	setupList = regexp.MustCompile(`(?s)\b(install_requires|requires|console_scripts)["']?\s*[=:]\s*` +
		`\[(.*?)\]\s*[,)}\n]`)
	quotedString = regexp.MustCompile(`"([^"\n]{1,300})"|'([^'\n]{1,300})'`)
)

// ParseSetupPy reads the literal arguments of a setup.py. It is not executed.
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
		p.setField(m[1], m[2]+m[3])
	}
	for _, m := range setupList.FindAllStringSubmatch(s, 20) {
		for _, q := range quotedString.FindAllStringSubmatch(m[2], untyped.MaxList) {
			if m[1] == "console_scripts" {
				p.setScript(q[1] + q[2])
			} else {
				p.add(false, q[1]+q[2])
			}
		}
	}
	return p, nil
}

// ParseSetupCfg reads a setup.cfg.
func ParseSetupCfg(b []byte) (*PyProject, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	p := &PyProject{}
	section, key := "", ""
	for line := range strings.Lines(string(b)) {
		value := strings.TrimSpace(line)
		switch {
		case value == "" || value[0] == '#' || value[0] == ';':
			continue
		case value[0] == '[':
			section, key = strings.Trim(value, "[]"), ""
			continue
		case line[0] != ' ' && line[0] != '\t': // not a value that goes on
			key, value, _ = strings.Cut(value, "=")
			key, value = strings.TrimSpace(key), untyped.Short(value)
		}
		if value != "" && len(p.Dependencies) < untyped.MaxList {
			p.setOption(section, key, value)
		}
	}
	return p, nil
}

// setOption sets what an option of a setup.cfg says.
func (p *PyProject) setOption(section, key, value string) {
	switch section + "/" + key {
	case "metadata/keywords":
		p.Keywords = append(p.Keywords, strings.FieldsFunc(value, func(r rune) bool { return r == ',' })...)
	case "metadata/classifiers":
		p.setClassifier(value)
	case "options/install_requires":
		p.add(false, value)
	case "options.entry_points/console_scripts":
		p.setScript(value)
	default:
		if section == "metadata" {
			p.setField(key, value)
		}
	}
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
	o, err := untyped.TOML([]byte(inner.String()))
	if err != nil {
		return nil
	}
	return requirementsOf(o.Texts("dependencies"), false)
}

// ParsePipfile reads the packages of a Pipfile, sorted by name.
func ParsePipfile(b []byte) ([]Dependency, error) {
	o, err := untyped.TOML(b)
	if err != nil {
		return nil, err
	}
	var p PyProject
	p.addTable(o.Object("packages"), false)
	p.addTable(o.Object("dev-packages"), true)
	for i, d := range p.Dependencies {
		p.Dependencies[i].Version = strings.TrimPrefix(d.Version, "*")
	}
	slices.SortFunc(p.Dependencies, func(a, b Dependency) int { return strings.Compare(a.Name, b.Name) })
	return p.Dependencies, nil
}
