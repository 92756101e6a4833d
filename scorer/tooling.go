package scorer

import (
	"cmp"

	"mcpcensus/internal/registry"
)

// tooling is the advice that depends on the tools of a language.
type tooling struct {
	publish string // how servers without a package can publish one
	lock    string // how to lock dependencies; "" if the tools write no lock file by default
	lint    string // how to check the code; "" if a compiler does
}

// bundle is the advice for languages whose programs need no runtime, and image for all others.
const (
	bundle = "Publish a container image, or attach an .mcpb bundle to a release."
	image  = "Publish a container image."
)

var (
	npm = tooling{"Publish it to npm.", "Commit the lock file, such as package-lock.json.",
		"Add ESLint or TypeScript."}
	maven = tooling{image, "", ""}
	nuget = tooling{"Publish it to NuGet, as a tool.", "", ""}
)

// toolings are by language, as code hosts spell it.
var toolings = map[string]tooling{
	"TypeScript": npm,
	"JavaScript": npm,
	"Python": {"Publish it to PyPI.", "Commit a lock file, such as uv.lock.",
		"Configure Ruff or mypy in pyproject.toml."},
	"Go": {bundle, "Commit go.sum.", ""},
	"Rust": {"Publish the crate, or attach an .mcpb bundle to a release.", "Commit Cargo.lock.",
		""},
	"Java":    maven,
	"Kotlin":  maven,
	"Scala":   maven,
	"Clojure": maven,
	"C#":      nuget,
	"F#":      nuget,
	"Swift":   {bundle, "Commit Package.resolved.", ""},
	"Ruby":    {image, "Commit Gemfile.lock.", "Add RuboCop."},
	"PHP":     {image, "Commit composer.lock.", "Add PHPStan."},
}

// tooling returns the tools of the server's language.
func (in *input) tooling() tooling {
	if t, ok := toolings[cmp.Or(in.f.Detection.Language, in.f.Repo.Language)]; ok {
		return t
	}
	return tooling{bundle, "Commit the lock file.", "Add a linter or a type checker."}
}

// onGitHub reports whether the repository is on GitHub, which has Dependabot.
func (in *input) onGitHub() bool { return registry.HostOf(in.f.Repo.Host).ID == registry.GitHub }
