package install

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// An Obstacle is the reason why a package has no command.
type Obstacle struct {
	Why string // one or two sentences of plain text
	// Command is a line for a POSIX shell that installs the package without starting it, ""
	// if unknown.
	Command string
	// URL is the file of a bundle. It is not checked for safety.
	URL    string
	SHA256 string // of the file, in hex; "" if unspecified
}

func obstacle(format string, args ...any) *Obstacle {
	return &Obstacle{Why: fmt.Sprintf(format, args...)}
}

// Why returns the reason why p has no command, nil if it has one.
func Why(p registry.Package) *Obstacle {
	_, o := launchOf(p)
	return o
}

// Missing returns the reason why s has no command in one or two sentences, "" if it has one.
func Missing(s *registry.Server) string {
	if s.Severity() == registry.SeverityHarmful {
		return "No command is offered, because the server is harmful."
	}
	if _, ok := First(s.Packages); ok {
		return ""
	}
	source := unread(s.SourceInstall)
	switch {
	case len(s.Packages) > 0 && s.Packages[0].Doubt == registry.DoubtManifest && source != "":
		return source + unpublished(s)
	case len(s.Packages) > 0:
		p := s.Packages[0]
		return fmt.Sprintf("No install command for %s (%s). %s",
			excerpt(p.Identifier), excerpt(p.RegistryType), Why(p).Why) + unpublished(s)
	case len(s.Remotes) > 0 && hosted(Key(s), s.Remotes) == nil:
		return "No published package is known. " + WhyRemote(s.Remotes[0]).Why + unpublished(s)
	case len(s.Remotes) > 0 && s.Liveness == registry.LivenessDown:
		return "No published package is known, and the hosted endpoint is down." + unpublished(s)
	case len(s.Remotes) > 0:
		return "No published package is known. Use the hosted endpoint." + unpublished(s)
	}
	return cmp.Or(source, "No published package or hosted endpoint is known.") + unpublished(s)
}

// unread returns a sentence about the README's command for a server without a package of a known
// registry, "" for none. Clients get no such command: nothing fixes what it starts, or checks it.
func unread(command string) string {
	program, _, _ := strings.Cut(command, " ")
	at := map[string]string{"gem": "RubyGems", "composer": "Packagist", "brew": "Homebrew"}[program]
	switch {
	case command == "":
		return ""
	case at != "":
		return fmt.Sprintf("The README installs it with “%s”. It is not shown as a command because %s is not among the "+
			"registries whose packages are checked.", excerpt(command), at)
	case strings.Contains(command, "jsr:"):
		return fmt.Sprintf("The README starts “%s”. It is not shown as a command because JSR is not among the "+
			"registries whose packages are checked.", excerpt(command))
	}
	return fmt.Sprintf("The README starts it from source: “%s”. It is not shown as a command because it starts "+
		"whatever the source contains at the time.", excerpt(command))
}

// unpublished returns a sentence about a package that is not published, "" if there is none.
func unpublished(s *registry.Server) string {
	if len(s.Unpublished) == 0 {
		return ""
	}
	return fmt.Sprintf(" Its files or its registry entry name the package %s, which was not found.",
		excerpt(s.Unpublished[0]))
}

// registryNames are the display names of the public registries.
var registryNames = map[string]string{"npm": "npm", "pypi": "PyPI", "nuget": "NuGet"}

// RegistryName returns the display name of a registry type; other texts are returned unchanged.
func RegistryName(registryType string) string {
	return cmp.Or(registryNames[registryType], registryType)
}

// check returns the obstacle in p's type, name, version and registry, nil if there is none.
func check(p registry.Package) *Obstacle {
	if o := doubtful(p); o != nil {
		return o
	}
	switch p.RegistryType {
	case "mcpb":
		return bundle(p)
	case "cargo":
		return crate(p)
	case "oci":
		_, o := imageOf(p)
		return o
	case "npm", "pypi", "nuget":
	default:
		return obstacle("This package type is not supported.")
	}
	at := RegistryName(p.RegistryType)
	switch {
	case !registry.IsPackageName(p.RegistryType, p.Identifier):
		return obstacle("“%s” is not a valid package name on %s.", excerpt(p.Identifier), at)
	case !IsPublicRegistry(p.RegistryType, p.RegistryBaseURL):
		host := ""
		if u, err := url.Parse(p.RegistryBaseURL); err == nil && u.Hostname() != "" {
			host = " (" + excerpt(u.Hostname()) + ")"
		}
		return obstacle("The package is on a private registry%s; the same name on %s may be a different package.",
			host, at)
	case len(p.Version) > 128 || !validVersion(p):
		return invalidVersion(p)
	}
	return nil
}

