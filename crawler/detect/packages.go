package detect

import (
	"regexp"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

// packages collects the published artefacts that run the server: from the
// official registry and server.json, then from what the README tells users to
// run, then from manifests that are meant to be published. Whether each
// exists is for the package services to say.
func (c *context) packages(d *registry.Detection) {
	u := c.unit
	var out []registry.Package
	seen := map[string]int{}
	add := func(p registry.Package) {
		p.Identifier = strings.TrimSpace(p.Identifier)
		if p.RegistryType == "oci" {
			name, tag := manifest.SplitImage(p.Identifier)
			key := "oci:" + strings.TrimPrefix(strings.ToLower(name), "docker.io/")
			if i, ok := seen[key]; ok {
				out[i].Version = first(out[i].Version, tag)
				return
			}
			if p.Version == "" && tag != "" {
				p.Version = tag
			}
			if _, digest, pinned := strings.Cut(p.Identifier, "@"); pinned {
				name += "@" + digest
			}
			p.Identifier = name
			seen[key] = len(out)
		} else {
			key := p.RegistryType + ":" + strings.ToLower(p.Identifier)
			if p.RegistryType == "pypi" {
				key = "pypi:" + manifest.PyName(p.Identifier)
			}
			if i, ok := seen[key]; ok {
				out[i].Version = first(out[i].Version, p.Version)
				return
			}
			seen[key] = len(out)
		}
		if p.Transport.Type == "" {
			p.Transport.Type = registry.TransportStdio
		}
		if p.RuntimeHint == "" {
			p.RuntimeHint = map[string]string{"npm": "npx", "pypi": "uvx", "oci": "docker", "nuget": "dnx"}[p.RegistryType]
		}
		out = append(out, p)
	}
	if u.listing != nil {
		for _, p := range u.listing.Packages {
			add(p)
		}
	}
	if u.server != nil {
		for _, p := range u.server.Packages {
			add(p)
		}
	}
	version := u.version()
	for _, l := range c.launched() {
		p := registry.Package{RegistryType: l.RegistryType, Identifier: l.Identifier, Version: exact(l.Version)}
		if p.Version == "" && u.named(l.RegistryType, l.Identifier) {
			p.Version = version
		}
		add(p)
	}
	for _, p := range c.published() {
		add(p)
	}
	d.Packages = out
	d.Version = first(version, listingVersion(u))
	if c.readme != nil {
		for _, l := range c.readme.Commands {
			if l.Source && (strings.Contains(l.Line, "git+") || strings.HasPrefix(l.Line, "go install") || strings.HasPrefix(l.Line, "cargo install") || strings.Contains(l.Line, "github:")) {
				d.SourceInstall = cut(l.Line, 500)
				break
			}
		}
	}
}

func listingVersion(u *unit) string {
	if u.server != nil && u.server.Version != "" {
		return u.server.Version
	}
	if u.listing != nil {
		return u.listing.Version
	}
	return ""
}

// version is what the manifests of the unit say.
func (u *unit) version() string {
	var out []string
	if u.npm != nil {
		out = append(out, u.npm.Version)
	}
	if u.py != nil {
		out = append(out, u.py.Version)
	}
	if u.cargo != nil {
		out = append(out, u.cargo.Version)
	}
	for _, p := range u.csproj {
		out = append(out, p.Version)
	}
	if u.server != nil {
		out = append(out, u.server.Version)
	}
	if u.bundle != nil {
		out = append(out, u.bundle.Version)
	}
	if u.pom != nil {
		out = append(out, u.pom.Version)
	}
	if u.gradle != nil {
		out = append(out, u.gradle.Version)
	}
	if u.other != nil {
		out = append(out, u.other.Version)
	}
	for _, v := range out {
		if v = exact(v); v != "" && v != "0.0.0" && !strings.Contains(v, "SNAPSHOT") && !strings.HasPrefix(v, "0.0.0-") {
			return v
		}
	}
	return ""
}

var exactRE = regexp.MustCompile(`^v?[0-9][0-9A-Za-z.+_-]{0,60}$`)

// exact returns a version that is one, and "" for ranges, templates and words.
func exact(v string) string {
	if exactRE.MatchString(v) && !strings.HasSuffix(v, ".x") && v != "0.0.0" && !strings.HasPrefix(v, "0.0.0-") {
		return v
	}
	return ""
}

// named says whether a package has the name of one of the unit's manifests.
func (u *unit) named(kind, id string) bool {
	switch {
	case kind == "npm" && u.npm != nil:
		return strings.EqualFold(u.npm.Name, id)
	case kind == "pypi" && u.py != nil:
		return manifest.PyName(u.py.Name) == manifest.PyName(id)
	case kind == "cargo" && u.cargo != nil:
		return strings.EqualFold(u.cargo.Name, id)
	case kind == "nuget":
		for _, p := range u.csproj {
			if strings.EqualFold(p.PackageID, id) {
				return true
			}
		}
	}
	return false
}

// launched returns the packages that README, client configurations and badges
// name and that are this server's.
func (c *context) launched() []manifest.Launch {
	var all []manifest.Launch
	add := func(l manifest.Launch) {
		if l.RegistryType != "" && l.Identifier != "" && !l.Source && !manifest.IsBridge(l.Identifier) && l.Runner != "npm" && l.Runner != "pnpm" && l.Runner != "yarn" {
			all = append(all, l)
		}
	}
	globals := map[string]bool{}
	if c.readme != nil {
		for _, l := range c.readme.Commands {
			add(l)
			if l.RegistryType == "npm" && (l.Runner == "npm" || l.Runner == "pnpm" || l.Runner == "yarn") {
				globals[l.Identifier] = true
			}
		}
		for _, l := range c.readme.Badges {
			add(l)
		}
	}
	for _, s := range c.unit.configs {
		if l, ok := manifest.ParseCommand(s.Command, s.Args); ok {
			add(l)
		}
	}
	if c.unit.bundle != nil {
		if l, ok := manifest.ParseCommand(c.unit.bundle.Launch.Command, c.unit.bundle.Launch.Args); ok {
			add(l)
		}
	}
	local := map[string]bool{}
	if c.readme != nil {
		for _, i := range c.readme.LocalImages {
			n, _ := manifest.SplitImage(i)
			local[strings.ToLower(n)] = true
		}
	}
	for id := range globals {
		if c.unit.named("npm", id) {
			all = append(all, manifest.Launch{RegistryType: "npm", Identifier: id})
		}
	}
	count := map[string]int{}
	for _, l := range all {
		count[l.RegistryType+":"+l.Identifier]++
	}
	var out []manifest.Launch
	for _, l := range all {
		if l.RegistryType == "oci" && local[strings.ToLower(l.Identifier)] && !strings.Contains(strings.SplitN(l.Identifier, "/", 2)[0], ".") {
			continue
		}
		if c.ours(l) {
			out = append(out, l)
		}
	}
	if len(out) == 0 && c.alone && !c.unit.hasManifest() {
		// Nothing to compare names with: the one package that the README
		// launches is the server.
		kinds := map[string][]manifest.Launch{}
		for _, l := range all {
			if hasMCP(l.Identifier) && len(kinds[l.RegistryType]) == 0 || len(kinds[l.RegistryType]) > 0 && kinds[l.RegistryType][0].Identifier != l.Identifier {
				kinds[l.RegistryType] = append(kinds[l.RegistryType], l)
			}
		}
		for _, k := range registry.RegistryTypes {
			if len(kinds[k]) == 1 {
				out = append(out, kinds[k][0])
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return weight(out[i]) < weight(out[j]) })
	return out
}

// weight orders packages of different registries as clients prefer them.
func weight(l manifest.Launch) int {
	for i, k := range registry.RegistryTypes {
		if k == l.RegistryType {
			return i
		}
	}
	return 99
}

func (u *unit) hasManifest() bool {
	return u.npm != nil && u.npm.Name != "" || u.py != nil && u.py.Name != "" || u.cargo != nil && u.cargo.Name != ""
}

// ours says whether a package that some text launches is this server.
func (c *context) ours(l manifest.Launch) bool {
	u := c.unit
	if u.named(l.RegistryType, l.Identifier) {
		return true
	}
	// A manifest of this kind gives the name: another name is another package,
	// unless it is the same words.
	for _, v := range c.repo.units {
		if v == u || !v.named(l.RegistryType, l.Identifier) {
			continue
		}
		// Wrappers of another kind in the same repository publish this server;
		// a sibling server's package does not.
		return c.alone || strings.HasPrefix(v.dir, prefix(u.dir)) && u.dir != "" || u.dir == "" && v.reason == ""
	}
	for _, known := range c.knownIdentifiers() {
		if strings.EqualFold(known, l.Identifier) {
			return true
		}
	}
	if !c.own {
		words := wordsOf(u.dir)
		return overlap(words, wordsOf(l.Identifier)) && overlapAll(words, wordsOf(l.Identifier))
	}
	own := wordsOf(c.repo.snap.Repo.Name)
	for _, n := range u.names() {
		own = append(own, wordsOf(n[strings.IndexByte(n, ':')+1:])...)
	}
	if u.dir != "" {
		own = append(own, wordsOf(u.dir)...)
	}
	if c.readme != nil && len(own) == 0 {
		own = append(own, wordsOf(c.readme.Title)...)
	}
	if l.RegistryType == "oci" {
		parts := strings.Split(strings.ToLower(l.Identifier), "/")
		if strings.EqualFold(parts[len(parts)-2], c.repo.snap.Repo.Owner) {
			return true
		}
		return overlap(own, wordsOf(parts[len(parts)-1]))
	}
	if strings.HasPrefix(l.Identifier, "@") && strings.EqualFold(l.Identifier[1:strings.IndexByte(l.Identifier, '/')], c.repo.snap.Repo.Owner) {
		return true
	}
	return overlap(own, wordsOf(l.Identifier))
}

func (c *context) knownIdentifiers() []string {
	var out []string
	for _, l := range []*registry.Listing{c.unit.listing, c.unit.server} {
		if l != nil {
			for _, p := range l.Packages {
				out = append(out, p.Identifier)
			}
		}
	}
	return out
}

var nonWord = regexp.MustCompile(`[^\p{L}\p{N}]+`)

// wordsOf splits a name into the lower-case words that tell it from others.
func wordsOf(name string) []string {
	var out []string
	for _, w := range nonWord.Split(strings.ToLower(name), -1) {
		if len(w) > 1 && !genericWords[w] {
			out = append(out, w)
			if t := strings.TrimSuffix(strings.TrimPrefix(w, "mcp"), "mcp"); t != w && len(t) > 2 {
				out = append(out, t)
			}
		}
	}
	return out
}

func overlap(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y || len(x) >= 4 && len(y) >= 4 && (strings.Contains(x, y) || strings.Contains(y, x)) {
				return true
			}
		}
	}
	return false
}

