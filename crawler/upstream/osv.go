package upstream

import (
	cvss30 "github.com/pandatix/go-cvss/30"
	cvss31 "github.com/pandatix/go-cvss/31"

	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// PublicOSV is the address of OSV's API.
const PublicOSV = "https://api.osv.dev"

const (
	osvBatch    = 1000
	osvMaxBatch = 33 << 20
	osvMaxVuln  = 8 << 20
	osvMaxPages = 20
	osvKept     = 5000
)

// OSVCanary is a package version that has been known to be vulnerable for
// years. An answer that does not say so says nothing.
var OSVCanary = Dependency{Ecosystem: "npm", Name: "lodash", Version: "4.17.4"}

// osvEcosystems are OSV's names of ecosystems.
var osvEcosystems = map[string]string{
	"npm": "npm", "pypi": "PyPI", "cargo": "crates" + ".io", "nuget": "NuGet", "go": "Go", "maven": "Maven",
}

// An OSV answers which vulnerabilities are known.
type OSV struct {
	// Canary is asked about in every batch; nil leaves the check out. It is
	// set for the public service and nil for another address.
	Canary *Dependency

	c     *client
	vulns cache[vulnerability]
}

// NewOSV returns OSV at o.Base, or the public one.
func NewOSV(o Options) (*OSV, error) {
	c, err := newClient("osv.dev", PublicOSV, 30*time.Second, o, "/v1")
	if err != nil {
		return nil, err
	}
	s := &OSV{c: c, vulns: cache[vulnerability]{size: osvKept, ttl: 7 * 24 * time.Hour, now: c.now}}
	if c.public(PublicOSV) {
		s.Canary = &OSVCanary
	}
	return s, nil
}

// Findings are what is known of one package version.
type Findings struct {
	Advisories []registry.Advisory // open on the version, worst first, doubles under other ids left out
	Malware    string              // id of a malware record, "" if there is none
}

type osvQuery struct {
	Package struct {
		Ecosystem string `json:"ecosystem"`
		Name      string `json:"name"`
	} `json:"package"`
	Version   string `json:"version,omitempty"`
	PageToken string `json:"page_token,omitempty"`
}

type osvRef struct {
	ID       string `json:"id"`
	Modified string `json:"modified"`
}

// Find returns the findings of each of deps, in their order. Those of an
// ecosystem that OSV does not know are empty, as is one without a version but
// for malware. It fails as a whole: a partial answer about vulnerabilities is
// none.
func (o *OSV) Find(ctx context.Context, deps []Dependency) ([]Findings, error) {
	out := make([]Findings, len(deps))
	refs := make([][]osvRef, len(deps))
	step := osvBatch
	if o.Canary != nil {
		step--
	}
	for from := 0; from < len(deps); from += step {
		to := min(from+step, len(deps))
		if err := o.batch(ctx, deps[from:to], refs[from:to]); err != nil {
			return nil, err
		}
	}
	for i, dep := range deps {
		f, err := o.findings(ctx, dep, refs[i])
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

// batch asks for the ids of each of deps, page by page.
func (o *OSV) batch(ctx context.Context, deps []Dependency, refs [][]osvRef) error {
	type slot struct {
		index int // in deps; -1 for the canary
		query osvQuery
	}
	var open []slot
	add := func(i int, d Dependency) {
		q := osvQuery{Version: d.Version}
		q.Package.Ecosystem, q.Package.Name = osvEcosystems[d.Ecosystem], packageNameOSV(d)
		if q.Package.Ecosystem != "" && q.Package.Name != "" {
			open = append(open, slot{i, q})
		}
	}
	for i, d := range deps {
		add(i, d)
	}
	if len(open) == 0 {
		return nil
	}
	if o.Canary != nil {
		add(-1, *o.Canary)
	}
	sang := o.Canary == nil
	for page := 0; len(open) > 0; page++ {
		if page == osvMaxPages {
			return o.odd("its answer has more than %d pages", osvMaxPages)
		}
		var ask struct {
			Queries []osvQuery `json:"queries"`
		}
		for _, s := range open {
			ask.Queries = append(ask.Queries, s.query)
		}
		var answer struct {
			Results []struct {
				Vulns []osvRef `json:"vulns"`
				Next  string   `json:"next_page_token"`
			} `json:"results"`
		}
		if _, err := o.c.do(ctx, http.MethodPost, "/v1/querybatch", nil, ask, osvMaxBatch, &answer); err != nil {
			if errors.Is(err, errNoEntry) {
				err = o.odd("it has no batch queries at this address")
			}
			return err
		}
		if len(answer.Results) != len(open) {
			return o.odd("it answered %d of %d questions", len(answer.Results), len(open))
		}
		var more []slot
		for i, r := range answer.Results {
			s := open[i]
			for _, v := range r.Vulns {
				if v.ID == "" || len(v.ID) > 100 || untyped.Cut(v.ID, 100) != v.ID {
					return o.odd("it names a vulnerability without an id")
				}
				if s.index >= 0 {
					refs[s.index] = append(refs[s.index], v)
				} else {
					sang = true
				}
			}
			if r.Next != "" {
				s.query.PageToken = r.Next
				more = append(more, s)
			}
		}
		open = more
	}
	if !sang {
		return o.odd("it does not know that %s %s is vulnerable, so its silence about others says nothing", o.Canary.Name, o.Canary.Version)
	}
	return nil
}

func packageNameOSV(d Dependency) string {
	name := d.Name
	if d.Ecosystem == "pypi" {
		name = normalPyPI(name)
	}
	if len(name) > 300 || untyped.Cut(name, 300) != name {
		return ""
	}
	return name
}

// A vulnerability is an OSV record.
type vulnerability struct {
	ID        string   `json:"id"`
	Modified  string   `json:"modified"`
	Withdrawn string   `json:"withdrawn"`
	Aliases   []string `json:"aliases"`
	Summary   string   `json:"summary"`
	Severity  []struct {
		Type  string `json:"type"`
		Score string `json:"score"`
	} `json:"severity"`
	Affected []struct {
		Package struct {
			Ecosystem string `json:"ecosystem"`
			Name      string `json:"name"`
		} `json:"package"`
		Ranges []struct {
			Type   string `json:"type"`
			Events []struct {
				Introduced   string `json:"introduced"`
				Fixed        string `json:"fixed"`
				LastAffected string `json:"last_affected"`
			} `json:"events"`
		} `json:"ranges"`
		Versions []string `json:"versions"`
		Specific struct {
			Severity any `json:"severity"`
		} `json:"database_specific"`
	} `json:"affected"`
	Specific struct {
		Severity any `json:"severity"`
	} `json:"database_specific"`
}

func (o *OSV) vulnerability(ctx context.Context, ref osvRef) (vulnerability, error) {
	if v, ok := o.vulns.get(ref.ID); ok && (ref.Modified == "" || v.Modified == ref.Modified) {
		return v, nil
	}
	var v vulnerability
	if err := o.c.get(ctx, "/v1/vulns/"+escape(ref.ID), nil, osvMaxVuln, &v); err != nil {
		if errors.Is(err, errNoEntry) {
			err = o.odd("it names a vulnerability that it does not know")
		}
		return v, err
	}
	if v.ID != ref.ID {
		return v, o.odd("it gave another vulnerability than the one asked for")
	}
	o.vulns.put(ref.ID, v)
	return v, nil
}

func (o *OSV) findings(ctx context.Context, dep Dependency, refs []osvRef) (Findings, error) {
	var f Findings
	type found struct {
		advisory registry.Advisory
		names    []string
	}
	var all []found
	seen := map[string]bool{}
	for _, ref := range refs {
		if seen[ref.ID] {
			continue
		}
		seen[ref.ID] = true
		malware := strings.HasPrefix(ref.ID, "MAL-")
		if dep.Version == "" && !malware {
			continue // of some version, which says nothing
		}
		if len(seen) > 10*maxAdvisories {
			return f, o.odd("it names more than %d vulnerabilities of one version", 10*maxAdvisories)
		}
		v, err := o.vulnerability(ctx, ref)
		if err != nil {
			return f, err
		}
		if v.Withdrawn != "" {
			continue
		}
		if malware {
			if dep.Version != "" || v.everyVersion(dep) {
				f.Malware = ref.ID
			}
			continue
		}
		a := registry.Advisory{
			ID: ref.ID, Severity: v.severity(dep), Version: dep.Version, Fixed: v.fixed(dep),
			Title: untyped.Cut(v.Summary, 300), URL: advisoryURL(ref.ID),
		}
		all = append(all, found{a, append([]string{ref.ID}, v.Aliases...)})
	}
	// The same flaw under several ids counts once, under the id that says
	// most: GitHub's come with a severity.
	slices.SortStableFunc(all, func(a, b found) int {
		if c := rank(b.advisory.Severity) - rank(a.advisory.Severity); c != 0 {
			return c
		}
		ag, bg := strings.HasPrefix(a.advisory.ID, "GHSA-"), strings.HasPrefix(b.advisory.ID, "GHSA-")
		switch {
		case ag && !bg:
			return -1
		case bg && !ag:
			return 1
		}
		return strings.Compare(a.advisory.ID, b.advisory.ID)
	})
	known := map[string]bool{}
	for _, x := range all {
		double := slices.ContainsFunc(x.names, func(n string) bool { return known[n] })
		for _, n := range x.names {
			known[n] = true
		}
		if !double && len(f.Advisories) < maxAdvisories {
			f.Advisories = append(f.Advisories, x.advisory)
		}
	}
	return f, nil
}

// rank orders severities.
func rank(severity string) int {
	return map[string]int{"critical": 4, "high": 3, "moderate": 2, "low": 1}[severity]
}

// severity takes the database's word, else the highest CVSS v3 score.
func (v vulnerability) severity(dep Dependency) string {
	word := func(s any) string {
		text, _ := s.(string)
		switch strings.ToLower(text) {
		case "critical", "high", "moderate", "low":
			return strings.ToLower(text)
		case "medium":
			return "moderate"
		}
		return ""
	}
	if s := word(v.Specific.Severity); s != "" {
		return s
	}
	for _, a := range v.Affected {
		if s := word(a.Specific.Severity); s != "" && v.about(a.Package.Ecosystem, a.Package.Name, dep) {
			return s
		}
	}
	best := 0.0
	for _, s := range v.Severity {
		if score, ok := cvss3(s.Score); ok && s.Type == "CVSS_V3" {
			best = math.Max(best, score)
		}
	}
	return severityOf(best)
}

func (v vulnerability) about(ecosystem, name string, dep Dependency) bool {
	if !strings.EqualFold(ecosystem, osvEcosystems[dep.Ecosystem]) {
		return false
	}
	return name == dep.Name || packageName(dep.Ecosystem, name) == packageName(dep.Ecosystem, dep.Name)
}

// fixed returns the lowest version above dep's that a range says repairs it.
func (v vulnerability) fixed(dep Dependency) string {
	best := ""
	for _, a := range v.Affected {
		if !v.about(a.Package.Ecosystem, a.Package.Name, dep) {
			continue
		}
		for _, r := range a.Ranges {
			if r.Type == "GIT" {
				continue
			}
			for _, e := range r.Events {
				fix := untyped.Cut(e.Fixed, maxConstraint)
				if fix == "" || compareVersions(dep.Ecosystem, fix, dep.Version) <= 0 {
					continue
				}
				if best == "" || compareVersions(dep.Ecosystem, fix, best) < 0 {
					best = fix
				}
			}
		}
	}
	return best
}

// everyVersion reports whether a record is about a package as such and not
// about some of its versions.
func (v vulnerability) everyVersion(dep Dependency) bool {
	for _, a := range v.Affected {
		if !v.about(a.Package.Ecosystem, a.Package.Name, dep) {
			continue
		}
		for _, r := range a.Ranges {
			whole := false
			for _, e := range r.Events {
				whole = whole || e.Introduced == "0"
				if e.Fixed != "" || e.LastAffected != "" {
					whole = false
					break
				}
			}
			if whole {
				return true
			}
		}
	}
	return false
}

func (o *OSV) odd(format string, args ...any) *Failure {
	return &Failure{Source: o.c.source, Status: 200, Reason: fmt.Sprintf(format, args...), RetryAt: o.c.now().Add(retryLater)}
}

// cvss3 returns the base score of a CVSS 3.0 or 3.1 vector.
func cvss3(vector string) (float64, bool) {
	if v, err := cvss31.ParseVector(vector); err == nil {
		return v.BaseScore(), true
	}
	if v, err := cvss30.ParseVector(vector); err == nil {
		return v.BaseScore(), true
	}
	return 0, false
}
