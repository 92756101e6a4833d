package detect

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source"
)

// entryPoint returns the evidence that a unit is a program, "" if there is none.
func (r *repo) entryPoint(u *unit) string {
	return cmp.Or(r.npmEntry(u), r.pythonEntry(u), r.goEntry(u), r.cargoEntry(u), r.jvmEntry(u), r.dotnetEntry(u),
		r.otherEntry(u), r.dockerEntry(u), r.scriptEntry(u))
}

// fileOf returns the path of the first of the named files in a unit, "" if there is none.
func (r *repo) fileOf(u *unit, names ...string) string {
	for _, n := range names {
		if p := path.Join(u.dir, n); r.files[p] {
			return p
		}
	}
	return ""
}

// serveScripts are the scripts of npm packages that start a server.
var serveScripts = []string{"start", "serve", "start:stdio", "start:http", "mcp"}

func (r *repo) npmEntry(u *unit) string {
	switch {
	case u.npm == nil:
		return ""
	case len(u.npm.Programs) > 0:
		return "bin in package.json"
	case u.npm.MCPName != "":
		return "mcpName in package.json"
	}
	if p := r.fileOf(u, "wrangler.toml", "wrangler.json", "wrangler.jsonc"); p != "" {
		return p
	}
	for _, s := range serveScripts {
		if u.npm.Scripts[s] != "" {
			return "script " + s + " in package.json"
		}
	}
	return ""
}

func (r *repo) pythonEntry(u *unit) string {
	if u.py != nil && len(u.py.Programs) > 0 {
		return "scripts in " + cmp.Or(r.fileOf(u, "pyproject.toml", "setup.py"), "the Python manifest")
	}
	if u.py == nil && len(u.reqs) == 0 {
		return ""
	}
	if p := r.fileOf(u, "main.py", "server.py", "app.py", "__main__.py", "src/main.py", "src/server.py",
		"run.py", "mcp_server.py"); p != "" {
		return p
	}
	for _, name := range slices.Sorted(slices.Values(r.dirs[u.dir])) {
		if p := path.Join(u.dir, name); r.servesByName(p) && !u.importsOwn(r.snap.Texts[p]) {
			return p
		}
	}
	for f := range r.files {
		if path.Base(f) == "__main__.py" && strings.HasPrefix(f, prefix(u.dir)) &&
			!r.between(u.dir, dirOf(f)) {
			return "__main__.py"
		}
	}
	return ""
}

// between reports whether there is another unit with a manifest between a folder and one below
// it.
func (r *repo) between(dir, below string) bool {
	v := r.nearest(below)
	return v != nil && len(v.dir) > len(dir)
}

func (r *repo) goEntry(u *unit) string {
	if u.gomod == nil {
		return ""
	}
	return cmp.Or(r.fileOf(u, "main.go"), append(r.goMains(u.dir), "")[0])
}

func (r *repo) cargoEntry(u *unit) string {
	switch {
	case u.cargo == nil:
		return ""
	case len(u.cargo.Programs) > 0:
		return "[[bin]] in Cargo.toml"
	}
	return r.fileOf(u, "src/main.rs")
}

// mavenPlugins are plugins that build programs.
var mavenPlugins = []string{
	"quarkus-maven-plugin", "spring-boot-maven-plugin", "maven-shade-plugin", "maven-assembly-plugin",
	"jib-maven-plugin", "exec-maven-plugin", "native-maven-plugin", "micronaut-maven-plugin",
	"maven-jar-plugin",
}

func (r *repo) jvmEntry(u *unit) string {
	if u.pom != nil {
		runs := func(p string) bool { return slices.Contains(mavenPlugins, p) }
		if i := slices.IndexFunc(u.pom.Plugins, runs); i >= 0 {
			return u.pom.Plugins[i] + " in pom.xml"
		}
	}
	if u.gradle != nil && u.gradle.Application {
		return "application in the Gradle script"
	}
	if u.pom == nil && u.gradle == nil {
		return ""
	}
	for _, p := range slices.Sorted(maps.Keys(r.snap.Texts)) {
		if sidesLanguage(p) == "Java" && paths.File(p) == paths.Own && r.nearest(dirOf(p)) == u &&
			jvmMain.MatchString(source.CodeOf(p, r.snap.Texts[p])) {
			return p
		}
	}
	return ""
}

// jvmMain matches the function with which a program in Java or Kotlin starts.
var jvmMain = regexp.MustCompile(`\bstatic\s+(?:final\s+)?void\s+main\s*\(|\bfun\s+main\s*\(|` +
	`\bextends\s+App\b`)

func (r *repo) dotnetEntry(u *unit) string {
	if slices.ContainsFunc(u.csproj, func(p *manifest.Package) bool { return p.Application || p.Tool }) {
		return "an executable .NET project"
	}
	return ""
}

func (r *repo) otherEntry(u *unit) string {
	switch {
	case u.deno != nil && len(u.deno.Scripts) > 0:
		return "tasks in deno.json"
	case u.other == nil:
		return ""
	case len(u.other.Programs) > 0:
		return "an executable"
	}
	return r.fileOf(u, "Sources/main.swift", "main.swift", "exe", "bin", "artisan", "server.php")
}

func (r *repo) dockerEntry(u *unit) string {
	if u.docker != nil && u.docker.Entrypoint != "" && u.dir != "" {
		return "entry point in Dockerfile"
	}
	return ""
}

// scriptEntry returns the usual main file of a JavaScript package at the root.
func (r *repo) scriptEntry(u *unit) string {
	if u.npm == nil || u.dir != "" {
		return ""
	}
	return r.fileOf(u, "src/index.ts", "index.ts", "src/server.ts", "server.ts", "src/index.js", "index.js",
		"server.js", "src/main.ts")
}
