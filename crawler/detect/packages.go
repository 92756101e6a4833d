package detect

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
)

// packages collects the published packages that run the server: from server.json, the commands in
// the README, manifests intended for publication, and the official registry. The main one in the
// README is first. It does not check whether they exist.
func (c *candidate) packages(d *registry.Detection) {
	out := packageList{at: map[string]int{}}
	u := c.unit
	if u.server != nil {
		out.addDeclared(u.server, registry.DeclaredInRepo)
	}
	version := u.version()
	for _, l := range c.launched() {
		p := registry.Package{RegistryType: l.RegistryType, Identifier: l.Identifier,
			Version: exact(l.Version)}
		if p.Version == "" && u.named(l.RegistryType, l.Identifier) {
			p.Version = version
		}
		out.add(p)
	}
	for _, p := range c.published() {
		out.add(p)
	}
	own := len(out.all)
	if u.listing != nil {
		out.addDeclared(c.repo.withoutFiles(u.listing), registry.DeclaredInRegistry)
	}
	for i := range out.all {
		p := &out.all[i]
		conf, named := c.configurations(p)
		p.Configurations = conf
		p.Defaults = c.defaultsOf(p)
		p.Doubt = cmp.Or(c.doubt(p, i >= own), c.setStart(p, named))
		c.servesHTTP(p)
	}
	c.lead(out.all)
	d.Packages = out.all
	d.Version = cmp.Or(version, u.listingVersion())
	d.SourceInstall = c.sourceInstall()
}

// doubt returns the doubt about a package that its place raises, "" for none. apart is set if only
// its entry in the official registry may name it.
func (c *candidate) doubt(p *registry.Package, apart bool) string {
	isImage := p.RegistryType == "oci"
	switch {
	case apart && c.repo.readmeRead() && !c.repo.names(p.RegistryType, p.Identifier):
		return registry.DoubtUnnamed
	case c.repo.contradicts(p.RegistryType):
		return registry.DoubtEcosystem
	case p.RegistryType == "npm" && p.Declared == "" && c.repo.isPrivate(p.Identifier):
		return registry.DoubtManifest
	case isImage && (p.Declared == "" || c.repo.snap.Repo.Fork) && c.isOthersImage(p.Identifier):
		return registry.DoubtForeign
	case isImage && p.Declared == "" && !hasHost(p.Identifier):
		return registry.DoubtImage
	}
	return ""
}

// isPrivate reports whether a manifest says that its package of npm, whose name anybody can take, is
// not to be published.
func (r *repo) isPrivate(id string) bool {
	private, public := false, false
	for _, u := range r.units {
		if u.npm != nil && u.npm.Name == id {
			private, public = private || u.npm.Private, public || !u.npm.Private
		}
	}
	return private && !public
}

// isOthersImage reports whether an image is another owner's: in a registry of code hosts below another
// name, of the origin of a fork, or of a repository with its name that the README links. Owners may
// have other names in other registries.
func (c *candidate) isOthersImage(identifier string) bool {
	img, err := oci.Parse(identifier, "")
	owner, _, below := strings.Cut(img.Path(), "/")
	of := &c.repo.snap.Repo
	if err != nil || !below || strings.EqualFold(owner, of.Owner) {
		return false
	}
	origin, _, _ := strings.Cut(of.Parent, "/")
	return slices.Contains(oci.OfCodeHosts, img.Host) || strings.EqualFold(owner, origin) ||
		slices.ContainsFunc(c.readme.Links, func(link string) bool {
			linked, name := repoParts(link)
			return strings.EqualFold(linked, owner) && strings.EqualFold(name, path.Base(img.Name)) && !c.repo.here(link)
		})
}

// setStart sets the program that starts the server in a package, and returns the doubt about it,
// "" for none. named is set if its configurations name the package.
func (c *candidate) setStart(p *registry.Package, named bool) string {
	script, known := c.script(p)
	hasScript := func(conf registry.Configuration) bool { return conf.Script != "" }
	if usual := byPackage(p, c.programs(p)); usual == "" || len(p.Configurations) == 0 {
		p.Script = script
	}
	if !known && !slices.ContainsFunc(p.Configurations, hasScript) {
		return registry.DoubtProgram
	}
	if p.Declared != "" || named || !c.repo.readmeRead() {
		return ""
	}
	if !c.readmeLaunches(p.RegistryType, p.Identifier) {
		return registry.DoubtManifest
	}
	if c.hasNoProgram(p) {
		return registry.DoubtProgram
	}
	_, isGroup := c.groupCommand(p)
	if _, starts := c.shellLines(p); len(p.Configurations) == 0 && (isGroup || !starts && script == "") {
		return registry.DoubtUsage
	}
	return ""
}

// withoutFiles returns an entry of the registry without arguments that are source files of the
// repository: they start a clone of it rather than the package.
func (r *repo) withoutFiles(l *registry.Listing) *registry.Listing {
	out := *l
	out.Packages = slices.Clone(l.Packages)
	for i := range out.Packages {
		p := &out.Packages[i]
		p.PackageArguments = slices.DeleteFunc(slices.Clone(p.PackageArguments), func(a registry.Argument) bool {
			return a.Type == "positional" && r.files[strings.TrimPrefix(a.Value, "./")] && manifest.IsSource(a.Value)
		})
	}
	return &out
}

