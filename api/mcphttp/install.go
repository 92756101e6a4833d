package mcphttp

import (
	"context"
	"strings"

	"mcpcensus/internal/install"
	"mcpcensus/internal/mcpserver"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxSnippet is the length of the longest snippet or link of a result, in bytes.
const maxSnippet = 4000

// GetInstallConfig implements the tool get_install_config.
func (s *Source) GetInstallConfig(
	_ context.Context, in mcpserver.GetInstallConfigInput,
) (*mcpserver.GetInstallConfigOutput, error) {
	_, r, warnings, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	out := &mcpserver.GetInstallConfigOutput{
		ID: r.Slug, Client: in.Client, Blanks: []mcpserver.BlankEntry{}, Warnings: warnings,
	}
	if malware(r) {
		out.Reason = known("The server is known malware. There is no configuration for it.")
		return out, nil
	}
	configure(out, install.Clients(r), in)
	if out.Snippet == nil && out.Command == nil && out.DeepLink == nil {
		reason := install.Missing(r)
		if reason == "" {
			reason = "This client cannot use the server in the form in which it is published."
		}
		out.Reason = known(brief(reason, maxDescription))
		return out, nil
	}
	addBlanks(out, r)
	return out, nil
}

func malware(r *registry.Server) bool {
	for _, c := range r.Health.Caps {
		if c.ID == "malware" {
			return true
		}
	}
	return false
}

// configure fills in the first way in which the client is set up. Snippets and links that
// are too long are left out.
func configure(
	out *mcpserver.GetInstallConfigOutput, all []install.Snippet, in mcpserver.GetInstallConfigInput,
) {
	via := ""
	for _, sn := range all {
		if sn.Client != in.Client || via != "" && sn.Via != via ||
			len(sn.Text) > maxSnippet || len(sn.URL) > maxSnippet {
			continue
		}
		via = sn.Via
		switch sn.Kind {
		case install.KindLink:
			if out.DeepLink == nil {
				out.DeepLink = known(sn.URL)
			}
		case install.KindCommand:
			if out.Command == nil {
				out.Command = known(sn.Text)
			}
		default:
			if out.Snippet == nil {
				out.Snippet, out.Format = known(sn.Text), known(sn.Kind)
				file, ok := install.FileOf(in.Client, in.OS, in.Scope)
				if !ok {
					file = sn.File
				}
				if in.Scope == "project" && !ok {
					out.Warnings = append(out.Warnings,
						"The client has no configuration of a project. This is the user's.")
				}
				out.File, out.Note = known(file), known(brief(sn.Note, maxDescription))
			}
		}
	}
	if out.Snippet == nil && out.Command != nil {
		out.Format = known(install.KindCommand)
	}
	if out.Note != nil && strings.TrimSpace(*out.Note) == "" {
		out.Note = nil
	}
}

// addBlanks adds the values that only the user knows.
func addBlanks(out *mcpserver.GetInstallConfigOutput, r *registry.Server) {
	for _, b := range install.Blanks(r) {
		out.Blanks = append(out.Blanks, mcpserver.BlankEntry{
			Name: brief(b.Placeholder, maxName), Secret: b.IsSecret,
			Description: known(brief(b.Description, maxSentence)),
		})
	}
	for _, v := range r.Variables {
		if v.IsRequired || v.IsSecret {
			out.Blanks = append(out.Blanks, mcpserver.BlankEntry{
				Name: brief(v.Name, maxName), Secret: v.IsSecret || secretName.MatchString(v.Name),
				Description: known(brief(v.Description, maxSentence)),
			})
		}
	}
	all := out.Blanks
	out.Blanks = []mcpserver.BlankEntry{}
	n := min(mcpserver.Fit(out, all), 30)
	if out.Blanks = all[:min(n, len(all))]; n < len(all) {
		out.Warnings = append(out.Warnings, text.Count(len(all)-n, "value")+" to fill in left out.")
	}
}
