package scorer

import (
	"path"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// An ecosystem is the tools and the package registry of a server's language.
type ecosystem struct {
	id        string   // as in [registry.Detection.SDKEcosystem]
	sdks      []string // as in [registry.SDKs]
	languages []string // as code hosts name them
	manifests []string // names of files, or their ends from a dot
	publish   string   // how servers without a package can publish one
	lock      string   // how to lock dependencies; "" if its tools write no lock file by default
	lint      string   // how to check the code; "" if a compiler does
}

// bundle is the advice for languages whose programs need no runtime, and image for all others.
const (
	bundle = "Publish a container image, or attach an .mcpb bundle to a release."
	image  = "Publish a container image."
)

var ecosystems = []ecosystem{
	{"npm", []string{"typescript"}, []string{"TypeScript", "JavaScript"}, []string{"package.json"},
		"Publish it to npm.", "Commit the lock file, such as package-lock.json.",
		"Add ESLint or TypeScript."},
	{"pypi", []string{"python"}, []string{"Python"},
		[]string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"},
		"Publish it to PyPI.", "Commit a lock file, such as uv.lock.",
		"Configure Ruff or mypy in pyproject.toml."},
	{"go", []string{"go"}, []string{"Go"}, []string{"go.mod"},
		bundle, "Commit go.sum.", ""},
	{"cargo", []string{"rust"}, []string{"Rust"}, []string{"Cargo.toml"},
		"Publish the crate, or attach an .mcpb bundle to a release.", "Commit Cargo.lock.", ""},
	{"maven", []string{"java", "kotlin"}, []string{"Java", "Kotlin", "Scala"},
		[]string{"pom.xml", ".gradle", ".gradle.kts"}, image, "", ""},
	{"nuget", []string{"csharp"}, []string{"C#", "F#"}, []string{".csproj", ".fsproj"},
		"Publish it to NuGet, as a tool.", "", ""},
	{"swift", []string{"swift"}, []string{"Swift"}, []string{"Package.swift"},
		bundle, "Commit Package.resolved.", ""},
	{"ruby", []string{"ruby"}, []string{"Ruby"}, []string{"Gemfile", ".gemspec"},
		image, "Commit Gemfile.lock.", "Add RuboCop."},
	{"php", []string{"php"}, []string{"PHP"}, []string{"composer.json"},
		image, "Commit composer.lock.", "Add PHPStan."},
}

// otherEcosystem is that of servers whose language is unknown or not in ecosystems.
var otherEcosystem = ecosystem{publish: bundle, lint: "Add a linter or a type checker."}

// ecosystem returns the ecosystem of the server: that of its SDK, otherwise of its manifests,
// otherwise of its language.
func (in *input) ecosystem() *ecosystem {
	d := &in.f.Detection
	for _, is := range []func(*ecosystem) bool{
		func(e *ecosystem) bool { return e.id == d.SDKEcosystem },
		func(e *ecosystem) bool { return slices.Contains(e.sdks, d.SDK) },
		func(e *ecosystem) bool { return slices.ContainsFunc(d.Manifests, e.hasManifest) },
		func(e *ecosystem) bool { return slices.Contains(e.languages, d.Language) },
		func(e *ecosystem) bool { return slices.Contains(e.languages, in.f.Repo.Language) },
	} {
		if i := slices.IndexFunc(ecosystems, func(e ecosystem) bool { return is(&e) }); i >= 0 {
			return &ecosystems[i]
		}
	}
	return &otherEcosystem
}

// hasManifest reports whether a path is that of a manifest of the ecosystem.
func (e *ecosystem) hasManifest(p string) bool {
	base := path.Base(p)
	return slices.ContainsFunc(e.manifests, func(name string) bool {
		return base == name || name[0] == '.' && strings.HasSuffix(base, name)
	})
}

// onGitHub reports whether the repository is on GitHub, which has Dependabot.
func (in *input) onGitHub() bool { return registry.HostOf(in.f.Repo.Host).ID == registry.GitHub }
