package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// A configured is an entry of a client's file.
type configured struct {
	Client string `json:"client"`
	Scope  string `json:"scope"` // user, project or local
	File   string `json:"file"`
	Folder string `json:"folder,omitempty"` // of the local scope
	Name   string `json:"name"`
	// Package or address: "@octo/weather-mcp@1.4.0"; "" if it cannot be told.
	Runs   string `json:"runs"`
	Server string `json:"server,omitempty"` // in the registry, if this program installed it

	identity identity
	entry    shell.Entry
	known    *installed
}

// configured returns the entries of all clients' files, or of one client's. Files
// that cannot be read are reported, left out and added to c.unread. A file that belongs
// to the user and to the project, as in the home folder, is the user's.
func (c *call) configured() (all []configured, err error) {
	if err := c.checkClient(); err != nil {
		return nil, err
	}
	s, err := c.state()
	if err != nil {
		return nil, err
	}
	for _, at := range install.Places() {
		p := place{at}
		if c.clients != "" && c.clients != p.Client {
			continue
		}
		var user []string
		if c.scope != projectScope {
			user = c.existing(c.userFiles(p.Place))
		}
		for _, path := range user {
			for _, e := range c.entriesOf(p, userScope, path, s) {
				if c.scope == "" || c.scope == e.Scope {
					all = append(all, e)
				}
			}
		}
		if c.scope != "" && c.scope != projectScope {
			continue
		}
		for _, path := range c.existing(p.Project) {
			same := func(other string) bool { return sameFile(path, other) }
			if !slices.ContainsFunc(user, same) {
				all = append(all, c.entriesOf(p, projectScope, path, s)...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b configured) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), strings.Compare(b.Scope, a.Scope),
			strings.Compare(a.Folder, b.Folder), strings.Compare(a.Name, b.Name))
	})
	return all, nil
}

// existing returns the files of paths of a place that exist.
func (c *call) existing(names []string) (all []string) {
	for _, name := range names {
		if path := c.path(name); exists(path) {
			all = append(all, path)
		}
	}
	return all
}

// sameFile reports whether two paths lead to the same file.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// entriesOf returns the entries of a file, those of the local scope after the others.
func (c *call) entriesOf(p place, scope, path string, s *state) (all []configured) {
	f, err := readFile(path)
	var entries map[string]any
	if err == nil {
		entries, err = clientfile.Entries(p.format(), f.Text, p.Section)
	}
	var folders map[string]map[string]any
	if err == nil && scope == userScope {
		folders, err = p.foldersOf(f.Text)
	}
	if err != nil {
		c.leaveOut(configured{Client: p.Client, Scope: scope, File: path}, path, err)
		return nil
	}
	add := func(scope, folder string, entries map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			id := c.identityOf(entries[name])
			if id == (identity{}) && p.Client == "goose" {
				continue // built in
			}
			e := configured{
				Client: p.Client, Scope: scope, File: f.Path, Folder: folder, Name: name,
				Runs: id.String(), identity: id, known: s.find(f.Path, folder, name, id),
			}
			if o, ok := entries[name].(map[string]any); ok {
				e.entry = shell.ReadEntry(o)
			}
			if e.known != nil {
				e.Server = e.known.Server
			}
			all = append(all, e)
		}
	}
	add(scope, "", entries)
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		add(localScope, folder, folders[folder])
	}
	return all
}

// runnerSettings are the files with a runner's settings of the user, and how the names of its
// variables begin.
var runnerSettings = map[string]struct{ files, variables []string }{
	"npm": {[]string{"~/.npmrc", ".npmrc"}, []string{"npm_", "pnpm_", "yarn_", "bun_"}},
	"pypi": {[]string{"~/.config/uv/uv.toml", install.Config + "uv/uv.toml", "~/.config/pip/pip.conf",
		"~/.pip/pip.conf", install.Config + "pip/pip.conf", install.Config + "pip/pip.ini"},
		[]string{"uv_", "pip_", "pipx_"}},
}

var (
	indexSetting = regexp.MustCompile(`^(?:url|find[-_]links|(?:extra[-_]|default[-_])?index(?:[-_]url)?)$`)
	indexAddress = regexp.MustCompile(`[a-z+]+://[^\s"',\]}]+`)
)

