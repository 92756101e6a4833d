// Package manifest reads the files by which a repository describes itself:
// package manifests, server.json in every schema generation, client
// configurations, Dockerfiles, lock files and READMEs.
//
// Every function is pure: it takes the bytes of one file and returns a small
// struct. The bytes are hostile: sizes, depth, encodings and aliases are
// bounded, nothing is executed, and whatever is malformed gives an error or a
// missing fact, never a panic.
package manifest

// A Dependency is one entry of a manifest's list of dependencies.
type Dependency struct {
	Name     string
	Version  string // the constraint as written, "" if there is none
	Dev      bool   // for development, tests or builds only
	Peer     bool   // expected from whoever installs the package
	Indirect bool   // noted by a tool, not asked for
}
