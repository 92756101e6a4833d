// Package install builds the commands that start servers and the configurations of clients.
//
// A command runs the published package and nothing else: if the name, version, registry or
// options of a package are in doubt, there is an [Obstacle] instead of a command. Values that
// only the user knows are named placeholders, and secrets never appear. It is one package because
// commands, endpoints and switches share the same values to fill in, in every form of a client.
package install

import "mcpcensus/internal/registry"

// A Launch is a command that starts a server without a shell. Values that only the user knows
// are placeholders such as YOUR_NAME.
type Launch struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"` // never nil
}

// Of returns the command that starts p. It reports false if p has an obstacle; see [Why].
func Of(p registry.Package) (Launch, bool) {
	return Filled(p, func(_ string, b Blank) string { return b.Placeholder })
}

// Command returns the command that starts p as a line for a POSIX shell, "" if p has an
// obstacle.
func Command(p registry.Package) string {
	l, o := launchOf(p)
	if o != nil {
		return ""
	}
	return l.shellLine()
}

// First returns the first package with a command and stdio transport or, without one, the
// first package with a command.
func First(packages []registry.Package) (p registry.Package, ok bool) {
	for _, candidate := range packages {
		if _, o := launchOf(candidate); o != nil {
			continue
		}
		if overStdio(candidate) {
			return candidate, true
		}
		if !ok {
			p, ok = candidate, true
		}
	}
	return p, ok
}

func overStdio(p registry.Package) bool {
	return p.Transport.Type == registry.TransportStdio || p.Transport.Type == ""
}

// For returns the command of the package that [First] returns.
func For(packages []registry.Package) (command string, ok bool) {
	p, ok := First(packages)
	if !ok {
		return "", false
	}
	return Command(p), true
}
