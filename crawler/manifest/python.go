package manifest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// ParsePyProject reads a pyproject.toml: PEP 621, Poetry, PEP 735 groups and
// uv workspaces.
var ParsePyProject = parser(untyped.TOML, func(o untyped.Object) *Package {
	project, tool := o.Object("project"), o.Object("tool")
	uv := tool.Object("uv")
	isPackage, known := uv.Bool("package")
	p := &Package{
		Name: project.Text("name"), Version: project.Text("version"), Description: project.Text("description"),
		License:  cmp.Or(project.Text("license"), licenseOfText(project.Object("license").Text("text"))),
		Keywords: project.Texts("keywords"), Programs: project.TextMap("scripts"),
		Members: uv.Object("workspace").Texts("members"), Private: known && !isPackage,
	}
	urls := project.Object("urls")
	for _, k := range urls.Keys() {
		switch strings.ToLower(k) {
		case "homepage", "home", "website":
			p.Homepage = cmp.Or(p.Homepage, urls.Text(k))
		}
	}
	for _, c := range project.Texts("classifiers") {
		p.setClassifier(c)
	}
	p.require(false, project.Texts("dependencies")...)
	for _, groups := range []untyped.Object{project.Object("optional-dependencies"), o.Object("dependency-groups")} {
		for _, k := range groups.Keys() {
			p.require(true, groups.Texts(k)...)
		}
	}
	if poetry := tool.Object("poetry"); poetry != nil {
		p.Complete(poetryPackage(poetry))
	}
	if p.Programs == nil {
		p.Programs = project.TextMap("gui-scripts")
	}
	return p
})

func poetryPackage(o untyped.Object) *Package {
	isPackage, known := o.Bool("package-mode")
	p := &Package{
		Name: o.Text("name"), Version: o.Text("version"), Description: o.Text("description"),
		License: o.Text("license"), Homepage: o.Text("homepage"), Keywords: o.Texts("keywords"),
		Programs: o.TextMap("scripts"), Private: known && !isPackage,
	}
	p.addPython(o.Object("dependencies"), false)
	p.addPython(o.Object("dev-dependencies"), true)
	groups := o.Object("group")
	for _, k := range groups.Keys() {
		p.addPython(groups.Object(k).Object("dependencies"), true)
	}
	return p
}

// addPython is add for Python, whose own version is among the constraints.
func (p *Package) addPython(table untyped.Object, dev bool) {
	n := len(p.Dependencies)
	p.add(table, dev)
	for i := n; i < len(p.Dependencies); i++ {
		p.Dependencies[i].Name = registry.PyPIName(p.Dependencies[i].Name)
	}
	p.Dependencies = slices.DeleteFunc(p.Dependencies, func(d Dependency) bool { return d.Name == "python" })
}

func (p *Package) setClassifier(c string) {
	if strings.HasPrefix(c, "Private ::") {
		p.Private = true
	}
	if strings.HasPrefix(c, "Development Status :: 7") { // Inactive
		p.Deprecated = c
	}
	if p.License == "" && strings.HasPrefix(c, "License ::") {
		p.License = licenseOfText(c[strings.LastIndex(c, "::")+2:])
	}
}

// setField sets a field of setuptools unless it is already set.
func (p *Package) setField(name, value string) {
	field := map[string]*string{
		"name": &p.Name, "version": &p.Version, "description": &p.Description,
		"license": &p.License, "url": &p.Homepage,
	}[name]
	if field != nil && *field == "" {
		*field = value
	}
}

// addScript adds a program of the form "command = entry point".
func (p *Package) addScript(line string) {
	if name, entry, ok := strings.Cut(line, "="); ok {
		p.addProgram(strings.TrimSpace(name), strings.TrimSpace(entry))
	}
}

func (p *Package) addProgram(name, entry string) {
	if p.Programs == nil {
		p.Programs = map[string]string{}
	}
	p.Programs[name] = entry
}

func (p *Package) require(dev bool, requirements ...string) {
	p.Dependencies = append(p.Dependencies, requirementsOf(requirements, dev)...)
}

