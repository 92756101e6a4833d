package scorer

import (
	"slices"

	"mcpcensus/internal/registry"
)

// Version is the version of the model: it rises by a major number with the
// checks and caps, by a minor one with weights and curves, by a patch
// with detectors.
const Version = "mh-4.1.0"

// Coverage, from 0 to 1, below which there is no score, and minimum coverage of medium and
// high confidence.
const (
	minCoverage      = 0.35
	confidenceMedium = 0.60
	confidenceHigh   = 0.85
)

// longestWait is the maximum number of days between two visits of a repository with a server.
// No fact that a visit confirms may become unknown before the next one, or the score would
// rise and fall with the visits.
const longestWait = 30

// sourceHost is the source of checks that depend on facts of the code host. The checks of a
// server have the ID of its host instead.
const sourceHost = "code host"

// SourceFor returns the source of a check for a repository on the host with the given ID.
func SourceFor(source, host string) string {
	if source == sourceHost {
		return registry.HostOf(host).ID
	}
	return source
}

// Maximum ages in days. Older facts are unknown; younger ones count, so that an outage changes
// nothing for days.
const (
	maxAgeMoved     = 7                   // commits, tree and README once the head has moved on
	maxAgeActivity  = longestWait + 7     // commits as long as no visit saw it move
	maxAgeListing   = longestWait + 7     // of the official registry
	maxAgeIssues    = 2*longestWait + 7   // read at the first visit after that many days
	maxAgeSDK       = longestWait + 7 + 7 // compared at the first visit after a week
	maxAgePackages  = 7                   // package services and advisories, queried every few days
	maxAgeDownloads = 35
	maxAgeProbe     = 10               // endpoints that are down are probed once a week
	maxAgeRun       = 90 + longestWait // a version is started every 90 days
)

// A ModelSpec is the whole model.
type ModelSpec struct {
	Version    string
	Categories []CategorySpec
	Checks     []CheckSpec // in the order of Categories
	Caps       []CapSpec
	Grades     []GradeSpec
	Flags      []FlagSpec
	Popularity []PopularitySpec
	Validation Validation
}

// A CategorySpec is a group of checks. The weights of all sum to 100.
type CategorySpec struct {
	ID       string
	Name     string
	Weight   float64
	Question string
}

// A CheckSpec declares one check. The checks of a category are in the file of its name; to add
// one, add an element to the list there.
type CheckSpec struct {
	ID       string // also its anchor in docs/scoring.md
	Category string
	Name     string
	Weight   float64 // in points; they sum to the category's weight
	NoPoints string  // why Weight is 0; "" if it is not
	Question string
	Formula  string // in words; Curve follows it
	Curve    Curve  // maps a measured value; nil if that is from 0 to 1
	Source   string
	NA       string // when the check does not apply; "" for never
	Fix      string // advice to owners in general; "" if they cannot change the result

	from    basis
	measure func(*input, signal) signal // with a Curve, value is its argument
	// advise returns the advice to the owner of a server that did not pass, "" for none; nil
	// stands for Fix.
	advise   func(*input, *signal) string
	young    int  // days of age until which the value is in doubt
	rests    bool // at least stableFloor while a stable server is quiet
	category int  // index in categories
}

// A CapSpec declares an upper bound on the score.
type CapSpec struct {
	ID        string
	Max       []int // by severity, the hardest first
	Condition string
	Check     string // the check whose repair lifts the cap; "" for none

	elapsed bool // the reason counts time up to now
	// reason returns why the cap applies and the index in Max, "" if it does
	// not apply.
	reason func(*evidence) (string, int)
}

// A GradeSpec is a letter and its range of scores.
type GradeSpec struct {
	Grade    string
	From, To int
	Text     string
}

// A FlagSpec explains a mark that does not affect the score.
type FlagSpec struct{ ID, Text string }

// A PopularitySpec is one input of popularity.
type PopularitySpec struct {
	ID      string
	Weight  float64
	Formula string
}

