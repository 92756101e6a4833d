package catalog

import (
	"mcpcensus/internal/registry"
)

// ByAddress returns the servers at an address: the one of that name in the official registry,
// the one in the folder that a URL names (see [registry.RepoRef.Among]), or all of a
// repository, best first. It fails if the text is neither an address nor the name of a server.
func (v *View) ByAddress(address string) ([]*Item, error) {
	if i := v.ByRegistryName(address); i != nil {
		return []*Item{i}, nil
	}
	ref, err := registry.ParseRepoRef(address)
	if err != nil {
		return nil, err
	}
	items := v.InRepo(ref.Key())
	switch at, _ := Among(items, ref); {
	case at < 0:
		return nil, nil
	case items[at].IsFolderOf(ref):
		return items[at : at+1], nil
	}
	return items, nil
}

// ByRegistryName returns the server with that name in the official registry, or nil.
func (v *View) ByRegistryName(text string) *Item {
	name, ok := registry.RegistryName(text)
	if !ok {
		return nil
	}
	i, _ := v.Lookup(name)
	return i
}

// Among is [registry.RepoRef.Among] for the servers of a repository.
func Among(items []*Item, ref registry.RepoRef) (index int, folder string) {
	folders := make([]string, len(items))
	for n, i := range items {
		folders[n] = i.subfolder
	}
	return ref.Among(folders)
}

// IsFolderOf reports whether an address names the server's folder or a path in it.
func (i *Item) IsFolderOf(ref registry.RepoRef) bool {
	_, named := ref.Among([]string{""})
	_, folder := ref.Among([]string{i.subfolder})
	return i.subfolder != "" && named != "" && folder == ""
}