var requirement = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]{0,99})\s*(?:\[[^\]]{0,200}\])?\s*` +
	`\(?\s*([^;#)]{0,200})`)

// requirementsOf returns the dependencies in lines of PEP 508 requirements, with normalized
// names. It drops extras, markers and lines of another form.
func requirementsOf(lines []string, dev bool) (out []Dependency) {
	for _, line := range bounded(lines) {
		if m := requirement.FindStringSubmatch(untyped.Short(line)); m != nil {
			version := strings.TrimSpace(m[2])
			if strings.HasPrefix(version, "@") {
				version = ""
			}
			out = append(out, Dependency{Name: registry.PyPIName(m[1]), Version: version, Dev: dev})
		}
	}
	return out
}

var ParseRequirements = parser(plainText, func(s string) []Dependency {
	return requirementsOf(strings.Split(s, "\n"), false)
})

var (
	setupField = regexp.MustCompile(`(?m)\b(name|version|description|license|url)\s*=\s*` +
		`(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')`)
	setupList = regexp.MustCompile(`(?s)\b(install_requires|requires|console_scripts)["']?\s*[=:]\s*` +
		`\[(.*?)\]\s*[,)}\n]`)
	quotedString = regexp.MustCompile(`"([^"\n]{1,300})"|'([^'\n]{1,300})'`)
)

// ParseSetupPy reads the literal arguments of a setup.py. It is not executed.
var ParseSetupPy = parser(plainText, func(s string) *Package {
	if i := strings.LastIndex(s, "setup("); i >= 0 {
		// Literals of the call take precedence over variables before it.
		s = s[i:] + "\n" + s[:i]
	}
	p := &Package{}
	for _, m := range setupField.FindAllStringSubmatch(s, 50) {
		p.setField(m[1], m[2]+m[3])
	}
	for _, m := range setupList.FindAllStringSubmatch(s, 20) {
		for _, q := range quotedString.FindAllStringSubmatch(m[2], untyped.MaxList) {
			if m[1] == "console_scripts" {
				p.addScript(q[1] + q[2])
			} else {
				p.require(false, q[1]+q[2])
			}
		}
	}
	return p
})

var ParseSetupCfg = parser(plainText, func(s string) *Package {
	p := &Package{}
	section, key := "", ""
	for line := range strings.Lines(s) {
		value := strings.TrimSpace(line)
		switch {
		case value == "" || value[0] == '#' || value[0] == ';':
			continue
		case value[0] == '[':
			section, key = strings.Trim(value, "[]"), ""
			continue
		case line[0] != ' ' && line[0] != '\t': // not a continued value
			key, value, _ = strings.Cut(value, "=")
			key, value = strings.TrimSpace(key), untyped.Short(value)
		}
		if value != "" && len(p.Dependencies) < untyped.MaxList {
			p.setOption(section, key, value)
		}
	}
	return p
})

// setOption sets the fact of an option in a setup.cfg.
func (p *Package) setOption(section, key, value string) {
	switch section + "/" + key {
	case "metadata/keywords":
		p.Keywords = append(p.Keywords, strings.FieldsFunc(value, func(r rune) bool { return r == ',' })...)
	case "metadata/classifiers":
		p.setClassifier(value)
	case "options/install_requires":
		p.require(false, value)
	case "options.entry_points/console_scripts":
		p.addScript(value)
	default:
		if section == "metadata" {
			p.setField(key, value)
		}
	}
}

var scriptBlock = regexp.MustCompile(`(?m)^# /// script[ \t]*\n((?:#(?: [^\n]*)?\n){1,200})# ///[ \t]*$`)

// ScriptDependencies returns the dependencies that a Python script declares inline (PEP 723), nil
// if it declares none.
func ScriptDependencies(b []byte) []Dependency {
	s, _ := plainText(b)
	inner := scriptComment.ReplaceAllString(firstGroup(scriptBlock, s+"\n"), "")
	o, _ := untyped.TOML([]byte(inner))
	return requirementsOf(o.Texts("dependencies"), false)
}

var scriptComment = regexp.MustCompile(`(?m)^# ?`)

// ParsePipfile reads the packages of a Pipfile, sorted by name.
var ParsePipfile = parser(untyped.TOML, func(o untyped.Object) []Dependency {
	var p Package
	p.addPython(o.Object("packages"), false)
	p.addPython(o.Object("dev-packages"), true)
	for i, d := range p.Dependencies {
		p.Dependencies[i].Version = strings.TrimPrefix(d.Version, "*")
	}
	slices.SortFunc(p.Dependencies, func(a, b Dependency) int { return strings.Compare(a.Name, b.Name) })
	return p.Dependencies
})