// setsRegistry reports whether the user's settings and variables of a runner have another registry
// for a package, or for its scope.
func (c *call) setsRegistry(id identity) bool {
	from, env := runnerSettings[id.kind], map[string]string{}
	for _, text := range c.Environ() {
		name, value, _ := strings.Cut(text, "=")
		begins := func(start string) bool { return strings.HasPrefix(strings.ToLower(name), start) }
		if strings.Contains(value, "://") && slices.ContainsFunc(from.variables, begins) {
			env[name] = value
		}
	}
	for _, name := range from.files {
		text, _ := os.ReadFile(c.path(name)) // one that cannot be read sets nothing
		for line := range strings.Lines(string(text)) {
			name, at, isPair := strings.Cut(line, "=")
			name = strings.TrimSpace(name)
			scope, isSet := strings.CutSuffix(name, "registry")
			isOf := scope == "" || strings.HasPrefix(id.name, strings.TrimSuffix(scope, ":")+"/")
			if id.kind == "pypi" {
				isSet, isOf = indexSetting.MatchString(name), true
			}
			if !isPair && id.kind == "pypi" && !strings.HasPrefix(name, "#") { // one of several values
				isSet, at = true, line
			}
			isOther := func(at string) bool { return !install.IsPublicRegistry(id.kind, at) }
			if isSet && isOf && slices.ContainsFunc(indexAddress.FindAllString(at, -1), isOther) {
				return true
			}
		}
	}
	return install.HasOwnIndex(id.kind, id.name, nil, env)
}

// identityOf reads an entry of a client's file, also with what the user has set for its runner.
func (c *call) identityOf(entry any) identity {
	id := identityOfEntry(entry)
	id.isOwn = id.isOwn || c.setsRegistry(id)
	return id
}

func listServers(_ context.Context, c *call) error {
	all, err := c.configured()
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(append([]configured{}, all...))
	}
	t := table{head: []string{"CLIENT", "SCOPE", "NAME", "RUNS", "SERVER"}}
	for _, e := range all {
		t.add(cell{e.Client, ""}, cell{c.scopeOf(e), dim}, cell{e.Name, bold}, cell{cmp.Or(e.Runs, "–"), ""},
			cell{cmp.Or(e.Server, "–"), ""})
	}
	if len(all) == 0 {
		fmt.Fprintln(c.Stderr, "No client has a configured server.")
		return nil
	}
	t.write(c.Stdout, c.style, c.width())
	return nil
}

// scopeOf returns the scope of an entry for people, with the folder of a local one.
func (c *call) scopeOf(e configured) string {
	return strings.TrimSpace(e.Scope + " " + strings.Replace(e.Folder, c.Home, "~", 1))
}

// checkClient checks --client and the options of the scope.
func (c *call) checkClient() error {
	if err := c.setScope(); err != nil || c.clients == "" {
		return err
	}
	_, err := placeOf(c.clients)
	return err
}

func clientsCommand(_ context.Context, c *call) error {
	type row struct {
		Client  string `json:"client"`
		Name    string `json:"name"`
		Format  string `json:"format"`
		User    string `json:"user"`
		Project string `json:"project,omitempty"`
		Exists  bool   `json:"exists"`
	}
	var all []row
	t := table{head: []string{"CLIENT", "PROJECT", "FILE"}}
	for _, p := range install.Places() {
		r := row{Client: p.Client, Name: p.Name, Format: p.Kind, User: c.path(c.userFiles(p)[0])}
		r.Exists = exists(r.User)
		if len(p.Project) > 0 {
			r.Project = p.Project[0]
		}
		all = append(all, r)
		color := dim
		if r.Exists {
			color = ""
		}
		t.add(cell{r.Client, bold}, cell{r.Project, ""}, cell{strings.Replace(r.User, c.Home, "~", 1), color})
	}
	if c.json {
		return c.printJSON(all)
	}
	t.write(c.Stdout, c.style, c.width())
	return nil
}

func uninstall(ctx context.Context, c *call) error {
	targets, err := c.targets(ctx)
	if err != nil {
		return err
	}
	return each(c, targets, len(targets) > 1, nil, func(t target) error { return c.uninstallFrom(ctx, t) })
}

func (c *call) uninstallFrom(ctx context.Context, t target) error {
	name, err := c.named(ctx, t, c.args[0])
	if err != nil {
		return err
	}
	after, ok, err := t.remove(t.folder, t.file.Text, name)
	if err != nil {
		return &ExitError{exitFile, fmt.Errorf("%s: %w\nRemove %s from %s yourself", t.file.Path, err, name, t.Section)}
	}
	if !ok {
		return &ExitError{ExitNotFound, fmt.Errorf("%s has no entry %s", t.file.Path, name)}
	}
	ch := &change{
		Client: t.Client, File: t.file.Path, Name: name, target: t, after: after,
		hidden: secretsOf(t.place, t.file.Text),
	}
	return c.perform(ctx, ch, fmt.Sprintf("Remove %s from %s?", name, t.Name), func() error {
		return c.updateState(ctx, func(s *state) { s.drop(t.file.Path, t.folder, name) })
	})
}

