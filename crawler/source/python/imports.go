package python

import (
	"path"
	"strings"

	"mcpcensus/crawler/source/listing"
)

// Imports returns a function that returns the listed modules that files import, with the packages that
// they are in, and that are not among them, those that most likely register tools first.
func Imports(_ map[string]string, listed map[string]bool) func(of map[string]string) []string {
	return func(of map[string]string) []string { return importsIn(of, listed) }
}

func importsIn(files map[string]string, listed map[string]bool) []string {
	var found []string
	for p, text := range files {
		if path.Ext(p) != ".py" || listing.IsAside("", p) {
			continue
		}
		found = append(found, path.Join(path.Dir(strings.TrimSuffix(p, "/__init__.py")), "__init__.py"))
		for _, i := range importsOf(parse(text)) {
			for _, dotted := range i.names() {
				found = append(found, locate(p, dotted, listed))
			}
		}
	}
	return listing.Rank(found, files, listed)
}

func importsOf(body []*statement) []imported {
	var out []imported
	for _, st := range body {
		out = append(append(out, st.imports...), importsOf(st.body)...)
	}
	return out
}

// names returns the names of the modules that an import may be of.
func (i imported) names() []string {
	return []string{i.module, strings.TrimSuffix(i.module, ".") + "." + i.member}
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
