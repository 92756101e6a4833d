package install

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// A Publication contains the packages and remotes of a server.json.
type Publication struct {
	Packages []registry.Package
	Remotes  []registry.Remote
	// Omitted are packages with a command that clients cannot build, because it starts a program
	// that server.json cannot name: "npm weather-mcp".
	Omitted []string
}

// Published returns the packages and remotes of s for a server.json. From the first package,
// clients build the command that [Of] returns for [First], except bunx, which server.json cannot
// express. ok is false if no package has a command or can be downloaded, and no remote is
// reachable, and for harmful servers.
//
// Bundles with a checksum and crates, which have no command, follow other packages. They are
// omitted if there are only remotes, because clients that use the first package would ignore
// the remotes.
func Published(s *registry.Server) (p Publication, ok bool) {
	if s.Severity() == registry.SeverityHarmful {
		return p, false
	}
	key := Key(s)
	first, _ := First(s.Packages)
	for _, pkg := range s.Packages {
		r, o := recipeOf(pkg)
		if o != nil {
			continue
		}
		out, ok := r.published(key)
		switch {
		case !ok:
		case r.script != "":
			p.Omitted = append(p.Omitted, pkg.RegistryType+" "+pkg.Identifier)
		case pkg.RegistryType == first.RegistryType && pkg.Identifier == first.Identifier:
			p.Packages = slices.Insert(p.Packages, 0, out)
		default:
			p.Packages = append(p.Packages, out)
		}
	}
	p.Remotes = publishedRemotes(key, s.Remotes)
	if len(p.Packages) == 0 && len(p.Remotes) > 0 {
		return p, true
	}
	started := len(p.Packages)
	for _, pkg := range s.Packages {
		if out, ok := downloadable(pkg); ok {
			p.Packages = append(p.Packages, out)
		}
	}
	head := min(started, 1)
	p.Packages = slices.Clone(p.Packages)
	slices.SortStableFunc(p.Packages[head:], func(a, b registry.Package) int {
		return cmp.Compare(slices.Index(typeOrder, a.RegistryType), slices.Index(typeOrder, b.RegistryType))
	})
	return p, len(p.Packages)+len(p.Omitted) > 0
}

// publishedRemotes returns the reachable ones of remotes. Some clients use the first, and its URL
// verbatim.
func publishedRemotes(key string, remotes []registry.Remote) (all []registry.Remote) {
	for r := range reachable(key, remotes) {
		for _, r := range []*remote{r, r.choices} {
			if r == nil {
				continue
			}
			out := r.published()
			if !slices.ContainsFunc(all, func(x registry.Remote) bool { return x.URL == out.URL }) {
				all = append(all, out)
			}
		}
	}
	return all
}

// typeOrder is the order of packages in a server.json. Some clients use the first package
// that they support.
var typeOrder = []string{"npm", "pypi", "oci", "nuget", "mcpb", "cargo"}

// published returns the package in the form of server.json. It reports false if its transport
// requires a URL that is unknown.
func (r *recipe) published(key string) (registry.Package, bool) {
	p := registry.Package{
		RegistryType: r.registryType, Identifier: r.identifier, Version: r.version,
		RuntimeHint: registry.Programs[r.registryType],
		Transport:   registry.PackageTransport{Type: registry.TransportStdio},
	}
	runtime := slices.DeleteFunc(slices.Clone(r.runtime), func(v value) bool { return v.fixed == "--bun" })
	if r.registryType == "npm" && !hasFixed(runtime, "-y", "--yes") {
		runtime = slices.Concat(literal("-y"), runtime)
	}
	p.RuntimeArguments, p.PackageArguments = publishedArguments(runtime), publishedArguments(r.args)
	for _, e := range r.env {
		p.EnvironmentVariables = append(p.EnvironmentVariables, e.published(e.name))
	}
	if overStdio(r.p) {
		return p, true
	}
	at := started(key, r.p)
	if at == nil {
		return p, false
	}
	address, variables := at.template()
	for name := range variables {
		if !slices.ContainsFunc(p.EnvironmentVariables,
			func(v registry.Variable) bool { return v.Name == name }) {
			return p, false
		}
	}
	p.Transport = registry.PackageTransport{Type: r.p.Transport.Type, URL: address, Headers: at.publishedHeaders()}
	return p, true
}

// optionForm matches the options that are named arguments in a server.json.
var optionForm = regexp.MustCompile(`^--?[A-Za-z0-9][A-Za-z0-9._-]*$`)

