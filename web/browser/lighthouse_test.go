package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// leastScore is what each category of each page must have.
const leastScore = 95

var lighthouseCategories = []string{"performance", "accessibility", "best-practices", "seo"}

// TestLighthouse prints Lighthouse's figures and fails if one is too low. It
// measures times, so it has the machine for itself and its own command.
func TestLighthouse(t *testing.T) {
	if os.Getenv("CENSUS_TEST_LIGHTHOUSE") == "" {
		t.Skip("SKIPPED: measures times; make lighthouse runs it (CENSUS_TEST_LIGHTHOUSE is not set)")
	}
	s, _ := started(t)
	chrome, err := findChrome()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := fromNPM(true)
	if err != nil {
		t.Skipf("SKIPPED: Lighthouse cannot be had from npm: %v", err)
	}
	var table bytes.Buffer
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "page\tas\tperformance\taccessibility\tbest practices\tSEO")
	for _, path := range []string{"/", "/servers", "/servers?q=files", "/servers/" + richSlug,
		"/servers/" + richSlug + "/tools", "/servers/" + richSlug + "/health",
		"/compare?s=" + richSlug + "&s=" + secondSlug} {
		for _, form := range []string{"phone", "desktop"} {
			report := filepath.Join(t.TempDir(), "report.json")
			args := []string{s.url + path, "--quiet", "--output=json", "--output-path=" + report,
				"--chrome-flags=--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage --no-proxy-server"}
			if form == "desktop" {
				args = append(args, "--preset=desktop")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			cmd := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", ".bin", "lighthouse"), args...)
			cmd.Env = append(os.Environ(), "CHROME_PATH="+chrome, "CI=true")
			said, err := cmd.CombinedOutput()
			cancel()
			if err != nil {
				t.Fatalf("lighthouse %s: %v\n%.2000s", path, err, said)
			}
			var got struct {
				Categories map[string]struct {
					Score     *float64
					AuditRefs []struct {
						ID     string
						Weight float64
					}
				}
				Audits map[string]struct {
					Score *float64
					Title string
				}
			}
			b, err := os.ReadFile(report)
			if err == nil {
				err = json.Unmarshal(b, &got)
			}
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(out, "%s\t%s", path, form)
			for _, name := range lighthouseCategories {
				c := got.Categories[name]
				if c.Score == nil {
					t.Errorf("%s as %s: Lighthouse says nothing of %s", path, form, name)
					continue
				}
				score := math.Round(*c.Score * 100)
				if name == "seo" && strings.HasPrefix(path, "/compare") {
					continue // search engines are asked to ignore comparisons
				}
				fmt.Fprintf(out, "\t%.0f", score)
				if score == 100 {
					continue
				}
				for _, ref := range c.AuditRefs {
					if a := got.Audits[ref.ID]; ref.Weight > 0 && a.Score != nil && *a.Score < 0.9 {
						t.Logf("%s as %s, %s: %s: %s", path, form, name, ref.ID, a.Title)
					}
				}
				if score < leastScore {
					t.Errorf("%s as %s has %.0f for %s, less than %d", path, form, score, name, leastScore)
				}
			}
			fmt.Fprintln(out)
		}
	}
	out.Flush()
	fmt.Print(table.String())
}
