package record

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

func TestSections(t *testing.T) {
	check := func(id, result string) registry.Check { return registry.Check{ID: id, Result: result} }
	r := Record{Prefix: "s2-", Server: &registry.Server{Health: registry.Health{
		Categories: []registry.HealthSection{{Checks: []registry.Check{check("a", "pass"),
			check("b", "fail"), check("c", "pass"), check("d", "notApplicable"), check("e", "partial")}}},
	}}}
	s := r.Sections()[0]
	ids := func(checks []Check) (all string) {
		for _, c := range checks {
			all += " " + c.Prefix + c.ID
		}
		return all
	}
	if ids(s.All) != " s2-b s2-e s2-d s2-a s2-c" || s.Summary() != "1 failed, 1 partial, 1 not applicable, 2 passed" {
		t.Errorf("%s: %s", ids(s.All), s.Summary())
	}
}

func TestCheck_Sources(t *testing.T) {
	c := Check{Check: registry.Check{Evidence: []registry.Evidence{
		{Ref: "README.md", URL: "https://e.example/a?b=1", Text: "words"},
		{Ref: strings.Repeat("0", 40), URL: "javascript:alert(1)"}, {Type: "package", Ref: "npm:weather"},
	}}}
	want := []Source{{"README.md", "https://e.example/a?b=1", "words"}, {Ref: strings.Repeat("0", 12)},
		{Ref: "npm:weather", Page: "https://deps.dev/npm/weather"}}
	if diff := cmp.Diff(want, c.Sources()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestHighlights(t *testing.T) {
	r := Record{Server: &registry.Server{Health: registry.Health{Categories: []registry.HealthSection{
		{Checks: []registry.Check{{ID: "a", Result: "pass", Points: 1, Max: 1}, {ID: "b", Result: "pass", Points: 5, Max: 5}, {ID: "c", Result: "unknown", Points: 1, Max: 9}}},
		{Checks: []registry.Check{{ID: "d", Result: "fail", Max: 2}, {ID: "e", Result: "partial", Points: 1, Max: 4}, {ID: "f", Result: "notApplicable"}, {ID: "i", Result: "partial"}, {ID: "j", Result: "pass"}, {ID: "g", Result: "pass", Points: 2, Max: 2}, {ID: "h", Result: "pass", Points: 3, Max: 3}}},
	}}}}
	ids := func(checks []registry.Check) (all string) {
		for _, c := range checks {
			all += c.ID
		}
		return all
	}
	if w := r.Highlights(); ids(w.Strengths) != "bhg" || ids(w.Weaknesses) != "ed" {
		t.Errorf("strengths %s, weaknesses %s", ids(w.Strengths), ids(w.Weaknesses))
	}
	offline := New(&registry.Server{Liveness: registry.LivenessDown, Health: registry.Health{
		Categories: []registry.HealthSection{{Checks: []registry.Check{
			{ID: "client_config", Result: "pass", Points: 3, Max: 3}, {ID: "ci", Result: "pass", Points: 1, Max: 1}}}}}})
	if w := offline.Highlights(); ids(w.Strengths) != "ci" {
		t.Errorf("strengths of an offline server: %s", ids(w.Strengths))
	}
	offline.Health.Caps = []registry.Cap{{ID: "malware"}}
	if w := offline.Highlights(); len(w.Strengths) > 0 {
		t.Errorf("strengths of a harmful server: %s", ids(w.Strengths))
	}
	for days, want := range map[int]string{89: "ci", 90: "commit_recencyci"} {
		scored := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
		young := New(&registry.Server{CreatedAt: scored.AddDate(0, 0, -days), Health: registry.Health{ComputedAt: scored,
			Categories: []registry.HealthSection{{Checks: []registry.Check{
				{ID: "commit_recency", Result: "pass", Points: 3, Max: 3}, {ID: "ci", Result: "pass", Points: 1, Max: 1}}}}}})
		if got := ids(young.Highlights().Strengths); got != want {
			t.Errorf("strengths after %d days: %s", days, got)
		}
	}
	if New(&registry.Server{}).Highlights() != nil {
		t.Error("a server without checks has highlights")
	}
}

func TestClients_notes(t *testing.T) {
	s := registry.Server{Slug: "weather", Repo: registry.Repository{Owner: "octo", Name: "weather"}}
	key := registry.Variable{Name: "WEATHER_KEY", IsRequired: true, IsSecret: true}
	s.Variables = []registry.Variable{key, {Name: "UNITS"}}
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}, EnvironmentVariables: s.Variables}}
	links := 0
	for _, x := range install.Clients(&s) {
		if x.Text == "" && !(Snippet{x}).InBrowser() {
			links++
			if !strings.Contains(x.Note, "WEATHER_KEY") || strings.Contains(x.Note, "UNITS") {
				t.Errorf("before the link of %s: %q", x.Name, x.Note)
			}
		}
	}
	if links < 5 {
		t.Errorf("%d links", links)
	}
	s.Variables, s.Packages[0].EnvironmentVariables = nil, nil
	for _, x := range install.Clients(&s) {
		if x.Text == "" && !(Snippet{x}).InBrowser() && x.Note != "" {
			t.Errorf("nothing is missing, and before the link of %s stands %q", x.Name, x.Note)
		}
	}
}