// publishedArguments returns words as arguments of a server.json: an option and its value are
// one named argument, all other words are positional.
func publishedArguments(words []value) (out []registry.Argument) {
	for i := 0; i < len(words); i++ {
		v := words[i]
		if v.open || len(v.inside) > 0 || !optionForm.MatchString(v.fixed) {
			out = append(out, v.argument(registry.Argument{Type: "positional"}))
			continue
		}
		a := registry.Argument{Type: "named", Name: v.fixed}
		if i+1 < len(words) {
			next := words[i+1]
			if next.option == v.fixed && !strings.HasPrefix(next.text(fromVariable), v.fixed) {
				a = next.argument(a)
				i++
			}
		}
		out = append(out, a)
	}
	return out
}

func (v value) argument(a registry.Argument) registry.Argument {
	a.Value, a.Variables = v.text(fromVariable), v.variables()
	if a.Value != "" && a.Type == "named" {
		a.Description = v.description
	}
	return a
}

// variables returns the {names} in the value, nil if there are none.
func (v value) variables() map[string]registry.Variable {
	var out map[string]registry.Variable
	for _, in := range opened([]value{v}) {
		if out == nil {
			out = map[string]registry.Variable{}
		}
		out[in.name] = in.input()
	}
	return out
}

// input returns an open value as a variable that clients prompt for. Clients prompt only for
// variables with a description.
func (v value) input() registry.Variable {
	out := registry.Variable{
		Description: cmp.Or(v.description, v.name), IsRequired: true, IsSecret: v.secret,
		Placeholder: v.example, Choices: v.choices,
	}
	if !v.secret {
		out.Default = v.preset
	}
	return out
}

// published returns the value of an environment variable.
func (v value) published(name string) registry.Variable {
	if v.open && v.prefix == "" {
		out := v.input()
		out.Name = name
		return out
	}
	return registry.Variable{
		Name: name, Description: cmp.Or(v.description, name), IsRequired: len(v.inside) > 0,
		IsSecret: v.secret, Value: v.text(fromVariable), Variables: v.variables(),
	}
}

// published returns the remote in the form of server.json.
func (r *remote) published() registry.Remote {
	address, variables := r.template()
	return registry.Remote{
		Type: r.either(registry.TransportHTTP, registry.TransportSSE), URL: address,
		Headers: r.publishedHeaders(), Variables: variables,
	}
}

func (r *remote) publishedHeaders() (out []registry.Variable) {
	for _, h := range r.headers {
		out = append(out, registry.Variable{
			Name: h.name, Description: cmp.Or(h.description, h.name),
			IsRequired: h.open || len(h.inside) > 0, IsSecret: h.secret,
			Value: h.text(fromVariable), Variables: h.variables(),
		})
	}
	return out
}

var plainTemplate = regexp.MustCompile(`^\{[A-Za-z0-9_.-]+\}$`)

// template returns the URL with its parts as {names}, and their variables, nil if there are
// none.
func (r *remote) template() (address string, variables map[string]registry.Variable) {
	address = r.url
	for _, part := range r.parts {
		name := templateName(part.name)
		if !plainTemplate.MatchString(part.name) {
			name = variable(name)
			address = strings.ReplaceAll(address, part.name, "{"+name+"}")
		}
		if variables == nil {
			variables = map[string]registry.Variable{}
		}
		in := part.input()
		in.Description = cmp.Or(part.description, name)
		variables[name] = in
	}
	return address, variables
}

// downloadable returns p in the form of server.json if it is a bundle or a crate, which users
// download instead of running a command.
func downloadable(p registry.Package) (registry.Package, bool) {
	o := check(p)
	if p.Doubt != "" || o == nil {
		return registry.Package{}, false
	}
	out := registry.Package{
		RegistryType: p.RegistryType, Identifier: p.Identifier,
		Transport: registry.PackageTransport{Type: registry.TransportStdio},
	}
	switch p.RegistryType {
	case "mcpb":
		out.FileSHA256 = o.SHA256
		if version.IsExact("mcpb", p.Version) {
			out.Version = p.Version
		}
		return out, o.URL != "" && o.SHA256 != ""
	case "cargo":
		out.Version = p.Version
		return out, o.Command != ""
	}
	return registry.Package{}, false
}

// An Allowance is an entry of a client's allowlist: a command or a URL, in which "*" replaces
// values to fill in.
type Allowance struct {
	URL     string
	Command []string
}

// Allowances returns the commands and URLs of s in [Clients], except commands with values to
// fill in, which allowlists cannot match.
func Allowances(s *registry.Server) (all []Allowance) {
	for _, w := range targetOf(s).ways() {
		switch {
		case w.stdio == nil:
			address := w.remote.url
			for _, part := range w.remote.parts {
				address = strings.ReplaceAll(address, part.name, "*")
			}
			if u, err := url.Parse(address); err == nil && !strings.Contains(u.Host, "*") {
				all = append(all, Allowance{URL: address})
			}
		case len(opened(w.stdio.args)) == 0:
			command := append([]string{w.stdio.command}, texts(w.stdio.args, asPlaceholder)...)
			all = append(all, Allowance{Command: command})
		}
	}
	return all
}
