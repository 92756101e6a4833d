package manifest

import (
	"errors"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// registryNameRE is the form of a name in the official registry: a namespace,
// one slash and a name.
var registryNameRE = regexp.MustCompile(`^[a-zA-Z0-9.-]{1,150}/[a-zA-Z0-9._-]{1,100}$`)

// IsRegistryName says whether a name has the form of the official registry's.
func IsRegistryName(name string) bool { return registryNameRE.MatchString(name) }

// ParseServerJSON reads a server.json of any schema generation, from the
// first with snake_case and version_detail to the current draft, and returns
// it as a listing without status. Identifiers and versions that a template
// leaves open, such as "<<Version>>" or "${VERSION}", are "". It fails if the
// file is no JSON object or describes no server.
func ParseServerJSON(b []byte) (*registry.Listing, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	if inner := o.Object("server"); inner != nil && o.Text("name") == "" {
		o = inner // as the registry's API answers
	}
	l := ListingOf(o)
	if l.Name == "" && len(l.Packages) == 0 && len(l.Remotes) == 0 {
		return nil, errors.New("file has neither a name nor packages nor remotes")
	}
	if l.Name != "" && !IsRegistryName(l.Name) && len(l.Packages) == 0 && len(l.Remotes) == 0 {
		return nil, errors.New("name is not in the registry's form")
	}
	return l, nil
}

// ListingOf reads a decoded server.json object.
func ListingOf(o map[string]any) *registry.Listing {
	d := untyped.Object(o)
	l := &registry.Listing{
		Name: concrete(d.Text("name")), Title: d.Text("title", "display_name"), Description: d.Text("description"),
		Version: concrete(d.Text("version")), WebsiteURL: d.Text("websiteUrl", "website_url"), SchemaURL: d.Text("$schema"),
		Status: d.Text("status"),
	}
	if v := d.Object("version_detail", "versionDetail"); l.Version == "" && v != nil {
		l.Version = concrete(v.Text("version"))
	}
	if r := d.Object("repository"); r != nil {
		l.RepoURL, l.RepoSource, l.RepoID = r.Text("url"), r.Text("source"), r.Text("id")
		l.Subfolder = strings.Trim(r.Text("subfolder"), "/")
	}
	for _, i := range d.Objects("icons") {
		if src := i.Text("src"); strings.HasPrefix(src, "https://") {
			l.IconURL = src
			break
		}
	}
	for _, p := range d.Objects("packages") {
		if pkg, ok := packageOf(p); ok {
			l.Packages = append(l.Packages, pkg)
		}
	}
	for _, r := range d.Objects("remotes") {
		if rem, ok := remoteOf(r); ok {
			l.Remotes = append(l.Remotes, rem)
		}
	}
	return l
}

func packageOf(p untyped.Object) (registry.Package, bool) {
	pkg := registry.Package{
		RegistryType: registryType(p.Text("registryType", "registry_type", "registry_name")),
		Identifier:   concrete(p.Text("identifier", "name")), Version: concrete(p.Text("version")),
		RegistryBaseURL: p.Text("registryBaseUrl", "registry_base_url"),
		FileSHA256:      strings.ToLower(p.Text("fileSha256", "file_sha256")),
		RuntimeHint:     p.Text("runtimeHint", "runtime_hint"),
	}
	if pkg.RegistryType == "" {
		pkg.RegistryType = map[string]string{"npx": "npm", "uvx": "pypi", "docker": "oci", "dnx": "nuget"}[pkg.RuntimeHint]
	}
	if pkg.RegistryType == "" || pkg.Identifier == "" || strings.ContainsAny(pkg.Identifier, " \t\n\"'<>|") || !registry.CanBePackage(pkg.RegistryType, pkg.Identifier) {
		return pkg, false
	}
	if pkg.Version == "latest" {
		pkg.Version = ""
	}
	if pkg.RegistryType == "oci" {
		base := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(pkg.RegistryBaseURL, "https://"), "http://"), "/")
		if base != "" && base != "docker.io" && !strings.Contains(strings.SplitN(pkg.Identifier, "/", 2)[0], ".") {
			pkg.Identifier = base + "/" + pkg.Identifier
		}
		pkg.RegistryBaseURL = ""
	}
	pkg.Transport = transportOf(p)
	pkg.RuntimeArguments = arguments(p.Objects("runtimeArguments", "runtime_arguments"))
	pkg.PackageArguments = arguments(p.Objects("packageArguments", "package_arguments"))
	if pkg.RegistryType == "oci" && p.Objects("package_arguments") != nil {
		pkg.PackageArguments = nil // the seed of the registry has the words of "docker run" there
	}
	pkg.EnvironmentVariables = variables(p.Objects("environmentVariables", "environment_variables"))
	return pkg, true
}

func transportOf(p untyped.Object) registry.PackageTransport {
	t := p.Object("transport")
	if t == nil {
		return registry.PackageTransport{Type: registry.TransportStdio}
	}
	out := registry.PackageTransport{Type: Transport(t.Text("type")), URL: t.Text("url"), Headers: variables(t.Objects("headers"))}
	if out.Type == "" {
		out.Type = registry.TransportStdio
	}
	return out
}

