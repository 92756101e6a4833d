package mcp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// maxImprovements is the maximum number of suggestions in a report.
const maxImprovements = 8

// checkRepository implements the tool check_repository.
func (s *source) checkRepository(
	ctx context.Context, in checkRepositoryInput,
) (*checkRepositoryOutput, error) {
	v, err := s.api.View()
	if err != nil {
		return nil, err
	}
	ref, err := registry.ParseRepoRef(in.URL)
	if err != nil {
		if e, ok := errors.AsType[*registry.Error](err); ok {
			return nil, registry.Invalid("url", "is not the URL of a repository: %s", e.Msg)
		}
		return nil, err
	}
	if items := v.InRepo(ref.Key()); len(items) > 0 {
		return s.reportOfListed(items, ref)
	}
	if s.api.Checker == nil {
		return nil, unavailable("Checks of repositories that are not listed are")
	}
	res, err := s.api.Checker.Check(ctx, ref)
	if err != nil {
		return nil, err
	}
	if items := v.InRepo(cmp.Or(res.ListedAs, res.Ref.Key())); res.Status == registry.CheckDone && len(items) > 0 {
		return s.reportOfListed(items, res.Ref)
	}
	return reportOf(res), nil
}

func newReport(status string, ref registry.RepoRef) *checkRepositoryOutput {
	return &checkRepositoryOutput{
		Status: status, Repository: ref.URL(), Improve: []registry.Improvement{},
		Caps: []capEntry{}, Members: []memberEntry{},
		Risks: []registry.Risk{}, Warnings: []string{},
	}
}

// reportOfListed returns the report of the server of a repository that a URL selects.
func (s *source) reportOfListed(
	items []*catalog.Item, ref registry.RepoRef,
) (*checkRepositoryOutput, error) {
	at, folder := catalog.Among(items, ref)
	out := newReport("listed", ref)
	crawled := items[max(at, 0)].CrawledAt()
	out.CheckedAt = second(&crawled)
	if folder != "" {
		out.Warnings = append(out.Warnings,
			"The repository has no separate server at "+brief(folder, maxDescription)+".")
	}
	if at >= 0 {
		r, err := items[at].Record()
		if err != nil {
			return nil, err
		}
		fillReport(out, r)
		out.ID, out.URL = known(r.Slug), known(s.pageURL(r.Slug))
	} else {
		out.Reason = known("The repository has several servers, but none in this folder.")
	}
	if len(items) > 1 {
		for _, i := range items[:min(len(items), maxParts)] {
			out.Members = append(out.Members, memberOf(i.Summary()))
		}
	}
	return out, nil
}

// reportOf returns the report of a repository that is not listed.
func reportOf(res registry.CheckResult) *checkRepositoryOutput {
	out := newReport("checked", res.Ref)
	out.CheckedAt = second(&res.At)
	out.Reason = known(brief(res.Reason, maxDescription))
	for _, w := range res.Warnings {
		out.Warnings = append(out.Warnings, brief(w, maxDescription))
	}
	at, _ := res.Chosen()
	switch {
	case res.Status == registry.CheckPending:
		out.Status = "pending"
		seconds := int(math.Ceil(max(time.Second, res.RetryAfter).Seconds()))
		out.RetryAfter = &seconds
	case res.Status == registry.CheckNotFound:
		out.Status, out.Reason = "not_found", known("No public repository "+res.Ref.String()+".")
	case res.Blocked != "":
		out.Status = "blocked"
	case res.Empty:
		out.Status = "empty"
	case at < 0:
		out.Status = "not_a_server"
	default:
		fillReport(out, &res.Servers[at].Server)
	}
	if len(res.Servers) > 1 {
		for i := range res.Servers[:min(len(res.Servers), maxParts)] {
			out.Members = append(out.Members, memberOf(&res.Servers[i].Server))
		}
	}
	return out
}

func memberOf(r *registry.Server) memberEntry {
	return memberEntry{ID: known(r.Slug), Name: brief(r.Name, maxName),
		Subfolder: known(r.Subfolder), Score: r.Health.Score, ScoredAt: second(&r.Health.ComputedAt)}
}

// fillReport fills in the health and risks of a server.
func fillReport(out *checkRepositoryOutput, r *registry.Server) {
	h := &r.Health
	out.Name, out.Score, out.Grade = known(brief(cmp.Or(r.Name, r.Slug), maxName)), h.Score, known(h.Grade)
	out.ScoredAt, out.Risks = second(&h.ComputedAt), risksOf(r)
	out.Confidence, out.Improve, out.Caps = known(h.Confidence), improvementsOf(h), capsOf(r)
	if h.Score == nil && out.Reason == nil {
		out.Reason = known("Not enough data for a score.")
	}
}

func improvementsOf(h *registry.Health) []registry.Improvement {
	all := []registry.Improvement{}
	for _, i := range h.Improve[:min(len(h.Improve), maxImprovements)] {
		all = append(all, registry.Improvement{Check: i.Check, Gain: tenth(i.Gain),
			Text: brief(i.Text, maxDescription)})
	}
	return all
}

func capsOf(r *registry.Server) []capEntry {
	all, caps := []capEntry{}, r.Health.Caps
	for _, c := range caps[:min(len(caps), maxParts)] {
		source, at := r.CapOrigin(c)
		c.Reason = brief(c.Reason, maxDescription)
		all = append(all, capEntry{Cap: c, Source: known(source), At: second(at)})
	}
	return all
}

// tenth rounds a number to one decimal place; it returns 0 for NaN and infinities.
func tenth(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return math.Round(f*10) / 10
}
