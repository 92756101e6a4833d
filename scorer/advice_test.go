package scorer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpcensus/internal/registry"
)

func TestAdvice(t *testing.T) {
	unpublished := func(language string) func(*registry.Facts) {
		return func(f *registry.Facts) {
			f.Packages, f.Detection.Packages, f.Listing = nil, nil, nil
			f.Detection.Language = language
		}
	}
	for _, tt := range []struct {
		check, name string
		set         func(f *registry.Facts)
		want        string
	}{
		{"commit_recency", "before 1.0", func(f *registry.Facts) {
			f.Packages[0].Latest, f.Repo.OpenPRs = "0.9.0", ptr(3)
			f.Activity.LastCommitAt = ptr(testNow.AddDate(0, 0, -100))
			f.Detection.Version, f.Listing, f.Repo.LatestReleases = "0.9.0", nil, nil
		}, "Merge or close open pull requests (3). " +
			"If it is finished: release 1.0. It can then count as stable."},
		{"commit_recency", "recent commits", func(f *registry.Facts) {
			f.Packages[0].Latest, f.Repo.OpenPRs = "0.9.0", ptr(3)
		}, "Merge or close open pull requests (3)."},
		{"commit_recency", "beyond 1.0", func(f *registry.Facts) {
			f.Packages[0].Latest = "0.9.0"
			f.Activity.LastCommitAt = ptr(testNow.AddDate(0, 0, -100))
			f.Issues.Opened, f.Issues.Answered, f.Repo.OpenIssues = 10, 1, ptr(1)
		}, "Work on open issues (1). If it is finished: answer issues. It can then count as stable."},
		{"commit_recency", "nothing known to do", func(f *registry.Facts) {
			f.Issues, f.Repo.OpenPRs, f.Repo.OpenIssues = nil, nil, ptr(0)
		}, ""},
		{"commit_recency", "stable", func(f *registry.Facts) {
			f.Activity.LastCommitAt = ptr(testNow.AddDate(0, 0, -200))
		}, ""},
		{"release_recency", "commits since", func(f *registry.Facts) { released(f, 200) },
			"Release what was committed since 1.4.0."},
		{"release_recency", "no commit since", func(f *registry.Facts) {
			released(f, 200)
			f.Activity.LastCommitAt = ptr(testNow.AddDate(0, 0, -201))
		}, ""},
		{"package_published", "TypeScript", unpublished("TypeScript"), "Publish it to npm."},
		{"package_published", "Python", unpublished("Python"), "Publish it to PyPI."},
		{"package_published", "Go", unpublished("Go"), bundle},
		{"package_published", "Java", unpublished("Java"), image},
		{"package_published", "unknown language", unpublished("Haskell"), bundle},
		{"package_published", "language of the repository", func(f *registry.Facts) {
			unpublished("")(f)
			f.Repo.Language = "C#"
		}, "Publish it to NuGet, as a tool."},
		{"package_published", "named and not there", func(f *registry.Facts) {
			f.Listing, f.Packages[0].Found, f.Packages[0].Latest = nil, ptr(false), ""
		}, "Publish npm @octo/weather-mcp, or remove it from the files."},
		{"package_published", "an endpoint", func(f *registry.Facts) {
			unpublished("TypeScript")(f)
			f.Detection.Remotes = []registry.Remote{{Type: "streamable-http", URL: "https://a.example"}}
		}, ""},
		{"registry_listed", "nothing to list", unpublished("Go"), ""},
		{"registry_listed", "a package", func(f *registry.Facts) {
			f.Listing, f.Detection.ServerJSON = nil, false
		}, "Add a server.json and publish it with mcp-publisher publish."},
		{"registry_listed", "a server.json", func(f *registry.Facts) {
			f.Listing, f.Detection.ServerJSON = nil, true
		}, "Publish it with mcp-publisher publish."},
		{"ownership_link", "no repository", func(f *registry.Facts) { f.Packages[0].RepoURL = "" },
			"In the package @octo/weather-mcp: name https://github.com/octo/weather-mcp as repository, " +
				"and release."},
		{"ownership_link", "another name", func(f *registry.Facts) {
			f.Packages[0].Archive.MCPName = "io.github.other/x"
		}, "In the package @octo/weather-mcp: set mcpName to io.github.octo/weather-mcp, and release."},
		{"version_sync", "the registry is behind", func(f *registry.Facts) {
			f.Listing.Version, f.Packages[0].LatestAt = "1.3.0", ptr(testNow.AddDate(0, 0, -100))
		}, "Update the entry in the official registry to 1.4.0."},
		{"version_sync", "the package is behind", func(f *registry.Facts) {
			f.Detection.Version, f.Activity.LastCommitAt = "1.5.0", ptr(testNow.AddDate(0, 0, -100))
		}, "Publish version 1.5.0 of the package."},
		{"install_docs", "a command of something else", func(f *registry.Facts) {
			f.Readme.InstallNames = []string{"other"}
		}, "Show in the README how to run the package: npx -y @octo/weather-mcp."},
		{"config_documented", "without a server.json", func(f *registry.Facts) {
			f.Detection.ServerJSON = false
			f.Detection.Variables = []registry.Variable{{Name: "A_KEY"},
				{Name: "B", Description: "Where forecasts come from"}}
		}, "Describe A_KEY in the README."},
		{"reproducible", "Python", func(f *registry.Facts) {
			f.Tree.Lockfile, f.Detection.Language = "", "Python"
		}, "Commit a lock file, such as uv.lock."},
		{"lint_types", "Python", func(f *registry.Facts) {
			f.Tree.LintOrTypes, f.Tree.CompiledLanguage, f.Detection.Language = "", false, "Python"
		}, "Configure Ruff or mypy in pyproject.toml."},
		{"ci", "no tests", func(f *registry.Facts) {
			f.Tree.TestFiles, f.Tree.CIStep, f.Tree.CI, f.Tree.Workflows = 0, nil, nil, 0
		}, "Add tests, and run them on every push."},
		{"dep_updates", "GitLab", func(f *registry.Facts) {
			f.Repo.Host, f.Tree.UpdateBot, f.Activity.BotCommits = "gitlab", "", 0
		}, "Enable Renovate."},
		{"provenance", "Codeberg", func(f *registry.Facts) {
			f.Repo.Host, f.Packages[0].Attested = "codeberg", ptr(false)
		}, ""},
		{"license", "a license that is not open source", func(f *registry.Facts) {
			f.Repo.License = "BUSL-1.1"
		}, ""},
		{"license", "a manifest only", func(f *registry.Facts) {
			f.Repo.License, f.Detection.LicenseFile = "", false
		}, "Add a LICENSE file with the text of MIT."},
		{"starts", "a crash", func(f *registry.Facts) {
			i := f.Packages[0].Inspection
			i.Outcome, i.OwnFault = registry.InspectionCrashed, true
		}, "Fix why npm @octo/weather-mcp 1.4.0 crashes when it is started, and release."},
	} {
		t.Run(tt.check+"/"+tt.name, func(t *testing.T) {
			f := load(t, "healthy")
			tt.set(&f)
			c := find(t, Health(f, testNow), tt.check)
			if c.Fix != tt.want {
				t.Errorf("advises %q for %s: %s", c.Fix, c.Result, c.Reason)
			}
			if c.Result == ResultPass || c.Result == ResultUnknown {
				t.Errorf("the check is %s: %s", c.Result, c.Reason)
			}
		})
	}
}

