package python

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/source/listing"
)

// Imports returns the listed modules that files import and that are not among them, those that
// most likely register tools first.
func Imports(files map[string]string, listed map[string]bool) []string {
	found := map[string]int{} // their scores
	for p, text := range files {
		if path.Ext(p) != ".py" || listing.IsAside("", p) {
			continue
		}
		for _, i := range importsOf(parse(text)) {
			for _, dotted := range []string{i.module, i.module + "." + i.member} {
				target := locate(p, dotted, listed)
				if _, ok := files[target]; !ok && target != "" {
					found[target] = listing.Score(target)
				}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b], found[a]), cmp.Compare(a, b))
	})
}

func importsOf(body []*statement) []imported {
	var out []imported
	for _, st := range body {
		out = append(append(out, st.imports...), importsOf(st.body)...)
	}
	return out
}

// locate returns the path of a module or package, "" if it is not listed. Absolute names are
// searched from the importing file's folder upwards.
func locate(from, dotted string, listed map[string]bool) string {
	name := strings.TrimLeft(dotted, ".")
	up := len(dotted) - len(name)
	rel := strings.ReplaceAll(strings.Trim(name, "."), ".", "/")
	dir := path.Dir(from)
	for ; up > 1; up-- {
		if dir == "." {
			return ""
		}
		dir = path.Dir(dir)
	}
	for {
		for _, end := range []string{".py", "/__init__.py"} {
			if p := path.Join(dir, rel+end); listed[p] {
				return p
			}
			if p := path.Join(dir, "src", rel+end); up == 0 && listed[p] {
				return p
			}
		}
		if up > 0 || dir == "." {
			return ""
		}
		dir = path.Dir(dir)
	}
}
