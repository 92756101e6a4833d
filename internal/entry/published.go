package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A published is a server.json as its owner published it, with the repairs that clients
// need.
type published struct {
	members       map[string]any
	name, version string
	repaired      []string // paths of what is repaired
}

// publishedOf reads a server.json. ok is false for documents of generations before
// camelCase, and for those without a name, a version, a description, or anything to
// start or reach, which clients reject.
func publishedOf(raw []byte) (p *published, ok bool) {
	if len(raw) == 0 || len(raw) > registry.MaxDocument {
		return nil, false
	}
	p = new(published)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&p.members) != nil {
		return nil, false
	}
	text := func(name string) string { s, _ := p.members[name].(string); return s }
	p.name, p.version = text("name"), text("version")
	packages, remotes := objects(p.members["packages"]), objects(p.members["remotes"])
	if !registry.IsEntryName(p.name) || p.version == "" || p.version == "latest" || text("description") == "" ||
		text("$schema") == "" || len(packages)+len(remotes) == 0 {
		return nil, false
	}
	for i, pkg := range packages {
		if kind, _ := pkg["registryType"].(string); kind == "" {
			return nil, false
		}
		p.repair(i, pkg)
	}
	return p, true
}

// objects returns the elements of a list that are objects.
func objects(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, x := range list {
		if o, ok := x.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

// repair changes the i-th package where clients would misread it: they append the version
// to images that have a tag, leave variables without a description empty, and wait for an
// answer of npx.
func (p *published) repair(i int, pkg map[string]any) {
	done := func(format string, args ...any) {
		p.repaired = append(p.repaired, fmt.Sprintf("packages[%d].", i)+fmt.Sprintf(format, args...))
	}
	if version, _ := pkg["version"].(string); pkg["registryType"] == "oci" && version != "" {
		image, _ := pkg["identifier"].(string)
		if last := image[strings.LastIndexByte(image, '/')+1:]; !strings.ContainsAny(last, ":@") {
			pkg["identifier"] = image + ":" + version
		}
		delete(pkg, "version")
		done("version")
	}
	for n, v := range objects(pkg["environmentVariables"]) {
		name, _ := v["name"].(string)
		description, _ := v["description"].(string)
		if v["value"] == nil && v["default"] == nil && v["choices"] == nil && description == "" && name != "" {
			v["description"] = name
			done("environmentVariables[%d].description", n)
		}
	}
	if pkg["registryType"] == "npm" && len(objects(pkg["runtimeArguments"])) == 0 {
		pkg["runtimeArguments"] = []any{map[string]any{"type": "named", "name": "-y"}}
		done("runtimeArguments")
	}
}

// enrich adds members of publisher-provided metadata that the publisher has not set.
func (p *published) enrich(extra provided) {
	meta, ok := p.members["_meta"].(map[string]any)
	if !ok {
		meta = map[string]any{}
	}
	given, ok := meta[publisherMeta].(map[string]any)
	if !ok {
		given = map[string]any{}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if given[name] == nil {
			given[name] = extra[name]
			p.repaired = append(p.repaired, "_meta."+publisherMeta+"."+name)
		}
	}
	meta[publisherMeta], p.members["_meta"] = given, meta
}

// encode returns the document under a name, which is its own unless another server has
// published it.
func (p *published) encode(name string) ([]byte, error) {
	if name != p.name {
		p.members["name"] = name
		p.repaired = append(p.repaired, "name")
	}
	return text.JSON(p.members)
}
