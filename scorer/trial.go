package scorer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mcpcensus/internal/registry"
)

// A Trial validates the model on many servers: how missing facts, other weights
// and hidden sources change scores, and how well scores discriminate. The zero
// value is empty and ready to use.
type Trial struct {
	servers []trialResult
}

// A trialResult holds the signals of a server before they are weighted.
type trialResult struct {
	signals   signals
	stable    bool
	scorecard *float64 // of OpenSSF, 0 to 10
}

// A Finding is one figure of a trial.
type Finding struct {
	Name    string  // what is measured
	Value   float64 // NaN if it was not
	Target  string  // in words, "" if the figure has none
	OK      bool    // within the target, or there is none
	N       int     // servers that it is from
	Skipped string  // missing input, "" if it was measured
}

func (f Finding) String() string {
	switch {
	case f.Skipped != "":
		return fmt.Sprintf("SKIPPED  %s: %s", f.Name, f.Skipped)
	case f.Target == "":
		return fmt.Sprintf("         %s: %.3g (%d servers)", f.Name, f.Value, f.N)
	case f.OK:
		return fmt.Sprintf("ok       %s: %.3g, target %s (%d servers)", f.Name, f.Value, f.Target, f.N)
	}
	return fmt.Sprintf("MISSED   %s: %.3g, target %s (%d servers)", f.Name, f.Value, f.Target, f.N)
}

// MinTrialServers and MinTrialScorecards are the minimum numbers of servers
// for a result.
const (
	MinTrialServers    = 50
	MinTrialScorecards = 30
)

// Add adds a server. Servers without a score are ignored.
func (t *Trial) Add(f *registry.Facts, now time.Time) {
	if Health(*f, now).Score == nil {
		return
	}
	in := newInput(f, now)
	s := trialResult{signals: in.measure()}
	s.stable = in.stable(s.signals)
	if f.Scorecard != nil {
		s.scorecard = &f.Scorecard.Score
	}
	t.servers = append(t.servers, s)
}

// Findings returns the figures of the validation protocol that depend on servers alone:
// agreement with the OpenSSF Scorecard, missing facts, hidden sources, weights and
// discrimination. The result is deterministic for the same servers and seed.
func (t *Trial) Findings(seed uint64) []Finding {
	if n := len(t.servers); n < MinTrialServers {
		return []Finding{skipped("agreement, missing facts, weights and discrimination",
			"%d servers with a score are too few, %d are needed", n, MinTrialServers)}
	}
	t.leaveOut()
	random := rand.New(rand.NewPCG(seed, 1))
	return slices.Concat(t.agreement(), t.missing(random), t.hidden(), t.weights(random),
		t.discrimination(), []Finding{skipped("survival from the day of the score",
			"it needs scores stored long ago; `make acceptance` tries it on recorded commits")})
}

// leaveOut makes checks not applicable that were measured for no server: they
// depend on the sample, not on the model.
func (t *Trial) leaveOut() {
	for j := range checks {
		measured := slices.ContainsFunc(t.servers, func(s trialResult) bool {
			return s.signals[j].state == StateOK
		})
		for i := range t.servers {
			if !measured {
				t.servers[i].signals[j].state = StateNA
			}
		}
	}
}

func least(name string, v, bound float64, n int) Finding {
	return Finding{Name: name, Value: v, Target: fmt.Sprintf("at least %g", bound), OK: v >= bound, N: n}
}

func most(name string, v, bound float64, n int) Finding {
	return Finding{Name: name, Value: v, Target: fmt.Sprintf("at most %g", bound), OK: v <= bound, N: n}
}

func between(name string, v, from, to float64, n int) Finding {
	return Finding{Name: name, Value: v, Target: fmt.Sprintf("%g to %g", from, to),
		OK: v >= from && v <= to, N: n}
}

func skipped(name, why string, args ...any) Finding {
	return Finding{Name: name, Value: math.NaN(), Skipped: fmt.Sprintf(why, args...)}
}

// total weights signals of the server without changing them.
func (s *trialResult) total(of signals) total {
	return combine(slices.Clone(of), s.stable)
}

func (s *trialResult) score() float64 { return s.total(s.signals).uncapped }

// agreement compares scores with the OpenSSF Scorecard: the security category must
// correlate with it, and the score must not duplicate it.
func (t *Trial) agreement() []Finding {
	var security, all, theirs []float64
	at := slices.IndexFunc(categories[:], func(c CategorySpec) bool { return c.ID == "security" })
	for i := range t.servers {
		if s := &t.servers[i]; s.scorecard != nil {
			sum := s.total(s.signals)
			security, all, theirs = append(security, sum.section[at].value), append(all, sum.uncapped),
				append(theirs, *s.scorecard)
		}
	}
	n := len(theirs)
	if n < MinTrialScorecards {
		return []Finding{skipped("agreement with the OpenSSF Scorecard",
			"%d servers have one, %d are needed", n, MinTrialScorecards)}
	}
	return []Finding{
		least("rank correlation of security and the OpenSSF Scorecard", rankCorrelation(security, theirs),
			.75, n),
		between("rank correlation of the score and the OpenSSF Scorecard", rankCorrelation(all, theirs),
			.45, .8, n),
	}
}

