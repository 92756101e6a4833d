package main

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/internal/cli"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
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

// risky give a server with a package one kind of risk, or another reason not to be installed.
var risky = map[string]func(s *registry.Server, at time.Time){
	"malware":             capped("malware"),
	"hidden-instructions": capped("hidden_instructions"),
	"dead":                capped("remote_dead"),
	"vulnerable":          capped("vuln_dep"),
	"deprecated":          func(s *registry.Server, _ time.Time) { s.Status = registry.StatusArchived },
	"not-mcp":             flagged("not_mcp"),
	"copy": func(s *registry.Server, at time.Time) {
		s.Copy = &registry.Copy{Of: "octo-labs-weather-mcp", Kind: registry.CopyOf, Since: at}
	},
	"look-alike": func(s *registry.Server, at time.Time) {
		s.Copy = &registry.Copy{Of: "octo-labs-weather-mcp", Kind: registry.LookAlike, Since: at}
	},
	"suspicious-text": func(s *registry.Server, at time.Time) {
		s.Health.Flags = append(s.Health.Flags, "suspicious_text")
		s.Suspicious = []registry.SuspiciousText{{Rule: "R4", Tool: "a", Source: "run", ReadAt: &at}}
	},
	registry.RiskEndpointDown: func(s *registry.Server, at time.Time) {
		s.Health.Flags, s.Liveness = append(s.Health.Flags, "endpoint_down"), registry.LivenessDown
		s.Remotes = []registry.Remote{{Type: registry.TransportHTTP, URL: "https://down.example/mcp",
			Liveness: &registry.Liveness{State: registry.ProbeUnreachable, Since: at, CheckedAt: at}}}
	},
	registry.RiskToolsChanged: func(s *registry.Server, at time.Time) {
		s.Health.Flags = append(s.Health.Flags, "tools_changed")
		s.SilentChange = &registry.SilentChange{Source: registry.ToolsFromProbe, Version: "1.0", At: at}
	},
	"package of another": func(s *registry.Server, _ time.Time) {
		s.Packages[0].Doubt, s.InstallCommand = registry.DoubtForeign, ""
	},
}

func capped(id string) func(*registry.Server, time.Time) {
	return func(s *registry.Server, _ time.Time) {
		s.Health.Caps = []registry.Cap{{ID: id, Max: 19, Reason: "A reason."}}
	}
}

func flagged(flag string) func(*registry.Server, time.Time) {
	return func(s *registry.Server, _ time.Time) { s.Health.Flags = append(s.Health.Flags, flag) }
}

// TestRisksDecideInstallation checks that pages, Markdown, the API, MCP and the command line offer
// the installation of a server in the same way, which follows from its worst risk.
func TestRisksDecideInstallation(t *testing.T) {
	w := newCrawledEnvironment(t)
	w.addRisks()
	o := w.outputs()
	seen, riskless := map[string]int{}, o.servers["harbor-data/postgres-navigator"][0].Slug
	for name, servers := range o.servers {
		for _, s := range servers {
			if len(s.Packages) > 0 && s.Packages[0].Doubt == registry.DoubtForeign {
				o.offer(name, s, offer{isRefused: true, isBlocked: true})
				seen["package of another"]++
			}
			if s.InstallCommand == "" {
				continue
			}
			seen[""]++
			for _, r := range s.Risks() {
				seen[r.Kind]++
			}
			o.offer(name, s, offers[s.Severity()])
		}
		for _, s := range servers {
			if len(s.Risks()) > 0 {
				o.saysRisks(s, riskless)
			}
		}
	}
	for _, kind := range append(slices.Collect(maps.Keys(risky)), registry.RiskKinds...) {
		if seen[kind] == 0 {
			t.Errorf("no server is an example of %q", kind)
		}
	}
}

