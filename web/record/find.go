package record

import (
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// Find returns the listed server with a slug, present or former, or with a name
// of the official registry. The error for a name that does not exist names
// similar slugs.
func Find(v *catalog.View, name string) (*catalog.Item, error) {
	i, gone := v.Lookup(name)
	switch {
	case gone:
		return nil, &registry.Error{Kind: registry.ErrGone, Code: "server_deleted",
			Msg: "The repository of this server " + v.WhyGone(name) + "."}
	case i == nil:
		return nil, &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found",
			Msg: "No such server in the registry.", Candidates: v.Similar(name, 5)}
	}
	return i, nil
}

// InRepo returns the listed server that an address means in a repository, by
// the key of the repository; nil if none.
func InRepo(v *catalog.View, key string, ref registry.RepoRef) *catalog.Item {
	items := v.InRepo(key)
	if at, _ := catalog.Among(items, ref); at >= 0 {
		return items[at]
	}
	return nil
}
