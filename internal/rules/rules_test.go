// Package rules tests conventions of this repository: which package may import which,
// where each library is used, and the size of functions, lines and packages.
package rules

import (
	_ "embed"
	"errors"
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "mcpcensus/"

//go:embed arrows.txt
var arrowsText string

// arrows returns the packages that each package may import, separated by spaces.
func arrows(t *testing.T) map[string]string {
	t.Helper()
	allowed := map[string]string{}
	for line := range strings.Lines(arrowsText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, imports, ok := strings.Cut(line, ":")
		if _, twice := allowed[name]; !ok || twice {
			t.Fatalf("arrows.txt: line %q has no colon or names its package twice", line)
		}
		allowed[name] = imports
	}
	return allowed
}

// homes lists the packages that may import a module, or a package below it.
var homes = map[string][]string{
	"github.com/google/go-github":            {"crawler/github"},
	"github.com/go-git/go-git":               {"crawler/git"},
	"github.com/google/go-containerregistry": {"crawler/inspect"},
	"github.com/distribution/reference":      {"internal/oci"},
	"deps.dev/util/semver":                   {"internal/version"},
	"github.com/pandatix/go-cvss":            {"crawler/upstream"},
	"github.com/tailscale/hujson":            {"crawler/untyped", "internal/clientfile"},
	"github.com/coreos/go-oidc":              {"internal/account"},
	"github.com/evanw/esbuild":               {"crawler/source/script"},
	"github.com/tdewolff/parse/v2":           {"crawler/source/script"},
	"mvdan.cc/sh/v3":                         {"crawler/shell"},
	"github.com/jmoiron/sqlx":                {"internal/postgres", "internal/postgres/people"},
	"github.com/lib/pq": {
		"internal/postgres", "internal/postgres/people", "internal/pgtest", "internal/pgembed",
	},
	"database/sql": {
		"internal/postgres", "internal/postgres/people", "internal/pgtest", "internal/pgembed",
	},
	"github.com/fergusstrange/embedded-postgres": {"internal/pgembed"},
	"github.com/meilisearch/meilisearch-go":      {"internal/search"},
	"github.com/blevesearch":                     {"internal/search", "internal/words"}, // words: its stemmer
	"github.com/robfig/cron":                     {"jobs"},
	"github.com/gin-gonic/gin": {
		"api", "api/v1", "api/subregistry", "api/mcp", "api/validate", "web", "web/account",
		"web/feeds", "web/pages", "web/site", "internal/httpd",
	},
	"github.com/modelcontextprotocol/go-sdk": {"api/mcp"},
	"github.com/stripe/stripe-go":            {"internal/billing"},
	"github.com/wneessen/go-mail":            {"internal/mail"},
	"github.com/alexedwards/scs":             {"web/account"},
	"golang.org/x/oauth2":                    {"internal/account"},
	"github.com/mileusna/useragent":          {"internal/account", "internal/meter"},
	"github.com/chromedp":                    {"web/browser"},
	"github.com/microcosm-cc/bluemonday":     {"web/readme"},
	"github.com/spf13/cobra":                 {"cmd/census", "internal/cli"},
	"github.com/caarlos0/env":                {"internal/config"},
	"github.com/santhosh-tekuri/jsonschema":  {"api/apitest", "internal/lint"},
}

// packages returns the packages of the module. It reads the files itself because the
// test cache does not track files that other programs, such as "go list", read.
func packages(t *testing.T) (all []*build.Package) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); dir != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if noGo := new(build.NoGoError); errors.As(err, &noGo) && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			return nil
		} else if err != nil && noGo == nil {
			return err
		}
		name, err := filepath.Rel(root, dir)
		p.ImportPath = filepath.ToSlash(name)
		all = append(all, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("found only %d packages", len(all))
	}
	return all
}

func TestImports(t *testing.T) {
	table := arrows(t)
	for _, p := range packages(t) {
		name := p.ImportPath
		allowed, ok := table[name]
		isCmd := strings.HasPrefix(name, "cmd/")
		if !ok && !isCmd {
			t.Errorf("package %s is not in arrows.txt", name)
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module); ok && !isCmd && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("package %s may not import %s", name, ours)
			}
			if name == "internal/registry" && strings.Contains(strings.Split(imp, "/")[0], ".") {
				t.Errorf("package %s may not import %s: only the standard library and this module", name, imp)
			}
			for lib, home := range homes {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(home, name) {
					t.Errorf("package %s may not import %s: only %s may", name, imp, strings.Join(home, ", "))
				}
			}
		}
	}
}

func TestPackageNames(t *testing.T) {
	for _, p := range packages(t) {
		name := p.ImportPath
		if p.Doc == "" && name != "internal/rules" {
			t.Errorf("package %s has no doc comment", name)
		}
		for _, vague := range []string{"util", "utils", "common", "models", "helpers", "misc"} {
			if p.Name == vague {
				t.Errorf("package %s: the name %q is too general", name, vague)
			}
		}
	}
}