// addRisks gives a server without risks, with an npm package, each of risky.
func (w *environment) addRisks() {
	servers, _, _, err := w.db.RecordsAfter(w.t.Context(), 0, 10_000)
	if err != nil {
		w.t.Fatal(err)
	}
	kinds := slices.Sorted(maps.Keys(risky))
	for _, stored := range servers {
		if len(kinds) == 0 || len(stored.Risks()) > 0 || !strings.HasPrefix(stored.InstallCommand, "npx ") {
			continue
		}
		var s registry.Server
		if err := json.Unmarshal(stored.Record, &s); err != nil {
			w.t.Fatal(err)
		}
		risky[kinds[0]](&s, environmentTime)
		kinds = kinds[1:]
		record, err := json.Marshal(s)
		if err != nil {
			w.t.Fatal(err)
		}
		pgtest.Exec(w.t, w.db, `UPDATE servers SET record = $1 WHERE id = $2`, record, stored.ID)
	}
	if len(kinds) > 0 {
		w.t.Fatalf("no servers are left for %q", kinds)
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
	isHarmful := want.fold == offers[registry.SeverityHarmful].fold
	if _, prose, found := strings.Cut(page, `<div class="prose">`); found &&
		strings.HasPrefix(prose, "<p><a href=\"/servers/"+s.Slug+"/readme") != (want.fold != "") {
		o.t.Errorf("%s: the page shows the beginning of its README: %t", name, want.fold != "")
	}
	if readme := o.get("/servers/" + s.Slug + "/readme"); strings.Contains(readme, `<div class="prose">`) &&
		strings.Contains(readme, "<summary>Show README anyway</summary>") != isHarmful {
		o.t.Errorf("%s: its README is folded: %t", name, !isHarmful)
	}
	md, command := o.get("/servers/"+s.Slug+".md"), s.InstallCommand
	if command == "" {
		command = "npx -y " + s.Packages[0].Identifier
	}
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
		"Markdown": strings.Contains(md, command), "record": record.Install.Command != nil,
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

// saysRisks checks that all outputs have the same risks of a server, with the same sentences and the
// same server to use instead. riskless is the slug of another one, without risks.
func (o *outputs) saysRisks(s *registry.Server, riskless string) {
	want := s.Risks()
	for i := range want {
		if at := want[i].At; at != nil {
			want[i].At = new(at.Truncate(time.Second))
		}
	}
	page := html.UnescapeString(o.get("/servers/" + s.Slug))
	md, compared := o.get("/servers/"+s.Slug+".md"), html.UnescapeString(o.get("/compare?s="+s.Slug))
	shown, _ := o.command(o.t.TempDir(), "show", s.Slug)
	audited := o.audits(s.InstallCommand)
	for _, r := range want {
		for output, has := range map[string]bool{
			"page": strings.Contains(page, "<b>"+r.Text+"</b>"), "Markdown": strings.Contains(md,
				"**"+format.Markdown(r.Text)+"**"), "comparison": strings.Contains(compared, r.String()),
			"mcpcensus show":  strings.Contains(shown, r.String()),
			"mcpcensus audit": s.InstallCommand == "" || strings.Contains(audited, r.String()),
		} {
			if !has {
				o.t.Errorf("%s: %s lacks %q", s.Slug, output, r.String())
			}
		}
	}
	bodies := map[string]string{"/v1": o.get("/v1/servers/" + s.Slug),
		"/api":  o.get("/api/health?server=" + s.Slug),
		"/v0.1": string(o.entries[path.Join(s.Repo.Owner, s.Repo.Name, s.Subfolder)])}
	for name, arguments := range map[string]map[string]any{"get_server": {"id": s.Slug},
		"compare_servers": {"ids": []string{s.Slug, riskless}}} {
		result, err := o.session.CallTool(o.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			o.t.Fatal(err)
		}
		b, err := json.Marshal(result.StructuredContent)
		if err != nil {
			o.t.Fatal(err)
		}
		bodies[name] = string(b)
	}
	for output, body := range bodies {
		if output == "/v0.1" && body == "" {
			continue // not listed there, because no client can use it
		}
		got := risksIn(o, body)
		for i := range got {
			if at := got[i].At; at != nil {
				got[i].At = new(at.Truncate(time.Second))
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			o.t.Errorf("%s: %s: %s%.200s", s.Slug, output, d, body)
		}
	}
}

// risksIn returns the first list of risks in JSON.
func risksIn(o *outputs, body string) (all []registry.Risk) {
	_, list, found := strings.Cut(body, `"risks":`)
	if !found {
		return nil
	}
	if err := json.NewDecoder(strings.NewReader(list)).Decode(&all); err != nil {
		o.t.Fatalf("%v: %.300s", err, list)
	}
	return all
}

// installs reports whether the command line installs a server. A refusal names the risks.
func (o *outputs) installs(s *registry.Server, options ...string) bool {
	out, status := o.command(o.t.TempDir(), append([]string{"install", s.Slug, "--client", "cursor", "--yes",
		"--min-score", "0"}, options...)...)
	for _, r := range s.Risks() {
		if status != 0 && !strings.Contains(out, r.String()) {
			o.t.Errorf("%s: mcpcensus install %q lacks %q: %s", s.Slug, options, r.String(), out)
		}
	}
	return status == 0
}

// audits returns what the command line says of a project that is configured to run a command.
func (o *outputs) audits(command string) string {
	dir, words := o.t.TempDir(), strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	b, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"a": map[string]any{
		"command": words[0], "args": words[1:]}}})
	if err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), b, 0o600); err != nil {
		o.t.Fatal(err)
	}
	out, _ := o.command(dir, "audit", "--project")
	return out
}

// command runs the command line in a folder and returns what it writes and its status.
func (o *outputs) command(dir string, args ...string) (out string, status int) {
	var b bytes.Buffer
	program := cli.Program{Name: "mcpcensus", Version: "1", Stdin: strings.NewReader(""), Stdout: &b,
		Stderr: &b, Home: dir, Dir: dir, OS: "linux", Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"CENSUS_URL": o.address, "CENSUS_API_KEY": o.key}[name]
		}}
	status = program.Run(context.Background(), args)
	return strings.Join(strings.Fields(b.String()), " "), status
}
