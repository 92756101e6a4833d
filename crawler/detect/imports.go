package detect

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// An importForm is how code of a language imports a module, as expressions in which %s is the
// module: any part of it, the module itself if that can be told, and the part with a given name,
// which replaces the second %s; "" if there is no such import.
type importForm struct {
	language         string // as in sides.txt
	any, whole, part string
}

// jsImport is the beginning of an import of a module in JavaScript.
const jsImport = `(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](?:npm:)?%s(?:@[^/"']*)?`

// importForms are the forms of imports by ecosystem.
var importForms = map[string]importForm{
	"npm": {"TypeScript", jsImport + `(?:/[^"']*)?["']`, jsImport + `["']`,
		`["'](?:npm:)?%s(?:@[^/"']*)?/%s(?:/[^/"']*)?["']`},
	"pypi": {"Python", `(?mi)^\s*(?:from|import)\s+%s\b`, "",
		`(?m)^\s*(?:from|import)\s+%s\.%s\b`},
	"go": {"Go", `(?m)^\s*(?:import\s+)?(?:\w+\s+)?"%s(?:/[^"]*)?"`, "",
		`"%s/(?:[^"]*/)?%s(?:/[^"]*)?"`},
	"cargo": {"Rust", `(?m)^\s*use\s+%s::`, "", `\b%s::(?:\w+::)?%s\b`},
	"maven": {"Java", `(?m)^\s*import\s+%s\b`, "", `\b%s\.(?:\w+\.)*%s\b`},
	"nuget": {"C#", `(?m)^\s*using\s+%s\b`, "", `\busing\s+%s\.(?i:%s)\b`},
	"ruby":  {"Ruby", `(?m)^\s*require\s+["']%s["']`, "", ""},
	"php":   {"PHP", `(?m)^\s*use\s+%s\b`, "", `\b%s\\(?i:%s)\b`},
	"swift": {"Swift", `(?m)^\s*import\s+%s\b`, "", ""},
}

// moduleOf returns the module that follows from the name of a package, "" if none does.
func moduleOf(ecosystem, name string) string {
	switch ecosystem {
	case "pypi", "cargo":
		return strings.ReplaceAll(name, "-", "_")
	case "npm", "go":
		return name
	case "maven", "swift":
		if !strings.ContainsAny(name, ":/") && (ecosystem == "swift" || strings.Contains(name, ".")) {
			return name
		}
	}
	return ""
}

// imports returns the expression on code that imports a part of one of the modules, which is its
// first group.
func (f importForm) imports(modules ...string) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(f.any, "("+anyOf(modules)+")"))
}

// anyOf returns the expression that matches one of some texts, the longest first.
func anyOf(texts []string) string {
	texts = slices.SortedFunc(slices.Values(texts), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for i, t := range texts {
		texts[i] = regexp.QuoteMeta(t)
	}
	return strings.Join(texts, "|")
}

// modules returns the modules of the SDKs of an ecosystem that a condition selects.
func modules(ecosystem string, of func(sdkUse) bool) (out []string) {
	for _, use := range sdkPackages[ecosystem] {
		if use.module != "" && of(use) {
			out = append(out, use.module)
		}
	}
	return out
}

// sidesOfImports returns the expressions on imports of SDKs that tell the side of code, by
// language and side.
func sidesOfImports() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for ecosystem, f := range importForms {
		out[f.language] = map[string][]string{}
		for _, side := range []string{"server", "client"} {
			add := func(form string, modules []string, more ...any) {
				if form != "" && len(modules) > 0 {
					e := fmt.Sprintf(form, append([]any{"(?:" + anyOf(modules) + ")"}, more...)...)
					out[f.language][side] = append(out[f.language][side], e)
				}
			}
			add(f.part, modules(ecosystem, func(u sdkUse) bool { return u.rank < 2 || u.side != "" }), side)
			add(cmp.Or(f.whole, f.any), modules(ecosystem, func(u sdkUse) bool { return u.side == side }))
		}
	}
	return out
}

// sdkImports match imports of SDKs by ecosystem, with the module as first group.
var sdkImports = func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for ecosystem, f := range importForms {
		out[ecosystem] = f.imports(modules(ecosystem, func(sdkUse) bool { return true })...)
	}
	return out
}()

// importedSDK returns the SDK that the source files below a folder which serve import, if they agree
// on the language.
func (r *repo) importedSDK(dir string) sdkUse {
	found := sdkUse{}
	for _, p := range slices.Sorted(maps.Keys(r.snap.Texts)) {
		if strings.HasPrefix(p, prefix(dir)) && isOwn(p) && r.sidesAt(p).serves() {
			use := sdkImportedBy(sidesLanguage(p), r.snap.Texts[p])
			switch {
			case use.language == "":
			case found.language != "" && found.language != use.language:
				return sdkUse{}
			case found.language == "" || use.rank < found.rank:
				found = use
			}
		}
	}
	return found
}

// sdkImportedBy returns the most certain SDK that a source text imports.
func sdkImportedBy(language, text string) sdkUse {
	best := sdkUse{rank: 100}
	for ecosystem, f := range importForms {
		if f.language != language {
			continue
		}
		for _, m := range sdkImports[ecosystem].FindAllStringSubmatch(text, -1) {
			for _, name := range slices.Sorted(maps.Keys(sdkPackages[ecosystem])) {
				use := sdkPackages[ecosystem][name]
				if strings.EqualFold(use.module, m[1]) && use.rank < best.rank {
					best = use
					best.pkg = strings.TrimSuffix(name, "*")
					if strings.EqualFold(name, use.module) {
						best.pkg = use.module
					}
				}
			}
		}
	}
	if best.language == "" {
		return sdkUse{}
	}
	return best
}