// A packageList is a list of packages without duplicates.
type packageList struct {
	all []registry.Package
	at  map[string]int // index by key
}

// addDeclared adds the packages of a server.json or a registry entry.
func (l *packageList) addDeclared(from *registry.Listing, declared string) {
	for _, p := range from.Packages {
		p.Declared = declared
		if isUnreleased(p.Version) {
			p.Version = ""
		}
		l.add(p)
	}
}

// add adds a package, or its version and declaration to the known package.
func (l *packageList) add(p registry.Package) {
	key, version := PackageMark(p.RegistryType, p.Identifier), p.Version
	p.Identifier = strings.TrimSpace(p.Identifier)
	if p.RegistryType == "oci" { // a tag becomes the version; a digest is kept
		name, tag := shell.SplitImage(p.Identifier)
		if _, digest, pinned := strings.Cut(p.Identifier, "@"); pinned {
			name += "@" + digest
		}
		p.Identifier, p.Version, version = name, cmp.Or(p.Version, tag), tag
	}
	if i, ok := l.at[key]; ok {
		known := &l.all[i]
		known.Version = cmp.Or(known.Version, version)
		if p.Declared != "" && known.Declared == "" {
			known.Declared, known.Transport = p.Declared, p.Transport
			known.RuntimeArguments, known.PackageArguments = p.RuntimeArguments, p.PackageArguments
			known.EnvironmentVariables = p.EnvironmentVariables
			known.RegistryBaseURL, known.FileSHA256 = p.RegistryBaseURL, p.FileSHA256
		}
		return
	}
	l.at[key] = len(l.all)
	p.Transport.Type = cmp.Or(p.Transport.Type, registry.TransportStdio)
	p.RuntimeHint = cmp.Or(p.RuntimeHint, registry.Programs[p.RegistryType])
	l.all = append(l.all, p)
}

// listingVersion returns the version of server.json or of the official
// registry.
func (u *unit) listingVersion() string {
	for _, l := range u.listings() {
		if l.Version != "" && !isUnreleased(l.Version) {
			return l.Version
		}
	}
	return ""
}

// sourceInstall returns the README's command that installs the server from its
// source, "" if there is none.
func (c *candidate) sourceInstall() string {
	commands := slices.Clone(c.readme.Commands)
	for _, s := range c.readme.Servers {
		l, _ := s.Launch()
		commands = append(commands, l)
	}
	if i := slices.IndexFunc(commands, c.fetchesOwn); i >= 0 {
		return shownLine(c.ownPart(commands[i].Line))
	}
	return ""
}

// fetchesOwn reports whether a command starts the server from its source, which it fetches.
func (c *candidate) fetchesOwn(l shell.Launch) bool {
	isGo, isRust := strings.HasPrefix(l.Line, "go install"), strings.HasPrefix(l.Line, "cargo install")
	if !c.alone && (isGo && c.unit.gomod == nil || isRust && c.unit.cargo == nil) {
		return false
	}
	own := c.ownPart(l.Line)
	return l.Source && fetchesSource.MatchString(own) && c.isNamedIn(own)
}

var (
	addsPackages = regexp.MustCompile(`^(?:(?:gem|brew|go) install|composer (?:global )?require)\b`)
	plainOperand = regexp.MustCompile(`^[\w@][\w@./:~^+-]*$`)
)

// ownPart returns a command that installs packages with that of the server alone and without options,
// "" if it has none. Other commands are returned unchanged.
func (c *candidate) ownPart(line string) string {
	head := addsPackages.FindString(line)
	if head == "" {
		return line
	}
	for _, w := range strings.Fields(line[len(head):]) {
		if one := head + " " + w; plainOperand.MatchString(w) && c.isNamedIn(one) {
			return one
		}
	}
	return ""
}

var fetchesSource = regexp.MustCompile(`git\+|github:|\bjsr:|^(?:go|cargo) install|^deno (?:run|install)\b.*\bhttps://|` +
	`^(?:npx|bunx)\b.*\s[\w.-]+/[\w.-]+(?:\s|$)|^(?:gem|brew) install|^composer (?:global )?require`)

// isNamedIn reports whether a command names the repository, the module, the package of JSR, the gem, the
// package of Composer, or the owner's tap of Homebrew.
func (c *candidate) isNamedIn(command string) bool {
	repo := strings.ToLower(c.repo.snap.Repo.Owner + "/" + c.repo.snap.Repo.Name)
	names := []string{"brew install " + c.repo.snap.Repo.Owner + "/"}
	if u := c.unit; u.other != nil && u.other.Name != "" {
		names = append(names, "gem install "+u.other.Name+" ", "require "+u.other.Name+" ")
	}
	for kind, p := range c.unit.packages() {
		if p.Name != "" && (kind == "go" || kind == "jsr" || kind == "cargo") {
			names = append(names, p.Name)
		}
	}
	command = " " + strings.ToLower(command) + " "
	before, after, found := strings.Cut(command, repo)
	isRepo := found && !isWordByte(before[len(before)-1]) && !isWordByte(after[0])
	return isRepo || slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(command, strings.ToLower(name))
	})
}

