// Package manifest reads the files by which a repository describes itself:
// manifests of packages, client configurations, commands, Dockerfiles, lock
// files and the tools that sources register. Its subpackage readme reads
// READMEs.
//
// Every function is pure: it takes the bytes of one file and returns a small
// struct. Input is hostile: sizes, depth, encodings and aliases are bounded,
// nothing is executed, and malformed input gives an error or a missing fact,
// never a panic.
package manifest

import (
	"embed"

	"mcpcensus/crawler/vocabulary"
)

//go:embed rules
var embedded embed.FS

var rules = vocabulary.Rules(embedded)

// A Dependency is one entry of a manifest's list of dependencies.
type Dependency struct {
	Name     string
	Version  string // the constraint as written, "" if there is none
	Dev      bool   // for development, tests or builds only
	Indirect bool   // recorded by a tool, not required directly
}
