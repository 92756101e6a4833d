// Package scorer computes the health and popularity of an MCP server from the facts about it.
//
// Both are pure functions: no clock, no network, no state, and the same input gives the same
// bytes. The model is declared once: the checks of each category in the file of its name, the
// caps in caps.go, everything else in model.go. docs/scoring.md is generated from the
// declarations. It is one package because the checks of all categories read the same input and
// are weighed in one model.
package scorer

import (
	"time"

	"mcpcensus/internal/registry"
)

// Health returns the model's verdict on one server. Ages are in whole UTC days up to the day
// of now. It never fails: unknown facts count at what the known ones suggest and lower the coverage.
func Health(f registry.Facts, now time.Time) registry.Health {
	h := registry.Health{
		Confidence: "low",
		Version:    Version,
		Commit:     clean(f.Repo.Commit),
		ComputedAt: now.UTC().Truncate(time.Second),
		Categories: []registry.HealthSection{},
		Caps:       []registry.Cap{},
		Flags:      []string{},
		Improve:    []registry.Improvement{},
	}
	switch {
	case f.Gone || f.Repo.Private:
		h.Status, h.Flags = registry.HealthGone, []string{FlagMissing}
		return h
	case f.Blocked != "" || f.Repo.Disabled:
		h.Status = registry.HealthBlocked
		return h
	case f.Repo.Empty:
		h.Status = registry.HealthEmpty
		return h
	}
	in := newInput(&f, now)
	signals := in.measure()
	stable := in.stable(signals)
	sum := combine(signals, stable)
	in.advise(signals)
	caps := in.caps(sum.coverage, stable)
	h.Flags = in.flags(signals, caps)
	report(&h, signals, &sum, caps)
	nameHost(&h, in.f.Repo.Host)
	h.CommitChance = in.commitChance()
	return h
}

// States of a check.
const (
	StateOK       = "ok"       // measured
	StateUnknown  = "unknown"  // not measured: counts at what the measured ones suggest
	StateNA       = "na"       // does not apply: others get its weight
	StateWithheld = "withheld" // the owner switched the source off: as unknown, at most 0.4
)

// withheldMax is the most that a withheld check counts for.
const withheldMax = 0.4

// A signal is the outcome of one check before it is weighed.
type signal struct {
	state    string
	value    float64 // 0 to 1, for StateOK; filled in by combine for the others
	raised   bool    // value was lifted to the floor
	floor    float64 // minimum value and lower bound, 0 for none
	doubt    float64 // 0 to 1: how much of the range from 0 to 1 the bounds of a measured value span
	reason   string
	elapsed  bool // reason counts time up to now
	evidence []registry.Evidence
	fix      string // advice to the owner, "" for none
	source   string // "" for the source of the check's declaration
	at       *time.Time
}

func unknown(reason string) signal { return signal{state: StateUnknown, reason: reason} }

func notApplicable(reason string) signal { return signal{state: StateNA, reason: reason} }

// withValue returns the signal with a value, its reason, and evidence if there is any.
func (s signal) withValue(value float64, reason string, evidence ...registry.Evidence) signal {
	s.value, s.reason = value, reason
	if evidence != nil {
		s.evidence = evidence
	}
	return s
}

// A basis is the source of a check. Without it the check is unknown.
type basis struct {
	known   func(*input) bool
	seen    func(*times) *time.Time
	unknown string // why the check is unknown
}

var (
	fromTree = basis{func(in *input) bool { return in.tree != nil },
		func(t *times) *time.Time { return &t.tree }, "The list of files was not read."}
	fromReadme = basis{func(in *input) bool { return in.readme != nil },
		func(t *times) *time.Time { return &t.readme }, "The README was not read."}
	fromActivity = basis{func(in *input) bool { return in.activity != nil },
		func(t *times) *time.Time { return &t.activity }, "The commits were not read recently."}
	// These checks decide themselves whether they are known.
	fromRepo     = basis{seen: func(t *times) *time.Time { return &t.repo }}
	fromFiles    = basis{seen: func(t *times) *time.Time { return &t.tree }}
	fromTexts    = basis{seen: func(t *times) *time.Time { return &t.readme }}
	fromCommits  = basis{seen: func(t *times) *time.Time { return &t.activity }}
	fromIssues   = basis{seen: func(t *times) *time.Time { return &t.issues }}
	fromPackages = basis{seen: func(t *times) *time.Time { return &t.packages }}
	fromListing  = basis{seen: func(t *times) *time.Time { return &t.listing }}
	fromSDK      = basis{seen: func(t *times) *time.Time { return &t.sdk }}
)

