package registry

import (
	"regexp"
	"strings"
)

// certainBranch are first parts of paths that can hardly be the beginning of a
// branch with slashes in its name.
var certainBranch = regexp.MustCompile(`^(?:main|master|develop|trunk|HEAD|[0-9a-f]{40})$`)

// fileName is the last part of an address that names a file, not a folder.
var fileName = regexp.MustCompile(`(?i)(?:^|/)[^/]*\.` +
	`(?:md|json|toml|ya?ml|ts|js|py|go|rs|java|kt|cs|rb|php|swift|txt|xml|lock|mod)$`)

// Among returns which of a repository's servers, given by their subfolders ("" is
// the root), the address means, the best first: the one in its folder or the
// nearest above, the only one below it, or without a folder the one at the
// root, or the first. A folder without a server in a repository that holds
// several is -1. Folder is the folder of the address if it is none of theirs,
// else "".
//
// Where the branch begins with what may be a part of its name, the folder is
// not sure, and the repository's own answer is given.
func (r RepoRef) Among(subfolders []string) (index int, folder string) {
	if len(subfolders) == 0 {
		return -1, ""
	}
	whole := 0
	for i := len(subfolders) - 1; i >= 0; i-- {
		if subfolders[i] == "" {
			whole = i
		}
	}
	branch, rest, _ := strings.Cut(strings.Trim(r.Path, "/"), "/")
	if fileName.MatchString(rest) {
		rest = strings.TrimSuffix(rest[:strings.LastIndexByte("/"+rest, '/')], "/")
	}
	if rest == "" {
		return whole, ""
	}
	sure := certainBranch.MatchString(branch)
	best, below, many := -1, -1, false
	for i, f := range subfolders {
		if f == "" {
			continue
		}
		if within(rest, f, sure) && (best < 0 || len(f) > len(subfolders[best])) {
			best = i
		}
		if strings.HasPrefix(f, rest+"/") {
			many = below >= 0
			below = i
		}
	}
	switch {
	case best >= 0:
		return best, ""
	case below >= 0 && !many:
		return below, rest
	case len(subfolders) == 1 || !sure:
		return whole, rest
	}
	return -1, rest
}

// within reports whether path is f or below it; unless it is sure where the
// branch ends, f may begin at any slash.
func within(path, f string, sure bool) bool {
	path, f = path+"/", f+"/"
	return strings.HasPrefix(path, f) || !sure && strings.Contains(path, "/"+f)
}
