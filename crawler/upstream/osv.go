package upstream

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// PublicOSV is the URL of OSV's API.
const PublicOSV = "https://api.osv.dev"

const (
	osvBatch    = 1000
	osvMaxBody  = 33 << 20
	osvMaxPages = 20
	osvCached   = 5000
)

// OSVCanary is a package version with a vulnerability known for years. A response without it is
// invalid.
var OSVCanary = Dependency{Ecosystem: "npm", Name: "lodash", Version: "4.17.4"}

// osvEcosystems are OSV's names of ecosystems.
var osvEcosystems = map[string]string{
	"npm": "npm", "pypi": "PyPI", "cargo": "crates" + ".io", "nuget": "NuGet", "go": "Go",
	"maven": "Maven",
}

// An OSV returns known vulnerabilities.
type OSV struct {
	// Canary is added to every batch; nil disables the check. The default is OSVCanary for the
	// public service and nil for other URLs.
	Canary *Dependency

	*service
	vulns *lru.Cache[string, vulnerability]
}

// NewOSV returns OSV at o.Base, by default the public one.
func NewOSV(o Options) (*OSV, error) {
	s, err := newService(PublicOSV, []string{"/v1"}, o, transport.Options{
		Upstream: "osv.dev", Timeout: 30 * time.Second, MaxBody: osvMaxBody,
	})
	if err != nil {
		return nil, err
	}
	out := &OSV{service: s}
	if s.base == PublicOSV {
		out.Canary = &OSVCanary
	}
	out.vulns, err = lru.New[string, vulnerability](osvCached)
	return out, err
}

// Findings are the vulnerabilities and malware reports of one package version.
type Findings struct {
	// open on the version, worst first, without duplicates under other IDs
	Advisories []registry.Advisory
	Malware    string // ID of a malware record, "" for none
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

// Find returns the findings for each of deps, in order. They are empty for an ecosystem that OSV
// does not have, and contain malware only for a dependency without a version. It fails as a
// whole, because a partial list of vulnerabilities would be misleading.
func (o *OSV) Find(ctx context.Context, deps []Dependency) ([]Findings, error) {
	size := osvBatch
	if o.Canary != nil {
		size--
	}
	var refs [][]osvRef
	for batch := range slices.Chunk(deps, size) {
		found, err := o.batch(ctx, batch)
		if err != nil {
			return nil, err
		}
		refs = append(refs, found...)
	}
	out := make([]Findings, len(deps))
	for i, dep := range deps {
		f, err := o.findings(ctx, dep, refs[i])
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

// A pendingQuery is a query whose last page has not been received.
type pendingQuery struct {
	index int // in the batch; -1 for the canary
	query osvQuery
}

// batch returns the IDs of the vulnerabilities of each of deps.
func (o *OSV) batch(ctx context.Context, deps []Dependency) ([][]osvRef, error) {
	refs := make([][]osvRef, len(deps))
	var pending []pendingQuery
	add := func(i int, d Dependency) {
		q := osvQuery{Version: d.Version}
		q.Package.Ecosystem, q.Package.Name = osvEcosystems[d.Ecosystem], osvName(d)
		if q.Package.Ecosystem != "" && q.Package.Name != "" {
			pending = append(pending, pendingQuery{i, q})
		}
	}
	for i, d := range deps {
		add(i, d)
	}
	if len(pending) == 0 {
		return refs, nil
	}
	if o.Canary != nil {
		add(-1, *o.Canary)
	}
	canarySeen := o.Canary == nil
	for page := 0; len(pending) > 0; page++ {
		if page == osvMaxPages {
			return nil, o.unusable("response has more than %d pages", osvMaxPages)
		}
		results, err := o.page(ctx, pending)
		if err != nil {
			return nil, err
		}
		var more []pendingQuery
		for i, r := range results {
			q := pending[i]
			if q.index >= 0 {
				refs[q.index] = append(refs[q.index], r.Vulns...)
			} else if len(r.Vulns) > 0 {
				canarySeen = true
			}
			if r.Next != "" {
				q.query.PageToken = r.Next
				more = append(more, q)
			}
		}
		pending = more
	}
	if !canarySeen {
		return nil, o.unusable("response lacks the known vulnerability of %s %s, so it is not reliable",
			o.Canary.Name, o.Canary.Version)
	}
	return refs, nil
}

type osvResult struct {
	Vulns []osvRef `json:"vulns"`
	Next  string   `json:"next_page_token"`
}

// page requests the next page of each of the queries.
func (o *OSV) page(ctx context.Context, pending []pendingQuery) ([]osvResult, error) {
	var request struct {
		Queries []osvQuery `json:"queries"`
	}
	for _, p := range pending {
		request.Queries = append(request.Queries, p.query)
	}
	var response struct {
		Results []osvResult `json:"results"`
	}
	err := o.do(ctx, http.MethodPost, "/v1/querybatch", nil, request, &response)
	if errors.Is(err, errNoEntry) {
		return nil, o.unusable("no batch queries at this address")
	}
	if err != nil {
		return nil, err
	}
	if len(response.Results) != len(pending) {
		return nil, o.unusable("response has %d of %d results", len(response.Results), len(pending))
	}
	for _, r := range response.Results {
		for _, v := range r.Vulns {
			if v.ID == "" || len(v.ID) > 100 || untyped.Cut(v.ID, 100) != v.ID {
				return nil, o.unusable("response contains a vulnerability without a valid ID")
			}
		}
	}
	return response.Results, nil
}

// osvName returns a package's name as OSV spells it, "" if it is invalid.
func osvName(d Dependency) string {
	name := d.Name
	if d.Ecosystem == "pypi" {
		name = registry.PyPIName(name)
	}
	if len(name) > maxName || untyped.Cut(name, maxName) != name {
		return ""
	}
	return name
}

// vulnerability returns a record, from the cache if it has not changed.
func (o *OSV) vulnerability(ctx context.Context, ref osvRef) (vulnerability, error) {
	if v, ok := o.vulns.Get(ref.ID); ok && v.Modified == ref.Modified && ref.Modified != "" {
		return v, nil
	}
	var v vulnerability
	err := o.get(ctx, "/v1/vulns/"+escape(ref.ID), nil, &v)
	switch {
	case errors.Is(err, errNoEntry):
		return v, o.unusable("response contains a vulnerability that does not exist")
	case err != nil:
		return v, err
	case v.ID != ref.ID:
		return v, o.unusable("response is about another vulnerability")
	}
	o.vulns.Add(ref.ID, v)
	return v, nil
}

// findings reads the records of one dependency.
func (o *OSV) findings(ctx context.Context, dep Dependency, refs []osvRef) (Findings, error) {
	var f Findings
	var all []finding
	seen := map[string]bool{}
	for _, ref := range refs {
		isMalware := strings.HasPrefix(ref.ID, "MAL-")
		if seen[ref.ID] || dep.Version == "" && !isMalware { // of an unknown version
			continue
		}
		seen[ref.ID] = true
		if len(seen) > 10*maxAdvisories {
			return f, o.unusable("response contains more than %d vulnerabilities of one version",
				10*maxAdvisories)
		}
		v, err := o.vulnerability(ctx, ref)
		if err != nil {
			return f, err
		}
		switch {
		case v.Withdrawn != "":
		case !isMalware:
			all = append(all, v.finding(dep))
		case dep.Version != "" || v.everyVersion(dep):
			f.Malware = ref.ID
		}
	}
	f.Advisories = distinct(all)
	return f, nil
}
