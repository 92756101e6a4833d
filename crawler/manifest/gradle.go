package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A Gradle is a Gradle build script, Groovy or Kotlin, or a version catalogue.
type Gradle struct {
	Group, Version string
	Plugins        []string
	Dependencies   []Dependency // group:artifact
	Application    bool         // it builds something that runs
	Kotlin         bool
}

var (
	gradlePlugin  = regexp.MustCompile("(?m)^\\s*(?:id\\s*\\(?\\s*[\"']([\\w.-]+)[\"']|`?(application)`?\\s*$|(kotlin)\\s*\\(|alias\\s*\\(\\s*libs\\.plugins\\.([\\w.]+)|apply\\s+plugin:\\s*[\"']([\\w.-]+)[\"'])")
	gradleDep     = regexp.MustCompile(`(?m)\b(implementation|api|compileOnly|runtimeOnly|compile|developmentOnly|testImplementation|testRuntimeOnly)\s*\(?\s*(?:platform\s*\(\s*)?["']([\w.-]+):([\w.-]+)(?::([^"'\n]{1,100}))?["']`)
	gradleCatalog = regexp.MustCompile(`(?m)\b(implementation|api|runtimeOnly|compile)\s*\(?\s*(?:platform\s*\(\s*)?libs\.([\w.]+)`)
	gradleField   = regexp.MustCompile(`(?m)^\s*(group|version)\s*=?\s*["']([^"'\n]{1,100})["']`)
	gradleModule  = regexp.MustCompile(`(?m)^\s*([\w.-]+)\s*=\s*\{?\s*(?:module\s*=\s*)?["']([\w.-]+:[\w.-]+)(?::([^"'\n]{1,100}))?["']`)
	gradleGroup   = regexp.MustCompile(`(?m)^\s*([\w.-]+)\s*=\s*\{\s*group\s*=\s*["']([\w.-]+)["']\s*,\s*name\s*=\s*["']([\w.-]+)["']`)
)

// ParseGradle reads what literals of a build.gradle or build.gradle.kts say.
// A dependency taken from a version catalogue has the name "libs." and its
// accessor; see [Catalog].
func ParseGradle(b []byte) (*Gradle, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	g := &Gradle{}
	s := string(b)
	for _, m := range gradleField.FindAllStringSubmatch(s, 20) {
		if m[1] == "group" {
			g.Group = cmp.Or(g.Group, m[2])
		} else {
			g.Version = cmp.Or(g.Version, m[2])
		}
	}
	for _, m := range gradlePlugin.FindAllStringSubmatch(s, 100) {
		name := cmp.Or(m[1], m[2], m[3], m[4], m[5])
		g.Plugins = append(g.Plugins, name)
		l := strings.ToLower(name)
		g.Application = g.Application || l == "application" || strings.Contains(l, "spring") || strings.Contains(l, "quarkus") || strings.Contains(l, "shadow") || strings.Contains(l, "micronaut") || strings.Contains(l, "jib")
		g.Kotlin = g.Kotlin || strings.Contains(l, "kotlin")
	}
	for _, m := range gradleDep.FindAllStringSubmatch(s, untyped.MaxList) {
		g.Dependencies = append(g.Dependencies, Dependency{Name: m[2] + ":" + m[3], Version: m[4], Dev: strings.HasPrefix(m[1], "test")})
	}
	for _, m := range gradleCatalog.FindAllStringSubmatch(s, untyped.MaxList) {
		g.Dependencies = append(g.Dependencies, Dependency{Name: "libs." + m[2]})
	}
	return g, nil
}

// ParseCatalog reads a Gradle version catalogue (libs.versions.toml) and
// returns the libraries by accessor: "mcp.server" to "group:artifact".
func ParseCatalog(b []byte) (map[string]string, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	s := string(b)
	accessor := strings.NewReplacer("-", ".", "_", ".")
	for _, m := range gradleModule.FindAllStringSubmatch(s, untyped.MaxList) {
		out[accessor.Replace(m[1])] = m[2]
	}
	for _, m := range gradleGroup.FindAllStringSubmatch(s, untyped.MaxList) {
		out[accessor.Replace(m[1])] = m[2] + ":" + m[3]
	}
	return out, nil
}
