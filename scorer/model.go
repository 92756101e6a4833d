package scorer

import (
	"fmt"
	"slices"

	"mcpcensus/internal/registry"
)

// Version is the version of the model: it rises by a major number with the
// checks and caps, by a minor one with weights, curves and priors, by a patch
// with detectors.
const Version = "mh-1.0.0"

// Coverage, from 0 to 1, below which there is no score, and from which the
// confidence is medium and high.
const (
	minCoverage      = 0.35
	confidenceMedium = 0.60
	confidenceHigh   = 0.85
)

// longestWait is the most days that pass between two visits of a repository
// that holds a server. No fact that a visit confirms may become unknown before
// the next one: the score would rise and fall with the visits.
const longestWait = 30

// sourceHost is the source of checks that rest on what the code host says. The
// model is declared for the first host; checks name the host of the repository.
const sourceHost = registry.GitHub

// Maximum ages in days. A fact that was seen longer ago is unknown; a younger
// one stands, so that an outage changes nothing for days.
const (
	maxAgeMoved     = 7                   // commits, tree and README once the head has moved on
	maxAgeActivity  = longestWait + 7     // commits as long as no visit saw it move
	maxAgeListing   = longestWait + 7     // of the official registry
	maxAgeIssues    = 2*longestWait + 7   // read at the first visit after that many days
	maxAgeSDK       = longestWait + 7 + 7 // compared at the first visit after a week
	maxAgePackages  = 7                   // package services and advisories, asked every few days
	maxAgeDownloads = 35
	maxAgeProbe     = 3
)

// A ModelSpec is the whole model as it is declared.
type ModelSpec struct {
	Version    string
	Categories []CategorySpec
	Checks     []CheckSpec // in the order of Categories
	Caps       []CapSpec
	Grades     []GradeSpec
	Flags      []FlagSpec
	Popularity []PopularitySpec
}

// A CategorySpec is a group of checks. The weights of all sum to 100.
type CategorySpec struct {
	ID       string
	Name     string
	Weight   float64
	Question string
}

// A CheckSpec declares one check.
type CheckSpec struct {
	ID       string // also its anchor in docs/scoring.md
	Category string
	Name     string
	Weight   float64 // in points; those of a category sum to the category's
	Question string
	Formula  string // in words; Curve follows it
	Curve    Curve  // nil if Formula says it all
	Source   string
	NA       string // when the check does not apply; "" for never
	NotYet   string // why nobody measures it yet, so that it is always unknown; "" for what is measured
	Fix      string // what the owner can do
	Fixable  bool   // the owner can change it
	Prior    float64

	unknown, withheld string // ends of the reasons
}

// A CapSpec declares an upper bound on the score.
type CapSpec struct {
	ID        string
	Max       []int // by severity, the hardest first
	Condition string
	Check     string // the check whose repair lifts the cap; "" for none
}

// A GradeSpec is a letter and the range of scores that it stands for.
type GradeSpec struct {
	Grade    string
	From, To int
	Text     string
}

// A FlagSpec explains a mark that is no part of the number.
type FlagSpec struct{ ID, Text string }

// A PopularitySpec is one input of popularity.
type PopularitySpec struct {
	ID      string
	Weight  float64
	Formula string
}

// Model returns the model as it is declared. The slices are the caller's.
func Model() ModelSpec {
	return ModelSpec{
		Version:    Version,
		Categories: slices.Clone(categories[:]),
		Checks:     slices.Clone(checks[:]),
		Caps:       slices.Clone(capSpecs),
		Grades:     slices.Clone(grades),
		Flags:      slices.Clone(flagSpecs),
		Popularity: slices.Clone(popularityInputs[:]),
	}
}

const (
	maintenance = iota
	distribution
	documentation
	protocol
	engineering
	security
	governance
	numCategories
)

var categories = [numCategories]CategorySpec{
	maintenance:   {"maintenance", "Maintenance", 26, "Is somebody there?"},
	distribution:  {"distribution", "Distribution", 18, "Can a client install it, and is the package really from this repository?"},
	documentation: {"documentation", "Documentation", 16, "Can I configure and use it without reading code?"},
	protocol:      {"protocol", "Protocol", 10, "Does it speak today's MCP, and is the endpoint alive?"},
	engineering:   {"engineering", "Engineering", 12, "Would a broken change be caught?"},
	security:      {"security", "Security", 12, "Are there known holes, and is the basic hygiene there?"},
	governance:    {"governance", "Governance", 6, "May I use it, and who stands behind it?"},
}

