package lint

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/install"
	"mcpcensus/internal/text"
)

// official checks the rules of the official registry that are not in the schema. Errors
// have the names of its validation (version 1.8.7). Warnings are reasons to reject the file
// on publication.
func (c *checker) official(root place) {
	c.serverName(root.member("name"))
	c.notEmpty(root.member("version"))
	c.exactVersion(root.member("version"))
	if repository := root.member("repository"); repository.is(object) {
		c.repository(repository)
	}
	c.website(root.member("websiteUrl", "website_url"))
	if title := root.member("title"); title.is(str) && title.text != "" &&
		strings.TrimSpace(title.text) == "" {
		c.semantic(title, "title-whitespace-only", "title must not be only white space")
	}
	for _, icon := range root.member("icons").all() {
		src := icon.member("src")
		if u, err := url.Parse(src.string()); src.is(str) && (err != nil || u.Scheme != "https") {
			c.semantic(src, "icon-src-invalid-scheme", "must be an https URL, got %s", quote(src.text))
		}
	}
	for _, p := range root.member("packages").all() {
		c.officialPackage(p)
		c.publishable(p)
	}
	for _, r := range root.member("remotes").all() {
		c.officialRemote(r)
	}
	provided := root.member("_meta").member(publisherMeta)
	if provided.node != nil {
		// the size that the registry checks
		if b, err := json.Marshal(json.RawMessage(c.data[provided.start:provided.end])); err == nil &&
			len(b) > maxProvided {
			c.publish(provided, "publish-meta-size",
				"the official registry accepts at most %d bytes, got %d", maxProvided, len(b))
		}
	}
}

// maxProvided is the maximum size of a publisher's data in _meta in bytes.
const maxProvided = 4096

// notEmpty checks members that may be empty in the schema, but not in the registry's API.
func (c *checker) notEmpty(at place) {
	if at.is(str) && at.text == "" {
		c.semantic(at, "empty-member", "must not be empty")
	}
}

func (c *checker) semantic(at place, rule, format string, args ...any) {
	c.add(at, TypeSemantic, Error, rule, format, args...)
}

func (c *checker) publish(at place, rule, format string, args ...any) {
	c.add(at, TypeSemantic, Warning, rule, format, args...)
}

var (
	namespaceForm = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]$`)
	nameForm      = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$`)
)

func (c *checker) serverName(at place) {
	if !at.is(str) {
		return // the schema requires it
	}
	const rule = "invalid-server-name"
	namespace, name, ok := strings.Cut(at.text, "/")
	switch {
	case !ok || namespace == "" || name == "":
		c.semantic(at, rule, "name must have the form namespace/name, such as com.example/server, got %s",
			quote(at.text))
	case strings.Contains(name, "/"):
		c.semantic(at, rule, "name must contain exactly one slash, got %s", quote(at.text))
	case !namespaceForm.MatchString(namespace):
		c.semantic(at, rule, "the namespace must have at least two characters, begin and end with a letter "+
			"or digit, and contain only letters, digits, dots and hyphens, got %s", quote(namespace))
	case !nameForm.MatchString(name):
		c.semantic(at, rule, "the part after the slash must have at least two characters, begin and end "+
			"with a letter or digit, and contain only letters, digits, dots, underscores and hyphens, got %s",
			quote(name))
	}
}

// plainVersion matches one version within a range.
const plainVersion = `v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?`

// rangeForms are the ranges that the official registry recognizes.
var rangeForms = []*regexp.Regexp{
	regexp.MustCompile(`^(?:\^|~|>=|<=|>|<|=)\s*` + plainVersion + `$`),
	regexp.MustCompile(`^` + plainVersion + `\s-\s*` + plainVersion + `$`),
	regexp.MustCompile(`^` + plainVersion + `\s*(?:\|\|\s*` + plainVersion + `\s*)+$`),
}

// dotted matches versions of two or three parts. The official registry considers those with
// an x or a star anywhere to be ranges, even 1.0.0-next.
var dotted = regexp.MustCompile(`^(?:v?\d+|x|X|\*)(?:\.(?:\d+|x|X|\*)){1,2}(?:-[0-9A-Za-z.-]+)?$`)

