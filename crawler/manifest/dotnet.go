package manifest

import (
	"cmp"
	"encoding/xml"
	"path"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A CSProj is a .NET project.
type CSProj struct {
	PackageID, Version, Description, License string
	AssemblyName                             string
	Tags                                     []string
	Executable                               bool // it builds a program
	Tool                                     bool // packed as a .NET tool or as an MCP server
	Unpackable                               bool
	Dependencies                             []Dependency
	Projects                                 []string // paths of referenced projects, relative to this one
	Properties                               map[string]string
}

// A projectDocument is the XML of a project or of central package versions.
type projectDocument struct {
	XMLName xml.Name      `xml:"Project"`
	SDK     text          `xml:"Sdk,attr"`
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
	Include  text `xml:"Include,attr"`
	Update   text `xml:"Update,attr"`
	Version  text `xml:"Version,attr"`
	Override text `xml:"VersionOverride,attr"`
	Element  text `xml:"Version"`
}

// ParseCSProj reads a .csproj or .fsproj, or a Directory.Packages.props.
func ParseCSProj(b []byte) (*CSProj, error) {
	var d projectDocument
	if err := decodeXML(b, &d); err != nil {
		return nil, err
	}
	get := func(names ...string) string {
		for _, n := range names {
			if v := d.Groups[n]; v != "" {
				return v
			}
		}
		return ""
	}
	is := func(name, value string) bool { return strings.EqualFold(d.Groups[name], value) }
	separator := func(r rune) bool { return r == ';' || r == ',' || r == ' ' }
	p := &CSProj{
		Properties:   d.Groups,
		PackageID:    d.reference(get("PackageId")),
		Version:      d.reference(get("Version", "PackageVersion", "VersionPrefix")),
		Description:  d.reference(get("Description", "PackageDescription")),
		AssemblyName: d.reference(get("AssemblyName")),
		License:      get("PackageLicenseExpression"),
		Tags:         strings.FieldsFunc(get("PackageTags"), separator),
		Tool:         is("PackAsTool", "true") || is("PackageType", "McpServer"),
		Unpackable:   is("IsPackable", "false"),
	}
	sdk := string(d.SDK)
	p.Executable = strings.HasSuffix(sdk, ".Web") || strings.HasSuffix(sdk, ".Worker") ||
		is("OutputType", "exe") || is("OutputType", "winexe")
	d.addItems(p)
	return p, nil
}

// addItems adds the packages and projects that a project refers to.
func (d *projectDocument) addItems(p *CSProj) {
	for _, group := range append(d.Items, d.When...) {
		for _, r := range append(group.Packages, group.Versions...) {
			name := string(cmp.Or(r.Include, r.Update))
			if name != "" && len(p.Dependencies) < untyped.MaxList {
				version := string(cmp.Or(r.Version, r.Override, r.Element))
				p.Dependencies = append(p.Dependencies, Dependency{Name: name, Version: version})
			}
		}
		for _, r := range group.Projects {
			if r.Include != "" && len(p.Projects) < untyped.MaxList {
				p.Projects = append(p.Projects, path.Clean(strings.ReplaceAll(string(r.Include), `\`, "/")))
			}
		}
	}
}

// reference returns the value of "$(Property)".
func (d *projectDocument) reference(s string) string {
	if !strings.HasPrefix(s, "$(") {
		return s
	}
	return d.Groups[strings.Trim(s, "$()")]
}
