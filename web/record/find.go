package record

import (
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// maxName is the length in bytes of the longest name that is looked up.
const maxName = 256

// Find returns the listed server with a slug, present or former, or with a name
// of the official registry. The error for a name that does not exist names
// similar slugs.
func Find(v *catalog.View, name string) (*catalog.Item, error) {
	missing := &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found",
		Msg: "No such server in the registry."}
	if len(name) > maxName {
		return nil, missing
	}
	i, gone := v.Find(name)
	if i == nil && !gone {
		i, gone = v.Find(strings.ToLower(name))
	}
	switch {
	case gone:
		return nil, &registry.Error{Kind: registry.ErrGone, Code: "server_deleted",
			Msg: "The repository of this server " + v.WhyGone(name) + "."}
	case i == nil:
		missing.Candidates = v.Similar(name, 5)
		return nil, missing
	}
	return i, nil
}

// Listed is [Find] without an error: it returns nil for a name that does not
// exist.
func Listed(v *catalog.View, name string) *catalog.Item {
	if len(name) > maxName {
		return nil
	}
	if i, _ := v.Find(name); i != nil {
		return i
	}
	i, _ := v.Find(strings.ToLower(name))
	return i
}

// InRepo returns the listed server that an address means in a repository, by
// the key of the repository; nil if none.
func InRepo(v *catalog.View, key string, ref registry.RepoRef) *catalog.Item {
	items := v.InRepo(key)
	folders := make([]string, len(items))
	for n, i := range items {
		folders[n] = i.Subfolder()
	}
	if at, _ := ref.Among(folders); at >= 0 {
		return items[at]
	}
	return nil
}
