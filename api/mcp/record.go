package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Limits of lists in a record.
const (
	maxTags  = 20
	maxParts = 10 // packages, endpoints, suspicious texts
)

// getServer implements the tool get_server.
func (s *source) getServer(
	_ context.Context, in getServerInput,
) (*getServerOutput, error) {
	_, r, warnings, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	from, err := s.resume(in.Cursor, "get_server", r.Slug)
	if err != nil {
		return nil, err
	}
	out := s.recordOf(r)
	out.Risks, out.Warnings = risksOf(r), warnings
	var names []toolNameEntry
	for _, t := range r.Tools[min(from, len(r.Tools)):] {
		names = append(names, toolNameEntry{
			Name: brief(t.Name, maxName), Summary: brief(firstSentence(t.Description), maxSentence),
		})
	}
	out.ToolNames = []toolNameEntry{}
	out.ToolsNextCursor = s.seal("get_server", r.Slug, len(r.Tools))
	n := fit(out, names)
	if out.ToolNames = list(names[:n]); n < len(names) {
		out.ToolsNextCursor = s.seal("get_server", r.Slug, from+n)
	} else {
		out.ToolsNextCursor = nil
	}
	return out, nil
}

// recordOf returns the record of a server without its tools, risks and warnings.
func (s *source) recordOf(r *registry.Server) *getServerOutput {
	out := &getServerOutput{
		ID: r.Slug, Name: brief(cmp.Or(r.Name, r.Slug), maxName), RegistryName: known(r.RegistryName),
		Description: brief(r.Description, 1000), Category: r.Category, Tags: []string{},
		SDK: known(r.SDK), Language: known(r.Language), License: known(brief(r.License, maxName)),
		LicenseSource: known(r.LicenseFrom), VersionSource: known(r.VersionFrom),
		VersionReadAt: second(r.VersionAt),
		Score:         r.Health.Score, Grade: known(r.Health.Grade), Confidence: known(r.Health.Confidence),
		Popularity: r.Popularity.Score, Stars: r.Stars, Downloads: r.Downloads, Status: r.Status,
		StatusMessage: known(brief(r.StatusMessage, maxDescription)),
		Successor:     known(brief(r.SuccessorURL, maxDescription)),
		Official:      r.Official, Verified: r.Verified,
		CopyOf:      known(r.OriginalOf(registry.CopyOf)),
		LookAlikeOf: known(r.OriginalOf(registry.LookAlike)),
		Homepage:    known(brief(r.Homepage, maxDescription)),
		Transports:  list(r.Transports), Packages: []packageEntry{},
		Remotes: []remoteEntry{}, Credentials: credentialsOf(r), Install: launchOf(r),
		LatestVersion: known(brief(r.LatestVersion, maxName)),
		ReleasedAt:    r.ReleasedAt, LastCommitAt: r.LastCommitAt, LastCrawledAt: second(r.LastCrawledAt),
		ScoredAt: second(r.ScoredAt), DownloadsAt: second(r.DownloadsAt), Tools: weightOf(r),
		SuspiciousTexts: suspiciousOf(r), URL: s.pageURL(r.Slug),
	}
	if r.Repo.Owner != "" {
		out.Repository = known(r.Repo.URL())
		if r.Subfolder != "" {
			out.Repository = known(cmp.Or(r.Repo.Ref().TreeURL(r.Repo.DefaultBranch, r.Subfolder), r.Repo.URL()))
		}
	}
	if r.Copy != nil {
		out.CopySince = second(&r.Copy.Since)
	}
	if out.Install == nil {
		out.InstallReason = known(brief(install.Missing(r), maxDescription))
	}
	for _, t := range r.Tags[:min(len(r.Tags), maxTags)] {
		out.Tags = append(out.Tags, brief(t, maxName))
	}
	for _, p := range r.Packages[:min(len(r.Packages), maxParts)] {
		out.Packages = append(out.Packages, packageEntry{
			Type: p.RegistryType, Identifier: brief(p.Identifier, maxDescription),
			Version: known(brief(p.Version, maxName)), Inspection: inspectionOf(p.Inspection),
		})
	}
	for _, e := range r.Remotes[:min(len(r.Remotes), maxParts)] {
		entry := remoteEntry{Type: e.Type, URL: brief(e.URL, maxDescription)}
		if e.Liveness != nil {
			entry.Liveness = known(registry.LivenessOf(e.Liveness.State))
			entry.CheckedAt = second(&e.Liveness.CheckedAt)
			entry.Uptime30, entry.Probes = e.Liveness.Uptime30, &e.Liveness.Probes
		}
		out.Remotes = append(out.Remotes, entry)
	}
	return out
}

// inspectionOf returns an inspection without its lists, nil for nil.
func inspectionOf(i *registry.Inspection) *inspectionEntry {
	if i == nil {
		return nil
	}
	return &inspectionEntry{Outcome: i.Outcome, Detail: known(brief(i.Detail, maxSentence)),
		Version: known(brief(i.Version, maxName)), At: second(&i.At)}
}

// firstSentence returns a text up to its first full stop or empty line.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n\n")
	if at := strings.Index(s, ". "); at > 0 {
		s = s[:at+1]
	}
	return s
}

// listTools implements the tool list_tools.
func (s *source) listTools(
	_ context.Context, in listToolsInput,
) (*listToolsOutput, error) {
	_, r, warnings, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	input := []any{r.Slug, in.WithSchemas}
	from, err := s.resume(in.Cursor, "list_tools", input)
	if err != nil {
		return nil, err
	}
	if r.Tools == nil {
		warnings = append(warnings, "The tools of this server are unknown.")
	}
	out := &listToolsOutput{
		ID: r.Slug, Tools: []toolEntry{}, Total: r.ToolCount, Tokens: r.ToolTokens,
		Source: known(r.ToolsFrom), Version: known(brief(r.ToolsVersion, maxName)), ReadAt: second(r.ToolsAt),
		Risks: risksOf(r), SuspiciousTexts: suspiciousOf(r), Warnings: warnings,
		NextCursor: s.seal("list_tools", input, len(r.Tools)),
	}
	var all []toolEntry
	for _, t := range r.Tools[min(from, len(r.Tools)):] {
		all = append(all, toolOf(t, in.WithSchemas))
	}
	n := fit(out, all)
	if n == 0 && len(all) > 0 { // the schema alone is too large
		all[0].InputSchema, n = nil, 1
		out.Warnings = append(out.Warnings, "The input schema of "+all[0].Name+" is too large and was omitted.")
	}
	if out.Tools = list(all[:n]); n < len(all) {
		out.NextCursor = s.seal("list_tools", input, from+n)
	} else {
		out.NextCursor = nil
	}
	return out, nil
}

func toolOf(t registry.Tool, withSchema bool) toolEntry {
	e := toolEntry{Name: brief(t.Name, maxName),
		Description: text.Shorten(clean(t.Description), maxToolText),
		Tokens:      tokensOf(t), Hash: known(t.Hash)}
	if a := t.Annotations; a != nil {
		e.ReadOnly, e.Destructive = a.ReadOnly, a.Destructive
	}
	if withSchema {
		var object map[string]any
		e.InputSchema = json.RawMessage("null")
		if json.Unmarshal(t.InputSchema, &object) == nil && object != nil {
			e.InputSchema = cleanJSON(t.InputSchema)
		}
	}
	return e
}
