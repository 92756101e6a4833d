package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// Limits of the dependencies of one package.
const (
	maxDependencyRecords  = 24 // records of packages that are requested
	maxDependencyArchives = 12 // archives that are read
)

// A dependency is a version of a package that a package.json requires.
type dependency struct{ name, version string }

// latest is the tag of the version that npm installs without a requirement.
const latest = "latest"

// required are versions of npm packages: a version, the lowest of a range, or the latest one.
var required = regexp.MustCompile(`^([~^]|\*$|latest$)?(\d+\.\d+\.\d+[0-9A-Za-z.+-]*)?$`)

// withDependencies returns the files of an npm package and, in node_modules, those of
// dependencies that the same owner publishes: packages with a fixed version or of the same scope
// that the files import. It skips unreadable ones, and returns nil if there are none.
func (a *Archives) withDependencies(
	ctx context.Context, p registry.PackageKey, files source.Files,
) source.Files {
	var m struct{ Repository json.RawMessage }
	_ = json.Unmarshal([]byte(files["package.json"]), &m) // invalid JSON has no owner
	owner := ownerOf(addressOf(m.Repository))
	if p.RegistryType != "npm" || owner == "" {
		return nil
	}
	all, seen := source.Files{}, map[string]bool{}
	queue, added := dependenciesOf(p.Identifier, files), 0
	for len(queue) > 0 && len(seen) < maxDependencyRecords && added < maxDependencyArchives && ctx.Err() == nil {
		d := queue[0]
		queue = queue[1:]
		if seen[d.name] {
			continue
		}
		seen[d.name] = true
		key := registry.PackageKey{RegistryType: "npm", Identifier: d.name}
		from, r, err := a.release(ctx, key, d.version)
		if err != nil || ownerOf(r.repository) != owner {
			continue
		}
		found, _, err := a.read(ctx, from, r)
		if err != nil {
			continue
		}
		for name, text := range found {
			all[path.Join("node_modules", d.name, name)] = text
		}
		queue = append(queue, dependenciesOf(p.Identifier, found)...)
		added++
	}
	if added == 0 {
		return nil
	}
	maps.Copy(all, files)
	return all
}

// dependenciesOf returns the dependencies in package.json that may belong to the publisher of a
// package and that the files import. Names that mention tools or MCP are first.
func dependenciesOf(publisher string, files source.Files) (list []dependency) {
	var m struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	_ = json.Unmarshal([]byte(files["package.json"]), &m) // the readable part is used
	scope, _, scoped := strings.Cut(publisher, "/")
	for name, version := range m.Dependencies {
		v := required.FindStringSubmatch(version)
		if v == nil || v[1] != "" && !(scoped && strings.HasPrefix(name, scope+"/")) {
			continue
		}
		for file, text := range files {
			if source.IsSource(file) && (strings.Contains(text, `"`+name) || strings.Contains(text, `'`+name)) {
				list = append(list, dependency{name, cmp.Or(v[2], latest)})
				break
			}
		}
	}
	rank := func(d dependency) int {
		switch {
		case strings.Contains(d.name, "tool"):
			return 0
		case strings.Contains(d.name, "mcp"):
			return 1
		}
		return 2
	}
	slices.SortFunc(list, func(a, b dependency) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.name, b.name))
	})
	return list
}

// addressOf returns the URL in the field "repository" of a package.json, "" for none.
func addressOf(field []byte) (address string) {
	var long struct{ URL string }
	if json.Unmarshal(field, &address) == nil || json.Unmarshal(field, &long) != nil {
		return address
	}
	return long.URL
}

// ownerOf returns the owner of a repository, "" if it is not on a supported host.
func ownerOf(address string) string {
	ref, err := registry.ParseRepoRef(address)
	if err != nil {
		return ""
	}
	owner, _, _ := strings.Cut(ref.Key(), "/")
	return owner
}
