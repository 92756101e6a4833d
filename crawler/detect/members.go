package detect

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

// members returns the units that are servers, with folder, confidence, reason and evidence set.
// If there are none, it returns the insufficient evidence for a server.
func (r *repo) members(k repoKind, listings []registry.Listing) ([]*unit, []registry.Evidence) {
	root := r.unit("")
	var nested []*unit // units below the root that are servers
	for _, u := range r.units {
		if u.dir != "" && !excluded(u.dir) && r.judge(u, k) {
			nested = append(nested, u)
		}
	}
	commands := r.commands(k)
	nested = slices.DeleteFunc(outermost(append(nested, commands...)), r.isCopied)
	rootIs := r.judge(root, k)
	missed := root.evidence
	switch {
	case !rootIs:
	case len(commands) == 0 && !r.shell(root, nested):
		nested = r.separate(nested, root)
	case len(nested) > 0:
		rootIs = false
		handDown(root, nested)
	}
	out := nested
	if rootIs {
		out = append([]*unit{root}, nested...)
	}
	out = r.once(out)
	if len(out) == 1 && out[0] == root && root.sdk.language == "" {
		out[0] = r.codeOf(root)
	}
	for _, u := range out {
		u.folder = u.dir
	}
	out = r.attach(out, listings, k)
	if len(out) == 1 {
		r.placeOnly(out[0], k)
	}
	return out, missed
}

// placeOnly sets the subfolder of the only server of a repository.
func (r *repo) placeOnly(u *unit, k repoKind) {
	switch {
	case u.dir == "" && u.listing != nil:
		u.folder = clean(u.listing.Subfolder)
	case u.dir != "" && (u.listing == nil || u.listing.Subfolder == "") && r.ownRepo(k):
		u.folder = ""
	}
}

// codeOf returns the unit with the code of a server that the root describes without using an SDK
// itself: the only unit that does, or the root with the SDK of the units below it.
func (r *repo) codeOf(root *unit) *unit {
	if u := r.only(); u != nil && root.bare() {
		u.confidence, u.reason, u.evidence = root.confidence, root.reason, root.evidence
		u.bundle = cmp.Or(u.bundle, root.bundle)
		return u
	}
	all := r.withSDKBelow()
	if len(all) > 0 && !slices.ContainsFunc(all, func(u *unit) bool { return u.sdk.language != all[0].sdk.language }) {
		u := all[max(0, slices.IndexFunc(all, func(u *unit) bool { return u.sdk.via == "" }))]
		root.sdk = u.sdk
		root.sdk.via = u.dir
	}
	return root
}

// withSDKBelow returns the units below the root that use an SDK at run time.
func (r *repo) withSDKBelow() []*unit {
	return slices.DeleteFunc(slices.Clone(r.units), func(u *unit) bool {
		return u.dir == "" || u.sdk.pkg == "" || u.sdk.dev || excluded(u.dir) || r.isCopied(u)
	})
}

// serversBelow returns the units below the root that use an SDK themselves, and not only to
// connect to servers.
func (r *repo) serversBelow() []*unit {
	return slices.DeleteFunc(r.withSDKBelow(), func(u *unit) bool {
		return u.sdk.via != "" || u.sides.onlyConnects() || u.isLibrary()
	})
}