// signal returns the signal of a check before it is measured: unknown without its basis.
func (b *basis) signal(in *input) signal {
	if b.known != nil && !b.known(in) {
		return unknown(b.unknown)
	}
	return signal{state: StateOK, at: at(b.seen(in.times))}
}

// signals are the signals of all checks, in the order of the model.
type signals []signal

// measure returns the outcome of every check.
func (in *input) measure() signals {
	out := make(signals, len(checks))
	for i := range checks {
		c, s := &checks[i], &out[i]
		if *s = c.from.signal(in); s.state == StateOK {
			*s = c.measure(in, *s)
		}
		if s.state == StateNA && s.at == nil {
			s.source, s.at = in.applicability(c)
		}
		if s.state != StateOK {
			continue
		}
		if c.Curve != nil {
			s.value = c.Curve.At(s.value)
		}
		s.doubt = in.doubt(c.young)
	}
	return out
}

// advise sets the advice to the owner for what did not pass. What counts because the server
// is stable needs none.
func (in *input) advise(s signals) {
	in.lacks = in.untilStable(s)
	for i := range s {
		c, v := &checks[i], &s[i]
		switch result := v.result(); {
		case v.state == StateWithheld:
		case result != ResultPartial && result != ResultFail, v.raised, c.Weight == 0:
			v.fix = ""
		case c.advise != nil:
			v.fix = c.advise(in, v)
		default:
			v.fix = c.Fix
		}
	}
}

// applicability returns the source of a check that does not apply, and when it was read.
func (in *input) applicability(c *CheckSpec) (source string, _ *time.Time) {
	switch {
	case c.Source == sourceHost:
		return sourceHost, at(c.from.seen(in.times))
	case in.times.repo.IsZero():
		return "official-registry", at(&in.times.listing)
	}
	return sourceHost, at(&in.times.repo)
}

// atLeast reports whether a check was measured and has at least a value.
func (s signals) atLeast(check string, value float64) bool {
	c := &s[checkIndex(check)]
	return c.state == StateOK && c.value >= value
}

// total is the sum of the signals, in points of 100.
type total struct {
	weight   []float64 // of each check, effective, after redistribution; they sum to 100
	uncapped float64
	low      float64
	high     float64
	coverage float64 // 0 to 1
	section  [len(categories)]subtotal
}

type subtotal struct {
	applicable      float64 // weight of the checks that apply
	weight          float64 // of the category
	value, coverage float64
	unknown         float64 // share of the weight that is unknown
}

// stretch is how many times its points a check counts at most where others of its category do not
// apply. The rest of their points goes to all checks.
const stretch = 2

// UnknownValue is what a check counts of which nothing is known, nor of its category: no more for
// it than against it, and the same for every server, so that a score changes only with the server's
// own facts.
const UnknownValue = 0.5

// combine fills in the values of the signals that were not measured and adds all of them up.
func combine(s signals, stable bool) total {
	t := total{weight: make([]float64, len(checks))}
	for i := range s {
		if s[i].state != StateNA {
			t.section[checks[i].category].applicable += checks[i].Weight
		}
	}
	var all float64
	for c := range t.section {
		t.section[c].weight = min(categories[c].Weight, stretch*t.section[c].applicable)
		all += t.section[c].weight
	}
	t.fill(s)
	if stable {
		raise(s)
	}
	for i := range s {
		if s[i].state == StateNA || checks[i].Weight == 0 {
			continue
		}
		c := checks[i].category
		share := checks[i].Weight / t.section[c].applicable
		t.weight[i] = share * t.section[c].weight / all * 100
		t.section[c].value += share * s[i].value
		switch s[i].state {
		case StateOK:
			t.section[c].coverage += share
		case StateUnknown:
			t.section[c].unknown += share
		}
		t.add(&s[i], t.weight[i])
	}
	return t
}

