package scorer

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Results of a check: its state and value in one word.
const (
	ResultPass          = "pass"          // at least 0.9 of the points
	ResultPartial       = "partial"       // between
	ResultFail          = "fail"          // at most 0.1 of the points
	ResultUnknown       = "unknown"       // unknown or withheld
	ResultNotApplicable = "notApplicable" // does not apply
)

// whole rounds points down, so that displayed and filtered values agree. The small term undoes
// the error of summing floats.
func whole(points float64) int {
	return min(100, max(0, int(math.Floor(points+1e-9))))
}

func unit(v float64) float64 {
	if !(v > 0) { // NaN too
		return 0
	}
	return min(v, 1)
}

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// report writes the checks, the score and the improvements into h.
func report(h *registry.Health, s signals, t *total, caps []registry.Cap) {
	h.Coverage = math.Round(t.coverage*1000) / 1000
	h.Uncapped = math.Floor(t.uncapped*10+1e-9) / 10
	switch {
	case t.coverage >= confidenceHigh-1e-9:
		h.Confidence = "high"
	case t.coverage >= confidenceMedium-1e-9:
		h.Confidence = "medium"
	}
	if t.coverage < minCoverage-1e-9 {
		h.Status = registry.HealthInsufficientData
	} else {
		h.Status = registry.HealthScored
		most := 100
		if c := smallest(caps); c != nil && c.Max < most {
			most = c.Max
			c.Applied = whole(t.uncapped) > most
		}
		numbers := [3]int{min(whole(t.uncapped), most), min(whole(t.low), most), min(whole(t.high), most)}
		h.Score, h.Low, h.High = &numbers[0], &numbers[1], &numbers[2]
		h.Grade = registry.GradeOf(numbers[0])
		h.Improve = improvements(s, t, caps, slices.Contains(h.Flags, FlagEndpointDown))
	}
	if caps != nil {
		h.Caps = caps
	}
	h.Categories = sections(s, t)
}

// smallest returns the first of the smallest caps, nil if there is none.
func smallest(caps []registry.Cap) *registry.Cap {
	var least *registry.Cap
	for i := range caps {
		if least == nil || caps[i].Max < least.Max {
			least = &caps[i]
		}
	}
	return least
}

// sections returns the checks by category.
func sections(s signals, t *total) []registry.HealthSection {
	out := make([]registry.HealthSection, len(categories))
	for c := range out {
		out[c] = registry.HealthSection{
			Category: categories[c].ID, Weight: categories[c].Weight,
			Coverage: math.Round(t.section[c].coverage*1000) / 1000,
		}
		if t.section[c].applicable > 0 && t.section[c].coverage >= minCoverage-1e-9 {
			out[c].Score = new(tenth(t.section[c].value * 100))
		}
	}
	var points rounder
	list := make([]registry.Check, len(checks))
	for i := range s {
		got, most := points.next(&s[i], t.weight[i])
		list[i] = s[i].check(&checks[i], got, most)
		section := &out[checks[i].category]
		first := i - len(section.Checks)
		section.Checks = list[first : i+1 : i+1]
	}
	return out
}

// rounder rounds points to tenths and carries the rest over, so that the displayed maxima sum
// to 100 and the points to the uncapped score.
type rounder struct {
	raw, shown, rawMax, shownMax float64
}

// next returns the points of a signal of a weight, and how many it could have.
func (r *rounder) next(s *signal, weight float64) (points, most float64) {
	if weight == 0 {
		return 0, 0
	}
	r.rawMax += weight
	most = tenth(max(0, r.rawMax-r.shownMax))
	r.shownMax += most
	r.raw += weight * s.value
	points = most
	switch {
	case s.value == 0:
		points = 0
	case s.value < 1:
		points = tenth(min(max(r.raw-r.shown, 0), most))
	}
	r.shown += points
	return points, most
}

// check returns the displayed form of the signal.
func (s *signal) check(spec *CheckSpec, points, most float64) registry.Check {
	c := registry.Check{
		ID: spec.ID, Name: spec.Name, State: s.state, Result: s.result(),
		Points: points, Max: most,
		Reason: s.reason, Elapsed: s.elapsed, Evidence: s.evidence,
		Source: cmp.Or(s.source, spec.Source), ObservedAt: s.at,
	}
	c.Reason += s.counted(spec)
	if most-points >= 0.05 {
		c.Fix = s.fix
	}
	return c
}