// released sets the time of all releases to some days ago.
func released(f *registry.Facts, days int) {
	at := ptr(testNow.AddDate(0, 0, -days))
	f.Packages[0].LatestAt, f.Listing = at, nil
	f.Repo.LatestReleases, f.Repo.LatestTag = nil, nil
}

// TestProperty18AdviceIsPossible checks the advice for any facts: there is none beside a passed
// check, and none that names what the server's language, registries or host do not have.
func TestProperty18AdviceIsPossible(t *testing.T) {
	check := func(t interface {
		Fatalf(format string, args ...any)
	}, f registry.Facts) {
		h := Health(f, testNow)
		in := newInput(&f, testNow)
		advice := map[string]string{}
		for _, s := range h.Categories {
			for _, c := range s.Checks {
				if c.Fix == "" {
					continue
				}
				advice[c.ID] = c.Fix
				isLost := c.Result == ResultPartial || c.Result == ResultFail || c.State == StateWithheld
				if !isLost || c.Points >= c.Max {
					t.Fatalf("%s is %s with %v of %v and advises %q", c.ID, c.Result, c.Points, c.Max, c.Fix)
				}
			}
		}
		for _, i := range h.Improve {
			if fix := advice[i.Check]; fix != "" && fix != i.Text {
				t.Fatalf("%s advises %q, and to improve %q", i.Check, fix, i.Text)
			}
		}
		for _, wrong := range impossible(in, advice) {
			t.Fatalf("%s: %q", wrong, advice[wrong])
		}
	}
	for _, name := range fixtures(t) {
		check(t, load(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		f.Detection.Language = rapid.SampledFrom(append(slices.Sorted(maps.Keys(toolings)), "Haskell")).
			Draw(t, "language")
		f.Repo.Host = rapid.SampledFrom([]string{"github", "gitlab", "codeberg"}).Draw(t, "host")
		kind := rapid.SampledFrom(registry.RegistryTypes).Draw(t, "registry")
		for i := range f.Packages {
			f.Packages[i].RegistryType = kind
		}
		for i := range f.Detection.Packages {
			f.Detection.Packages[i].RegistryType = kind
		}
		check(t, f)
	})
}

// impossible returns the checks whose advice the server's owner cannot follow.
func impossible(in *input, advice map[string]string) (wrong []string) {
	language := cmp.Or(in.f.Detection.Language, in.f.Repo.Language)
	is := func(languages ...string) bool { return slices.Contains(languages, language) }
	names := func(check string, words ...string) bool {
		for _, w := range words {
			if strings.Contains(advice[check], w) {
				return true
			}
		}
		return false
	}
	has := func(registryType string) bool {
		for i := range in.packages {
			if in.packages[i].registryType == registryType {
				return true
			}
		}
		return false
	}
	last, _, committed := in.lastCommit(in.activity)
	newest, released, _ := in.newestPublication()
	for check, wrongly := range map[string]bool{
		"package_published": names("package_published", "to npm") && !is("TypeScript", "JavaScript") ||
			names("package_published", "to PyPI") && !is("Python") ||
			names("package_published", "to NuGet") && !is("C#", "F#") ||
			names("package_published", "Publish the crate") && !is("Rust"),
		"reproducible": advice["reproducible"] != "" &&
			is("Java", "Kotlin", "Scala", "Clojure", "C#", "F#"),
		"commit_recency": names("commit_recency", "1.0") && !in.isBeforeOne() ||
			names("commit_recency", "publish") && in.published,
		"release_recency": advice["release_recency"] != "" && released && committed &&
			!last.After(newest.at),
		"install_docs": names("install_docs", "npx") && !has("npm") ||
			names("install_docs", "uvx") && !has("pypi") ||
			names("install_docs", "docker") && !has("oci"),
		"ownership_link":  names("ownership_link", "mcpName") && !has("npm"),
		"registry_listed": advice["registry_listed"] != "" && !in.published && in.remotes == 0,
		"dep_updates":     names("dep_updates", "Dependabot") && !in.onGitHub(),
		"provenance": names("provenance", "GitHub") && !in.onGitHub() ||
			advice["provenance"] != "" && !has("npm") && !has("pypi"),
		"starts": advice["starts"] != "" && !has("npm") && !has("pypi") && !has("oci"),
	} {
		if wrongly {
			wrong = append(wrong, check)
		}
	}
	return wrong
}

// TestReasonsRepeatNoErrors checks that no text of a failed source reaches readers.
func TestReasonsRepeatNoErrors(t *testing.T) {
	const secret = "the upstream said no"
	rapid.Check(t, func(t *rapid.T) {
		f := genFacts(t)
		f.Failures = map[string]string{}
		for _, part := range []string{"readme", "sources", "activity", "issues", "sdk"} {
			if rapid.Bool().Draw(t, part) {
				f.Failures[part] = secret
			}
		}
		if text := fmt.Sprintf("%+v", Health(f, testNow)); strings.Contains(text, secret) {
			t.Fatalf("%s", text)
		}
	})
}