func (c *checker) exactVersion(at place) {
	v := strings.TrimSpace(at.string())
	isRange := slices.ContainsFunc(rangeForms, func(r *regexp.Regexp) bool { return r.MatchString(v) })
	switch {
	case at.string() == "latest":
		c.semantic(at, "reserved-version-string", `version must be an exact version, not "latest"`)
	case isRange:
		c.semantic(at, "version-looks-like-range", "version must be an exact version, not a range, got %s",
			quote(v))
	case dotted.MatchString(v) && strings.ContainsAny(v, "xX*"):
		c.semantic(at, "version-looks-like-range", "version must be an exact version, got %s "+
			"(the official registry considers any x a wildcard)", quote(v))
	}
}

// repositoryURLs are the forms of URLs by source.
var repositoryURLs = map[string]*regexp.Regexp{
	"github": regexp.MustCompile(`^https?://(www\.)?github\.com/[\w.-]+/[\w.-]+/?$`),
	"gitlab": regexp.MustCompile(`^https?://(www\.)?gitlab\.com/[\w.-]+(/[\w.-]+)+/?$`),
}

var subfolderForm = regexp.MustCompile(`^[a-zA-Z0-9_./-]+$`)

func (c *checker) repository(at place) {
	address, source, folder := at.member("url"), at.member("source"), at.member("subfolder")
	if address.is(str) && address.text == "" {
		c.semantic(address, "repository-url-required", "url is required")
	}
	if source.is(str) && source.text == "" {
		c.semantic(source, "repository-source-required", "source is required")
	}
	if address.string() == "" || source.string() == "" {
		return // the schema requires both
	}
	form := repositoryURLs[source.text]
	switch {
	case form == nil:
		c.semantic(address, "invalid-repository-url", "repository source must be github or gitlab, got %s",
			quote(source.text))
	case !form.MatchString(address.text) || source.text == "gitlab" &&
		strings.Contains(address.text+"/", "/-/"):
		c.semantic(address, "invalid-repository-url", "must be the URL of a %s repository, such as "+
			"https://%s.com/owner/name, got %s", source.text, source.text, quote(address.text))
	}
	if f := folder.string(); f != "" && (!subfolderForm.MatchString(f) ||
		slices.ContainsFunc(strings.Split(f, "/"),
			func(part string) bool { return part == "" || part == "." || part == ".." })) {
		c.semantic(folder, "invalid-subfolder-path",
			"subfolder must be a relative path without . and .., got %s", quote(f))
	}
}

func (c *checker) website(at place) {
	s := at.string()
	if s == "" {
		return
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		c.semantic(at, "invalid-website-url", "websiteUrl must be a URL, got %s", quote(s))
		return
	case !u.IsAbs():
		c.semantic(at, "website-url-must-be-absolute", "websiteUrl must begin with https://, got %s", quote(s))
	case u.Scheme != "https":
		c.semantic(at, "website-url-invalid-scheme", "websiteUrl must use https, got %s", quote(s))
	}
	if strings.ContainsAny(s, "\"'<> \t\n\r") {
		c.semantic(at, "website-url-invalid-characters",
			"websiteUrl must not contain quotes, angle brackets or white space, got %s", quote(s))
	}
}

// officialPackage checks a package by the rules of the official registry's validation.
func (c *checker) officialPackage(p place) {
	if id := p.member("identifier", "name"); strings.Contains(id.string(), " ") {
		c.semantic(id, "package-name-has-spaces", "must not contain spaces, got %s", quote(id.text))
	}
	c.notEmpty(p.member("registryType", "registry_type"))
	c.notEmpty(p.member("identifier"))
	c.exactVersion(p.member("version"))
	defined := map[string]bool{}
	for _, v := range p.member("environmentVariables", "environment_variables").all() {
		defined[v.member("name").string()] = true
	}
	for _, list := range []place{runtimeArguments(p), packageArguments(p)} {
		for _, a := range list.all() {
			c.argument(a)
			defined[a.member("name").string()] = true
			defined[a.member("valueHint", "value_hint").string()] = true
		}
	}
	t := p.member("transport")
	address := t.member("url")
	switch kind := t.member("type").string(); {
	case kind == "stdio" && address.string() != "":
		c.semantic(address, "stdio-transport-url-not-empty", "must be empty for the stdio transport, got %s",
			quote(address.text))
	case kind == "stdio" || address.string() == "" || c.tooLong(address):
	case !isAddress(address.text):
		c.semantic(address, "invalid-templated-url", "must be an http or https URL, got %s", quote(address.text))
	default:
		if name, ok := undefined(address.text, defined); ok {
			c.semantic(address, "invalid-templated-url", "{%s} is not defined: the URL can contain names and "+
				"value hints of the package's arguments, and names of its environment variables", name)
		}
	}
}

