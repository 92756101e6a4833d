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
	Name, Version, Description, License string
	Keywords                            []string
	Executables                         []string
	Dependencies                        []Dependency
}

var (
	swiftPackage = regexp.MustCompile(`\.package\s*\(\s*(?:name:\s*"[^"\n]{0,200}",\s*)?` +
		`url:\s*"([^"\n]{1,300})"\s*,?\s*` +
		`(?:(?:\.upToNext(?:Major|Minor)\s*\(\s*)?(?:from|exact|branch):\s*)?(?:"([^"\n]{1,100})")?`)
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
		repository := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(m[1]), "/"), ".git")
		parts := strings.Split(repository, "/")
		name := strings.Join(parts[max(0, len(parts)-2):], "/")
		p.Dependencies = append(p.Dependencies, Dependency{Name: name, Version: m[2]})
	}
	for _, m := range swiftExecutable.FindAllStringSubmatch(s, 50) {
		p.Executables = append(p.Executables, m[1])
	}
	return p, nil
}

var (
	gemDependency = regexp.MustCompile(`(?m)^\s*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)\s*\(?\s*` +
		`["']([\w.-]{1,100})["'](?:\s*,\s*["']([^"'\n]{1,60})["'])?`)
	gemField = regexp.MustCompile(`(?m)^\s*\w+\.(name|version|summary|description|license)\s*=\s*` +
		`["']([^"'\n]{1,500})["']`)
	gemExecutables = regexp.MustCompile(`(?m)^\s*\w+\.executables\s*(?:<<|=)`)
)

// ParseRuby reads the literals of a Gemfile or a gemspec.
func ParseRuby(b []byte) (*Project, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	p := &Project{}
	fields := map[string]*string{
		"name": &p.Name, "version": &p.Version, "license": &p.License,
		"summary": &p.Description, "description": &p.Description,
	}
	for _, m := range gemField.FindAllStringSubmatch(string(b), 50) {
		field := fields[m[1]]
		*field = cmp.Or(*field, m[2])
	}
	for _, m := range gemDependency.FindAllStringSubmatch(string(b), untyped.MaxList) {
		d := Dependency{Name: m[1], Version: m[2], Dev: strings.Contains(m[0], "development")}
		p.Dependencies = append(p.Dependencies, d)
	}
	if gemExecutables.Match(b) {
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
	p := &Project{
		Name: o.Text("name"), Version: o.Text("version"), Description: o.Text("description"),
		License:  cmp.Or(o.Text("license"), firstOf(o.Texts("license"))),
		Keywords: o.Texts("keywords"), Executables: o.Texts("bin"),
	}
	p.Dependencies = append(dependencyTable(o.Object("require"), false),
		dependencyTable(o.Object("require-dev"), true)...)
	for i, d := range p.Dependencies {
		p.Dependencies[i].Name = strings.ToLower(d.Name)
	}
	return p, nil
}
