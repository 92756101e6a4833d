package mcp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// maxImprovements is the maximum number of suggestions in a report.
const maxImprovements = 8

func (s *source) checkRepository(
	ctx context.Context, in checkRepositoryInput,
) (*document, error) {
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
	res, err := s.api.Checker.Check(ctx, ref)
	if err != nil {
		return nil, err
	}
	if items := v.InRepo(cmp.Or(res.ListedAs, res.Ref.Key())); res.Status == registry.CheckDone && len(items) > 0 {
		return s.reportOfListed(items, res.Ref)
	}
	return s.reportOf(res)
}

// healthMembers are the members of the API's health report that several tools return.
var healthMembers = []string{"kind", "score", "grade", "confidence", "computedAt", "improve", "caps", "risks"}

func newReport(status string, ref registry.RepoRef) document {
	out := document{"status": status, "repository": ref.URL(), "warnings": []string{},
		"members": []memberEntry{}, "improve": []any{}, "caps": []any{}, "risks": []any{}}
	for _, name := range []string{"id", "name", "url", "kind", "checkedAt", "reason", "retryAfterSeconds",
		"score", "grade", "confidence", "computedAt"} {
		out[name] = nil
	}
	return out
}

// reportOfListed returns the report of the server of a repository that a URL selects.
func (s *source) reportOfListed(
	items []*catalog.Item, ref registry.RepoRef,
) (*document, error) {
	at, folder := catalog.Among(items, ref)
	out := newReport("listed", ref)
	out["checkedAt"] = second(new(items[max(at, 0)].CrawledAt()))
	if folder != "" {
		out["warnings"] = []string{
			"The repository has no separate server at " + brief(folder, maxDescription) + "."}
	}
	if len(items) > 1 {
		var all []memberEntry
		for _, i := range items[:min(len(items), maxParts)] {
			all = append(all, memberOf(i.Summary()))
		}
		out["members"] = all
	}
	if at < 0 {
		out["reason"] = "The repository has several servers, but none in this folder."
		return &out, nil
	}
	r, err := items[at].Record()
	if err != nil {
		return nil, err
	}
	out["id"], out["url"] = r.Slug, s.pageURL(r.Slug)
	return &out, s.addHealth(out, r)
}

// reportOf returns the report of a repository that is not listed.
func (s *source) reportOf(res registry.CheckResult) (*document, error) {
	out := newReport("checked", res.Ref)
	out["checkedAt"] = second(&res.At)
	if res.Reason != "" {
		out["reason"] = brief(res.Reason, maxDescription)
	}
	out["kind"] = api.Known(res.Kind)
	warnings := []string{}
	for _, w := range res.Warnings {
		warnings = append(warnings, brief(w, maxDescription))
	}
	out["warnings"] = warnings
	if len(res.Servers) > 1 {
		var all []memberEntry
		for i := range res.Servers[:min(len(res.Servers), maxParts)] {
			all = append(all, memberOf(&res.Servers[i].Server))
		}
		out["members"] = all
	}
	at, _ := res.Chosen()
	switch {
	case res.Status == registry.CheckPending:
		out["status"] = "pending"
		out["retryAfterSeconds"] = int(math.Ceil(max(time.Second, res.RetryAfter).Seconds()))
	case res.Status == registry.CheckNotFound:
		out["status"], out["reason"] = "not_found", "No public repository "+res.Ref.String()+"."
	case res.Blocked != "":
		out["status"] = "blocked"
	case res.Empty:
		out["status"] = "empty"
	case at < 0:
		out["status"] = "not_a_server"
	default:
		return &out, s.addHealth(out, &res.Servers[at].Server)
	}
	return &out, nil
}

func memberOf(r *registry.Server) memberEntry {
	return memberEntry{ID: api.Known(r.Slug), Name: brief(r.Name, maxName),
		Subfolder: api.Known(r.Subfolder), Score: r.Health.Score, ScoredAt: second(&r.Health.ComputedAt)}
}

func (s *source) addHealth(out document, r *registry.Server) error {
	r.Health.Improve = r.Health.Improve[:min(len(r.Health.Improve), maxImprovements)]
	report, err := s.api.Encoder().Health(r)
	if err != nil {
		return err
	}
	out["name"] = brief(cmp.Or(r.Name, r.Slug), maxName)
	if r.Health.Score == nil && out["reason"] == nil {
		out["reason"] = "Not enough data for a score."
	}
	return out.add(report, healthMembers, room-200)
}
