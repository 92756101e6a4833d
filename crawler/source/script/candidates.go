package script

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// configFile matches the names of files that map imports to folders.
var configFile = regexp.MustCompile(`^[jt]sconfig(\..+)?\.json$`)

// promising rates the names of files and folders that register tools.
var promising = []struct {
	name   *regexp.Regexp
	points int
}{
	{configFile, 40},
	{regexp.MustCompile(`(?i)^(index|main|server|mcp|mcp-?server|cli|stdio)\.[cm]?[jt]sx?$`), 6},
	{regexp.MustCompile(`(?i)tools?[^/]*$`), 8},
	{regexp.MustCompile(`(?i)(handler|server|mcp|schema|definition|registry|register|constant)s?[^/]*$`), 4},
}

// Candidates returns the paths of a listing that may register tools, most likely first, without
// tests, examples and declarations.
func Candidates(paths []string) []string {
	points := map[string]int{}
	var out []string
	for _, p := range paths {
		if !IsSource(p) && !configFile.MatchString(path.Base(p)) || isAside(p) {
			continue
		}
		out = append(out, p)
		points[p] = rate(p)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(points[b]-points[a], strings.Count(a, "/")-strings.Count(b, "/"), cmp.Compare(a, b))
	})
	return out
}

func rate(p string) int {
	n := -strings.Count(p, "/")
	folder, base := path.Split(strings.ToLower(p))
	for _, r := range promising {
		if r.name.MatchString(base) {
			n += r.points
		}
	}
	for _, f := range strings.Split(folder, "/") {
		switch {
		case f == "tools" || f == "tool":
			n += 8
		case strings.Contains(f, "mcp") || f == "src" || f == "server":
			n += 2
		case built.MatchString(f):
			n -= 4
		}
	}
	return n
}
