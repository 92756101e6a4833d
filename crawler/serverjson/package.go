package serverjson

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
)

// types are the registry types by their spelling in any generation, without the part after the
// first dot.
var types = map[string]string{
	"npm": "npm", "pypi": "pypi", "python": "pypi", "nuget": "nuget", "mcpb": "mcpb", "dxt": "mcpb",
	"cargo": "cargo", "crates": "cargo",
	"oci": "oci", "docker": "oci", "docker-hub": "oci", "dockerhub": "oci", "container": "oci",
	"ghcr": "oci",
}

// typeHosts are the hosts of images by registry type.
var typeHosts = map[string]string{"docker-hub": oci.DockerHub, "dockerhub": oci.DockerHub,
	"ghcr": "ghcr.io"}

// hintTypes are the registry types by runtimeHint, for packages without a type.
var hintTypes = map[string]string{"npx": "npm", "uvx": "pypi", "docker": "oci", "dnx": "nuget"}

// parsePackage reports false for packages without a known registry type, a valid identifier and
// a known transport. It repairs the arguments of scraped packages.
func parsePackage(o untyped.Object, scraped bool) (registry.Package, bool) {
	p := registry.Package{
		Identifier:      identifier(o),
		Version:         version(o),
		RegistryBaseURL: registryBase(o.Text("registryBaseUrl", "registry_base_url")),
		FileSHA256:      strings.ToLower(o.Text("fileSha256", "file_sha256")),
		RuntimeHint:     untyped.Cut(o.Text("runtimeHint", "runtime_hint"), 50),
		Transport:       packageTransport(o),

		RuntimeArguments:     arguments(o.Objects("runtimeArguments", "runtime_arguments")),
		PackageArguments:     arguments(o.Objects("packageArguments", "package_arguments")),
		EnvironmentVariables: variables(o.Objects("environmentVariables", "environment_variables")),
	}
	written, _, _ := strings.Cut(strings.ToLower(o.Text("registryType", "registry_type",
		"registry_name")), ".")
	p.RegistryType = types[written]
	if written == "" {
		p.RegistryType = hintTypes[p.RuntimeHint]
	}
	if !registry.IsSHA256(p.FileSHA256) {
		p.FileSHA256 = ""
	}
	if scraped {
		unscrape(&p)
	}
	if p.RegistryType == "oci" {
		if scraped && !unscrapeImage(&p) || !image(&p, typeHosts[written]) {
			return p, false
		}
		withoutCommand(&p)
	}
	p.Identifier = filled(p.Identifier)
	return p, p.RegistryType != "" && p.Transport.Type != "" && p.Identifier != "" &&
		!strings.ContainsAny(p.Identifier, " \t\n\"'<>|") &&
		canBePackage(p.RegistryType, p.Identifier)
}

// registryBase returns the URL of a registry, "" for domains reserved for documentation (RFC
// 2606).
func registryBase(address string) string {
	address = untyped.Cut(address, maxAddress)
	if u, err := url.Parse(address); err == nil && hosts.IsReserved(u.Hostname()) {
		return ""
	}
	return address
}

// identifier returns the name of a package as it is: sanitized, it could be the name of another
// package. It returns "" for a name that is too long.
func identifier(o untyped.Object) string {
	id, _ := o["identifier"].(string)
	name, _ := o["name"].(string)
	id = cmp.Or(strings.TrimSpace(id), strings.TrimSpace(name))
	if len(id) > maxIdentifier {
		return ""
	}
	return id
}

// image normalizes the name of an image: the host in the identifier unless it is Docker Hub, the
// tag in the version, and no base URL. It does not change invalid names. It reports false if the
// base URL contradicts the registry type.
func image(p *registry.Package, typeHost string) bool {
	if name, tag := cutTag(p.Identifier); IsPlaceholder(tag) {
		p.Identifier = name
	}
	if typeHost != "" {
		p.RegistryBaseURL = cmp.Or(p.RegistryBaseURL, typeHost)
		if host, err := oci.Host(p.RegistryBaseURL); err != nil || host != typeHost {
			return false
		}
	}
	img, err := oci.Parse(p.Identifier, p.RegistryBaseURL)
	if err != nil {
		return true
	}
	p.RegistryBaseURL = ""
	p.Identifier = img.Name
	if img.Digest != "" {
		p.Identifier += "@" + img.Digest
	}
	if p.Version = cmp.Or(img.Tag, p.Version); img.Tag == "latest" {
		p.Version = ""
	}
	return true
}