const (
	commitRecency = iota
	cadence
	releaseRecency
	responsiveness

	packagePublished
	ownershipLink
	registryListed
	versionSync
	installDocs

	readme
	clientConfig
	toolsDocumented
	configDocumented
	changelog

	sdkCurrency
	transport
	remoteLiveness

	tests
	ci
	ciPassing
	reproducible
	lintTypes

	advisories
	policy
	depUpdates
	provenance
	workflowSafety

	license
	maintainers
	ownerIdentity

	numChecks
)

// checks is the one declaration of the checks. init adds the priors.
var checks = [numChecks]CheckSpec{
	commitRecency: {
		ID: "commit_recency", Category: "maintenance", Name: "Recent commits", Weight: 9,
		Question: "When did a person last commit to the default branch?",
		Formula:  "Days since the last human commit. Bots do not count, and a date in the future counts as the day it was seen. In a repository younger than 90 days the value is drawn towards 0.6 by the share of the 90 days that is missing.",
		Curve:    Curve{{14, 1}, {30, .95}, {90, .7}, {180, .5}, {365, .2}, {540, 0}},
		Source:   sourceHost,
		Fix:      "Merge pending fixes. If the server is complete, publish version 1.0 or later and answer issues: the stable rule then applies.",
		Fixable:  true,
	},
	cadence: {
		ID: "cadence", Category: "maintenance", Name: "Steady work", Weight: 6,
		Question: "In how many weeks of the last half year did people commit?",
		Formula:  "Share of the last 26 calendar weeks (of the repository's life, if that is shorter) with a human commit. Weeks count, not commits. Where more commits were made than could be read, the weeks not read are estimated, at most to three times the active weeks that were. In a repository younger than 180 days the value is drawn towards 0.6 by the share of the 180 days that is missing.",
		Curve:    Curve{{0, 0}, {.04, .35}, {.15, .7}, {.35, 1}},
		Source:   sourceHost,
	},
	releaseRecency: {
		ID: "release_recency", Category: "maintenance", Name: "Recent release", Weight: 5,
		Question: "When was something last released?",
		Formula:  "Days since the newest of: release, tag, version published at a package service or in the official registry. A server in a subfolder counts its own packages before the repository's releases. Nothing released: 0.",
		Curve:    Curve{{60, 1}, {180, .8}, {365, .4}, {730, 0}},
		Source:   sourceHost,
		NA:       "the repository is younger than 60 days",
		Fix:      "Tag and publish what is on the default branch.",
		Fixable:  true,
	},
	responsiveness: {
		ID: "responsiveness", Category: "maintenance", Name: "Answers to outsiders", Weight: 6,
		Question: "Do issues and pull requests of outsiders get an answer?",
		Formula:  "Of the issues and pull requests that non-members opened between 180 and 14 days ago, the share that a member answered, merged or closed within 14 days, as (answered + 1) / (opened + 2). With issues switched off the check is withheld.",
		Curve:    Curve{{.1, 0}, {.4, .6}, {.7, 1}},
		Source:   sourceHost,
		NA:       "fewer than 3 were opened",
		Fix:      "Answer or label the open issues and pull requests of outsiders.",
		Fixable:  true,
	},

	packagePublished: {
		ID: "package_published", Category: "distribution", Name: "Published package", Weight: 6,
		Question: "Is there something that a client can install or connect to?",
		Formula:  "A package that its service or the official registry knows: 1. Only a remote endpoint, or one beside a package of which nothing is known: 0.8. Only a documented command that builds from source, or files attached to a release: 0.4. Nothing: 0.",
		Source:   "packages",
		Fix:      "Publish to npm or PyPI, or attach an .mcpb bundle to a release.",
		Fixable:  true,
	},
	ownershipLink: {
		ID: "ownership_link", Category: "distribution", Name: "Package belongs to the repository", Weight: 3,
		Question: "Do package and repository point to each other?",
		Formula:  "The package names this repository as its source, and, if the server is in the official registry, carries its name there: 1. Only one of the two, or the package names no repository: 0.5. It names another repository: 0.",
		Source:   "packages",
		NA:       "nothing is published",
		Fix:      "Set the repository address (and its directory) in the package's metadata, and the server's registry name as its mcpName.",
		Fixable:  true,
	},
	registryListed: {
		ID: "registry_listed", Category: "distribution", Name: "In the official registry", Weight: 4,
		Question: "Does the official MCP registry list it?",
		Formula:  "Listed and active: 1. A valid server.json in the repository, but not listed: 0.5. Neither, or listed as deprecated or deleted: 0.",
		Source:   "official-registry",
		Fix:      "Write a server.json and run mcp-publisher publish.",
		Fixable:  true,
	},
	versionSync: {
		ID: "version_sync", Category: "distribution", Name: "Versions agree", Weight: 2,
		Question: "Is the newest version the one that clients get?",
		Formula:  "The version in the official registry is compared with the published package, the published package with the manifest. None is behind, or for less than 30 days: 1. Behind for less than 90 days: 0.5. Longer: 0. How long a manifest has been ahead is not recorded; the time since the last commit is taken.",
		Source:   "packages",
		NA:       "there is only one place that states a version",
		Fix:      "Publish the new version everywhere it is listed.",
		Fixable:  true,
	},
	installDocs: {
		ID: "install_docs", Category: "distribution", Name: "Install command", Weight: 3,
		Question: "Does the README say how to start it?",
		Formula:  "A command that names the server's own package, or for a server that is only remote a client configuration: 1. Another command that can be run: 0.6. None: 0.",
		Source:   sourceHost,
		Fix:      "Add a line with npx, uvx or docker that starts the published package.",
		Fixable:  true,
	},

	readme: {
		ID: "readme", Category: "documentation", Name: "README", Weight: 3,
		Question: "Is there a README with substance?",
		Formula:  "Characters of text, without badges, HTML and code.",
		Curve:    Curve{{200, 0}, {1500, .7}, {4000, 1}},
		Source:   sourceHost,
		Fix:      "Describe purpose, set-up and limits in the README.",
		Fixable:  true,
	},
	clientConfig: {
		ID: "client_config", Category: "documentation", Name: "Client configuration", Weight: 3,
		Question: "Can I copy a client's configuration from the README?",
		Formula:  "A client configuration that parses, a client's add command or an install link: 1. None: 0.",
		Source:   sourceHost,
		Fix:      "Paste the JSON that a client needs into the README.",
		Fixable:  true,
	},
	toolsDocumented: {
		ID: "tools_documented", Category: "documentation", Name: "Tools described", Weight: 5,
		Question: "Are the tools described?",
		Formula:  "Share of the detected tools with at least five words of description in the README or in their schema. Where the tools could not be detected: a heading and at least two entries in the README 1, one of the two 0.5, neither 0.",
		Source:   sourceHost,
		NA:       "the server has no tools",
		Fix:      "List the tools in the README, each with a sentence of description.",
		Fixable:  true,
	},
	configDocumented: {
		ID: "config_documented", Category: "documentation", Name: "Settings described", Weight: 3,
		Question: "Are the environment variables described?",
		Formula:  "Share of the environment variables that server.json or the README describes.",
		Source:   sourceHost,
		NA:       "it needs none",
		Fix:      "Describe every environment variable in server.json or the README, and mark secrets with isSecret.",
		Fixable:  true,
	},
	changelog: {
		ID: "changelog", Category: "documentation", Name: "Changes described", Weight: 2,
		Question: "Is it said what changed between versions?",
		Formula:  "A changelog file, or notes on the newest release: 1. At least two releases or tags without notes: 0.6. Otherwise 0.",
		Source:   sourceHost,
		Fix:      "Write release notes or a CHANGELOG.md.",
		Fixable:  true,
	},

	sdkCurrency: {
		ID: "sdk_currency", Category: "protocol", Name: "SDK version", Weight: 4,
		Question: "How old is the MCP SDK that a user of the server gets?",
		Formula:  "Days between the publication of the SDK version that a consumer gets and that of the newest one.",
		Curve:    Curve{{90, 1}, {180, .8}, {365, .4}, {540, 0}},
		Source:   "packages",
		NA:       "it uses no known SDK",
		Fix:      "Raise the SDK to the newest version and release.",
		Fixable:  true,
	},
	transport: {
		ID: "transport", Category: "protocol", Name: "Transport", Weight: 3,
		Question: "Does it speak a current transport?",
		Formula:  "stdio or streamable HTTP: 1. Only HTTP with SSE, which MCP has deprecated: 0.3. Not detected: unknown.",
		Source:   sourceHost,
		Fix:      "Add streamable HTTP: HTTP with SSE is deprecated.",
		Fixable:  true,
	},
	remoteLiveness: {
		ID: "remote_liveness", Category: "protocol", Name: "Endpoint alive", Weight: 3,
		Question: "Does the remote endpoint answer?",
		Formula:  "Share of the probes of the last seven days that were answered; at least 3 probes. An endpoint that asks for a login is alive.",
		Curve:    Curve{{.5, 0}, {.95, .8}, {.99, 1}},
		Source:   "probe",
		NA:       "there is no remote endpoint",
		NotYet:   "Nothing is sent to the endpoints of others, so the check of a server with a remote endpoint is unknown.",
		Fix:      "Repair the endpoint, or remove it from the listing.",
		Fixable:  true,
	},

	tests: {
		ID: "tests", Category: "engineering", Name: "Tests", Weight: 4,
		Question: "Are there tests?",
		Formula:  "At least one test file: 1. None: 0.",
		Source:   sourceHost,
		Fix:      "Add a test that lists the tools and calls one.",
		Fixable:  true,
	},
	ci: {
		ID: "ci", Category: "engineering", Name: "Continuous integration", Weight: 3,
		Question: "Does every change run tests or a build?",
		Formula:  "A workflow on push or pull request that runs tests or a build: 1. Other workflows only: 0.5. None: 0. Workflows of which the text was not read, and none that does: unknown.",
		Source:   sourceHost,
		Fix:      "Run build and tests on every push.",
		Fixable:  true,
	},
	ciPassing: {
		ID: "ci_passing", Category: "engineering", Name: "Checks pass", Weight: 2,
		Question: "Do the checks of the newest commit pass?",
		Formula:  "Passed: 1. Failed: 0. Still running: unknown.",
		Source:   sourceHost,
		NA:       "the commit has no checks",
		Fix:      "Repair the failing checks of the default branch.",
		Fixable:  true,
	},
	reproducible: {
		ID: "reproducible", Category: "engineering", Name: "Locked dependencies", Weight: 2,
		Question: "Are the dependencies locked?",
		Formula:  "A lock file, go.sum or an image pinned by digest: 1. None: 0.",
		Source:   sourceHost,
		NA:       "it has no dependencies",
		Fix:      "Commit the lock file.",
		Fixable:  true,
	},
	lintTypes: {
		ID: "lint_types", Category: "engineering", Name: "Linter or types", Weight: 1,
		Question: "Does a tool check the code?",
		Formula:  "The configuration of a linter or type checker, or a compiled language: 1. None: 0.",
		Source:   sourceHost,
		Fix:      "Add a linter or a type checker.",
		Fixable:  true,
	},

	advisories: {
		ID: "advisories", Category: "security", Name: "Known vulnerabilities", Weight: 5,
		Question: "Does what is published have known vulnerabilities?",
		Formula:  "1 less 1.0 per critical, 0.5 per high, 0.2 per moderate (or unrated) and 0.05 per low open advisory on the newest published version and its direct runtime dependencies, at least 0. One in a dependency counts only if there is a fixed version.",
		Source:   "osv",
		Fix:      "Raise the affected dependencies to a fixed version and release.",
		Fixable:  true,
	},
	policy: {
		ID: "policy", Category: "security", Name: "Security policy", Weight: 2,
		Question: "Is it said how to report a vulnerability?",
		Formula:  "A security policy in the repository or inherited from its organisation: 1. None: 0.",
		Source:   sourceHost,
		Fix:      "Add a SECURITY.md with a contact.",
		Fixable:  true,
	},
	depUpdates: {
		ID: "dep_updates", Category: "security", Name: "Dependency updates", Weight: 2,
		Question: "Does something keep the dependencies current?",
		Formula:  "A Dependabot or Renovate configuration, or commits by such a bot in the last 180 days: 1. Neither: 0.",
		Source:   sourceHost,
		NA:       "it has no dependencies",
		Fix:      "Turn on Dependabot or Renovate.",
		Fixable:  true,
	},
	provenance: {
		ID: "provenance", Category: "security", Name: "Build provenance", Weight: 2,
		Question: "Is it proven where the package was built?",
		Formula:  "The newest version carries a provenance attestation: 1. It does not: 0.",
		Source:   "packages",
		NA:       "nothing is published",
		Fix:      "Publish from CI with trusted publishing.",
		Fixable:  true,
	},
	workflowSafety: {
		ID: "workflow_safety", Category: "security", Name: "Safe workflows", Weight: 1,
		Question: "Are the workflows' rights limited?",
		Formula:  "Share of the workflows that set permissions; 0 if one that runs on pull_request_target checks out the pull request's head.",
		Source:   sourceHost,
		NA:       "there are no workflows",
		Fix:      "Add \"permissions: contents: read\" to every workflow.",
		Fixable:  true,
	},

	license: {
		ID: "license", Category: "governance", Name: "Licence", Weight: 4,
		Question: "Am I allowed to use it?",
		Formula:  "A licence file with a licence approved by the OSI: 1. Another known licence, or a licence named in the manifest only: 0.5. A licence file that is not recognised: 0.4. None: 0.",
		Source:   sourceHost,
		Fix:      "Add a LICENSE file with an open-source licence.",
		Fixable:  true,
	},
	maintainers: {
		ID: "maintainers", Category: "governance", Name: "People", Weight: 1,
		Question: "How many people work on it?",
		Formula:  "Distinct people with a commit on the default branch in the last 365 days.",
		Curve:    Curve{{1, .6}, {2, .85}, {3, 1}},
		Source:   sourceHost,
	},
	ownerIdentity: {
		ID: "owner_identity", Category: "governance", Name: "Owner's identity", Weight: 1,
		Question: "Is it clear who publishes it?",
		Formula:  "The organisation's domain is verified, or the server is in the official registry under a domain's namespace: 1. Under io.github and the owner's name: 0.8. An account older than a year: 0.7. Otherwise 0.4.",
		Source:   sourceHost,
		Fix:      "Publish to the official registry under your domain's namespace.",
		Fixable:  true,
	},
}

