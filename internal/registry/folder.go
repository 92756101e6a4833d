package registry

import (
	"regexp"
	"slices"
	"strings"
)

// certainBranch matches first parts of paths that are hardly the beginning of a branch with
// slashes in its name.
var certainBranch = regexp.MustCompile(`^(?:main|master|develop|trunk|HEAD|[0-9a-f]{40})$`)

// fileName matches paths whose last part probably names a file, not a folder.
var fileName = regexp.MustCompile(`(?:^|/)[^/]*\.[a-z][a-z0-9]{0,4}$`)

// Among returns the index of the server at the address, among a repository's servers given by
// their subfolders ("" is the root): the one in its folder or in the nearest folder above, or
// the only one below it. An address without a folder means the server at the root, otherwise
// the first. The index is -1 for a folder without a server in a repository that has several.
// Folder is the folder of the address, "" if it is a server's.
//
// If the branch may have a slash in its name, the folder is not certain. Then an address that
// matches no server means the same as one without a folder.
func (r RepoRef) Among(subfolders []string) (index int, folder string) {
	if len(subfolders) == 0 {
		return -1, ""
	}
	whole := max(0, slices.Index(subfolders, ""))
	branch, rest, _ := strings.Cut(strings.Trim(r.Path, "/"), "/")
	sure := certainBranch.MatchString(branch)
	if i := around(subfolders, rest, sure); i >= 0 {
		return i, ""
	}
	if fileName.MatchString(rest) {
		rest = strings.TrimSuffix(rest[:strings.LastIndexByte("/"+rest, '/')], "/")
	}
	if rest == "" {
		return whole, ""
	}
	if i := below(subfolders, rest); i >= 0 {
		return i, rest
	}
	if len(subfolders) == 1 || !sure {
		return whole, rest
	}
	return -1, rest
}

// around returns the longest of the folders that is path or above it, -1 if none.
func around(folders []string, path string, sure bool) int {
	best := -1
	for i, f := range folders {
		if f != "" && within(path, f, sure) && (best < 0 || len(f) > len(folders[best])) {
			best = i
		}
	}
	return best
}

// below returns the only one of the folders that is below path, -1 if there is
// none or more than one.
func below(folders []string, path string) int {
	only := -1
	for i, f := range folders {
		if strings.HasPrefix(f, path+"/") {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}

// within reports whether path is f or below it; unless it is sure where the
// branch ends, f may begin at any slash.
func within(path, f string, sure bool) bool {
	path, f = path+"/", f+"/"
	return strings.HasPrefix(path, f) || !sure && strings.Contains(path, "/"+f)
}
