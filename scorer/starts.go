package scorer

import (
	"cmp"
	"fmt"
	"slices"

	"mcpcensus/internal/registry"
)

// run returns the package's run in the sandbox that counts: of its latest version and not
// too old; nil if there is none.
func (in *input) run(p *pkg) *registry.Inspection {
	if p.facts == nil || p.facts.Inspection == nil {
		return nil
	}
	run := p.facts.Inspection
	if p.facts.Latest != "" && run.Version != p.facts.Latest || in.tooOld(run.At, maxAgeRun) {
		return nil
	}
	return run
}

// startable returns the published packages that are certainly the server's and that the sandbox
// can run.
func (in *input) startable() (all []*pkg) {
	for i := range in.packages {
		p := &in.packages[i]
		if p.found && slices.Contains(registry.InspectedTypes, p.registryType) &&
			(p.facts == nil || !in.f.Doubtful(*p.facts)) {
			all = append(all, p)
		}
	}
	return all
}

// starts returns the share of the packages that start, of those whose run shows whether they do.
func (in *input) starts(signal) signal {
	if !in.published {
		return in.unpublished()
	}
	all := in.startable()
	if len(all) == 0 {
		return notApplicable("No package that the sandbox can run is published.")
	}
	none := unknown("The latest version was not started in a sandbox.")
	s := signal{state: StateOK, source: registry.ToolsFromRun}
	started, known := 0, 0
	for _, p := range all {
		run := in.run(p)
		switch {
		case run == nil:
			continue
		case run.Outcome == registry.InspectionListed:
			started++
			if s.reason == "" {
				s.reason = p.label() + " starts and lists its tools."
				s.evidence, s.at = packageEvidence(p), &run.At
			}
		case run.OwnFault:
			if started == known { // the first that fails
				s.reason, s.at = p.label()+" "+failing(run)+".", &run.At
				s.evidence = packageEvidence(p)
				s.evidence[0].Text = clean(run.Detail)
			}
		default:
			none = signal{state: StateUnknown, source: registry.ToolsFromRun, at: &run.At,
				reason: p.label() + " " + undecided[run.Outcome] + "."}
			continue
		}
		known++
	}
	if known == 0 {
		return none
	}
	s.value = float64(started) / float64(known)
	return s
}

// failing returns what a package does when it is started.
func failing(run *registry.Inspection) string {
	if run.Outcome == registry.InspectionCrashed {
		return "crashes when it is started"
	}
	return "does not answer when it is started"
}

// undecided is what is known of packages that may start elsewhere.
var undecided = map[string]string{
	registry.InspectionNeedsCredentials: "does not start without working credentials, so this is unknown",
	registry.InspectionNeedsService: "does not start without a service or the network, so this is " +
		"unknown",
	registry.InspectionCrashed: "ended in the sandbox for a reason that may not be its own",
	registry.InspectionTimeout: "did not answer within the time of the sandbox",
	registry.InspectionNoStdio: "did not answer over standard input and output in the sandbox, which " +
		"it may not have to",
	registry.InspectionInstallFailed: "could not be installed in the sandbox, where install scripts and " +
		"builds do not run",
}

// startAdvice names the first package that does not start.
func (in *input) startAdvice(*signal) string {
	for _, p := range in.startable() {
		if run := in.run(p); run != nil && run.OwnFault {
			return fmt.Sprintf("Fix why %s %s, and release.", p.label(), failing(run))
		}
	}
	return ""
}

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
