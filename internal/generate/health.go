package generate

import (
	"fmt"
	"math"
	"time"

	"mcpcensus/internal/registry"
)

// A question is a check of the model as far as the generator needs it: its
// identity and weight are those of mh-1, so that a generated card is as large
// as a real one.
type question struct {
	id, name string
	max      float64
	pass     string
	fix      string
}

var sections = []struct {
	name      string
	weight    float64
	questions []question
}{
	{"maintenance", 26, []question{
		{"commit_recency", "Recent commits", 9, "last human commit %d days ago",
			"Merge what is ready, or publish 1.0 and answer issues if it is finished"},
		{"cadence", "Steady work", 6, "%d of the last 26 weeks with a commit",
			"Work in small steps"},
		{"release_recency", "Recent release", 5, "last release %d days ago",
			"Tag and publish what stands on the default branch"},
		{"responsiveness", "Answers to issues", 6, "%d outside issues answered within 14 days",
			"Answer or label the open ones"},
	}},
	{"distribution", 18, []question{
		{"package_published", "Published package", 6, "published, %d versions",
			"Publish a package, or attach an .mcpb file to a release"},
		{"ownership_link", "Package and repository agree", 3,
			"package and repository name each other (%d links)",
			"Name the repository in the package's manifest"},
		{"registry_listed", "In the official registry", 4, "listed, version %d",
			"Publish server.json to the official registry"},
		{"version_sync", "Versions agree", 2, "all %d sources have the same version",
			"Publish the new version everywhere"},
		{"install_docs", "Installation described", 3, "README shows %d ways to start it",
			"Show the line that starts it"},
	}},
	{"documentation", 16, []question{
		{"readme", "README", 3, "%d00 characters of text", "Describe purpose, set-up and limits"},
		{"client_config", "Client configuration", 3, "%d configuration blocks",
			"Add a configuration block that clients can take over"},
		{"tools_documented", "Tools described", 5, "%d tools described",
			"Describe every tool in a sentence"},
		{"config_documented", "Settings described", 3, "%d settings described",
			"Describe every environment variable"},
		{"changelog", "Change log", 2, "notes for %d releases", "Write notes for each release"},
	}},
	{"engineering", 12, []question{
		{"tests", "Tests", 4, "%d test files", "Add a test that lists the tools and calls one"},
		{"ci", "Continuous integration", 3, "%d workflows run on push",
			"Run build and tests on every push"},
		{"ci_passing", "Checks pass", 2, "%d checks passed", "Repair the failing job"},
		{"reproducible", "Reproducible build", 2, "%d lock file", "Commit the lock file"},
		{"lint_types", "Linting or types", 1, "%d configuration found",
			"Add a linter or a type checker"},
	}},
	{"security", 12, []question{
		{"advisories", "Known vulnerabilities", 5, "none in %d dependencies",
			"Raise the dependency to the fixed version and release"},
		{"policy", "Security policy", 2, "policy with %d contact",
			"Add SECURITY.md with a contact"},
		{"dep_updates", "Dependency updates", 2, "%d updates in 180 days", "Turn on an update bot"},
		{"provenance", "Provenance", 2, "attested, version %d",
			"Publish from continuous integration with provenance"},
		{"workflow_safety", "Safe workflows", 1, "%d workflows set permissions",
			"Set permissions in every workflow"},
	}},
	{"protocol", 10, []question{
		{"sdk_currency", "Current SDK", 4, "SDK %d days behind the newest",
			"Raise the SDK and release"},
		{"transport", "Current transport", 3, "%d current transports", "Add streamable-http"},
		{"remote_liveness", "Endpoint answers", 3, "%d of the last probes answered",
			"Repair or remove the endpoint"},
	}},
	{"governance", 6, []question{
		{"license", "Licence", 4, "an open licence (%d file)", "Add a licence file"},
		{"maintainers", "Maintainers", 1, "%d people in a year", ""},
		{"owner_identity", "Owner", 1, "owner known for %d months",
			"Publish under your domain's name"},
	}},
}

// health returns a card with every check, whose points add up to its score.
func (g maker) health(s *registry.Server, committed, now time.Time) registry.Health {
	h := registry.Health{Status: registry.HealthScored, Version: "mh-1.0.0", Commit: "",
		ComputedAt: now, Caps: []registry.Cap{}, Flags: []string{}}
	if g.chance(0.03) {
		h.Status, h.Confidence, h.Coverage = registry.HealthInsufficientData, "low", 0.2
		h.Categories, h.Improve = []registry.HealthSection{}, []registry.Improvement{}
		return h
	}
	level := 0.15 + 0.8*math.Sqrt(g.Float64())
	var points, low, high, measured float64
	for _, section := range sections {
		out := registry.HealthSection{Category: section.name, Weight: section.weight}
		var got, known float64
		for _, q := range section.questions {
			c := registry.Check{ID: q.id, Name: q.name, Max: q.max, State: "ok", Source: "github",
				ObservedAt: &now}
			share := math.Round(min(1, max(0, level+0.5*(g.Float64()-0.5)))*100) / 100
			c.Reason = fmt.Sprintf(q.pass, 1+g.IntN(60))
			switch {
			case g.chance(0.06):
				c.State, c.Result, c.Reason, share = "unknown", "unknown",
					"the source did not answer", 0.5
				high += q.max / 2
				low -= q.max / 2
			case share >= 0.8:
				c.Result = "pass"
			case share >= 0.3:
				c.Result = "partial"
			default:
				c.Result = "fail"
			}
			if c.State == "ok" {
				known += q.max
				c.Evidence = []registry.Evidence{{Type: "file", Ref: "README.md"}}
			}
			if c.Result == "partial" || c.Result == "fail" {
				c.Fix = q.fix
			}
			c.Points = math.Round(share*q.max*100) / 100
			got += c.Points
			out.Checks = append(out.Checks, c)
			if c.Fix != "" && len(h.Improve) < 5 && share < 0.5 {
				h.Improve = append(h.Improve,
					registry.Improvement{Check: q.id, Gain: math.Round((q.max-c.Points)*100) / 100,
						Text: q.fix})
			}
		}
		score := math.Round(100*got/section.weight*10) / 10
		out.Score, out.Coverage = &score, known/section.weight
		points += got
		measured += known
		h.Categories = append(h.Categories, out)
	}
	h.Coverage = math.Round(measured) / 100
	h.Confidence = "medium"
	if h.Coverage >= 0.85 {
		h.Confidence = "high"
	}
	h.Uncapped = math.Round(points*100) / 100
	score := int(points)
	if s.Status == registry.StatusArchived || s.Status == registry.StatusDeprecated {
		h.Caps = append(h.Caps, registry.Cap{ID: "archived", Max: 29,
			Reason: "the repository is archived", Applied: score > 29})
		score = min(score, 29)
	}
	lo, hi := max(0, min(score, int(points+low))), min(100, max(score, int(points+high)))
	h.Score, h.Low, h.High, h.Grade = &score, &lo, &hi, registry.GradeOf(score)
	if h.Improve == nil {
		h.Improve = []registry.Improvement{}
	}
	return h
}
