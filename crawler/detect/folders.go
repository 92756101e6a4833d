package detect

import (
	"path"
	"regexp"
	"strings"
)

// Folders are relative to the repository's root, which is "".

// dirOf returns the folder of a path.
func dirOf(p string) string {
	if d := path.Dir(p); d != "." && d != "/" {
		return d
	}
	return ""
}

// prefix returns what the paths of a folder's contents begin with.
func prefix(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "/"
}

// home returns the folder that a manifest in dir describes: packaging folders
// belong to the folder above them.
func home(dir string) string {
	for dir != "" && packagingFolders[strings.ToLower(path.Base(dir))] {
		dir = dirOf(dir)
	}
	return dir
}

var wordSplit = regexp.MustCompile(`[._\s-]+`)

// excluded reports whether a folder holds examples, tests, documentation or
// parts rather than what a repository publishes.
func excluded(dir string) bool {
	if dir == "" {
		return false
	}
	above := ""
	for seg := range strings.SplitSeq(strings.ToLower(dir), "/") {
		// In a folder of servers, "helm" and "docs" are what a server is about.
		if excludedFolders[seg] && !strings.HasSuffix(above, "servers") || strings.HasPrefix(seg, ".") {
			return true
		}
		above = seg
		words := wordSplit.Split(seg, -1)
		if excludedWords[words[0]] || excludedWords[words[len(words)-1]] {
			return true
		}
	}
	return false
}

// library reports whether a folder's name is that of a shared part of servers.
func library(dir string) bool {
	words := wordSplit.Split(strings.ToLower(path.Base(dir)), -1)
	return libraryWords[words[len(words)-1]]
}

// clean returns a subfolder of the official registry as a path, "" if it is
// not one inside the repository.
func clean(dir string) string {
	dir = strings.ReplaceAll(dir, `\`, "/")
	dir = strings.Trim(strings.TrimPrefix(dir, "./"), "/ ")
	if dir == "" {
		return ""
	}
	dir = path.Clean(dir)
	if dir == "." || strings.HasPrefix(dir, "..") || len(dir) > 500 {
		return ""
	}
	return dir
}
