package registry

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// TagOf is the part of a repository whose version a tag names.
type TagOf int

const (
	TagOfRepository TagOf = iota // no part of the repository
	TagOfServer                  // the server: "name@1.2.3", "folder/v1.2.3"
	TagOfOther                   // another part
)

// namedTag matches tags with a name before the version.
var namedTag = regexp.MustCompile(`^(.+?)[@/_-][vV]?[0-9]+(?:\.[0-9]+)+[0-9A-Za-z.+-]*$`)

// TagOf returns the part whose version a tag names. In a repository with one server all tags
// are the repository's.
func (f *Facts) TagOf(tag string) TagOf {
	d := &f.Detection
	m := namedTag.FindStringSubmatch(tag)
	if m == nil || d.Subfolder == "" && d.Members <= 1 {
		return TagOfRepository
	}
	part := tagName(m[1])
	own := []string{d.Subfolder, path.Base(d.Subfolder)}
	for _, p := range d.Packages {
		id := p.Identifier
		own = append(own, id, id[strings.LastIndexAny(id, "/:")+1:])
	}
	switch {
	case slices.ContainsFunc(own, func(s string) bool { return s != "" && tagName(s) == part }):
		return TagOfServer
	case slices.Contains([]string{"v", "version", "release", "releases", tagName(f.Repo.Name)}, part):
		return TagOfRepository
	}
	return TagOfOther
}

// tagName normalizes the spelling of a name in tags.
func tagName(s string) string {
	return strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(strings.Trim(s, "/")))
}
