// Package manifest reads the files in which a repository describes itself: package manifests,
// client configurations, commands, Dockerfiles and lock files. Its subpackage readme reads
// READMEs.
//
// Every function is pure: it accepts the bytes of one file and returns a small struct. Input is
// untrusted: sizes, depth, encodings and aliases are limited, nothing is executed, and malformed
// input results in an error or a missing fact, never a panic.
package manifest

import (
	"cmp"
	"embed"
	"regexp"

	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
)

//go:embed rules
var embedded embed.FS

var rules = vocabulary.Rules(embedded)

// A Package contains the facts in the manifest of a package. Fields that its format lacks are
// zero.
type Package struct {
	Name, Title, Version, Description string // for Maven, Name is the artifact
	License, Homepage                 string
	Keywords                          []string
	Deprecated                        string            // the statement that it has ended
	Private                           bool              // not to be published
	Programs                          map[string]string // commands to paths or entry points
	Scripts                           map[string]string // npm and Deno tasks
	Members                           []string          // patterns of the folders of a workspace
	Dependencies                      []Dependency      // for Maven, group:artifact
	Managed                           []Dependency      // versions for other packages of a workspace

	MCPName      string            // npm: the name in the official MCP registry
	Application  bool              // Gradle and .NET: builds a program
	Library      bool              // npm: published with types and without a command
	Kotlin       bool              // Gradle
	Dist         *Dist             // Cargo; nil if releases publish no npm package
	Parent       string            // Maven: the artifact
	Plugins      []string          // Maven: artifacts
	Tool         bool              // .NET: packed as a tool or as an MCP server
	AssemblyName string            // .NET
	Projects     []string          // .NET: relative paths of referenced projects
	Properties   map[string]string // .NET
}

// Complete adds facts from another manifest of the same package. Existing facts do not change.
func (p *Package) Complete(o *Package) {
	p.Name = cmp.Or(p.Name, o.Name)
	p.Version = cmp.Or(p.Version, o.Version)
	p.Description = cmp.Or(p.Description, o.Description)
	p.License = cmp.Or(p.License, o.License)
	p.Homepage = cmp.Or(p.Homepage, o.Homepage)
	p.Deprecated = cmp.Or(p.Deprecated, o.Deprecated)
	p.Private = p.Private || o.Private
	if len(p.Programs) == 0 {
		p.Programs = o.Programs
	}
	if len(p.Keywords) == 0 {
		p.Keywords = o.Keywords
	}
	p.Dependencies = append(p.Dependencies, o.Dependencies...)
}

// manage adds the versions of a table of constraints by name.
func (p *Package) manage(table untyped.Object) {
	var shared Package
	shared.add(table, false)
	p.Managed = append(p.Managed, shared.Dependencies...)
}

// add adds the dependencies of a table of constraints by name. In Cargo, values may be tables
// with the version and the name of the package.
func (p *Package) add(table untyped.Object, dev bool) {
	for _, name := range table.Keys() {
		t := table.Object(name)
		p.Dependencies = append(p.Dependencies, Dependency{Name: cmp.Or(t.Text("package"), untyped.Short(name)),
			Version: cmp.Or(table.Text(name), t.Text("version")), Dev: dev})
	}
}

// A Dependency is one entry of a manifest's list of dependencies.
type Dependency struct {
	Name     string
	Version  string // the constraint as written, "" if there is none
	Dev      bool   // for development, tests or builds only
	Indirect bool   // recorded by a tool, not required directly
}

// parser returns a function that decodes a file and reads the document.
func parser[D, T any](decode func([]byte) (D, error), read func(D) T) func([]byte) (T, error) {
	return func(b []byte) (out T, err error) {
		doc, err := decode(b)
		if err == nil {
			out = read(doc)
		}
		return out, err
	}
}

// plainText decodes a file that is read by lines or expressions.
func plainText(b []byte) (string, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	return string(b), err
}

// firstGroup returns the match of an expression's first group, "" for no match.
func firstGroup(re *regexp.Regexp, s string) string {
	if m := re.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}