// doubtful returns the obstacle of the doubt about p, nil if there is none.
func doubtful(p registry.Package) *Obstacle {
	at := RegistryName(p.RegistryType)
	switch p.Doubt {
	case registry.DoubtUnnamed:
		return obstacle("Only the server's entry in the official registry names this package; its repository does not.")
	case registry.DoubtEcosystem:
		return obstacle("The package is on %s, but the repository has no manifest for %s.", at, at)
	case registry.DoubtManifest:
		return obstacle("The package may be another project's: a manifest names it, which may be private or a fork's, " +
			"but no command of the README does, and the package is not known to name this repository.")
	case registry.DoubtProgram:
		return obstacle("The package has no executable that is known to be the MCP server.")
	case registry.DoubtUsage:
		return obstacle("The program of the package has several commands, and the repository does not say which one " +
			"starts the MCP server.")
	case registry.DoubtForeign:
		if p.RegistryType == "oci" {
			return obstacle("The image “%s” is another owner's.", excerpt(p.Identifier))
		}
		return obstacle("The package “%s” on %s belongs to another project: it names a different repository.",
			excerpt(p.Identifier), at)
	case registry.DoubtImage:
		return obstacle("Its registry is unknown, so the image may not be the right one.")
	}
	return nil
}

func invalidVersion(p registry.Package) *Obstacle {
	return obstacle("%s specifies an invalid version (“%s”).", declarer(p), excerpt(p.Version))
}

// declarer returns the source of p's arguments as the subject of a sentence.
func declarer(p registry.Package) string {
	switch p.Declared {
	case registry.DeclaredInRepo:
		return "The server.json"
	case registry.DeclaredInRegistry:
		return "The registry entry"
	}
	return "The repository"
}

func bundle(p registry.Package) *Obstacle {
	o := obstacle("The package is an MCP bundle. Download it and open it in a client that supports bundles, " +
		"such as Claude Desktop.")
	u, err := url.Parse(p.Identifier)
	if err == nil && u.Scheme == "https" && u.User == nil && hosts.IsPublicName(u.Hostname()) &&
		len(p.Identifier) <= maxAddress && sound(p.Identifier) {
		o.URL = p.Identifier
	}
	if sum := strings.ToLower(p.FileSHA256); registry.IsSHA256(sum) {
		o.SHA256 = sum
	}
	return o
}

func crate(p registry.Package) *Obstacle {
	o := obstacle("Clients cannot start Cargo packages. Install the package, " +
		"then use the installed program as the command in your client.")
	if !registry.IsPackageName("cargo", p.Identifier) || p.RegistryBaseURL != "" {
		return o
	}
	switch {
	case version.IsExact("cargo", p.Version):
		o.Command = shellLine([]string{"cargo", "install", p.Identifier, "--version", p.Version})
	case p.Version == "":
		o.Command = shellLine([]string{"cargo", "install", p.Identifier})
	}
	return o
}

// imageOf returns the image reference for docker, or an obstacle.
func imageOf(p registry.Package) (image string, o *Obstacle) {
	version := p.Version
	if version == "latest" || placeholderVersion.MatchString(version) {
		version = ""
	}
	img, err := oci.Parse(p.Identifier, p.RegistryBaseURL)
	switch {
	case errors.Is(err, oci.ErrConflict):
		return "", obstacle("%s names two container registries: “%s” is not on %s.",
			declarer(p), excerpt(p.Identifier), excerpt(p.RegistryBaseURL))
	case errors.Is(err, oci.ErrBase):
		return "", obstacle("“%s” is not the address of a container registry.",
			excerpt(p.RegistryBaseURL))
	case err != nil || len(p.Identifier) > 300:
		return "", obstacle("“%s” is not a valid name of a container image.", excerpt(p.Identifier))
	case img.Unscoped:
		return "", obstacle("The image name “%s” has no owner. Docker Hub reserves such names for Docker's "+
			"official images.", excerpt(p.Identifier))
	case !hosts.IsPublicName(img.Host):
		return "", obstacle("The image is on “%s”, which is not a public container registry.",
			excerpt(img.Host))
	case img.Tag == "" && img.Digest == "" && version != "" && !oci.IsTag(version):
		return "", invalidVersion(p)
	}
	return img.Reference(version), nil
}

func validVersion(p registry.Package) bool {
	return p.Version == "" || placeholderVersion.MatchString(p.Version) ||
		p.RegistryType == "npm" && p.Version == "latest" ||
		version.IsExact(p.RegistryType, p.Version)
}
