package github

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// How much is read of one repository.
const (
	maxText        = 256 << 10 // bytes of one manifest or README
	maxReadme      = 1 << 20   // of a README, which is then cut to maxText
	maxSourceText  = 64 << 10
	maxTexts       = 4 << 20 // bytes of all
	maxManifests   = 100     // below the root
	maxReadmes     = 60      // below the root
	maxWorkflows   = 20
	maxSourceFiles = 12
	maxRootFiles   = 40
)

// manifests are the names of files that say what a folder holds, with how
// early they are read.
var manifests = map[string]int{
	"package.json": 0, "pyproject.toml": 0, "go.mod": 0, "cargo.toml": 0, "server.json": 0,
	"pom.xml": 1, "build.gradle": 1, "build.gradle.kts": 1, "setup.py": 1, "setup.cfg": 1,
	"manifest.json": 1, "smithery.yaml": 1, "smithery.yml": 1, "mcp.json": 1, ".mcp.json": 1,
	"dockerfile": 2, "glama.json": 2, "requirements.txt": 2, "gemini-extension.json": 2,
	"directory.packages.props": 2, "libs.versions.toml": 2, "settings.gradle": 2, "settings.gradle.kts": 2,
	"deno.json": 2, "package.swift": 2, "gemfile": 2, "composer.json": 2, "pnpm-workspace.yaml": 2, "go.work": 2,
	"claude_desktop_config.json": 2, "deno.jsonc": 2, "pipfile": 2, "containerfile": 2, "server-card.json": 2, "tools.json": 3, ".env.sample": 3, ".env.template": 3, "env.example": 3, "build.sbt": 3, "pubspec.yaml": 3,
	".env.example": 3, "llms-install.md": 3, "requirements.in": 3, "project.clj": 3, "deps.edn": 3, "mix.exs": 3, "cmakelists.txt": 3,
}

// ciFiles are continuous integration outside .github/workflows.
var ciFiles = map[string]bool{
	".gitlab-ci.yml": true, ".travis.yml": true, "azure-pipelines.yml": true, "jenkinsfile": true, ".circleci/config.yml": true,
	"cloudbuild.yaml": true, "makefile": true,
}

