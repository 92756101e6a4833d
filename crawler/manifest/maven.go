package manifest

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strings"
)

// A pomDocument is the XML of a pom.xml. Profiles have the form of a project.
type pomDocument struct {
	XMLName     xml.Name
	ArtifactID  xmlText    `xml:"artifactId"`
	Version     xmlText    `xml:"version"`
	Name        xmlText    `xml:"name"`
	Description xmlText    `xml:"description"`
	Parent      pomParent  `xml:"parent"`
	Licenses    []xmlText  `xml:"licenses>license>name"`
	Properties  properties `xml:"properties"`

	Modules      []xmlText       `xml:"modules>module"`
	Dependencies []pomDependency `xml:"dependencies>dependency"`
	Managed      []pomDependency `xml:"dependencyManagement>dependencies>dependency"`
	Plugins      []xmlText       `xml:"build>plugins>plugin>artifactId"`
	Management   []xmlText       `xml:"build>pluginManagement>plugins>plugin>artifactId"`
	Profiles     []pomDocument   `xml:"profiles>profile"`
}

type pomParent struct {
	ArtifactID xmlText `xml:"artifactId"`
	Version    xmlText `xml:"version"`
}

type pomDependency struct {
	GroupID    xmlText `xml:"groupId"`
	ArtifactID xmlText `xml:"artifactId"`
	Version    xmlText `xml:"version"`
	Scope      xmlText `xml:"scope"`
}

// ParsePOM reads a pom.xml. Entities that the document declares are not
// expanded.
var ParsePOM = parser(decodeXML[pomDocument], func(d pomDocument) *Package {
	p := &Package{
		Name: string(d.ArtifactID), Parent: string(d.Parent.ArtifactID),
		Title: string(d.Name), Description: string(d.Description),
	}
	for _, l := range d.Licenses {
		p.License = cmp.Or(p.License, licenseOfText(string(l)))
	}
	p.Version = string(cmp.Or(d.Version, d.Parent.Version))
	p.Version = d.resolve(p.Version, "")
	for _, dep := range bounded(d.Managed) {
		p.Managed = append(p.Managed, Dependency{Name: string(dep.GroupID + ":" + dep.ArtifactID),
			Version: d.resolve(string(dep.Version), p.Version)})
	}
	for _, part := range append([]pomDocument{d}, d.Profiles...) {
		p.Members = append(p.Members, strs(part.Modules)...)
		p.Plugins = append(p.Plugins, strs(slices.Concat(part.Plugins, part.Management))...)
		for _, dep := range bounded(part.Dependencies) {
			p.Dependencies = append(p.Dependencies, Dependency{
				Name:    string(dep.GroupID + ":" + dep.ArtifactID),
				Version: d.resolve(string(dep.Version), p.Version),
				Dev:     dep.Scope == "test" || dep.Scope == "provided",
			})
		}
	}
	return p
})

const maxReferences = 3 // nested properties

// resolve returns the value of "${property}", "" if unknown.
func (d *pomDocument) resolve(s, version string) string {
	for range maxReferences {
		name, ok := strings.CutPrefix(s, "${")
		if !ok || !strings.HasSuffix(s, "}") {
			return s
		}
		value, known := d.Properties[strings.TrimSuffix(name, "}")]
		switch {
		case known:
			s = value
		case s == "${project.version}" || s == "${revision}":
			return version
		default:
			return ""
		}
	}
	return s
}