func TestDownloadsByType(t *testing.T) {
	n := int64(30)
	r := New(&registry.Server{DownloadsBy: map[string]int64{"npm": n},
		Packages: []registry.Package{{RegistryType: "npm"}, {RegistryType: "oci"}}})
	want := []Downloads{{"npm", &n}, {"oci", nil}}
	if d := cmp.Diff(want, r.DownloadsByType()); d != "" {
		t.Error(d)
	}
}

func TestSnippet_Href(t *testing.T) {
	for link, want := range map[string]bool{
		"cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=eyJ9": true,
		"vscode:mcp/install?%7B%7D":                                         true,
		"https://vscode.dev/redirect/mcp/install?name=x":                    true,
		"cursor://anysphere.cursor-deeplink/other":                          false,
		"vscode://file/etc/passwd":                                          false,
		"javascript:alert(1)":                                               false,
		"vscode:mcp/install?\"><script>":                                    false,
		"data:text/html,x":                                                  false,
		"goose://extension?cmd=x y":                                         false,
		"":                                                                  false,
	} {
		if got := (Snippet{install.Snippet{URL: link}}).Href() != ""; got != want {
			t.Errorf("Href of %q: %v, want %v", link, got, want)
		}
	}
}

func TestPackagePage(t *testing.T) {
	for _, c := range [][3]string{
		{"npm", "@octo/weather", "https://deps.dev/npm/@octo%2Fweather"},
		{"pypi", "mcp-server-git", "https://deps.dev/pypi/mcp-server-git"},
		{"go", "github.com/octo/weather", "https://deps.dev/go/github.com%2Focto%2Fweather"},
		{"oci", "ghcr.io/octo/weather:1.2.0", "https://github.com/octo/pkgs/container/weather"},
		{"oci", "docker.io/mcp/git@sha256:00", "https://hub.docker.com/r/mcp/git"},
		{"oci", "mcp/git", "https://hub.docker.com/r/mcp/git"},
		{"oci", "quay.io/octo/weather", ""},
		{"oci", "ghcr.io/../x", ""},
		{"oci", "ghcr.io/a/b?c", ""},
		{"oci", "", ""},
		{"npm", `"><script>alert(1)</script>`, "https://deps.dev/npm/%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E"},
		{"npm", strings.Repeat("a", 400), ""},
		{"mcpb", "https://octo.example/weather.mcpb", "https://octo.example/weather.mcpb"},
		{"mcpb", "javascript:alert(1)", ""},
		{"other", "x", ""},
	} {
		if got := packagePage(c[0], c[1]); got != c[2] {
			t.Errorf("%s %.40s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestRecord_WithFields(t *testing.T) {
	for name, tc := range map[string]struct {
		from, schema string
		noParameters bool
	}{
		"probe_object":       {registry.ToolsFromProbe, `{"type":"object"}`, true},
		"run_object":         {registry.ToolsFromRun, `{"type":"object","additionalProperties":false}`, true},
		"run_references":     {registry.ToolsFromRun, `{"type":"object","$ref":"#/$defs/a"}`, false},
		"run_alternatives":   {registry.ToolsFromRun, `{"type":"object","anyOf":[{"required":["a"]}]}`, false},
		"run_any_members":    {registry.ToolsFromRun, `{"type":"object","additionalProperties":true}`, false},
		"run_required":       {registry.ToolsFromRun, `{"type":"object","required":["a"]}`, false},
		"run_without_type":   {registry.ToolsFromRun, `{}`, false},
		"run_without_schema": {registry.ToolsFromRun, ``, false},
		"source_object":      {registry.ToolsFromSource, `{"type":"object"}`, false},
		"source_properties":  {registry.ToolsFromSource, `{"type":"object","properties":{}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(&registry.Server{ToolsFrom: tc.from,
				Tools: []registry.Tool{{Name: "a", InputSchema: []byte(tc.schema)}}})
			got := r.WithFields(r.Tools, 1000)[0]
			if got.NoParameters != tc.noParameters || r.NoParameters() == tc.noParameters {
				t.Errorf("none %v, of all tools %v", got.NoParameters, r.NoParameters())
			}
		})
	}
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{`{"properties":{"a":{"type":["string","null"]}}}`, `{"properties":[]}`, `{}`, `null`, `{"properties":{"a":1,"b":{"enum":[1,"x",null],"items":{"type":"array"}}},"required":[1]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		fields, known := Fields(schema)
		if len(fields) > maxFields || !known && fields != nil {
			t.Fatalf("%d fields, known %v", len(fields), known)
		}
	})
}

func TestWarnings(t *testing.T) {
	s := &registry.Server{Slug: "a", Status: registry.StatusArchived, Health: registry.Health{
		Caps: []registry.Cap{{ID: "vuln_dep", Reason: "CVE-1."}, {ID: "malware", Reason: "It steals keys."}}}}
	var got []string
	for _, w := range New(s).Warnings() {
		got = append(got, w.Kind+" "+w.Level()+" "+w.Link)
	}
	want := []string{"malware bad /servers/a/health#advisories",
		"vulnerable caution /servers/a/health#advisories", "deprecated caution "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