// Model returns the whole model. The caller owns the slices.
func Model() ModelSpec {
	return ModelSpec{
		Version:    Version,
		Categories: slices.Clone(categories[:]),
		Checks:     slices.Clone(checks),
		Caps:       slices.Clone(caps),
		Grades:     slices.Clone(grades),
		Flags:      slices.Clone(flagSpecs),
		Popularity: slices.Clone(popularityInputs[:]),
		Validation: validation,
	}
}

// IDs of the categories.
const (
	maintenance   = "maintenance"
	distribution  = "distribution"
	documentation = "documentation"
	protocol      = "protocol"
	engineering   = "engineering"
	security      = "security"
	governance    = "governance"
)

var categories = [...]CategorySpec{
	{maintenance, "Maintenance", 27, "Is it maintained?"},
	{distribution, "Distribution", 18,
		"Can a client install it, and does the package come from this repository?"},
	{documentation, "Documentation", 15, "Can I configure and use it without reading the code?"},
	{protocol, "Protocol", 11, "Does it start, and support current MCP?"},
	{engineering, "Engineering", 17, "Would a broken change be caught?"},
	{security, "Security", 10, "Is it secure?"},
	{governance, "Governance", 2, "Is it licensed, and by whom?"},
}

// checks are the checks of all categories, in the order of the categories.
var checks = inCategories(
	maintenanceChecks, distributionChecks, documentationChecks, protocolChecks, engineeringChecks,
	securityChecks,
	governanceChecks,
)

// inCategories joins lists of checks and sets their categories.
func inCategories(lists ...[]CheckSpec) []CheckSpec {
	all := slices.Concat(lists...)
	for i := range all {
		c := &all[i]
		c.category = slices.IndexFunc(categories[:],
			func(s CategorySpec) bool { return s.ID == c.Category })
	}
	return all
}

// checkIndex returns the index of a check, -1 if there is none of that ID.
func checkIndex(id string) int {
	return slices.IndexFunc(checks, func(c CheckSpec) bool { return c.ID == id })
}

var grades = []GradeSpec{
	{"A", 80, 100, "Excellent."},
	{"B", 65, 79, "Good."},
	{"C", 50, 64, "Fair."},
	{"D", 30, 49, "Weak."},
	{"F", 0, 29, "Avoid: archived, deprecated, or little evidence of quality."},
}

var flagSpecs = []FlagSpec{
	{FlagStableQuiet, "Quiet, but finished rather than abandoned: recent commits, commit " +
		"activity and recent release count at least 0.7."},
	{FlagNotMCP, "No sign of MCP was found in the repository."},
	{FlagForkCopy, "A copy of another repository with almost no changes."},
	{FlagMissing, "The code host did not find the repository at the last visit. After three " +
		"misses over 72 hours it counts as gone."},
	{FlagSuspiciousText, "A text of a tool breaks one of the rules R1 to R8 for hidden or manipulative " +
		"text; the server's page quotes it. Not a verdict."},
	{FlagEndpointDown, "No remote endpoint of the server responds as MCP requires: each failed three probes " +
		"over six hours. If nothing else runs the server, its page does not count passed checks about " +
		"starting it among its strengths."},
	{FlagToolsChanged, "A remote endpoint lists other tools than before, in the same version of the server. The " +
		"flag ends with the next version."},
	{FlagUnusualStars, "More than 1,000 stars in less than 180 days with few downloads and " +
		"forks: the stars count as 1,000. Affects popularity only."},
}

// A Point is one breakpoint of a [Curve]: at X the check is worth Y.
type Point struct{ X, Y float64 }

// A Curve maps a raw value to 0…1, linear between its points and flat beyond
// the first and the last. X rises from point to point.
type Curve []Point

func (c Curve) At(x float64) float64 {
	if len(c) == 0 {
		return 0
	}
	if !(x > c[0].X) {
		return c[0].Y
	}
	for i := 1; i < len(c); i++ {
		if x <= c[i].X {
			a, b := c[i-1], c[i]
			return a.Y + (b.Y-a.Y)*(x-a.X)/(b.X-a.X)
		}
	}
	return c[len(c)-1].Y
}