// overlapAll says whether every word of the shorter list is in the longer.
func overlapAll(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, x := range a {
		if !overlap([]string{x}, b) {
			return false
		}
	}
	return len(a) > 0
}

// published returns the packages that the unit's manifests are meant for.
func (c *context) published() []registry.Package {
	u := c.unit
	var out []registry.Package
	says := func(name string) bool {
		return c.readme != nil && name != "" && strings.Contains(strings.ToLower(c.readme.Text), strings.ToLower(name))
	}
	if p := u.npm; p != nil && !p.Private && p.Name != "" && (len(p.Bin) > 0 || p.MCPName != "") && p.Version != "" {
		if hasMCP(p.Name) || strings.HasPrefix(p.Name, "@") || says(p.Name) {
			out = append(out, registry.Package{RegistryType: "npm", Identifier: p.Name, Version: exact(p.Version)})
		}
	}
	if p := u.py; p != nil && !p.Private && p.Name != "" && len(p.Scripts) > 0 {
		if hasMCP(p.Name) || says(p.Name) {
			out = append(out, registry.Package{RegistryType: "pypi", Identifier: p.Name, Version: exact(p.Version)})
		}
	}
	if p := u.cargo; p != nil && !p.Private && p.Name != "" && p.Description != "" && p.License != "" && hasMCP(p.Name) {
		// A crate without description and licence is refused by its registry.
		out = append(out, registry.Package{RegistryType: "cargo", Identifier: p.Name, Version: exact(p.Version)})
	}
	for _, p := range u.csproj {
		if p.Tool && !p.Unpackable {
			id := first(p.PackageID, p.AssemblyName)
			if id != "" && !strings.Contains(id, "$(") {
				out = append(out, registry.Package{RegistryType: "nuget", Identifier: id, Version: exact(p.Version)})
			}
		}
		for key, kind := range map[string]string{"DnxPackageId": "nuget"} {
			if id := p.Properties[key]; id != "" && !strings.Contains(id, "$(") {
				out = append(out, registry.Package{RegistryType: kind, Identifier: id, Version: exact(p.Version)})
			}
		}
	}
	// A wrapper that publishes a binary under another registry's name.
	if c.alone {
		for _, v := range c.repo.units {
			if v == u || v.dir == "" || v.npm == nil || v.npm.Private || len(v.npm.Bin) == 0 || excluded(v.dir) {
				continue
			}
			if hasMCP(v.npm.Name) && u.npm == nil && overlap(wordsOf(v.npm.Name), wordsOf(c.repo.snap.Repo.Name)) && !platform.MatchString(v.npm.Name) {
				out = append(out, registry.Package{RegistryType: "npm", Identifier: v.npm.Name, Version: exact(v.npm.Version)})
			}
		}
	}
	return out
}

var platform = regexp.MustCompile(`(?i)-(?:darwin|linux|win32|windows|macos|musl|gnu)(?:-|$)|-(?:x64|arm64|amd64)$`)
