package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxParts is the maximum number of items in most lists of results.
const maxParts = 10

// recordMembers are the members of the API's record that get_server returns. The others are
// derived, or have tools of their own.
var recordMembers = []string{
	"name", "registryName", "title", "description", "descriptionSource", "kind", "category",
	"tags", "sdk", "framework", "language", "license", "licenseSource", "healthScore", "grade", "confidence", "scoredAt",
	"popularity", "stars", "downloads", "downloadsPeriod", "downloadsAt", "status",
	"statusMessage", "successor", "official", "verified", "copyOf", "lookAlikeOf", "copySince",
	"repository", "homepage", "transports", "packages", "remotes", "liveness", "livenessAt",
	"environmentVariables", "latestVersion", "latestVersionSource", "releasedAt", "lastCommitAt",
	"lastCrawledAt", "toolCount", "toolTokens", "toolList", "capabilities", "suspiciousTexts", "risks",
}

func (s *source) getServer(ctx context.Context, in getServerInput) (*document, error) {
	r, warnings, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	from, err := s.resume(in.Cursor, "get_server", r.Slug)
	if err != nil {
		return nil, err
	}
	r.Suspicious = quoted(r.Suspicious)
	record, err := s.api.Encoder().Detail(r)
	if err != nil {
		return nil, err
	}
	out := document{
		"id": r.Slug, "url": s.pageURL(r.Slug), "credentials": credentialsOf(r),
		"install": launchOf(r), "installReason": nil, "warnings": warnings,
		"toolNames": []toolNameEntry{}, "toolsNextCursor": s.seal("get_server", r.Slug, len(r.Tools)),
	}
	if launchOf(r) == nil {
		out["installReason"] = api.Known(brief(install.Missing(r), maxDescription))
	}
	if err := out.add(record, recordMembers, room/2); err != nil {
		return nil, err
	}
	var names []toolNameEntry
	for _, t := range r.Tools[min(from, len(r.Tools)):] {
		names = append(names, toolNameEntry{
			Name:    brief(t.Name, maxName),
			Summary: brief(firstSentence(t.Description), maxSentence), Conditional: conditionalOf(t),
		})
	}
	n := fit(out, names)
	if out["toolNames"] = api.EmptyList(names[:n]); n < len(names) {
		out["toolsNextCursor"] = s.seal("get_server", r.Slug, from+n)
	} else {
		out["toolsNextCursor"] = nil
	}
	return &out, nil
}

// quoted returns suspicious texts in which [clean] leaves comments.
func quoted(texts []registry.SuspiciousText) []registry.SuspiciousText {
	all := []registry.SuspiciousText{}
	for _, t := range texts[:min(len(texts), maxParts)] {
		t.Quote = brief(strings.ReplaceAll(t.Quote, "<!--", "<U+003C>!--"), maxDescription)
		all = append(all, t)
	}
	return all
}

// firstSentence returns a text up to its first full stop or empty line.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n\n")
	if at := strings.Index(s, ". "); at > 0 {
		s = s[:at+1]
	}
	return s
}

func (s *source) listTools(
	ctx context.Context, in listToolsInput,
) (*listToolsOutput, error) {
	r, warnings, err := s.find(ctx, in.ID)
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
	} else if r.ToolsPartial {
		warnings = append(warnings, "A start of the server may have more or fewer tools than are known.")
	}
	out := &listToolsOutput{
		ID: r.Slug, Tools: []toolEntry{}, Total: r.ToolCount, Tokens: r.ToolTokens,
		Complete: r.HasAllTools(), Source: api.Known(r.ToolsFrom),
		Version: api.Known(brief(r.ToolsVersion, maxName)), ReadAt: second(r.ToolsAt),
		Risks: risksOf(r), SuspiciousTexts: quoted(r.Suspicious), Warnings: warnings,
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
	if out.Tools = api.EmptyList(all[:n]); n < len(all) {
		out.NextCursor = s.seal("list_tools", input, from+n)
	} else {
		out.NextCursor = nil
	}
	return out, nil
}

// conditionalOf returns the condition under which the server registers a tool, "" for none.
func conditionalOf(t registry.Tool) string {
	if t.Conditional == nil {
		return ""
	}
	return brief(t.Conditional.String(), maxName)
}

func toolOf(t registry.Tool, withSchema bool) toolEntry {
	e := toolEntry{Name: brief(t.Name, maxName),
		Description: text.Shorten(clean(t.Description), maxToolText),
		Tokens:      tokensOf(t), Hash: api.Known(t.Hash), Conditional: conditionalOf(t)}
	effect := t.Effect()
	e.Effect, e.Basis = effect.Effect, effect.Basis
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

// dangerous reports whether a server has one of [catalog.Dangers]. Such servers are shown by ID only.
func dangerous(s *registry.Server) bool { return registry.HasRisk(s.Risks(), catalog.Dangers...) }

// withheld counts servers that are not shown, and collects their risks.
type withheld struct {
	count int
	kinds []string
}

func (w *withheld) add(i *catalog.Item) {
	w.count++
	for _, kind := range catalog.Dangers {
		if i.HasRisk(kind) && !slices.Contains(w.kinds, kind) {
			w.kinds = append(w.kinds, kind)
		}
	}
}

// warnings returns a sentence about what is not shown, none if no server was added.
func (w *withheld) warnings(what string) []string {
	if w.count == 0 {
		return nil
	}
	slices.Sort(w.kinds)
	return []string{"Not shown: " + what + " with risks: " + strings.Join(w.kinds, ", ") + "."}
}

// conditionOf returns whether a server can be used. It needs the fields of
// [mcpcensus/internal/catalog.Item.Summary].
func conditionOf(s *registry.Server) condition {
	return condition{Liveness: api.Known(s.Liveness), LivenessAt: second(s.LivenessAt()),
		Risks: risksOf(s)}
}

// risksOf returns copies of the reasons not to use a server; never nil.
func risksOf(s *registry.Server) []registry.Risk {
	all := []registry.Risk{}
	for _, r := range s.Risks() {
		if r.Source != nil {
			r.Source = new(*r.Source)
		}
		if r.Instead != nil {
			r.Instead = new(brief(*r.Instead, maxDescription))
		}
		r.Text, r.At = brief(r.Text, 2*maxDescription), second(r.At)
		all = append(all, r)
	}
	return all
}
