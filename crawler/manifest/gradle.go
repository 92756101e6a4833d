package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

var (
	gradleVersion = regexp.MustCompile(`(?m)^\s*version\s*=?\s*["']([^"'\n]{1,100})["']`)
	gradlePlugin  = regexp.MustCompile("(?m)(?:^|[;{])\\s*(?:id\\s*\\(?\\s*[\"']([\\w.-]+)[\"']|`?(application)`?\\s*(?:$|[;{}])|" +
		"(kotlin)\\s*\\(|alias\\s*\\(\\s*libs\\.plugins\\.([\\w.]+)|apply\\s+plugin:\\s*[\"']([\\w.-]+)[\"'])")
	gradleDependency = regexp.MustCompile(`(?m)\b(implementation|api|compileOnly|runtimeOnly|compile|` +
		`developmentOnly|testImplementation|testRuntimeOnly)\s*\(?\s*(?:platform\s*\(\s*)?` +
		`(?:["']([\w.-]+:[\w.-]+)(?::([^"'\n]{1,100}))?["']|(libs\.[\w.]+))`)
	applicationPlugin = regexp.MustCompile(`(?i)^application$|spring|quarkus|shadow|micronaut|jib`)
)

// ParseGradle reads the literals of a build.gradle or build.gradle.kts. A dependency from a
// version catalog is named by its accessor after "libs."; see [ParseCatalog].
var ParseGradle = parser(plainText, func(s string) *Package {
	g := &Package{Version: firstGroup(gradleVersion, s)}
	for _, m := range gradlePlugin.FindAllStringSubmatch(s, 100) {
		name := strings.Join(m[1:], "")
		g.Application = g.Application || applicationPlugin.MatchString(name)
		g.Kotlin = g.Kotlin || strings.Contains(strings.ToLower(name), "kotlin")
	}
	for _, m := range gradleDependency.FindAllStringSubmatch(s, untyped.MaxList) {
		d := Dependency{Name: cmp.Or(m[2], m[4]), Version: m[3], Dev: strings.HasPrefix(m[1], "test")}
		g.Dependencies = append(g.Dependencies, d)
	}
	return g
})

// ParseCatalog reads a Gradle version catalog (libs.versions.toml) and
// returns the libraries by accessor: "mcp.server" to "group:artifact".
var ParseCatalog = parser(untyped.TOML, func(o untyped.Object) map[string]string {
	out := map[string]string{}
	accessor := strings.NewReplacer("-", ".", "_", ".")
	libraries := o.Object("libraries")
	for _, name := range libraries.Keys() {
		library := libraries.Object(name)
		module := cmp.Or(library.Text("module"), libraries.Text(name), library.Text("group")+":"+library.Text("name"))
		group, artifact, _ := strings.Cut(module, ":")
		artifact, _, _ = strings.Cut(artifact, ":")
		out[accessor.Replace(name)] = group + ":" + artifact
	}
	return out
})
