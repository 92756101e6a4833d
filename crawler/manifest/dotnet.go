package manifest

import (
	"cmp"
	"encoding/xml"
	"path"
	"strings"
)

// A projectDocument is the XML of a project or of central package versions.
type projectDocument struct {
	XMLName xml.Name      `xml:"Project"`
	SDK     xmlText       `xml:"Sdk,attr"`
	Groups  properties    `xml:"PropertyGroup"`
	Items   []projectItem `xml:"ItemGroup"`
	When    []projectItem `xml:"Choose>When>ItemGroup"`
}

type projectItem struct {
	Packages []packageReference `xml:"PackageReference"`
	Versions []packageReference `xml:"PackageVersion"`
	Projects []packageReference `xml:"ProjectReference"`
}

type packageReference struct {
	Include  xmlText `xml:"Include,attr"`
	Update   xmlText `xml:"Update,attr"`
	Version  xmlText `xml:"Version,attr"`
	Override xmlText `xml:"VersionOverride,attr"`
	Element  xmlText `xml:"Version"`
}

// ParseCSProj reads a .csproj or .fsproj, or a Directory.Packages.props.
var ParseCSProj = parser(decodeXML[projectDocument], func(d projectDocument) *Package {
	get := func(names ...string) string {
		for _, n := range names {
			if v := d.Groups[n]; v != "" {
				return v
			}
		}
		return ""
	}
	// value is get, with the value of "$(Property)".
	value := func(names ...string) string {
		v := get(names...)
		if strings.HasPrefix(v, "$(") {
			return d.Groups[strings.Trim(v, "$()")]
		}
		return v
	}
	is := func(name, value string) bool { return strings.EqualFold(d.Groups[name], value) }
	sdk := string(d.SDK)
	p := &Package{
		Properties:   d.Groups,
		Name:         value("PackageId"),
		Version:      value("Version", "PackageVersion", "VersionPrefix"),
		Description:  value("Description", "PackageDescription"),
		AssemblyName: value("AssemblyName"),
		License:      get("PackageLicenseExpression"),
		Keywords:     strings.FieldsFunc(get("PackageTags"), isSeparator),
		Tool:         is("PackAsTool", "true") || is("PackageType", "McpServer"),
		Private:      is("IsPackable", "false"),
		Application: strings.HasSuffix(sdk, ".Web") || strings.HasSuffix(sdk, ".Worker") ||
			is("OutputType", "exe") || is("OutputType", "winexe"),
	}
	for _, group := range append(d.Items, d.When...) {
		for _, r := range bounded(append(group.Packages, group.Versions...)) {
			if name := string(cmp.Or(r.Include, r.Update)); name != "" {
				version := string(cmp.Or(r.Version, r.Override, r.Element))
				p.Dependencies = append(p.Dependencies, Dependency{Name: name, Version: version})
			}
		}
		for _, r := range bounded(group.Projects) {
			if r.Include != "" {
				p.Projects = append(p.Projects, path.Clean(strings.ReplaceAll(string(r.Include), `\`, "/")))
			}
		}
	}
	return p
})

// isSeparator reports whether a character separates keywords.
func isSeparator(r rune) bool { return r == ';' || r == ',' || r == ' ' }