// only returns the only unit below the root that depends on an SDK directly, nil if there is none
// or more than one.
func (r *repo) only() *unit {
	all := slices.DeleteFunc(r.withSDKBelow(), func(u *unit) bool { return u.sdk.via != "" })
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// isCopied reports whether a unit is in a folder of copies of other projects, such as the subjects
// of a benchmark: units in it name repositories of two other owners as their homepage, and the unit
// names none of this owner.
func (r *repo) isCopied(u *unit) bool {
	top, _, _ := strings.Cut(u.dir, "/")
	return r.copies()[top] && !slices.Contains(u.owners(), strings.ToLower(r.snap.Repo.Owner))
}

// foldersOfCopies returns the folders of the root with copies of other projects.
func (r *repo) foldersOfCopies() map[string]bool {
	owners, out := map[string][]string{}, map[string]bool{}
	for _, u := range r.units {
		top, _, below := strings.Cut(u.dir, "/")
		for _, o := range u.owners() {
			if below && !strings.EqualFold(o, r.snap.Repo.Owner) && !slices.Contains(owners[top], o) {
				owners[top] = append(owners[top], o)
			}
		}
		out[top] = len(owners[top]) > 1
	}
	return out
}

// owners returns the owners of the repositories that a unit's manifests name as homepage, in lower
// case.
func (u *unit) owners() (out []string) {
	for _, p := range u.packages() {
		if o, _ := repoParts(p.Homepage); o != "" {
			out = append(out, strings.ToLower(o))
		}
	}
	return out
}

// outermost sorts units by folder and drops units inside another one, which are parts of a
// server.
func outermost(units []*unit) []*unit {
	slices.SortStableFunc(units, func(a, b *unit) int { return cmp.Compare(a.dir, b.dir) })
	var out []*unit
	for _, u := range units {
		inside := func(o *unit) bool { return strings.HasPrefix(u.dir, o.dir+"/") }
		if !slices.ContainsFunc(out, inside) {
			out = append(out, u)
		}
	}
	return out
}

// shell reports whether the root is not a server beside those below it: it is only a workspace,
// has no program of its own, or its code serves nothing, while that below does.
func (r *repo) shell(u *unit, below []*unit) bool {
	serves := func(v *unit) bool { return v.code.serves() }
	switch {
	case (u.entry == "" || u.npm != nil && len(u.npm.Members) > 0 && u.entry == r.scriptEntry(u)) &&
		len(r.serversBelow()) > 1:
		return true // what serves in a workspace's root is started by none of its manifests
	case u.code.serves():
		return false
	case u.registryName() != "" || u.bundle != nil: // published
	case u.code.read && slices.ContainsFunc(below, serves):
		return !r.launches(u)
	case u.entry == "" && u.other == nil:
		return true
	}
	switch {
	case u.npm != nil && r.isWorkspace(u.npm):
		return u.py == nil && u.gomod == nil && u.cargo == nil
	case u.pom != nil:
		return len(u.pom.Members) > 0
	case u.cargo != nil:
		return u.cargo.Name == ""
	case u.py != nil:
		return len(u.py.Programs) == 0 && (len(u.py.Members) > 0 || u.py.Name == "" && u.sdk.language == "")
	case u.npm != nil:
		return u.npm.Name == "" && u.sdk.language == ""
	}
	return !u.builds() && u.other == nil && len(u.reqs) == 0 && u.bundle == nil
}

// isWorkspace reports whether an npm package contains others and has no command.
func (r *repo) isWorkspace(p *manifest.Package) bool {
	return len(p.Programs) == 0 && (len(p.Members) > 0 || p.Private || r.files["pnpm-workspace.yaml"])
}

// handDown gives the root's server.json and bundle to the server below that they are about.
func handDown(root *unit, below []*unit) {
	for _, u := range below {
		if l := root.server; l != nil && (len(below) == 1 || slices.ContainsFunc(l.Packages, u.makes)) {
			u.server = cmp.Or(u.server, l)
		}
		if len(below) == 1 {
			u.bundle = cmp.Or(u.bundle, root.bundle)
		}
	}
}

// once drops members that are the same server as another one: private packages with a program of a
// published one, and of a unit whose own code serves nothing and the member that it depends on, the
// one that the README does not run, or else the second, as users start the first.
func (r *repo) once(members []*unit) []*unit {
	members = slices.DeleteFunc(members, func(u *unit) bool {
		return u.npm != nil && u.npm.Private && slices.ContainsFunc(members, func(v *unit) bool {
			return v.npm != nil && !v.npm.Private && slices.ContainsFunc(slices.Collect(maps.Keys(v.npm.Programs)),
				func(name string) bool { _, same := u.npm.Programs[name]; return same })
		})
	})
	for _, u := range slices.Clone(members) {
		if u.code.serves() || !u.code.read {
			continue
		}
		for v := range r.dependsOn(u) {
			part := v
			if r.launches(v) && !r.launches(u) {
				part = u
			}
			if slices.Contains(members, v) {
				members = slices.DeleteFunc(members, func(m *unit) bool { return m == part })
			}
		}
	}
	return members
}

// separate reports whether a unit below a root server is a separate server.
func separate(u, root *unit) bool {
	if root.bundle != nil {
		l, err := root.bundle.Launch.Launch()
		if err == nil && u.named(l.RegistryType, l.Identifier) {
			return false
		}
	}
	switch s := u.server; {
	case root.server == nil:
	case s == nil && slices.ContainsFunc(root.server.Packages, u.makes):
		return false // the root's server.json is about it
	case s != nil && s.Name != "" && !strings.EqualFold(root.server.Name, s.Name):
		return true
	}
	return u.readme != nil && u.sdk.pkg != "" && u.sdk.via == "" && u.entry != "" &&
		(u.server != nil || u.configuresItself()) && !u.sameNames(root)
}

// configuresItself reports whether a configuration of the unit's README starts its package, or
// source code if the README is about a server.
func (u *unit) configuresItself() bool {
	isServer := serverRE.MatchString(u.readme.Title + "\n" + u.readme.Summary)
	return slices.ContainsFunc(u.readme.Servers, func(s manifest.ClientServer) bool {
		l, err := s.Launch()
		return err == nil && (u.named(l.RegistryType, l.Identifier) || l.Source && isServer)
	})
}

// sameNames reports whether two units make a package of the same name, as of one server in two
// languages.
func (u *unit) sameNames(v *unit) bool {
	for _, p := range u.packages() {
		for _, q := range v.packages() {
			a, b := path.Base(p.Name), path.Base(q.Name)
			if p.Name != "" && registry.PyPIName(a) == registry.PyPIName(b) {
				return true
			}
		}
	}
	return false
}

// serverCommand matches names of commands that are servers, unlike tools with "mcp" inside a
// word.
var serverCommand = regexp.MustCompile(`(?i)(?:^|[-_.])mcp(?:[-_.]|$)`)

// separate returns the units below a root server that are no parts of it: published as separate servers,
// or several that configurations of the root's README start.
func (r *repo) separate(nested []*unit, root *unit) []*unit {
	configured := slices.DeleteFunc(slices.Clone(nested), func(u *unit) bool { return !r.configuresFolder(u.dir) })
	return slices.DeleteFunc(nested, func(u *unit) bool {
		return !separate(u, root) && (len(configured) < 2 || !slices.Contains(configured, u))
	})
}

// commands returns a unit for each server in a folder without a manifest: the commands of a Go
// module that are named as servers, or else the folders with a README that all code that serves is
// in, if the root has no program. It returns nil unless there are at least two.
func (r *repo) commands(k repoKind) []*unit {
	root := r.unit("")
	if root.sdk.pkg == "" || k.decided || k.name == kindList || r.sides.onlyConnects() {
		return nil
	}
	files := slices.DeleteFunc(r.goMains(""), func(p string) bool {
		return path.Dir(dirOf(p)) != "cmd" || !serverCommand.MatchString(path.Base(dirOf(p)))
	})
	if root.sdk.ecosystem != "go" || root.gomod == nil {
		files = r.folderServers()
	}
	silent := func(p string) bool { return !r.sidesAt(p).serves() }
	if !slices.ContainsFunc(files, func(p string) bool { return !silent(p) }) {
		silent = func(p string) bool { return !r.reachesServer(p) }
	}
	if serving := slices.DeleteFunc(slices.Clone(files), silent); len(serving) > 0 {
		files = serving
	}
	var out []*unit
	for _, p := range files {
		dir := dirOf(p)
		if excluded(dir) || library(dir) {
			continue
		}
		u := r.unit(dir)
		u.sdk, u.entry, u.gomod = root.sdk, p, nil
		u.confidence = 0.8
		u.reason = "the command " + path.Base(dir) + " of a project that depends on " + root.sdk.pkg
		u.evidence = []registry.Evidence{
			{Type: "file", Ref: p},
			{Type: "package", Ref: root.sdk.pkg, Text: root.sdk.version},
		}
		if root.gomod != nil {
			u.manifests = append(u.manifests, "go.mod")
		}
		out = append(out, u)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// folderServers returns the first file that serves in each of the folders with a README that all
// code that serves is in, nil if there is other code, or the root has a program.
func (r *repo) folderServers() (out []string) {
	if r.unit("").entry != "" {
		return nil
	}
	dir := ""
	for _, p := range r.serving {
		switch {
		case dir != "" && strings.HasPrefix(p, dir+"/"):
			continue
		case !slices.ContainsFunc(r.dirs[dirOf(p)], func(name string) bool { return isReadme(strings.ToLower(name)) }),
			dirOf(p) == "", r.nearest(dirOf(p)) != r.unit(""):
			return nil
		}
		dir = dirOf(p)
		out = append(out, p)
	}
	return out
}

// attach assigns each listing to its member, and creates members for the other listings. It
// returns the members by folder.
//
// A listing without packages, remotes and subfolder does not create a member in a repository
// whose files show its servers or another kind of content.
func (r *repo) attach(members []*unit, listings []registry.Listing, k repoKind) []*unit {
	silent := len(members) == 0 && len(listings) > 0 && r.silent()
	for i := range listings {
		l := &listings[i]
		u := match(members, l)
		if u == nil {
			if isBare(l) && !r.unread() && (k.name != "" || len(members) > 1 || silent) {
				continue
			}
			dir := clean(l.Subfolder)
			if len(members) == 0 && r.byDir[dir] == nil {
				dir = "" // the root, unless the subfolder has manifests
			}
			u = r.unit(dir)
			if !slices.Contains(members, u) {
				if u.reason == "" || len(u.evidence) == 0 {
					u.sdk = r.directSDK(u)
				}
				members = append(members, u)
			}
			u.folder, u.unfounded = clean(l.Subfolder), silent
		}
		u.list(l)
		if dir := clean(l.Subfolder); dir != "" && len(members) == 1 {
			u.folder = dir
		}
	}
	slices.SortStableFunc(members, func(a, b *unit) int { return cmp.Compare(a.dir, b.dir) })
	return members
}

// isBare reports whether a listing has no packages, remotes and subfolder.
func isBare(l *registry.Listing) bool {
	return len(l.Packages) == 0 && len(l.Remotes) == 0 && clean(l.Subfolder) == ""
}

// list records the unit's listing in the official registry.
func (u *unit) list(l *registry.Listing) {
	if u.listing == nil {
		u.listing = l
		u.reason = "its owner listed it in the official registry as " + l.Name
		u.confidence = 0.99
	}
	ev := registry.Evidence{Type: "registry", Ref: l.Name, Text: "listed in the official registry"}
	u.evidence = append([]registry.Evidence{ev}, u.evidence...)
}

// match returns the member of a listing, nil if there is none. It matches by name, folder and
// package, then returns the only member, the one whose folder has the name, or the root.
func match(members []*unit, l *registry.Listing) *unit {
	find := func(is func(u *unit) bool) *unit {
		if i := slices.IndexFunc(members, is); i >= 0 {
			return members[i]
		}
		return nil
	}
	hasName := func(u *unit) bool { return l.Name != "" && strings.EqualFold(u.registryName(), l.Name) }
	if u := find(hasName); u != nil {
		return u
	}
	if dir := clean(l.Subfolder); dir != "" {
		isIn := func(u *unit) bool {
			return u.dir == dir || strings.HasPrefix(u.dir, dir+"/") || u.dir != "" && home(dir) == u.dir
		}
		if u := find(isIn); u != nil || len(members) > 1 {
			return u
		}
	}
	for _, p := range l.Packages {
		if u := find(func(u *unit) bool { return u.makes(p) }); u != nil {
			return u
		}
	}
	if len(members) == 1 {
		return members[0]
	}
	tail := l.Name[strings.IndexByte(l.Name, '/')+1:]
	isNamed := func(u *unit) bool { return u.dir != "" && strings.EqualFold(path.Base(u.dir), tail) }
	if u := find(isNamed); u != nil {
		return u
	}
	return find(func(u *unit) bool { return u.dir == "" })
}

// makes reports whether one of the unit's manifests has the name of a package.
func (u *unit) makes(p registry.Package) bool { return u.named(p.RegistryType, p.Identifier) }
