package manifest

import (
	"cmp"
	"path"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A CSProj is a .NET project.
type CSProj struct {
	SDK                                                          string // of the project: "Microsoft.NET.Sdk.Web"
	PackageID, Version, Description, License, URL, RepositoryURL string
	AssemblyName, ToolCommand                                    string
	Tags                                                         []string
	Executable                                                   bool // it builds a program
	Tool                                                         bool // packed as a .NET tool or as an MCP server
	Unpackable                                                   bool
	Dependencies                                                 []Dependency
	Projects                                                     []string // paths of referenced projects, relative to this one
	Properties                                                   map[string]string
}

// ParseCSProj reads a .csproj or .fsproj, or a Directory.Packages.props.
func ParseCSProj(b []byte) (*CSProj, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	p := &CSProj{Properties: map[string]string{}}
	pending := -1
	err = walkXML(b, func(at string, attrs map[string]string) {
		switch {
		case at == "Project":
			p.SDK = attrs["Sdk"]
		case strings.HasSuffix(at, "/PackageReference") || strings.HasSuffix(at, "/PackageVersion"):
			if name := cmp.Or(attrs["Include"], attrs["Update"]); name != "" && len(p.Dependencies) < untyped.MaxList {
				pending = len(p.Dependencies)
				p.Dependencies = append(p.Dependencies, Dependency{Name: name, Version: cmp.Or(attrs["Version"], attrs["VersionOverride"])})
			}
		case strings.HasSuffix(at, "/ProjectReference"):
			if ref := attrs["Include"]; ref != "" && len(p.Projects) < untyped.MaxList {
				p.Projects = append(p.Projects, path.Clean(strings.ReplaceAll(ref, `\`, "/")))
			}
		}
	}, func(at, value string) {
		if strings.HasSuffix(at, "/PackageReference/Version") && pending >= 0 {
			p.Dependencies[pending].Version = cmp.Or(p.Dependencies[pending].Version, value)
			return
		}
		if !strings.HasPrefix(at, "Project/PropertyGroup/") || value == "" {
			return
		}
		key := strings.TrimPrefix(at, "Project/PropertyGroup/")
		if len(p.Properties) < 200 && p.Properties[key] == "" {
			p.Properties[key] = value
		}
		switch key {
		case "PackageId":
			p.PackageID = value
		case "Version", "PackageVersion", "VersionPrefix":
			p.Version = cmp.Or(p.Version, value)
		case "Description", "PackageDescription":
			p.Description = cmp.Or(p.Description, value)
		case "PackageLicenseExpression":
			p.License = value
		case "PackageProjectUrl":
			p.URL = value
		case "RepositoryUrl":
			p.RepositoryURL = value
		case "AssemblyName":
			p.AssemblyName = value
		case "ToolCommandName":
			p.ToolCommand = value
		case "PackageTags":
			p.Tags = strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == ',' || r == ' ' })
		case "OutputType":
			p.Executable = p.Executable || strings.EqualFold(value, "exe") || strings.EqualFold(value, "winexe")
		case "PackAsTool":
			p.Tool = p.Tool || strings.EqualFold(value, "true")
		case "PackageType":
			p.Tool = p.Tool || strings.EqualFold(value, "McpServer")
		case "IsPackable":
			p.Unpackable = strings.EqualFold(value, "false")
		}
	})
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(p.SDK, ".Web") || strings.HasSuffix(p.SDK, ".Worker") {
		p.Executable = true
	}
	for _, s := range []*string{&p.PackageID, &p.Version, &p.Description, &p.AssemblyName} {
		if strings.HasPrefix(*s, "$(") {
			*s = p.Properties[strings.Trim(*s, "$()")]
		}
	}
	return p, nil
}
