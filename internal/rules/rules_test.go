// Package rules holds the rules of this repository that a test can check: who
// may import whom, where each technology lives, and what must not be said.
package rules

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "mcpcensus/"

// arrows says which packages of ours each package may import. cmd may import
// any: it is where the parts meet.
var arrows = map[string]string{
	"internal/registry":  "",
	"internal/rules":     "",
	"web/browser":        "",
	"internal/query":     "internal/registry",
	"internal/brand":     "internal/registry",
	"internal/generate":  "internal/registry internal/query",
	"internal/export":    "internal/registry",
	"internal/install":   "internal/registry",
	"internal/postgres":  "internal/registry internal/account internal/quota internal/meter",
	"internal/pgtest":    "internal/registry internal/postgres",
	"internal/search":    "internal/registry internal/query",
	"internal/catalog":   "internal/registry internal/query",
	"internal/httpd":     "internal/registry internal/account internal/quota internal/meter",
	"internal/account":   "internal/registry",
	"internal/mail":      "internal/registry",
	"internal/keyring":   "internal/registry internal/account",
	"internal/quota":     "internal/registry",
	"internal/meter":     "internal/registry",
	"internal/billing":   "internal/registry internal/account",
	"crawler":            "internal/registry crawler/transport",
	"crawler/github":     "internal/registry crawler crawler/transport",
	"crawler/transport":  "internal/registry",
	"crawler/vocabulary": "",
	"crawler/manifest":   "internal/registry crawler/vocabulary",
	"crawler/detect":     "internal/registry crawler/manifest crawler/vocabulary",
	"crawler/upstream":   "internal/registry crawler/transport crawler/manifest",
	"scorer":             "internal/registry",
	"scorer/validate":    "internal/registry",
	"jobs":               "internal/registry internal/install scorer crawler/detect",
	"api":                "internal/registry internal/query internal/account internal/brand internal/quota internal/meter internal/httpd internal/install internal/catalog",
	"api/v1":             "internal/registry internal/query internal/account internal/quota internal/meter internal/httpd internal/install internal/catalog api",
	"api/accounts":       "internal/registry internal/httpd internal/account internal/quota internal/meter",

	// A stand-in for GitHub and the services beside it, for tests and the demo.
	"crawler/github/fakegithub": "",

	// Pages of accounts have the sessions, and what may be done in them, from
	// the package that speaks JSON about them: there is one of each.
	"web": "internal/registry internal/query internal/brand internal/quota internal/meter internal/export internal/httpd internal/install internal/catalog scorer api/accounts internal/account",
}

// homes says which packages may import a module, or a package below it.
// Everyone else goes through them.
var homes = map[string][]string{
	"github.com/google/go-github":                {"crawler/github"},
	"github.com/jmoiron/sqlx":                    {"internal/postgres"},
	"github.com/lib/pq":                          {"internal/postgres", "internal/pgtest"},
	"database/sql":                               {"internal/postgres", "internal/pgtest"},
	"github.com/fergusstrange/embedded-postgres": {"internal/postgres"},
	"github.com/meilisearch/meilisearch-go":      {"internal/search"},
	"github.com/blevesearch":                     {"internal/search"},
	"github.com/robfig/cron":                     {"jobs"},
	"github.com/gin-gonic/gin":                   {"api", "api/v1", "api/accounts", "web", "internal/httpd"},
	"github.com/stripe/stripe-go":                {"internal/billing"},
	"github.com/wneessen/go-mail":                {"internal/mail"},
	"github.com/alexedwards/scs":                 {"api/accounts"},
	"golang.org/x/oauth2":                        {"internal/account"},
	"golang.org/x/crypto":                        {"internal/account"},
	"github.com/mileusna/useragent":              {"internal/meter"},
	"github.com/chromedp":                        {"web/browser"},
	"github.com/spf13/cobra":                     {"cmd/census"},
	"github.com/caarlos0/env":                    {"cmd/census"},
}

type listed struct {
	ImportPath, Doc, Name string
	Imports               []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,Name", "../../...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		allowed, ok := arrows[name]
		isCmd := strings.HasPrefix(name, "cmd/")
		if !ok && !isCmd {
			t.Errorf("package %s is not in arrows: say what it may import", name)
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module); ok && !isCmd && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("package %s may not import %s", name, ours)
			}
			if name == "internal/registry" && strings.Contains(strings.Split(imp, "/")[0], ".") {
				t.Errorf("package %s may import only the standard library, not %s", name, imp)
			}
			for lib, home := range homes {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(home, name) {
					t.Errorf("package %s may not import %s: that is for %s", name, imp, strings.Join(home, ", "))
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if p.Doc == "" && name != "internal/rules" {
			t.Errorf("package %s has no doc comment", name)
		}
		for _, vague := range []string{"util", "utils", "common", "models", "helpers", "misc"} {
			if p.Name == vague {
				t.Errorf("package %s: %q does not say what is in it", name, vague)
			}
		}
	}
}