func runtimeArguments(p place) place { return p.member("runtimeArguments", "runtime_arguments") }
func packageArguments(p place) place { return p.member("packageArguments", "package_arguments") }

func (c *checker) argument(a place) {
	name, value := a.member("name"), a.member("value")
	if a.member("type").string() != "named" {
		return // the schema has the rules for positional arguments
	}
	switch n := name.string(); {
	case name.is(str) && n == "":
		c.semantic(name, "named-argument-name-required", "named arguments must have a name")
	case strings.ContainsAny(n, "<> $"):
		c.semantic(name, "invalid-named-argument-name", "must be an option without its value, got %s", quote(n))
	}
	for _, v := range []place{value, a.member("default")} {
		if v.string() != "" && strings.HasPrefix(v.text, name.string()) {
			c.semantic(v, "argument-"+v.path[len(a.path)+1:]+"-starts-with-name",
				"must not begin with the argument's name: clients would pass %s twice", quote(name.string()))
		}
	}
}

func (c *checker) officialRemote(r place) {
	address := r.member("url")
	s := address.string()
	if s == "" || c.tooLong(address) {
		return // the schema requires it
	}
	u, err := url.Parse(filled(s))
	switch {
	case !isAddress(s):
		c.semantic(address, "invalid-remote-url", "must be an https URL, got %s", quote(s))
		return
	case err == nil && hosts.KindOf(u.Hostname()) == hosts.Loopback:
		c.semantic(address, "invalid-remote-url", "must not be on the user's machine, got %s", quote(s))
	case err == nil && u.Scheme != "https":
		c.semantic(address, "invalid-remote-url", "must use https, got %s", quote(s))
	}
	defined := map[string]bool{}
	if v := r.member("variables"); v.is(object) {
		for _, name := range v.names {
			defined[name] = true
		}
	}
	if name, ok := undefined(s, defined); ok {
		c.semantic(address, "invalid-templated-url", "{%s} is not defined in variables", name)
	}
}

// maxURL is the maximum length of a URL in bytes.
const maxURL = 8 << 10

// tooLong adds an issue for a URL longer than maxURL.
func (c *checker) tooLong(at place) bool {
	if len(at.text) <= maxURL {
		return false
	}
	c.semantic(at, "url-too-long", "must have at most %d bytes, got %d", maxURL, len(at.text))
	return true
}

var (
	inBraces = regexp.MustCompile(`\{([^}]+)\}`)
	portSlot = regexp.MustCompile(`:\{[^}]+\}(/|$)`)
)

// filled replaces the {variables} of a URL with the values that the official registry uses
// to parse it.
func filled(s string) string {
	s = strings.NewReplacer("{host}", "example.com", "{port}", "8080", "{path}", "api",
		"{protocol}", "http", "{scheme}", "http").Replace(s)
	return inBraces.ReplaceAllString(portSlot.ReplaceAllString(s, ":8080$1"), "placeholder")
}