var (
	readmeName = regexp.MustCompile(`(?i)^readme(\.(md|mdx|markdown|rst|txt|adoc|org))?$`)
	licence    = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.(md|txt|rst))?$`)
	// foreign are folders whose files are somebody else's, or made.
	foreign = regexp.MustCompile(`(?i)(^|/)(node_modules|vendor|third[_-]?party|site-packages|\.venv|venv|dist|build|out|target|testdata|fixtures|__fixtures__|__snapshots__|\.git|\.yarn|\.next|bower_components|pods)/`)
	// aside are folders that hold servers only now and then.
	aside = regexp.MustCompile(`(?i)(^|/)(tests?|__tests__|spec|e2e|examples?|samples?|docs?|website|templates?|demo|benchmarks?|evals?)/`)
	// sourceFile matches files that are likely to declare tools.
	sourceFile = regexp.MustCompile(`(?i)\.(ts|mts|js|mjs|cjs|py|go|rs|java|kt|cs|rb|swift|php|ex|clj)$`)
	sourceTest = regexp.MustCompile(`(?i)([._-](test|spec)s?\.[a-z]+$|_test\.go$|(^|/)test_[^/]*\.py$|\.d\.ts$|\.min\.js$|(^|/)conftest\.py$|\.config\.[a-z]+$|(^|/)setup\.py$)`)
	sourceGood = regexp.MustCompile(`(?i)(^|/)(index|server|main|app|tools?|mcp|mcp[_-]server|toolset|handlers?|program|lib|__init__|__main__|cli)\.[a-z]+$`)
)

// wantedFiles chooses which files of a listing are read, the most telling
// first: README and manifests of the root, workflows, manifests and READMEs
// below, and a few source files that probably declare tools.
func wantedFiles(files []registry.File, licenceUnknown bool) []registry.File {
	var root, ci, nested, readmes, sources []registry.File
	manifestFolders := map[string]bool{}
	for _, f := range files {
		if f.Mode == "160000" || f.OID == "" {
			continue
		}
		dir, base := path.Split(f.Path)
		lower := strings.ToLower(base)
		isManifest := isManifest(lower)
		switch {
		case foreign.MatchString(f.Path):
		case strings.EqualFold(dir, ".github/workflows/") && (strings.HasSuffix(lower, ".yml") || strings.HasSuffix(lower, ".yaml")):
			ci = append(ci, f)
		case dir == "" && (isManifest || readmeName.MatchString(base) || licenceUnknown && licence.MatchString(base)),
			ciFiles[strings.ToLower(f.Path)],
			(dir == ".github/" || dir == "docs/") && readmeName.MatchString(base),
			(dir == "" || strings.EqualFold(dir, "docs/") || strings.EqualFold(dir, "doc/")) && lower == "tools.md":
			root = append(root, f)
		case isManifest:
			nested = append(nested, f)
			manifestFolders[dir] = true
		}
		if isManifest {
			manifestFolders[dir] = true
		}
	}
	for _, f := range files {
		dir, base := path.Split(f.Path)
		switch {
		case f.Mode == "160000" || f.OID == "" || foreign.MatchString(f.Path):
		case dir != "" && manifestFolders[dir] && readmeName.MatchString(base):
			readmes = append(readmes, f)
		case f.Size > 0 && f.Size <= maxSourceText && sourceFile.MatchString(base) && !sourceTest.MatchString(f.Path) && !aside.MatchString(f.Path):
			sources = append(sources, f)
		}
	}
	slices.SortStableFunc(root, func(a, b registry.File) int { return cmp.Compare(rootRank(a.Path), rootRank(b.Path)) })
	slices.SortStableFunc(nested, func(a, b registry.File) int {
		return cmp.Or(cmp.Compare(nestedRank(a.Path), nestedRank(b.Path)), strings.Compare(a.Path, b.Path))
	})
	slices.SortStableFunc(readmes, func(a, b registry.File) int {
		return cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/"))
	})
	slices.SortStableFunc(sources, func(a, b registry.File) int {
		return cmp.Or(cmp.Compare(sourceRank(a.Path), sourceRank(b.Path)), strings.Compare(a.Path, b.Path))
	})
	if len(sources) > 0 {
		sources = slices.DeleteFunc(sources, func(f registry.File) bool { return sourceRank(f.Path) >= 8 })
	}

	var out []registry.File
	taken := map[string]bool{}
	total := int64(0)
	take := func(list []registry.File, most int, largest int64) {
		for _, f := range list {
			if most == 0 {
				return
			}
			limit := largest
			if readmeName.MatchString(path.Base(f.Path)) {
				limit = maxReadme
			}
			if f.Size > limit || total+f.Size > maxTexts || taken[f.Path] || f.Size == 0 && f.Mode != "120000" {
				continue
			}
			most--
			total += f.Size
			taken[f.Path] = true
			out = append(out, f)
		}
	}
	take(root, maxRootFiles, maxText)
	take(nested, maxManifests, maxText)
	take(ci, maxWorkflows, 128<<10)
	take(readmes, maxReadmes, maxText)
	take(sources, maxSourceFiles, maxSourceText)
	return out
}

func isManifest(lower string) bool {
	if _, ok := manifests[lower]; ok {
		return true
	}
	return strings.HasSuffix(lower, ".csproj") || strings.HasSuffix(lower, ".fsproj") || strings.HasSuffix(lower, ".vbproj") || strings.HasSuffix(lower, ".gemspec") ||
		strings.HasPrefix(lower, "dockerfile.") || strings.HasSuffix(lower, ".dockerfile")
}

func rootRank(p string) int {
	base := strings.ToLower(path.Base(p))
	if readmeName.MatchString(base) {
		if strings.Contains(p, "/") {
			return 2
		}
		return 0
	}
	if rank, ok := manifests[base]; ok {
		return 1 + rank
	}
	return 6
}

// nestedRank puts manifests that name packages before those that do not, near
// ones before deep ones, and tests and examples last.
func nestedRank(p string) int {
	base := strings.ToLower(path.Base(p))
	rank, ok := manifests[base]
	if !ok {
		rank = 1
	}
	n := rank*10 + min(9, strings.Count(p, "/"))
	if aside.MatchString(p) {
		n += 50
	}
	return n
}

// sourceRank orders source files by how likely they declare tools; 8 and more
// are not read.
func sourceRank(p string) int {
	depth := strings.Count(p, "/")
	dir, base := path.Split(strings.ToLower(p))
	inTools := strings.Contains(dir, "tool") || strings.Contains(dir, "handler")
	switch {
	case sourceGood.MatchString(p) && depth <= 2:
		return 0 + depth
	case sourceGood.MatchString(p) && depth <= 5 && (strings.Contains(dir, "mcp") || strings.Contains(dir, "server") || inTools):
		return 3
	case strings.Contains(base, "tool") && depth <= 5:
		return 4
	case inTools && depth <= 5:
		return 5
	case depth == 0:
		return 6
	case (strings.HasPrefix(dir, "src/") || strings.Contains(dir, "mcp")) && depth <= 2:
		return 7
	}
	return 8
}
