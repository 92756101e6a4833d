package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

var (
	swiftPackage = regexp.MustCompile(`\.package\s*\(\s*(?:name:\s*"[^"\n]{0,200}",\s*)?` +
		`url:\s*"([^"\n]{1,300})"\s*,?\s*` +
		`(?:(?:\.upToNext(?:Major|Minor)\s*\(\s*)?(?:from|exact|branch):\s*)?(?:"([^"\n]{1,100})")?`)
	swiftName       = regexp.MustCompile(`Package\s*\(\s*name:\s*"([^"\n]{1,200})"`)
	swiftExecutable = regexp.MustCompile(`\.executable(?:Target)?\s*\(\s*name:\s*"([^"\n]{1,200})"`)
)

// ParsePackageSwift reads the literals of a Package.swift. A dependency is named by its
// repository's owner/name in lower case.
var ParsePackageSwift = parser(plainText, func(s string) *Package {
	p := &Package{Name: firstGroup(swiftName, s)}
	for _, m := range swiftPackage.FindAllStringSubmatch(s, untyped.MaxList) {
		repository := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(m[1]), "/"), ".git")
		parts := strings.Split(repository, "/")
		name := strings.Join(parts[max(0, len(parts)-2):], "/")
		p.Dependencies = append(p.Dependencies, Dependency{Name: name, Version: m[2]})
	}
	for _, m := range swiftExecutable.FindAllStringSubmatch(s, 50) {
		p.addProgram(m[1], "")
	}
	return p
})

var (
	gemDependency = regexp.MustCompile(`(?m)^\s*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)\s*\(?\s*` +
		`["']([\w.-]{1,100})["'](?:\s*,\s*["']([^"'\n]{1,60})["'])?`)
	gemField = regexp.MustCompile(`(?m)^\s*\w+\.(name|version|summary|description|license)\s*=\s*` +
		`["']([^"'\n]{1,500})["']`)
	gemExecutables = regexp.MustCompile(`(?m)^\s*\w+\.executables\s*(?:<<|=)`)
)

// ParseRuby reads the literals of a Gemfile or a gemspec.
var ParseRuby = parser(plainText, func(s string) *Package {
	p := &Package{}
	fields := map[string]*string{
		"name": &p.Name, "version": &p.Version, "license": &p.License,
		"summary": &p.Description, "description": &p.Description,
	}
	for _, m := range gemField.FindAllStringSubmatch(s, 50) {
		field := fields[m[1]]
		*field = cmp.Or(*field, m[2])
	}
	for _, m := range gemDependency.FindAllStringSubmatch(s, untyped.MaxList) {
		d := Dependency{Name: m[1], Version: m[2], Dev: strings.Contains(m[0], "development")}
		p.Dependencies = append(p.Dependencies, d)
	}
	if gemExecutables.MatchString(s) {
		p.addProgram(p.Name, "")
	}
	return p
})

var ParseComposer = parser(untyped.JSON, func(o untyped.Object) *Package {
	p := &Package{
		Name: o.Text("name"), Version: o.Text("version"), Description: o.Text("description"),
		License: cmp.Or(append(o.Texts("license"), o.Text("license"))...), Keywords: o.Texts("keywords"),
	}
	if successor := o.Text("abandoned"); o.Flag("abandoned") || successor != "" {
		p.Deprecated = strings.TrimSpace("Abandoned in composer.json. " + successor)
	}
	for _, program := range o.Texts("bin") {
		p.addProgram(program, "")
	}
	p.add(o.Object("require"), false)
	p.add(o.Object("require-dev"), true)
	for i, d := range p.Dependencies {
		p.Dependencies[i].Name = strings.ToLower(d.Name)
	}
	return p
})
