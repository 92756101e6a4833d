package upstream

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// replay starts a server that replays recorded data of the public services, and returns its
// URL. CENSUS_REPLAY_URL is the URL of a running one.
func replay(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("CENSUS_REPLAY_URL"); url != "" {
		return url
	}
	shared := os.Getenv("CENSUS_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	source, corpus := filepath.Join(shared, "internet-replay"), filepath.Join(shared, "corpus")
	for _, need := range []string{filepath.Join(source, "server.mjs"), filepath.Join(corpus, "repos")} {
		if _, err := os.Stat(need); err != nil {
			t.Skipf("SKIPPED: no recorded services: %v; set CENSUS_SHARED to the folder that contains internet-replay and corpus, or CENSUS_REPLAY_URL", err)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed, which the recorded services need")
	}
	corpus = withVulnerabilities(t, corpus)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--prefer-offline")
		install.Dir = dir
		if out, err := install.CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: the recorded services could not be installed: %v\n%s", err, out)
		}
	}
	cmd := exec.Command(node, "server.mjs", "--corpus", corpus)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var ready struct {
		URL string `json:"url"`
	}
	if err != nil || json.Unmarshal(line, &ready) != nil {
		t.Fatalf("the recorded services did not start: %q %v", line, err)
	}
	return ready.URL
}

// withVulnerabilities returns a corpus with the same records and vulnerabilities of the
// canary and one recorded package.
func withVulnerabilities(t *testing.T, corpus string) string {
	t.Helper()
	corpus, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(corpus)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(corpus, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	flaw := func(id, name, fixed string) map[string]any {
		return map[string]any{"ecosystem": "npm", "name": name, "vuln": map[string]any{
			"id": id, "modified": "2026-01-01T00:00:00Z", "summary": "A flaw", "database_specific": map[string]any{"severity": "CRITICAL"},
			"affected": []any{map[string]any{"package": map[string]any{"ecosystem": "npm", "name": name}, "ranges": []any{
				map[string]any{"type": "SEMVER", "events": []any{map[string]any{"introduced": "0"}, map[string]any{"fixed": fixed}}}}}},
		}}
	}
	raw, err := json.Marshal([]any{flaw("GHSA-canary", OSVCanary.Name, "4.17.5"), flaw("GHSA-flaw", vulnerable, "999.0.0")})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "vulns.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// vulnerable is a recorded package.
const vulnerable = "firecrawl-mcp"

func TestReplay(t *testing.T) {
	base := replay(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	dd, err := NewDepsDev(Options{Base: base + "/deps-dev"})
	if err != nil {
		t.Fatal(err)
	}
	osv, err := NewOSV(Options{Base: base + "/osv"})
	if err != nil {
		t.Fatal(err)
	}
	npm, err := NewNPMDownloads(Options{Base: base + "/npm-downloads"})
	if err != nil {
		t.Fatal(err)
	}
	pypi, err := NewPyPIStats(Options{Base: base + "/pypistats"})
	if err != nil {
		t.Fatal(err)
	}
	e := &Enricher{DepsDev: dd, OSV: osv, NPM: npm, PyPI: pypi}

	packages := map[registry.PackageKey]bool{}
	t.Run("registry", func(t *testing.T) {
		m := newTestRegistry(t, base+"/mcp-registry", nil)
		got, state := collect(t, m, nil)
		withRepo, withID := 0, 0
		for _, c := range got {
			if c.Ref.Name != "" {
				withRepo++
			}
			if c.HostID != 0 {
				withID++
			}
			for _, p := range c.Listing.Packages {
				packages[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = true
			}
		}
		t.Logf("%d servers, %d with a GitHub repository, %d with its id", len(got), withRepo, withID)
		if len(got) < 200 || withRepo < len(got)*9/10 {
			t.Errorf("%d servers, %d with a repository", len(got), withRepo)
		}
		again, _ := collect(t, m, state)
		if len(again) > len(got)/10 {
			t.Errorf("an incremental walk returned %d of %d", len(again), len(got))
		}
	})
	t.Run("facts", func(t *testing.T) {
		known := 0
		for key := range packages {
			p, err := e.Facts(ctx, registry.PackageFacts{RegistryType: key.RegistryType, Identifier: key.Identifier})
			if err != nil && !strings.Contains(err.Error(), "501") {
				t.Errorf("%v: %v", key, err)
			}
			if p.Found != nil && *p.Found {
				known++
				if p.Latest == "" || p.LatestAt == nil || p.Versions == nil {
					t.Errorf("%v: %+v", key, p)
				}
				if !p.AdvisoriesKnown {
					t.Errorf("%v: advisories unknown", key)
				}
			}
		}
		t.Logf("%d packages, %d known", len(packages), known)
		if known == 0 {
			t.Error("no package is known")
		}
	})
	t.Run("advisories", func(t *testing.T) {
		if os.Getenv("CENSUS_REPLAY_URL") != "" {
			t.Skip("SKIPPED: the server at CENSUS_REPLAY_URL lacks the vulnerabilities of this test")
		}
		osv.Canary = &OSVCanary
		p, err := e.Facts(ctx, registry.PackageFacts{RegistryType: "npm", Identifier: vulnerable})
		if err != nil || !p.AdvisoriesKnown || len(p.Advisories) != 1 || p.Advisories[0].Severity != "critical" || p.Advisories[0].Fixed != "999.0.0" {
			t.Errorf("%+v %v", p, err)
		}
	})
	t.Run("downloads", func(t *testing.T) {
		for typ, name := range map[string]string{"npm": "firecrawl-mcp", "pypi": "mcp-server-fetch"} {
			ps, err := e.Downloads(ctx, []registry.PackageFacts{
				{RegistryType: typ, Identifier: name}, {RegistryType: typ, Identifier: "no-such-package-anywhere"},
			})
			if err != nil {
				t.Fatal(err)
			}
			if typ == "npm" && (ps[0].Downloads == nil || ps[0].DownloadsPrev == nil) {
				t.Errorf("%s: %+v", name, ps[0])
			}
			if ps[1].Downloads != nil || ps[1].DownloadsObservedAt != nil {
				t.Errorf("downloads of a package that does not exist: %+v", ps[1])
			}
		}
	})
	t.Run("project", func(t *testing.T) {
		p, err := e.Facts(ctx, registry.PackageFacts{RegistryType: registry.ProjectType, Identifier: "github.com/exa-labs/exa-mcp-server"})
		if err != nil || p.ObservedAt == nil || p.Scorecard != nil {
			t.Errorf("%+v %v", p, err)
		}
	})
}