// cutTag splits the tag off the name of an image.
func cutTag(image string) (name, tag string) {
	i := strings.LastIndexByte(image, ':')
	if i < 0 || i < strings.LastIndexByte(image, '/') {
		return image, ""
	}
	return image[:i], image[i+1:]
}

// ofDocker are options that programs in images hardly have.
var ofDocker = []string{"rm", "interactive", "tty", "env", "volume", "publish", "name", "init"}

// isDocker reports whether an argument belongs to a "docker run" command.
func isDocker(a registry.Argument) bool {
	word, _, _ := strings.Cut(cmp.Or(a.Name, a.Value), " ")
	return word == "run" || slices.Contains(ofDocker, dockerrun.Name(word))
}

// unscrapeImage removes the words of "docker run" from the arguments of an image in an entry of
// the first generation. The name of such a package is the name of the project, which may not
// exist on Docker Hub: it reports false if none of the words is an image with that name.
func unscrapeImage(p *registry.Package) bool {
	if !slices.ContainsFunc(p.PackageArguments, isDocker) {
		return true
	}
	familiar := func(image string) string {
		name, _ := cutTag(image)
		return strings.TrimPrefix(name, oci.DockerHub+"/")
	}
	isImage := func(a registry.Argument) bool {
		return familiar(cmp.Or(a.Value, a.ValueHint)) == familiar(p.Identifier)
	}
	found := slices.ContainsFunc(p.PackageArguments, isImage)
	p.PackageArguments = nil
	return found
}

// withoutCommand removes the words of a complete "docker run" command from the runtime arguments
// of an image: the image, and the options that pass declared variables, which every client adds.
func withoutCommand(p *registry.Package) {
	args := p.RuntimeArguments
	if len(args) == 0 || args[0].Value != "run" {
		return
	}
	declared := func(name string) bool {
		return slices.ContainsFunc(p.EnvironmentVariables,
			func(v registry.Variable) bool { return v.Name == name })
	}
	var out []registry.Argument
	for i := 1; i < len(args); i++ {
		a := args[i]
		image, _ := cutTag(a.Value)
		switch {
		case image == p.Identifier:
		case dockerrun.Name(cmp.Or(a.Name, a.Value)) == "env" && i+1 < len(args) &&
			declared(args[i+1].Value):
			i++
		default:
			out = append(out, a)
		}
	}
	p.RuntimeArguments = out
}

// packageTransport returns the transport of a package, stdio by default. Its Type is "" if the
// transport is unknown.
func packageTransport(o untyped.Object) registry.PackageTransport {
	t := o.Object("transport")
	return registry.PackageTransport{
		Type:    Transport(cmp.Or(t.Text("type"), o.Text("transport"), registry.TransportStdio)),
		URL:     TemplateAddress(t.Text("url")),
		Headers: variables(t.Objects("headers")),
	}
}

// parseRemote reports false for remotes without a URL or with an unknown transport. The default
// transport is streamable HTTP.
func parseRemote(o untyped.Object) (registry.Remote, bool) {
	written := o.Text("type", "transport_type", "transportType", "transport")
	r := registry.Remote{
		Type:      Transport(cmp.Or(written, registry.TransportHTTP)),
		URL:       TemplateAddress(o.Text("url")),
		Headers:   variables(o.Objects("headers")),
		Variables: inside(o),
	}
	return r, r.URL != "" && (r.Type == registry.TransportHTTP || r.Type == registry.TransportSSE)
}

// Transport returns the name of a transport in server.json for the spellings of clients and
// servers, "" for anything else.
func Transport(s string) string {
	switch strings.ToLower(strings.NewReplacer("_", "-", " ", "-").Replace(s)) {
	case "stdio", "local":
		return registry.TransportStdio
	case "streamable-http", "streamable", "streamablehttp", "http", "http-stream", "http-streamable",
		"remote":
		return registry.TransportHTTP
	case "sse", "http-sse", "http+sse":
		return registry.TransportSSE
	}
	return ""
}

// canBePackage reports whether a package registry allows a name. npm allows a slash only after
// the scope, the others none.
func canBePackage(registryType, identifier string) bool {
	switch registryType {
	case "npm":
		scope, rest, scoped := strings.Cut(identifier, "/")
		return !scoped || strings.HasPrefix(scope, "@") && !strings.Contains(rest, "/")
	case "pypi", "nuget", "cargo":
		return !strings.Contains(identifier, "/")
	}
	return true
}
