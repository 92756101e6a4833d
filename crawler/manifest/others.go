package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A Project is what is read of the manifests of Swift, Ruby, PHP and other
// languages.
type Project struct {
	Name, Version, Description, License, Homepage string
	Keywords                                      []string
	Executables                                   []string
	Dependencies                                  []Dependency
}

var (
	swiftPackage    = regexp.MustCompile(`\.package\s*\(\s*(?:name:\s*"[^"\n]{0,200}",\s*)?url:\s*"([^"\n]{1,300})"\s*,?\s*(?:from:\s*|exact:\s*|\.upToNextMajor\s*\(\s*from:\s*|\.upToNextMinor\s*\(\s*from:\s*|branch:\s*)?(?:"([^"\n]{1,100})")?`)
	swiftName       = regexp.MustCompile(`Package\s*\(\s*name:\s*"([^"\n]{1,200})"`)
	swiftExecutable = regexp.MustCompile(`\.executable(?:Target)?\s*\(\s*name:\s*"([^"\n]{1,200})"`)
)

// ParsePackageSwift reads the literals of a Package.swift. A dependency's
// name is owner/name of its repository in lower case.
func ParsePackageSwift(b []byte) (*Project, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	s := string(b)
	p := &Project{}
	if m := swiftName.FindStringSubmatch(s); m != nil {
		p.Name = m[1]
	}
	for _, m := range swiftPackage.FindAllStringSubmatch(s, untyped.MaxList) {
		parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(m[1]), "/"), ".git"), "/")
		name := strings.Join(parts[max(0, len(parts)-2):], "/")
		p.Dependencies = append(p.Dependencies, Dependency{Name: name, Version: m[2]})
	}
	for _, m := range swiftExecutable.FindAllStringSubmatch(s, 50) {
		p.Executables = append(p.Executables, m[1])
	}
	return p, nil
}

var (
	gemLine  = regexp.MustCompile(`(?m)^\s*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)\s*\(?\s*["']([\w.-]{1,100})["'](?:\s*,\s*["']([^"'\n]{1,60})["'])?`)
	gemField = regexp.MustCompile(`(?m)^\s*\w+\.(name|version|summary|description|license|homepage)\s*=\s*["']([^"'\n]{1,500})["']`)
	gemExecs = regexp.MustCompile(`(?m)^\s*\w+\.executables\s*(?:<<|=)\s*(.{1,300})$`)
)

// ParseRuby reads the literals of a Gemfile or a gemspec.
func ParseRuby(b []byte) (*Project, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	s := string(b)
	p := &Project{}
	for _, m := range gemField.FindAllStringSubmatch(s, 50) {
		switch m[1] {
		case "name":
			p.Name = cmp.Or(p.Name, m[2])
		case "version":
			p.Version = cmp.Or(p.Version, m[2])
		case "summary", "description":
			p.Description = cmp.Or(p.Description, m[2])
		case "license":
			p.License = cmp.Or(p.License, m[2])
		case "homepage":
			p.Homepage = cmp.Or(p.Homepage, m[2])
		}
	}
	for _, m := range gemLine.FindAllStringSubmatch(s, untyped.MaxList) {
		p.Dependencies = append(p.Dependencies, Dependency{Name: m[1], Version: m[2], Dev: strings.Contains(m[0], "development")})
	}
	if m := gemExecs.FindString(s); m != "" {
		p.Executables = append(p.Executables, p.Name)
	}
	return p, nil
}

// ParseComposer reads a composer.json.
func ParseComposer(b []byte) (*Project, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	p := &Project{Name: o.Text("name"), Version: o.Text("version"), Description: o.Text("description"), License: o.Text("license"),
		Homepage: o.Text("homepage"), Keywords: o.Texts("keywords"), Executables: o.Texts("bin")}
	if ls := o.Texts("license"); p.License == "" && len(ls) > 0 {
		p.License = ls[0]
	}
	for _, k := range []string{"require", "require-dev"} {
		m := o.Object(k)
		for _, name := range m.Keys() {
			p.Dependencies = append(p.Dependencies, Dependency{Name: strings.ToLower(untyped.Short(name)), Version: m.Text(name), Dev: k == "require-dev"})
		}
	}
	return p, nil
}