// category is the index of the category of each check.
var category [numChecks]int

func init() {
	next := 0
	for c := range categories {
		for ; next < numChecks && checks[next].Category == categories[c].ID; next++ {
			category[next] = c
		}
	}
	for i := range checks {
		spec := &checks[i]
		spec.Prior = priors[spec.ID]
		spec.unknown = fmt.Sprintf(" Not measured: counted at %.2f.", spec.Prior)
		spec.withheld = fmt.Sprintf(" Withheld: counted at %.2f.", min(spec.Prior, withheldMax))
	}
}

// capSpecs is the one declaration of the caps, the hardest first.
var capSpecs = []CapSpec{
	{"malware", []int{0}, "An advisory calls a published package of the server malware.", ""},
	{"registry_deleted", []int{10}, "The official registry has deleted the server.", ""},
	{"archived", []int{29}, "The repository is archived.", ""},
	{"deprecated_declared", []int{29}, "The README says that the repository, project or server is deprecated, no longer maintained or superseded, or the official registry or the package service calls it deprecated.", ""},
	{"vuln_self", []int{39, 59}, "The newest version of the server's own package has an open critical (39) or high (59) advisory.", "advisories"},
	{"remote_dead", []int{49}, "The server is only remote, and none of at least 10 probes of the last seven days was answered. Endpoints are not probed yet, so this cap does not occur.", "remote_liveness"},
	{"stale", []int{49, 69}, "The last human act (commit, release, answer) is more than 540 days (49) or 365 days (69) ago, and the server is not stable.", "commit_recency"},
	{"not_mcp", []int{49}, "No MCP SDK, server.json, client configuration, registry entry or tool was found, with a coverage of at least 0.80.", ""},
	{"fork_copy", []int{49}, "A fork with fewer than 5 human commits on its default branch since it was forked, and no package of its own. Not known of a fork that was more than a year old when it was first seen and has commits since.", ""},
	{"no_license", []int{60}, "There is no licence file, and no manifest names a licence.", "license"},
	{"soft_deprecation", []int{69}, "The README says near its top that the server may be sunset, is being replaced, or that issues are not looked at.", ""},
	{"vuln_dep", []int{69}, "A direct runtime dependency of the published package has a critical advisory whose fix has been out for more than 30 days.", "advisories"},
	{"no_install_path", []int{79}, "No package, remote endpoint, release file, install command or manifest was found.", "package_published"},
	{"young", []int{79}, "The server is younger than 30 days: the repository or, of a server in a subfolder, the folder.", ""},
	{"low_coverage", []int{79}, "The coverage is below 0.60.", ""},
}

// liftedBy returns the index of the check whose repair lifts a cap, or -1.
func liftedBy(id string) int {
	for i := range capSpecs {
		if capSpecs[i].ID == id {
			for c := range checks {
				if checks[c].ID == capSpecs[i].Check {
					return c
				}
			}
		}
	}
	return -1
}

var grades = []GradeSpec{
	{"A", 80, 100, "Fit for production."},
	{"B", 65, 79, "Solid."},
	{"C", 50, 64, "Usable with care."},
	{"D", 30, 49, "Risky."},
	{"F", 0, 29, "Avoid: archived, deprecated, or next to nothing speaks for it."},
}

var flagSpecs = []FlagSpec{
	{FlagStableQuiet, "The server rests, and everything says finished rather than abandoned: recent commits, steady work and recent release count at least 0.7."},
	{FlagNotMCP, "Nothing in the repository speaks MCP."},
	{FlagForkCopy, "A copy of another repository with next to nothing of its own."},
	{FlagMissing, "The code host did not find the repository at the last visit. After three misses over 72 hours it is called gone."},
	{FlagUnusualStars, "More than 1,000 stars in less than 180 days with few downloads and few forks: the stars count as 1,000. Popularity only."},
}