var exactRE = regexp.MustCompile(`^v?[0-9][0-9A-Za-z.+_-]{0,60}$`)

// exact returns a version, "" for ranges, templates, words and unreleased versions.
func exact(v string) string {
	if isUnreleased(v) || strings.HasSuffix(v, ".x") || !exactRE.MatchString(v) {
		return ""
	}
	return v
}

var unreleased = regexp.MustCompile(`(?i)^v?0\.0\.0(?:-|$)|[.-](?:dev|local)\d*$|-snapshot$`)

// isUnreleased reports whether a version in a manifest is a placeholder of release tools or a
// development version, which no registry has.
func isUnreleased(v string) bool { return unreleased.MatchString(v) }

// published returns the packages that the unit's manifests build.
func (c *candidate) published() []registry.Package {
	u := c.unit
	var out []registry.Package
	add := func(kind, id, version string) {
		out = append(out, registry.Package{RegistryType: kind, Identifier: id, Version: exact(version)})
	}
	if u.distNPM != "" && (hasMCP(u.distNPM) || c.readmeNames("npm", u.distNPM)) {
		add("npm", u.distNPM, u.cargo.Version)
	}
	for kind, p := range u.packages() {
		if c.publishes(kind, p) {
			add(kind, p.Name, p.Version)
		}
	}
	for _, p := range u.csproj {
		if id := cmp.Or(p.Name, p.AssemblyName); p.Tool && !p.Private && isConstant(id) {
			add("nuget", id, p.Version)
		}
		if id := p.Properties["DnxPackageId"]; isConstant(id) {
			add("nuget", id, p.Version)
		}
	}
	if c.alone && u.npm == nil {
		for _, v := range c.repo.units {
			if c.wraps(v) {
				add("npm", v.npm.Name, v.npm.Version)
			}
		}
	}
	return out
}

// publishes reports whether a manifest is that of a published program. The crates registry
// rejects crates without description and license.
func (c *candidate) publishes(kind string, p *manifest.Package) bool {
	if p.Name == "" || p.Private {
		return false
	}
	runs, named := len(p.Programs) > 0, hasMCP(p.Name)
	switch kind {
	case "npm":
		return (runs || p.MCPName != "") && p.Version != "" &&
			(named || strings.HasPrefix(p.Name, "@") || c.readmeNames(kind, p.Name))
	case "pypi":
		return runs && (named || c.readmeNames(kind, p.Name))
	}
	return kind == "cargo" && named && p.Description != "" && p.License != ""
}

// readmeNames reports whether the README contains the name of a package as a whole word.
func (c *candidate) readmeNames(kind, name string) bool {
	word := packageWord(kind, name)
	return word.MatchString(c.readme.Text) || slices.ContainsFunc(c.readme.Commands, func(l shell.Launch) bool {
		return PackageMark(l.RegistryType, l.Identifier) == PackageMark(kind, name)
	})
}

// readmeLaunches reports whether a command or badge of the README names a package. A word of the
// text may be the project or its folder.
func (c *candidate) readmeLaunches(kind, name string) bool {
	return slices.ContainsFunc(slices.Concat(c.readme.Commands, c.readme.Badges), func(l shell.Launch) bool {
		return !l.Source && PackageMark(l.RegistryType, l.Identifier) == PackageMark(kind, name)
	})
}

// packageWord returns the expression that matches the identifier of a package as a whole word: in
// a text, a command, or the URL of its page.
func packageWord(kind, identifier string) *regexp.Regexp {
	id := regexp.QuoteMeta(identifier)
	if kind == "pypi" { // its names do not distinguish these
		id = registry.PyPIPattern(identifier)
	}
	return regexp.MustCompile(`(?i)(?:^|[^A-Za-z0-9_@/.-]|docker\.io/|/(?:packages?|projects?|crates)/)` + id +
		`(?:$|[^A-Za-z0-9_/.-]|/(?:$|[^A-Za-z0-9_.-])|[.](?:\s|$)|-?[.]?$)`)
}

// isConstant reports whether a property of a .NET project is set without variables.
func isConstant(property string) bool { return property != "" && !strings.Contains(property, "$(") }

var platform = regexp.MustCompile(`(?i)-(?:darwin|linux|win32|windows|macos|musl|gnu)(?:-|$)|-(?:x64|arm64|amd64)$`)

// wraps reports whether a unit below the root is an npm package that publishes the server's
// binary for all platforms.
func (c *candidate) wraps(v *unit) bool {
	return v != c.unit && v.dir != "" && v.npm != nil && !v.npm.Private && len(v.npm.Programs) > 0 &&
		!excluded(v.dir) && hasMCP(v.npm.Name) && !platform.MatchString(v.npm.Name) &&
		overlap(wordsOf(v.npm.Name), wordsOf(c.repo.snap.Repo.Name))
}