// fill sets the values of signals that were not measured: to UnknownValue, moved by how
// far the measured checks of its category are above or below it, as a share of the category.
func (t *total) fill(s signals) {
	var lead [len(categories)]float64
	for i := range s {
		if c := checks[i].category; s[i].state == StateOK {
			s[i].value = unit(s[i].value)
			if checks[i].Weight > 0 {
				lead[c] += checks[i].Weight / t.section[c].applicable * (s[i].value - UnknownValue)
			}
		}
	}
	for i := range s {
		value := unit(UnknownValue + lead[checks[i].category])
		switch s[i].state {
		case StateNA:
			s[i].value = 0
		case StateUnknown:
			s[i].value = value
		case StateWithheld:
			s[i].value = min(value, withheldMax)
		}
	}
}

func (t *total) add(s *signal, weight float64) {
	low, high := s.value, s.value
	switch s.state {
	case StateOK:
		t.coverage += weight / 100
		low, high = s.value*(1-s.doubt), s.value+(1-s.value)*s.doubt
	case StateUnknown:
		low, high = 0, 1
	case StateWithheld:
		low = 0
	}
	low = max(low, s.floor)
	t.uncapped += weight * s.value
	t.low += weight * low
	t.high += weight * high
}

// stableFloor is the minimum value of the checks that a quiet, stable server would lose:
// finished is not abandoned.
const stableFloor = 0.7

// raise raises the checks that are low only because a stable server is inactive.
func raise(s signals) {
	for i := range s {
		if checks[i].rests && s[i].state != StateNA {
			s[i].raised, s[i].floor = s[i].value < stableFloor, stableFloor
			s[i].value = max(s[i].value, stableFloor)
		}
	}
}

// nameHost sets the source of checks that depend on facts of the code host.
func nameHost(h *registry.Health, host string) {
	for _, c := range h.Categories {
		for i := range c.Checks {
			c.Checks[i].Source = SourceFor(c.Checks[i].Source, host)
		}
	}
}

// flags returns the marks that do not affect the number.
func (in *input) flags(s signals, caps []registry.Cap) []string {
	flags := []string{}
	for i := range s {
		if s[i].raised {
			flags = append(flags, FlagStableQuiet)
			break
		}
	}
	for _, c := range caps {
		switch c.ID {
		case "not_mcp":
			flags = append(flags, FlagNotMCP)
		case "fork_copy":
			flags = append(flags, FlagForkCopy)
		}
	}
	if in.f.Missing != nil {
		flags = append(flags, FlagMissing)
	}
	if len(in.f.SuspiciousTexts()) > 0 {
		flags = append(flags, FlagSuspiciousText)
	}
	if in.f.Liveness() == registry.LivenessDown {
		flags = append(flags, FlagEndpointDown)
	}
	if in.f.SilentChange() != nil {
		flags = append(flags, FlagToolsChanged)
	}
	return flags
}

// Flags of [registry.Health.Flags] and [registry.Popularity.Flags].
const (
	FlagStableQuiet = "stable_quiet" // quiet, but finished rather than abandoned
	FlagNotMCP      = "not_mcp"      // nothing in it speaks MCP
	FlagForkCopy    = "fork_copy"    // a copy of another repository with almost no changes
	FlagMissing     = "missing"      // the code host did not find it at the last visit
	// A tool's text may hide something or manipulate the model.
	FlagSuspiciousText = "suspicious_text"
	FlagEndpointDown   = "endpoint_down" // no endpoint responds as MCP requires
	FlagToolsChanged   = "tools_changed" // an endpoint lists other tools in the same version
	FlagUnusualStars   = "unusual_stars" // many stars, little use: stars count as 1,000
)
