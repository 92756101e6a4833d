package script

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
)

var (
	specifier = regexp.MustCompile(`(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["']([^"'\n]+)["']`)
	typeOnly  = regexp.MustCompile(`\b(?:import|export)\s+type\s[^;"']*?\bfrom\s*["'][^"'\n]+["']`)
)

// entryBonus ranks entry points above imported files.
const entryBonus = 10

// Imports returns a function that returns the listed files that some of the files need and that are not
// among these: entry points of packages and imports of sources, those that most likely register tools
// first.
func Imports(files map[string]string, listed map[string]bool) func(of map[string]string) []string {
	names := readAliases(files)
	return func(of map[string]string) []string { return importsIn(of, names, listed) }
}

func importsIn(of map[string]string, names aliases, listed map[string]bool) []string {
	has := func(p string) bool { return listed[p] }
	find := func(p string) string { return findFile(p, has) }
	found := map[string]int{} // points
	add := func(p string, points int) {
		if _, ok := of[p]; ok || p == "" || !IsSource(p) && path.Ext(p) != ".json" {
			return
		}
		found[p] = max(found[p], points)
	}
	for p, text := range of {
		switch {
		case path.Base(p) == "package.json" && !isAside(p):
			folder := strings.TrimPrefix(path.Dir(p), ".")
			for _, e := range entryPoints(map[string]string{p: text}, folder, has) {
				add(e, rate(e)+entryBonus)
			}
		case IsSource(p) && !isAside(p):
			for _, m := range specifier.FindAllStringSubmatch(
				typeOnly.ReplaceAllString(listing.CodeOf(p, text), ""), -1) {
				target := ""
				if strings.HasPrefix(m[1], ".") {
					target = find(path.Join(path.Dir(p), m[1]))
				} else {
					target = names.resolve(p, m[1], find)
				}
				add(target, rate(target))
			}
		}
	}
	out := make([]string, 0, len(found))
	for p := range found {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(found[b]-found[a], cmp.Compare(a, b))
	})
	return out
}