// isAddress reports whether s is an http or https URL, with or without {variables}.
func isAddress(s string) bool {
	u, err := url.Parse(filled(s))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// undefined returns the first {variable} of a URL that is not defined.
func undefined(s string, defined map[string]bool) (string, bool) {
	for _, m := range inBraces.FindAllStringSubmatch(s, -1) {
		if !defined[m[1]] {
			return strings.Trim(quote(m[1]), `"`), true
		}
	}
	return "", false
}

// publishable checks the rules that the official registry applies on publication by type of
// package. It does not check whether the package names the server.
func (c *checker) publishable(p place) {
	version, sum := p.member("version"), p.member("fileSha256", "file_sha256")
	base, id := p.member("registryBaseUrl", "registry_base_url"), p.member("identifier")
	kind := p.member("registryType", "registry_type")
	switch kind.string() {
	case "npm", "pypi", "nuget", "cargo":
		if version.string() == "" {
			c.publish(version, "publish-version-required",
				"the official registry requires a version for %s packages", kind.text)
		}
		if sum.string() != "" {
			c.publish(sum, "publish-file-sha256", "the official registry accepts fileSha256 only for mcpb packages")
		}
		if !install.IsPublicRegistry(kind.text, base.string()) {
			c.publish(base, "publish-registry-base",
				"the official registry accepts only the default registry of %s packages, got %s", kind.text, quote(base.text))
		}
	case "oci":
		for _, extra := range []place{base, version, sum} {
			if extra.string() != "" {
				c.publish(extra, "publish-oci-members", "the official registry rejects this member for images: "+
					"put registry and tag in identifier, such as docker.io/owner/image:1.0.0")
			}
		}
	case "mcpb":
		c.bundle(base, sum, id)
	case "":
	default:
		c.publish(kind, "publish-registry-type",
			"the official registry accepts npm, pypi, oci, nuget, mcpb and cargo, got %s", quote(kind.text))
	}
}

func (c *checker) bundle(base, sum, id place) {
	if sum.string() == "" {
		c.publish(sum, "publish-file-sha256", "the official registry requires fileSha256 for mcpb packages")
	}
	if base.string() != "" {
		c.publish(base, "publish-mcpb-url", "the official registry rejects this member for bundles: put the whole "+
			"URL in identifier")
	}
	u, err := url.Parse(id.string())
	hosts := []string{"github.com", "www.github.com", "gitlab.com", "www.gitlab.com"}
	if id.is(str) && (err != nil || u.Scheme != "https" || !slices.Contains(hosts, strings.ToLower(u.Host)) ||
		!strings.Contains(strings.ToLower(id.text), "mcp")) {
		c.publish(id, "publish-mcpb-url", "the official registry accepts only bundles on https://github.com or "+
			"https://gitlab.com with mcp in their URL, got %s", quote(id.text))
	}
}

var (
	// prose are the members that people read.
	prose = map[string]bool{"title": true, "description": true, "placeholder": true}
	// inLines are the members whose values may have line breaks.
	inLines = map[string]bool{"value": true, "default": true, "choices": true}

	lineBreaks = strings.NewReplacer("\r", "", "\n", "", "\t", "")
)

// characters checks the texts below a place, which is in a member, for hidden characters.
// Members that clients do not know, and the data of publishers in _meta, may have any.
func (c *checker) characters(at place, member string) {
	switch {
	case at.is(str) && prose[member]:
		if r := text.Hidden(at.text); r != "" {
			c.rule(at, "hidden-character", "This text contains the character %s, which people do not see.", r)
		}
	case at.is(str) && inLines[member]:
		c.safe(at, lineBreaks.Replace(at.text))
	case at.is(str):
		c.safe(at, at.text)
	case at.is(array):
		for _, v := range at.all() {
			c.characters(v, member)
		}
	case at.is(object):
		for i, v := range at.all() {
			if at.names[i] == "_meta" || c.isUnknown(v) {
				continue
			}
			if member == "variables" {
				c.safe(v, at.names[i])
			}
			c.characters(v, at.names[i])
		}
	}
}

// isUnknown reports whether there is an issue of an unknown member at a place.
func (c *checker) isUnknown(at place) bool {
	return slices.ContainsFunc(c.found, func(f found) bool {
		return f.Reference == "unknown-member" && f.Path == at.path
	})
}

// safe checks a value, or the name of a member, that clients run or send.
func (c *checker) safe(at place, s string) {
	if r := text.Unsafe(s); r != "" {
		c.rule(at, "unsafe-character", "This contains the character %s, which cannot be shown safely: %s", r,
			quote(s))
	}
}