func remoteOf(r untyped.Object) (registry.Remote, bool) {
	rem := registry.Remote{Type: Transport(r.Text("type", "transport_type", "transportType", "transport")), URL: r.Text("url"), Headers: variables(r.Objects("headers"))}
	if rem.Type == "" {
		rem.Type = registry.TransportHTTP
	}
	rem.Variables = inner(r)
	return rem, rem.Type != registry.TransportStdio && IsRemoteURL(rem.URL)
}

func variable(v untyped.Object) registry.Variable {
	return registry.Variable{
		Name: v.Text("name"), Description: v.Text("description"),
		IsRequired: v.Flag("isRequired", "is_required"), IsSecret: v.Flag("isSecret", "is_secret"),
		Format: v.Text("format"), Value: v.Text("value"), Default: v.Text("default"),
		Placeholder: v.Text("placeholder"), Choices: v.Texts("choices"),
	}
}

// mostInner bounds the variables inside one value.
const mostInner = 20

// inner returns the "variables" of o: what the {names} in its value or address
// mean; nil if it has none.
func inner(o untyped.Object) map[string]registry.Variable {
	vars := o.Object("variables")
	var out map[string]registry.Variable
	for _, k := range vars.Keys() {
		if len(out) >= mostInner || len(k) > 200 {
			continue
		}
		if out == nil {
			out = map[string]registry.Variable{}
		}
		v := variable(vars.Object(k))
		v.Name = ""
		out[untyped.Short(k)] = v
	}
	return out
}

func variables(list []untyped.Object) []registry.Variable {
	var out []registry.Variable
	seen := map[string]bool{}
	for _, o := range list {
		v := variable(o)
		if v.Name == "" || seen[v.Name] || len(v.Name) > 200 || len(out) >= 200 {
			continue
		}
		seen[v.Name] = true
		v.Variables = inner(o)
		out = append(out, v)
	}
	return out
}

func arguments(list []untyped.Object) []registry.Argument {
	var out []registry.Argument
	for _, a := range list[:min(len(list), 100)] {
		arg := registry.Argument{
			Type: a.Text("type"), Name: a.Text("name"), Value: a.Text("value"), ValueHint: a.Text("valueHint", "value_hint"),
			Description: a.Text("description"), Default: a.Text("default"), IsRequired: a.Flag("isRequired", "is_required"),
			IsRepeated: a.Flag("isRepeated", "is_repeated"), IsSecret: a.Flag("isSecret", "is_secret"),
			Format: a.Text("format"), Placeholder: a.Text("placeholder"), Choices: a.Texts("choices"), Variables: inner(a),
		}
		if arg.Type != "named" {
			arg.Type = "positional"
		}
		unscrape(&arg)
		out = append(out, arg)
	}
	return out
}

// unscrape mends arguments of the registry's seed, which were read off READMEs:
// a name with its value behind it, and examples as if they were fixed values.
func unscrape(a *registry.Argument) {
	if name, rest, ok := strings.Cut(a.Name, " "); ok && a.Type == "named" {
		if a.Value == a.Name {
			a.Value = ""
		}
		if a.Default == a.Name {
			a.Default = ""
		}
		a.Name = name
		if a.ValueHint == "" {
			a.ValueHint = strings.TrimSpace(rest)
		}
	}
	if a.ValueHint != "" && a.Value == a.ValueHint {
		a.Value = ""
		if a.Default == a.ValueHint {
			a.Default = ""
		}
	}
}

// registryType returns the current name of a package registry as any
// generation spells it, "" if it is none of registry.RegistryTypes.
func registryType(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(s), ".") // some wrote the registry's host
	switch s {
	case "npm":
		return "npm"
	case "pypi", "python":
		return "pypi"
	case "oci", "docker", "docker-hub", "dockerhub", "container", "ghcr":
		return "oci"
	case "nuget":
		return "nuget"
	case "mcpb", "dxt":
		return "mcpb"
	case "cargo", "crates":
		return "cargo"
	}
	return ""
}

// Transport returns the name that server.json has for a transport as clients
// and servers spell it, "" for anything else.
func Transport(s string) string {
	switch strings.ToLower(strings.NewReplacer("_", "-", " ", "-").Replace(s)) {
	case "stdio", "local":
		return registry.TransportStdio
	case "streamable-http", "streamable", "streamablehttp", "http", "http-stream", "http-streamable", "remote":
		return registry.TransportHTTP
	case "sse", "http-sse", "http+sse":
		return registry.TransportSSE
	}
	return ""
}

// concrete returns s, or "" if it still has a template's marks in it.
func concrete(s string) string {
	if strings.Contains(s, "<<") || strings.Contains(s, "{{") || strings.Contains(s, "${") || strings.Contains(s, "$(") || strings.Contains(s, "__VERSION__") ||
		strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") || strings.Contains(s, "/<") {
		return ""
	}
	return s
}
