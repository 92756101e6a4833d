package manifest

import (
	"errors"
	"regexp"
	"strings"

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
	o, err := decodeJSON(b)
	if err != nil {
		return nil, err
	}
	if inner := o.obj("server"); inner != nil && o.str("name") == "" {
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
	d := object(o)
	l := &registry.Listing{
		Name: concrete(d.str("name")), Title: d.str("title", "display_name"), Description: d.str("description"),
		Version: concrete(d.str("version")), WebsiteURL: d.str("websiteUrl", "website_url"), SchemaURL: d.str("$schema"),
		Status: d.str("status"),
	}
	if v := d.obj("version_detail", "versionDetail"); l.Version == "" && v != nil {
		l.Version = concrete(v.str("version"))
	}
	if r := d.obj("repository"); r != nil {
		l.RepoURL, l.RepoSource, l.RepoID = r.str("url"), r.str("source"), r.str("id")
		l.Subfolder = strings.Trim(r.str("subfolder"), "/")
	}
	for _, i := range d.objs("icons") {
		if src := i.str("src"); strings.HasPrefix(src, "https://") {
			l.IconURL = src
			break
		}
	}
	for _, p := range d.objs("packages") {
		if pkg, ok := packageOf(p); ok {
			l.Packages = append(l.Packages, pkg)
		}
	}
	for _, r := range d.objs("remotes") {
		if rem, ok := remoteOf(r); ok {
			l.Remotes = append(l.Remotes, rem)
		}
	}
	return l
}

func packageOf(p object) (registry.Package, bool) {
	pkg := registry.Package{
		RegistryType: registryType(p.str("registryType", "registry_type", "registry_name")),
		Identifier:   concrete(p.str("identifier", "name")), Version: concrete(p.str("version")),
		RegistryBaseURL: p.str("registryBaseUrl", "registry_base_url"),
		FileSHA256:      strings.ToLower(p.str("fileSha256", "file_sha256")),
		RuntimeHint:     p.str("runtimeHint", "runtime_hint"),
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
	pkg.RuntimeArguments = arguments(p.objs("runtimeArguments", "runtime_arguments"))
	pkg.PackageArguments = arguments(p.objs("packageArguments", "package_arguments"))
	if pkg.RegistryType == "oci" && p.objs("package_arguments") != nil {
		pkg.PackageArguments = nil // the seed of the registry has the words of "docker run" there
	}
	pkg.EnvironmentVariables = variables(p.objs("environmentVariables", "environment_variables"))
	return pkg, true
}

func transportOf(p object) registry.PackageTransport {
	t := p.obj("transport")
	if t == nil {
		return registry.PackageTransport{Type: registry.TransportStdio}
	}
	out := registry.PackageTransport{Type: Transport(t.str("type")), URL: t.str("url"), Headers: variables(t.objs("headers"))}
	if out.Type == "" {
		out.Type = registry.TransportStdio
	}
	return out
}

func remoteOf(r object) (registry.Remote, bool) {
	rem := registry.Remote{Type: Transport(r.str("type", "transport_type", "transportType", "transport")), URL: r.str("url"), Headers: variables(r.objs("headers"))}
	if rem.Type == "" {
		rem.Type = registry.TransportHTTP
	}
	rem.Variables = inner(r)
	return rem, rem.Type != registry.TransportStdio && IsRemoteURL(rem.URL)
}

func variable(v object) registry.Variable {
	return registry.Variable{
		Name: v.str("name"), Description: v.str("description"),
		IsRequired: v.flag("isRequired", "is_required"), IsSecret: v.flag("isSecret", "is_secret"),
		Format: v.str("format"), Value: v.str("value"), Default: v.str("default"),
		Placeholder: v.str("placeholder"), Choices: v.strs("choices"),
	}
}

// mostInner bounds the variables inside one value.
const mostInner = 20

// inner returns the "variables" of o: what the {names} in its value or address
// mean; nil if it has none.
func inner(o object) map[string]registry.Variable {
	vars := o.obj("variables")
	var out map[string]registry.Variable
	for _, k := range vars.keys() {
		if len(out) >= mostInner || len(k) > 200 {
			continue
		}
		if out == nil {
			out = map[string]registry.Variable{}
		}
		v := variable(vars.obj(k))
		v.Name = ""
		out[short(k)] = v
	}
	return out
}

func variables(list []object) []registry.Variable {
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

func arguments(list []object) []registry.Argument {
	var out []registry.Argument
	for _, a := range list[:min(len(list), 100)] {
		arg := registry.Argument{
			Type: a.str("type"), Name: a.str("name"), Value: a.str("value"), ValueHint: a.str("valueHint", "value_hint"),
			Description: a.str("description"), Default: a.str("default"), IsRequired: a.flag("isRequired", "is_required"),
			IsRepeated: a.flag("isRepeated", "is_repeated"), IsSecret: a.flag("isSecret", "is_secret"),
			Format: a.str("format"), Placeholder: a.str("placeholder"), Choices: a.strs("choices"), Variables: inner(a),
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
