package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Bounds on one entry of the official registry.
const (
	maxItems   = 64 // packages, remotes, arguments, variables, headers: each
	maxText    = 2000
	maxAddress = 2048
)

// officialKey marks the registry's own words about an entry.
const officialKey = "io.modelcontextprotocol.registry/official"

var serverName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// A row is one version of a server as the registry lists it.
type row struct {
	Listing  registry.Listing `json:"listing"`
	Official bool             `json:"official,omitempty"` // the registry said whether it is the latest
	Latest   bool             `json:"latest,omitempty"`
}

// parseRow reads one entry of a list of the official registry, of any
// generation: today's {server, _meta}, the bare server.json with _meta inside,
// and the snake_case forms of 2025. It fails where there is no usable name; a
// package, remote or variable that makes no sense is left out.
func parseRow(raw []byte) (row, error) {
	var whole object
	if err := decodeObject(raw, &whole); err != nil {
		return row{}, err
	}
	server := whole
	if inner := whole.object("server"); inner != nil {
		server = inner
	}
	name := server.text("name")
	if len(name) < 3 || len(name) > 200 || !serverName.MatchString(name) {
		return row{}, errors.New("it has no name of the form namespace/name")
	}
	detail := server.object("version_detail", "versionDetail")
	l := registry.Listing{
		Name:        name,
		Title:       clean(server.text("title"), 200),
		Description: clean(server.text("description"), maxText),
		Version:     clean(first(server.text("version"), detail.text("version")), 255),
		WebsiteURL:  webAddress(server.text("websiteUrl", "website_url")),
		SchemaURL:   webAddress(server.text("$schema")),
		Status:      "active",
	}
	if repo := server.object("repository"); repo != nil {
		l.RepoURL = clean(repo.text("url"), maxAddress)
		l.RepoSource = strings.ToLower(clean(repo.text("source"), 100))
		l.RepoID = clean(repo.text("id"), 100)
		l.Subfolder = subfolder(repo.text("subfolder"))
	}
	for _, icon := range server.objects("icons") {
		if src := webAddress(icon.text("src")); strings.HasPrefix(src, "https://") && len(src) <= 255 {
			l.IconURL = src
			break
		}
	}
	for _, p := range server.objects("packages") {
		if parsed, ok := parsePackage(p); ok {
			l.Packages = append(l.Packages, parsed)
		}
	}
	for _, r := range server.objects("remotes") {
		if parsed, ok := parseRemote(r); ok {
			l.Remotes = append(l.Remotes, parsed)
		}
	}

	official := whole.object("_meta").object(officialKey)
	if official == nil {
		official = server.object("_meta").object(officialKey)
	}
	if official == nil {
		official = whole.object("x-io.modelcontextprotocol.registry")
	}
	out := row{}
	if latest, ok := official.boolean("isLatest", "is_latest"); ok {
		out.Official, out.Latest = true, latest
	} else if latest, ok := detail.boolean("is_latest", "isLatest"); ok {
		out.Official, out.Latest = true, latest
	}
	switch s := strings.ToLower(first(official.text("status"), server.text("status"))); s {
	case "deprecated", "deleted":
		l.Status = s
	}
	l.StatusText = clean(official.text("statusMessage", "status_message"), 500)
	l.PublishedAt = parseTime(first(official.text("publishedAt", "published_at"), detail.text("release_date")))
	l.UpdatedAt = parseTime(first(official.text("updatedAt", "updated_at"), official.text("statusChangedAt")))
	if l.UpdatedAt == nil {
		l.UpdatedAt = l.PublishedAt
	}
	out.Listing = l
	return out, nil
}

// packageTypes are the spellings of registry types over the generations.
var packageTypes = map[string]string{
	"npm": "npm", "pypi": "pypi", "oci": "oci", "docker": "oci", "nuget": "nuget", "mcpb": "mcpb", "dxt": "mcpb",
	"cargo": "cargo", "crates": "cargo",
}

func parsePackage(o object) (registry.Package, bool) {
	p := registry.Package{
		RegistryType:    packageTypes[strings.ToLower(o.text("registryType", "registry_type", "registry_name"))],
		Identifier:      clean(o.text("identifier", "name"), 500),
		Version:         clean(o.text("version"), 255),
		RegistryBaseURL: webAddress(o.text("registryBaseUrl", "registry_base_url")),
		FileSHA256:      digest(o.text("fileSha256", "file_sha256")),
		RuntimeHint:     clean(o.text("runtimeHint", "runtime_hint"), 50),
	}
	if p.RegistryType == "" || p.Identifier == "" || !registry.CanBePackage(p.RegistryType, p.Identifier) {
		return p, false
	}
	t := o.object("transport")
	p.Transport = registry.PackageTransport{
		Type:    transportOf(first(t.text("type"), registry.TransportStdio)),
		URL:     templateAddress(t.text("url")),
		Headers: parseVariables(t.objects("headers")),
	}
	if p.Transport.Type == "" {
		return p, false
	}
	p.RuntimeArguments = parseArguments(o.objects("runtimeArguments", "runtime_arguments"))
	p.PackageArguments = parseArguments(o.objects("packageArguments", "package_arguments"))
	p.EnvironmentVariables = parseVariables(o.objects("environmentVariables", "environment_variables"))
	return p, true
}

func parseRemote(o object) (registry.Remote, bool) {
	r := registry.Remote{
		Type:    transportOf(o.text("type", "transport_type", "transportType")),
		URL:     templateAddress(o.text("url")),
		Headers: parseVariables(o.objects("headers")),
	}
	if r.URL == "" || (r.Type != registry.TransportHTTP && r.Type != registry.TransportSSE) {
		return r, false
	}
	r.Variables = variablesInside(o)
	return r, true
}

