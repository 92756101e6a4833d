package detect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

// launched returns the packages that README, client configurations and badges
// name and that are this server's, in the order in which clients prefer their
// registries.
func (c *candidate) launched() []manifest.Launch {
	all := c.launches()
	local := c.localImages()
	var out []manifest.Launch
	for _, l := range all {
		if l.RegistryType == "oci" && local[strings.ToLower(l.Identifier)] && !hasHost(l.Identifier) {
			continue
		}
		if c.ours(l) {
			out = append(out, l)
		}
	}
	if len(out) == 0 && c.alone && !c.unit.hasName() {
		out = onlyOfKind(all)
	}
	slices.SortStableFunc(out, func(a, b manifest.Launch) int {
		return preference(a.RegistryType) - preference(b.RegistryType)
	})
	return out
}

// preference orders registries as clients prefer them.
func preference(registryType string) int {
	if i := slices.Index(registry.RegistryTypes, registryType); i >= 0 {
		return i
	}
	return len(registry.RegistryTypes)
}

// launches returns all packages that texts and configurations launch.
func (c *candidate) launches() []manifest.Launch {
	var all []manifest.Launch
	add := func(l manifest.Launch) {
		if l.RegistryType != "" && l.Identifier != "" && !l.Source && !manifest.IsBridge(l.Identifier) &&
			!installs(l) {
			all = append(all, l)
		}
	}
	installed := map[string]bool{} // npm packages installed by name
	if c.readme != nil {
		for _, l := range c.readme.Commands {
			add(l)
			if l.RegistryType == "npm" && installs(l) {
				installed[l.Identifier] = true
			}
		}
		for _, l := range c.readme.Badges {
			add(l)
		}
	}
	servers := c.unit.configs
	if c.unit.bundle != nil {
		servers = append(slices.Clone(servers), c.unit.bundle.Launch)
	}
	for _, s := range servers {
		if l, ok := manifest.ParseCommand(s.Command, s.Args); ok {
			add(l)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(installed)) {
		if c.unit.named("npm", id) {
			all = append(all, manifest.Launch{RegistryType: "npm", Identifier: id})
		}
	}
	return all
}

// installs reports whether a command installs a package rather than running it.
func installs(l manifest.Launch) bool {
	return l.Runner == "npm" || l.Runner == "pnpm" || l.Runner == "yarn"
}

// localImages returns the images that the README builds, in lower case.
func (c *candidate) localImages() map[string]bool {
	out := map[string]bool{}
	if c.readme != nil {
		for _, i := range c.readme.LocalImages {
			name, _ := manifest.SplitImage(i)
			out[strings.ToLower(name)] = true
		}
	}
	return out
}

// hasHost reports whether the name of an image begins with its registry's host.
func hasHost(image string) bool {
	host, _, _ := strings.Cut(image, "/")
	return strings.Contains(host, ".")
}

// onlyOfKind returns the packages that are the only ones of their registry. It
// is for servers without a manifest whose name packages could be compared with.
func onlyOfKind(all []manifest.Launch) []manifest.Launch {
	kinds := map[string][]manifest.Launch{}
	for _, l := range all {
		k := kinds[l.RegistryType]
		if len(k) == 0 && hasMCP(l.Identifier) || len(k) > 0 && k[0].Identifier != l.Identifier {
			kinds[l.RegistryType] = append(k, l)
		}
	}
	var out []manifest.Launch
	for _, k := range registry.RegistryTypes {
		if len(kinds[k]) == 1 {
			out = append(out, kinds[k][0])
		}
	}
	return out
}

// ours reports whether a package that some text launches is this server.
func (c *candidate) ours(l manifest.Launch) bool {
	u := c.unit
	if u.named(l.RegistryType, l.Identifier) {
		return true
	}
	for _, v := range c.repo.units {
		if v != u && v.named(l.RegistryType, l.Identifier) {
			// Wrappers of another kind in the same repository publish this
			// server; a sibling server's package does not.
			return c.alone || u.dir != "" && strings.HasPrefix(v.dir, prefix(u.dir)) || u.dir == "" &&
				v.reason == ""
		}
	}
	if c.isListed(l.Identifier) {
		return true
	}
	words := wordsOf(l.Identifier)
	if !c.own {
		return overlapAll(wordsOf(u.dir), words)
	}
	if l.RegistryType == "oci" {
		if strings.EqualFold(path.Base(path.Dir(l.Identifier)), c.repo.snap.Repo.Owner) {
			return true
		}
		words = wordsOf(path.Base(l.Identifier))
	}
	scope, _, scoped := strings.Cut(strings.TrimPrefix(l.Identifier, "@"), "/")
	if scoped && strings.HasPrefix(l.Identifier, "@") && strings.EqualFold(scope, c.repo.snap.Repo.Owner) {
		return true
	}
	return overlap(c.ownWords(), words)
}

// isListed reports whether the official registry or server.json names a
// package.
func (c *candidate) isListed(id string) bool {
	for _, l := range c.unit.listings() {
		for _, p := range l.Packages {
			if strings.EqualFold(p.Identifier, id) {
				return true
			}
		}
	}
	return false
}

// ownWords returns the words of the names of the repository and the unit, of the
// README's title if they have none.
func (c *candidate) ownWords() []string {
	own := wordsOf(c.repo.snap.Repo.Name)
	for _, n := range c.unit.names() {
		own = append(own, wordsOf(n[strings.IndexByte(n, ':')+1:])...)
	}
	own = append(own, wordsOf(c.unit.dir)...)
	if c.readme != nil && len(own) == 0 {
		own = wordsOf(c.readme.Title)
	}
	return own
}
