package install

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"mcpcensus/internal/registry"
)

// An Obstacle says why no command is shown for a package.
type Obstacle struct {
	Why string // one sentence or two, plain text fit to show
	// Command installs the package by hand, for a POSIX shell; it does not
	// start the server. "" if none is certain.
	Command string
	// URL is the file to download, of a bundle; not checked for safety.
	URL    string
	SHA256 string // of that file, in hex; "" if not declared
}

func hindered(format string, args ...any) *Obstacle {
	return &Obstacle{Why: fmt.Sprintf(format, args...)}
}

// Why says why [Of] does not know how p is started; nil where it does.
func Why(p registry.Package) *Obstacle {
	_, o := launchOf(p)
	return o
}

// Missing says in a sentence why there is no command for s, "" where there is
// one.
func Missing(s *registry.Server) string {
	if _, ok := First(s.Packages); ok {
		return ""
	}
	switch {
	case len(s.Packages) > 0:
		p := s.Packages[0]
		return fmt.Sprintf("Package %s of %s: %s", excerpt(p.Identifier), excerpt(p.RegistryType), Why(p).Why)
	case len(s.Remotes) > 0:
		return "No published package is known: it is used at its hosted address."
	}
	return "No published package and no hosted address is known, so a command would be a guess."
}

// programs start packages.
var programs = map[string]string{"npm": "npx", "pypi": "uvx", "nuget": "dnx", "oci": "docker"}

// kinds are the registries of packages as people call them.
var kinds = map[string]string{"npm": "npm", "pypi": "PyPI", "nuget": "NuGet", "oci": "containers", "cargo": "Cargo", "mcpb": "bundles"}

var (
	crateName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// foreign says what keeps the program for p's kind from starting it, by its
// kind, name, version and where it is; nil if nothing does.
func foreign(p registry.Package) *Obstacle {
	switch {
	case p.RegistryType == "mcpb":
		o := hindered("It is a bundle, which no command starts: download it and open it with a client that takes bundles, such as Claude Desktop.")
		if u, err := url.Parse(p.Identifier); err == nil && u.Scheme == "https" && u.User == nil && publicHost(u.Hostname()) && len(p.Identifier) <= 2000 && sound(p.Identifier) {
			o.URL = p.Identifier
		}
		if sum := strings.ToLower(p.FileSHA256); sha256Hex.MatchString(sum) {
			o.SHA256 = sum
		}
		return o
	case p.RegistryType == "cargo":
		o := hindered("No client starts packages of Cargo by itself: install it, and give your client the program that this brings as its command.")
		if crateName.MatchString(p.Identifier) && p.RegistryBaseURL == "" {
			switch {
			case semverForm.MatchString(p.Version):
				o.Command = shellLine([]string{"cargo", "install", p.Identifier, "--version", p.Version})
			case p.Version == "":
				o.Command = shellLine([]string{"cargo", "install", p.Identifier})
			}
		}
		return o
	case programs[p.RegistryType] == "":
		return hindered("No program is known that starts packages of this kind.")
	case len(p.Identifier) > 300 || !nameFits(p):
		return hindered("Its identifier “%s” is no name that a package of %s can have.", excerpt(p.Identifier), kinds[p.RegistryType])
	case !isDefaultRegistry(p.RegistryType, p.RegistryBaseURL):
		host := "of its own"
		if u, err := url.Parse(p.RegistryBaseURL); err == nil && u.Hostname() != "" {
			host += " (" + excerpt(u.Hostname()) + ")"
		}
		return hindered("It is on a package server %s, and %s would ask the usual one, which may have something else under that name.", host, programs[p.RegistryType])
	case len(p.Version) > 128 || !versionFits(p):
		return hindered("Its entry names “%s” as the version, which is a range or no version of %s.", excerpt(p.Version), kinds[p.RegistryType])
	}
	return nil
}

func nameFits(p registry.Package) bool {
	switch p.RegistryType {
	case "npm":
		return len(p.Identifier) <= 214 && npmName.MatchString(p.Identifier)
	case "pypi":
		return pypiName.MatchString(p.Identifier)
	case "nuget":
		return len(p.Identifier) <= 100 && nugetID.MatchString(p.Identifier)
	}
	return imageRef.MatchString(p.Identifier)
}

func versionFits(p registry.Package) bool {
	if p.Version == "" || placeholderVersion.MatchString(p.Version) {
		return true
	}
	switch p.RegistryType {
	case "npm":
		return p.Version == "latest" || semverForm.MatchString(p.Version)
	case "pypi":
		return pypiVersion.MatchString(p.Version)
	case "nuget":
		return nugetVersion.MatchString(p.Version)
	}
	return namesTag(p.Identifier) || imageTag.MatchString(p.Version)
}

// namesTag says whether an image's name has its tag or digest in it.
func namesTag(image string) bool {
	m := imageRef.FindStringSubmatch(image)
	return m != nil && (m[1] != "" || m[2] != "")
}

// excerpt is a text from outside, short enough to stand in a sentence.
func excerpt(s string) string {
	s = oneLine(s)
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return s
}