// variablesInside returns what the {names} in the value or address of o mean, nil
// if it does not say.
func variablesInside(o object) map[string]registry.Variable {
	var out map[string]registry.Variable
	declared := o.object("variables")
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		inner, ok := declared[name].(map[string]any)
		if !ok || len(out) >= maxItems || clean(name, 100) != name || name == "" {
			continue
		}
		if out == nil {
			out = map[string]registry.Variable{}
		}
		out[name] = parseVariable(object(inner))
	}
	return out
}

func transportOf(s string) string {
	switch strings.ToLower(strings.ReplaceAll(s, "_", "-")) {
	case "stdio":
		return registry.TransportStdio
	case "streamable-http", "streamable", "streamablehttp", "http":
		return registry.TransportHTTP
	case "sse":
		return registry.TransportSSE
	}
	return ""
}

func parseVariables(os []object) []registry.Variable {
	var out []registry.Variable
	for _, o := range os {
		if v := parseVariable(o); v.Name != "" {
			v.Variables = variablesInside(o)
			out = append(out, v)
		}
	}
	return out
}

func parseVariable(o object) registry.Variable {
	v := registry.Variable{
		Name:        clean(o.text("name"), 200),
		Description: clean(o.text("description"), maxText),
		Format:      clean(o.text("format"), 50),
		Value:       clean(o.text("value"), maxText),
		Default:     clean(o.text("default"), maxText),
		Placeholder: clean(o.text("placeholder"), maxText),
	}
	v.IsRequired, _ = o.boolean("isRequired", "is_required")
	v.IsSecret, _ = o.boolean("isSecret", "is_secret")
	for _, c := range o.texts("choices") {
		v.Choices = append(v.Choices, clean(c, 200))
	}
	return v
}

func parseArguments(os []object) []registry.Argument {
	var out []registry.Argument
	for _, o := range os {
		a := registry.Argument{
			Type:        strings.ToLower(o.text("type")),
			Name:        clean(o.text("name"), 200),
			Value:       clean(o.text("value"), maxText),
			ValueHint:   clean(o.text("valueHint", "value_hint"), 200),
			Description: clean(o.text("description"), maxText),
			Default:     clean(o.text("default"), maxText),
			Format:      clean(o.text("format"), 50),
			Placeholder: clean(o.text("placeholder"), maxText),
			Variables:   variablesInside(o),
		}
		for _, c := range o.texts("choices") {
			a.Choices = append(a.Choices, clean(c, 200))
		}
		a.IsRequired, _ = o.boolean("isRequired", "is_required")
		a.IsRepeated, _ = o.boolean("isRepeated", "is_repeated")
		a.IsSecret, _ = o.boolean("isSecret", "is_secret")
		if a.Type != "named" {
			a.Type = "positional"
		}
		if a.Type == "named" && a.Name == "" {
			continue
		}
		out = append(out, a)
	}
	return out
}

var sha256Hex = regexp.MustCompile(`^[a-f0-9]{64}$`)

func digest(s string) string {
	if sha256Hex.MatchString(s) {
		return s
	}
	return ""
}

// webAddress returns an http or https address, "" for anything else.
func webAddress(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxAddress || clean(s, maxAddress) != s || strings.ContainsAny(s, " \n\t\"<>\\^`") {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil {
		return ""
	}
	return s
}

var templatePart = regexp.MustCompile(`[{<][a-zA-Z0-9_.-]{1,100}[}>]`)

// templateAddress is webAddress for addresses with {variables} in them. One
// that begins with a variable is no address that can be checked: "".
func templateAddress(s string) string {
	s = strings.TrimSpace(s)
	if webAddress(templatePart.ReplaceAllString(s, "x")) == "" || len(s) > maxAddress {
		return ""
	}
	return s
}

// subfolder returns a clean relative path, "" for one that leaves the
// repository.
func subfolder(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "/")
	s = strings.TrimPrefix(s, "./")
	if s == "." || s == "" || len(s) > 500 || clean(s, 500) != s || strings.ContainsAny(s, "\\\n\t") {
		return ""
	}
	if slices.ContainsFunc(strings.Split(s, "/"), func(part string) bool { return part == "" || part == "." || part == ".." }) {
		return ""
	}
	return s
}

// An object is a JSON object of unknown make. All its methods work on nil and
// give the zero value for what is not there or of the wrong type. Several keys
// are spellings of one member, best first.
type object map[string]any

func decodeObject(raw []byte, out *object) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a JSON object")
	}
	*out = m
	return nil
}

func (o object) value(keys ...string) any {
	for _, k := range keys {
		if v, ok := o[k]; ok && v != nil {
			return v
		}
	}
	return nil
}

func (o object) object(keys ...string) object {
	m, _ := o.value(keys...).(map[string]any)
	return m
}

// text returns a string, or a number or a bool as it is written.
func (o object) text(keys ...string) string { return textOf(o.value(keys...)) }

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	return ""
}

func (o object) boolean(keys ...string) (value, ok bool) {
	value, ok = o.value(keys...).(bool)
	return value, ok
}

func (o object) objects(keys ...string) []object {
	list, _ := o.value(keys...).([]any)
	var out []object
	for _, v := range list[:min(len(list), maxItems)] {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func (o object) texts(keys ...string) []string {
	list, _ := o.value(keys...).([]any)
	var out []string
	for _, v := range list[:min(len(list), maxItems)] {
		if s := textOf(v); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// later returns the later of two times that may be unknown.
func later(a, b *time.Time) *time.Time {
	if a == nil || (b != nil && b.After(*a)) {
		return b
	}
	return a
}
