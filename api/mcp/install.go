package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mcpcensus/api"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxSnippet is the maximum length of a snippet or link, in bytes.
const maxSnippet = 4000

func (s *source) getInstallConfig(
	ctx context.Context, in getInstallConfigInput,
) (*getInstallConfigOutput, error) {
	r, warnings, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &getInstallConfigOutput{
		ID: r.Slug, Client: in.Client, Blanks: []blankEntry{}, Risks: risksOf(r),
		Warnings: warnings, LastCrawledAt: second(r.LastCrawledAt),
	}
	if r.Severity() != registry.SeverityHarmful {
		r = configureAccess(out, r, in)
	}
	if out.Snippet == nil && out.Command == nil && out.DeepLink == nil {
		reason := install.Missing(r)
		reason = cmp.Or(reason, "This client does not support the way the server is published.")
		out.Reason = api.Known(brief(reason, maxDescription))
		return out, nil
	}
	addBlanks(out, r)
	return out, nil
}

// configureAccess fills in the configuration with the wanted access, read-only by default, and
// returns the server with that. If the client has none that is read-only, it is the usual one.
func configureAccess(
	out *getInstallConfigOutput, r *registry.Server, in getInstallConfigInput,
) *registry.Server {
	wanted := cmp.Or(in.Access, install.AccessReadOnly)
	if s, ok := install.With(r, wanted); ok {
		if configure(out, s, in); out.Snippet != nil || out.Command != nil || out.DeepLink != nil {
			out.Access = &wanted
			if _, ok := install.With(r, install.AccessFull); ok && wanted == install.AccessReadOnly {
				out.Warnings = append(out.Warnings, `This is read-only. Pass access "full" for full access.`)
			}
			return s
		}
	}
	configure(out, r, in)
	if in.Access != "" {
		out.Warnings = append(out.Warnings, "No configuration with that access is known. This is the usual one.")
	}
	return r
}

// configure fills in the first configuration of the client, with the notes about its command. It
// omits snippets and links that are too long.
func configure(
	out *getInstallConfigOutput, r *registry.Server, in getInstallConfigInput,
) {
	all := slices.DeleteFunc(snippetsOn(in.OS, r), func(sn install.Snippet) bool {
		return sn.Client != in.Client || len(sn.Text) > maxSnippet || len(sn.URL) > maxSnippet
	})
	for _, sn := range all {
		switch {
		case sn.Via != all[0].Via:
		case sn.Kind == install.KindLink:
			out.DeepLink = cmp.Or(out.DeepLink, api.Known(sn.URL))
		case sn.Kind == install.KindCommand:
			out.Command = cmp.Or(out.Command, api.Known(sn.Text))
		case out.Snippet == nil:
			addFile(out, sn, in)
		}
	}
	out.isRemote = len(all) > 0 && all[0].Via == install.ViaRemote
	if len(all) > 0 && !out.isRemote {
		for _, note := range install.Notes(r) {
			out.Warnings = append(out.Warnings, brief(note, maxDescription))
		}
	}
	if out.Snippet == nil && out.Command != nil {
		out.Format = api.Known(install.KindCommand)
	}
}

// snippetsOn returns the snippets for a system, "" if it is unknown.
func snippetsOn(system string, r *registry.Server) []install.Snippet {
	all := install.Clients(r)
	for i, sn := range all {
		switch {
		case system == "windows":
			all[i] = sn.OnWindows()
		case system == "" && sn.Windows != "":
			all[i].Note = strings.TrimSpace(sn.Note + ` On Windows it differs: pass os "windows".`)
		}
	}
	return all
}

// addFile fills in the snippet for a file, or the values to enter in the client.
func addFile(
	out *getInstallConfigOutput, sn install.Snippet, in getInstallConfigInput,
) {
	out.Snippet, out.Format = api.Known(sn.Text), api.Known(sn.Kind)
	out.Note = api.Known(brief(sn.Note, maxDescription))
	if sn.Kind == install.KindManual {
		return
	}
	file, ok := install.FileOf(in.Client, in.OS, in.Scope)
	if !ok {
		file = sn.File
	}
	if in.Scope == "project" && !ok {
		out.Warnings = append(out.Warnings,
			"This client has no known project configuration. This is the user configuration.")
	}
	out.File = api.Known(file)
}

// addBlanks adds the values that the user must provide.
func addBlanks(out *getInstallConfigOutput, r *registry.Server) {
	for _, b := range install.Blanks(r) {
		out.Blanks = append(out.Blanks, blankEntry{
			Name: brief(b.Placeholder, maxName), Secret: b.IsSecret,
			Description: api.Known(brief(b.Description, maxSentence)),
		})
	}
	for _, v := range r.Variables {
		if !out.isRemote && (v.IsRequired || v.IsSecret) && !install.Fixes(r, v.Name) {
			out.Blanks = append(out.Blanks, blankEntry{
				Name: brief(v.Name, maxName), Secret: v.IsSecret,
				Description: api.Known(brief(v.Description, maxSentence)),
			})
		}
	}
	all := out.Blanks
	out.Blanks = []blankEntry{}
	n := min(fit(out, all), 30)
	if out.Blanks = all[:min(n, len(all))]; n < len(all) {
		out.Warnings = append(out.Warnings, text.Count(len(all)-n, "value")+" to fill in omitted.")
	}
}