// named returns the name of the entry that a name means: its own, or that of a server, also of one
// that another program added. Without such an entry it returns the name.
func (c *call) named(ctx context.Context, t target, name string) (string, error) {
	entries := t.entries()
	if _, ok := entries[name]; ok {
		return name, nil
	}
	s, err := c.state()
	if err != nil {
		return "", err
	}
	for _, x := range s.Installed {
		_, ok := entries[x.Name]
		if ok && x.File == t.file.Path && x.Folder == t.folder && x.Server == name {
			return x.Name, nil
		}
	}
	r, err := c.record(ctx, name)
	if err != nil {
		return name, nil // the registry need not know the names of entries
	}
	switch names := c.entriesOfServer(t, r, s); len(names) {
	case 0:
		return name, nil
	case 1:
		return names[0], nil
	default:
		return "", &ExitError{exitRefused, fmt.Errorf("%s has several entries of %s: %s; name one",
			t.file.Path, r.ID, strings.Join(names, ", "))}
	}
}

// An identity is the package or the address that an entry of a client uses.
type identity struct {
	kind    string // npm, pypi, nuget, oci or url; "" if it is unknown
	name    string
	version string // "" if it is not pinned
	isOwn   bool   // it comes from an index of the user, where the name may be of another package
}

// of reports whether two identities are of the same package or address, in any version.
func (i identity) of(other identity) bool {
	isSame := i.name == other.name || i.kind != "url" && strings.EqualFold(i.name, other.name)
	return i.name != "" && i.kind == other.kind && isSame
}

// unasked returns why the registry must not learn an identity, "" if it may.
func (i identity) unasked() string {
	switch {
	case i.isPrivate():
		return "Its address is private."
	case i.isOwn:
		return "It comes from your own index."
	case i.kind == "":
		return "It starts no package of a public registry."
	}
	return ""
}

// isPrivate reports whether the host of an identity is not one of the public internet, which no server
// of the registry has, or looks like a key of the user. The registry must not learn it.
func (i identity) isPrivate() bool {
	host := hostOf(i.name)
	first, _, below := strings.Cut(i.name, "/")
	if below && i.kind == "oci" && strings.ContainsAny(strings.TrimSuffix(first, ":"), ".:") {
		host = first
	}
	return host != "" && (hosts.KindOf(host) != hosts.Public || registry.IsRandom(host))
}

// String returns the identity as it is shown, without the secrets of an address.
func (i identity) String() string { return mask(i.full(), secretsIn(i.full(), false)) }

// full returns the identity as it is stored and compared.
func (i identity) full() string {
	if i.version == "" {
		return i.name
	}
	return i.name + "@" + i.version
}

func packageIdentity(kind, name, version string) identity {
	switch kind {
	case "pypi":
		name = registry.PyPIName(name)
	case "oci":
		image, tag := shell.SplitImage(name)
		name, version = strings.TrimPrefix(image, "docker.io/"), cmp.Or(tag, version)
	}
	return identity{kind: kind, name: name, version: version}
}

// identityOf reads the package from a command line, or the address that a bridge connects to. The
// version is "" if the package is not pinned. A package from source has its address as the name,
// and no kind.
func identityOf(command string, args []string) identity {
	l, err := shell.ParseCommand(command, args)
	switch {
	case err != nil && !errors.Is(err, shell.ErrPlaceholder) && // here a name means itself
		!errors.Is(err, shell.ErrElsewhere):
		return identity{}
	case l.Endpoint.URL != "" && shell.IsBridge(l.Identifier):
		return address(l.Endpoint.URL)
	case l.Source || !l.Runs || l.Identifier == "":
		return identity{name: address(l.Spec[strings.LastIndexByte(l.Spec, '+')+1:]).name}
	}
	id := packageIdentity(l.RegistryType, l.Identifier, l.Version)
	env := map[string]string{}
	for _, w := range strings.Fields(strings.Join(args, " ")) { // also those that scripts set
		if name, text, ok := strings.Cut(w, "="); ok && registry.IsVariableName(name) {
			env[name] = text
		}
	}
	maps.Copy(env, l.Env)
	id.isOwn = install.HasOwnIndex(id.kind, id.name, l.Runtime, env)
	return id
}

// identityOfEntry reads an entry of a client's file.
func identityOfEntry(entry any) identity {
	m, ok := entry.(map[string]any)
	if !ok {
		return identity{}
	}
	e := shell.ReadEntry(m)
	if e.URL != "" {
		return address(e.URL)
	}
	id := identityOf(e.Command, e.Args)
	id.isOwn = id.isOwn || install.HasOwnIndex(id.kind, id.name, nil, e.Env)
	return id
}

// address returns the identity of a URL without user, query and fragment, which may be secret.
func address(text string) identity {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return identity{}
	}
	host := strings.ToLower(u.Host)
	for scheme, port := range map[string]string{"https": ":443", "http": ":80"} {
		if u.Scheme == scheme {
			host = strings.TrimSuffix(host, port)
		}
	}
	return identity{kind: "url", name: u.Scheme + "://" + host + strings.TrimSuffix(u.Path, "/")}
}
