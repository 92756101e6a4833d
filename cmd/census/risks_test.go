package main

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/internal/cli"
	"mcpcensus/internal/registry"
)

// An offer is how an output offers the installation of a server.
type offer struct {
	fold       string // the summary that the page folds it into, "" if it is open
	isAdvised  bool   // the Markdown has no warning beside the command
	hasCommand bool   // Markdown, the API and MCP have the command or a configuration
	isRefused  bool   // by the command line without --anyway
	isBlocked  bool   // by the command line with --anyway
}

// offers are those of servers with a command, by the severity of their worst risk.
var offers = map[string]offer{
	"":                       {isAdvised: true, hasCommand: true},
	registry.SeverityNotice:  {isAdvised: true, hasCommand: true},
	registry.SeverityCaution: {fold: "Install anyway", hasCommand: true, isRefused: true},
	registry.SeverityHarmful: {fold: "Show install anyway", isRefused: true, isBlocked: true},
}

// TestRisksDecideInstallation checks that pages, Markdown, the API, MCP and the command line offer
// the installation of a server in the same way, which follows from its worst risk.
func TestRisksDecideInstallation(t *testing.T) {
	w := newCrawledEnvironment(t)
	o := w.outputs()
	seen := map[string]int{}
	for name, servers := range o.servers {
		for _, s := range servers {
			if s.InstallCommand == "" {
				continue
			}
			severity := s.Severity()
			seen[severity]++
			o.offer(name, s, offers[severity])
		}
	}
	for _, severity := range []string{"", registry.SeverityCaution, registry.SeverityHarmful} {
		if seen[severity] == 0 {
			t.Errorf("no server with a command has the severity %q", severity)
		}
	}
}

func (o *outputs) offer(name string, s *registry.Server, want offer) {
	page := html.UnescapeString(o.get("/servers/" + s.Slug))
	for _, offer := range offers {
		if fold := "<summary>" + offer.fold + "</summary>"; offer.fold != "" &&
			strings.Contains(page, fold) != (offer.fold == want.fold) {
			o.t.Errorf("%s: the page has %s: %t", name, fold, offer.fold != want.fold)
		}
	}
	md := o.get("/servers/" + s.Slug + ".md")
	if strings.Contains(md, "Not recommended") != (!want.isAdvised && want.hasCommand) {
		o.t.Errorf("%s: the Markdown warns: %t", name, want.isAdvised)
	}
	var record struct {
		Install struct {
			Command *string
			Clients map[string]any
		}
	}
	o.decode(o.get("/v1/servers/"+s.Slug), &record)
	result, err := o.session.CallTool(context.Background(), &mcp.CallToolParams{Name: "get_install_config",
		Arguments: map[string]any{"id": s.Slug, "client": "cursor"}})
	if err != nil {
		o.t.Fatal(err)
	}
	answer, err := json.Marshal(result.StructuredContent)
	if err != nil {
		o.t.Fatal(err)
	}
	var config struct{ Snippet, DeepLink, Command *string }
	o.decode(string(answer), &config)
	for output, has := range map[string]bool{
		"Markdown": strings.Contains(md, s.InstallCommand), "record": record.Install.Command != nil,
		"clients": len(record.Install.Clients) > 0, "MCP": config.Snippet != nil || config.DeepLink != nil,
	} {
		if has != want.hasCommand {
			o.t.Errorf("%s: %s has a command: %t", name, output, has)
		}
	}
	if got := o.installs(s); got == want.isRefused {
		o.t.Errorf("%s: the command line installs it: %t", name, got)
	}
	if got := o.installs(s, "--anyway"); got == want.isBlocked {
		o.t.Errorf("%s: the command line installs it with --anyway: %t", name, got)
	}
}

// installs reports whether the command line installs a server.
func (o *outputs) installs(s *registry.Server, options ...string) bool {
	dir := o.t.TempDir()
	var errs bytes.Buffer
	program := cli.Program{Name: "mcpcensus", Version: "1", Stdin: strings.NewReader(""), Stdout: io.Discard,
		Stderr: &errs, Home: dir, Dir: dir, OS: "linux", Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"CENSUS_URL": o.address, "CENSUS_API_KEY": o.key}[name]
		}}
	status := program.Run(context.Background(),
		append([]string{"install", s.Slug, "--client", "cursor", "--yes", "--min-score", "0"}, options...))
	return status == 0
}