// NotMeasured is the last sentence of the reason of a check without a result that counts.
const NotMeasured = "Not measured: counted as the other checks of its category suggest."

// counted returns the end of the reason: how a check counts that was not measured, or whose value
// was changed. It has no value that changes daily.
func (s *signal) counted(spec *CheckSpec) string {
	switch {
	case s.state == StateNA, spec.Weight == 0:
		return ""
	case s.raised:
		return " Counted at 0.7: the server is stable, and quiet is not abandoned."
	case s.state == StateUnknown:
		return " " + NotMeasured
	case s.state == StateWithheld:
		return " Withheld: counted at 0.4 at most."
	}
	return ""
}

func (s *signal) result() string {
	switch {
	case s.state == StateNA:
		return ResultNotApplicable
	case s.state != StateOK:
		return ResultUnknown
	case s.value >= 0.9:
		return ResultPass
	case s.value <= 0.1:
		return ResultFail
	}
	return ResultPartial
}

// improvements returns the owner's possible fixes, greatest gain first; before them an endpoint that
// is down, which matters most to users. A gain is the increase
// of the final score if this check alone had full points: unknown checks follow it, caps that
// remain limit it, and a cap that depends on the check is lifted.
func improvements(s signals, t *total, caps []registry.Cap, down bool) []registry.Improvement {
	list := []registry.Improvement{}
	score := capped(t.uncapped, caps, -1)
	for i := range s {
		if s[i].fix == "" {
			continue
		}
		more := t.weight[i] * (1 - s[i].value)
		if s[i].state == StateOK {
			more *= 1 + t.section[checks[i].category].unknown
		}
		if gain := tenth(capped(t.uncapped+more, caps, i) - score); gain > 0 {
			list = append(list, registry.Improvement{Check: checks[i].ID, Gain: gain, Text: s[i].fix})
		}
	}
	slices.SortStableFunc(list, func(a, b registry.Improvement) int { return cmp.Compare(b.Gain, a.Gain) })
	if id := "remote_liveness"; down {
		gain := tenth(capped(t.uncapped, caps, checkIndex(id)) - score)
		list = slices.Insert(list, 0, registry.Improvement{Check: id, Gain: gain,
			Text: "Make the hosted endpoint respond again, or remove it where it is declared."})
	}
	return list
}

// capped returns points under the caps that a check does not lift.
func capped(points float64, caps []registry.Cap, check int) float64 {
	for _, c := range caps {
		if check < 0 || liftedBy(c.ID) != check {
			points = min(points, float64(c.Max))
		}
	}
	return points
}

// maxText is the most characters of an outside text that a reason quotes.
const maxText = 200

// clean makes an outside text safe for a sentence: one line of visible characters, at most
// maxText.
func clean(s string) string {
	return text.Fit(text.OneLine(s), maxText)
}

// sentence capitalizes the first letter of s.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// link returns an outside address if a page may link to it, or "".
func link(address string) string {
	if len(address) > 500 || !strings.HasPrefix(address, "https://") || clean(address) != address &&
		len(address) <= maxText {
		return ""
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" {
		return ""
	}
	return address
}

// service returns the display name of a package service.
func service(registryType string) string {
	switch registryType {
	case "pypi":
		return "PyPI"
	case "oci":
		return "OCI"
	case "nuget":
		return "NuGet"
	case "mcpb":
		return "MCPB"
	}
	return clean(registryType)
}

// ago returns "today", "1 day ago", "28 days ago".
func ago(days int) string {
	if days == 0 {
		return "today"
	}
	return text.Count(days, "day") + " ago"
}

// some returns the first few of a list, joined with commas.
func some(list []string, few int) string {
	var b strings.Builder
	for i, s := range list {
		if i == few {
			b.WriteString(" and ")
			b.WriteString(strconv.Itoa(len(list) - few))
			b.WriteString(" more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(clean(s))
	}
	return b.String()
}
