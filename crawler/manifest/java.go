package manifest

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A POM is a Maven project. A dependency's name is group:artifact.
type POM struct {
	GroupID, ArtifactID, Version, Name, Description string
	License, URL, Packaging                         string
	ParentArtifact                                  string
	Modules                                         []string
	Plugins                                         []string // artifact ids
	Dependencies                                    []Dependency
	// Managed are versions set for modules, which do not depend on them by that.
	Managed []Dependency
}

// ParsePOM reads a pom.xml. Entities that the document declares are not
// expanded.
func ParsePOM(b []byte) (*POM, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	p := &POM{}
	props := map[string]string{}
	var dep Dependency
	var group, artifact string
	err = walkXML(b, func(path string, _ map[string]string) {
		if strings.HasSuffix(path, "/dependency") {
			dep, group, artifact = Dependency{}, "", ""
		}
	}, func(path, value string) {
		switch path {
		case "project/groupId":
			p.GroupID = value
		case "project/artifactId":
			p.ArtifactID = value
		case "project/version":
			p.Version = value
		case "project/name":
			p.Name = value
		case "project/description":
			p.Description = value
		case "project/url":
			p.URL = value
		case "project/packaging":
			p.Packaging = value
		case "project/parent/artifactId":
			p.ParentArtifact = value
		case "project/parent/groupId":
			p.GroupID = cmp.Or(p.GroupID, value)
		case "project/parent/version":
			p.Version = cmp.Or(p.Version, value)
		case "project/licenses/license/name":
			p.License = cmp.Or(p.License, licenseOfText(value))
		case "project/modules/module", "project/profiles/profile/modules/module":
			p.Modules = append(p.Modules, value)
		}
		switch {
		case strings.HasPrefix(path, "project/properties/"):
			props[strings.TrimPrefix(path, "project/properties/")] = value
		case strings.HasSuffix(path, "/plugins/plugin/artifactId"):
			p.Plugins = append(p.Plugins, value)
		case strings.HasSuffix(path, "/dependency/groupId"):
			group = value
		case strings.HasSuffix(path, "/dependency/artifactId"):
			artifact = value
		case strings.HasSuffix(path, "/dependency/version"):
			dep.Version = value
		case strings.HasSuffix(path, "/dependency/scope"):
			dep.Dev = value == "test" || value == "provided"
		case strings.HasSuffix(path, "/dependencies/dependency"):
			dep.Name = group + ":" + artifact
			switch path {
			case "project/dependencies/dependency", "project/profiles/profile/dependencies/dependency":
				p.Dependencies = append(p.Dependencies, dep)
			case "project/dependencyManagement/dependencies/dependency":
				p.Managed = append(p.Managed, dep)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	resolve := func(s string) string {
		for range 3 {
			if !strings.HasPrefix(s, "${") || !strings.HasSuffix(s, "}") {
				break
			}
			v, ok := props[s[2:len(s)-1]]
			if !ok {
				if s == "${project.version}" || s == "${revision}" {
					return p.Version
				}
				return ""
			}
			s = v
		}
		return s
	}
	for _, list := range [][]Dependency{p.Dependencies, p.Managed} {
		for i := range list {
			list[i].Version = resolve(list[i].Version)
		}
	}
	p.Version = resolve(p.Version)
	p.Dependencies = p.Dependencies[:min(len(p.Dependencies), untyped.MaxList)]
	return p, nil
}

// walkXML calls open at each start of an element and leaf at each end with the
// element's trimmed text, both with the path of names from the root.
func walkXML(b []byte, open func(path string, attrs map[string]string), leaf func(path, value string)) error {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var names []string
	var texts []string
	seen := false
	for {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			seen = true
			if len(names) >= untyped.MaxDepth {
				return untyped.ErrTooDeep
			}
			names = append(names, t.Name.Local)
			texts = append(texts, "")
			attrs := map[string]string{}
			for _, a := range t.Attr {
				attrs[a.Name.Local] = untyped.Short(a.Value)
			}
			open(strings.Join(names, "/"), attrs)
		case xml.CharData:
			if n := len(texts); n > 0 && len(texts[n-1]) < untyped.MaxText {
				texts[n-1] += string(t)
			}
		case xml.EndElement:
			n := len(names)
			if n == 0 {
				continue
			}
			leaf(strings.Join(names, "/"), untyped.Short(texts[n-1]))
			names, texts = names[:n-1], texts[:n-1]
		}
	}
	if !seen {
		return io.ErrUnexpectedEOF
	}
	return nil
}

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