// missing hides a quarter of the measured checks.
func (t *Trial) missing(random *rand.Rand) []Finding {
	const rounds = 20
	var whole, hidden []float64
	promoted := 0
	for range rounds {
		for i := range t.servers {
			s := &t.servers[i]
			full, part := s.score(), s.total(s.hide(random)).uncapped
			whole, hidden = append(whole, full), append(hidden, part)
			if full < 80 && part >= 80 {
				promoted++
			}
		}
	}
	n := len(t.servers)
	share := 1000 * float64(promoted) / float64(len(whole))
	return []Finding{
		most("a quarter of the checks hidden: mean error in points", meanError(whole, hidden), 4.5, n),
		least("a quarter of the checks hidden: rank correlation", rankCorrelation(whole, hidden), .93, n),
		most("a quarter of the checks hidden: wrongly at 80 or above, of 1,000", share, 30, n),
	}
}

// hide returns the signals with a quarter of the measured ones unknown.
func (s *trialResult) hide(random *rand.Rand) signals {
	part := slices.Clone(s.signals)
	for j := range part {
		if part[j].state == StateOK && random.Float64() < .25 {
			part[j] = unknown("")
		}
	}
	return part
}

// hidden withholds the two checks that cost each server most. Hiding sources must
// not raise a score.
func (t *Trial) hidden() []Finding {
	below, lifted := 0, 0
	for i := range t.servers {
		s := &t.servers[i]
		sum := s.total(s.signals)
		if sum.uncapped >= 80 {
			continue
		}
		below++
		if s.total(s.withhold(sum.weight, 2)).uncapped >= 80 {
			lifted++
		}
	}
	if below == 0 {
		return []Finding{skipped("the two costliest checks withheld", "no server is below 80")}
	}
	share := float64(lifted) / float64(below)
	return []Finding{
		most("the two costliest checks withheld: share of those below 80 that rise above", share, .10,
			below),
	}
}

// withhold returns the signals with the n costliest withheld, by the weights of
// the checks.
func (s *trialResult) withhold(weight []float64, n int) signals {
	order := make([]int, len(checks))
	for j := range order {
		order[j] = j
	}
	cost := func(j int) float64 {
		if s.signals[j].state != StateOK {
			return -1
		}
		return weight[j] * (1 - unit(s.signals[j].value))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cost(b), cost(a)) })
	out := slices.Clone(s.signals)
	for _, j := range order[:n] {
		if out[j].state == StateOK {
			out[j] = signal{state: StateWithheld}
		}
	}
	return out
}

// weights moves the weights of the categories by up to a half each.
func (t *Trial) weights(random *rand.Rand) []Finding {
	scores := make([]float64, len(t.servers))
	sections := make([]total, len(t.servers))
	for i := range t.servers {
		sections[i] = t.servers[i].total(t.servers[i].signals)
		scores[i] = sections[i].uncapped
	}
	worst := 1.0
	for range 200 {
		var times [len(categories)]float64
		for c := range times {
			times[c] = .5 + random.Float64()
		}
		moved := make([]float64, len(t.servers))
		for i := range sections {
			all := 0.0
			for c, section := range sections[i].section {
				moved[i] += times[c] * section.weight * section.value
				all += times[c] * section.weight
			}
			moved[i] /= all
		}
		worst = min(worst, rankCorrelation(scores, moved))
	}
	return []Finding{least("weights of the categories moved by up to a half: least rank correlation of 200",
		worst, .97, len(t.servers))}
}

// discrimination measures how far the scores of servers differ.
func (t *Trial) discrimination() []Finding {
	n := len(t.servers)
	var sum, squares float64
	good := 0
	for i := range t.servers {
		v := t.servers[i].score()
		sum, squares = sum+v, squares+v*v
		if v >= 80 {
			good++
		}
	}
	mean := sum / float64(n)
	out := []Finding{
		between("share at 80 or above", float64(good)/float64(n), .1, .4, n),
		least("standard deviation of the scores in points",
			math.Sqrt(max(0, squares/float64(n)-mean*mean)), 12, n),
	}
	for j := range checks {
		if checks[j].Weight > 0 {
			out = append(out, t.common(j))
		}
	}
	return out
}

// common measures how many servers get the most frequent result of a check. One that nearly all
// get tells nothing apart, and is accepted only of a check that warns of harm: one that lifts a
// cap.
func (t *Trial) common(check int) Finding {
	measured, counts := 0, map[string]int{}
	for i := range t.servers {
		if s := &t.servers[i].signals[check]; s.state == StateOK {
			measured++
			counts[s.result()]++
		}
	}
	name := "share of the most frequent result of " + checks[check].ID
	if measured < MinTrialScorecards {
		return skipped(name, "measured for %d servers only", measured)
	}
	share := float64(slices.Max(slices.Collect(maps.Values(counts)))) / float64(measured)
	if slices.ContainsFunc(caps, func(c CapSpec) bool { return c.Check == checks[check].ID }) {
		return Finding{Name: name, Value: share, OK: true, N: measured}
	}
	return most(name, share, .95, measured)
}

func meanError(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(a[i] - b[i])
	}
	return sum / float64(len(a))
}

// rankCorrelation is Spearman's: Pearson's of the ranks, ties at their middle.
// It is 0 where one of the two does not vary.
func rankCorrelation(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	var mx, my, xy, xx, yy float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(y))
	}
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(v []float64) []float64 {
	sorted := slices.Sorted(slices.Values(v))
	out := make([]float64, len(v))
	for i, x := range v {
		first, _ := slices.BinarySearch(sorted, x)
		behind, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		out[i] = float64(first+behind-1) / 2
	}
	return out
}
