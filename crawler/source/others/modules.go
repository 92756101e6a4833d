package others

import (
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/source/listing"
)

var (
	moduleOf  = regexp.MustCompile(`(?m)^(?:pub(?:\([^)\n]*\))?\s+)?mod\s+(\w+)\s*;`)
	crateOf   = regexp.MustCompile(`\b([a-z]\w*)::`)
	crateName = regexp.MustCompile(`(?m)^name\s*=\s*"([\w-]+)"`)
)

// Modules returns a function that returns the listed files of the modules that some files in Rust declare
// outside tests, and of the crates that they name, without those files themselves. The manifests of
// crates are in files.
func Modules(files map[string]string, listed map[string]bool) func(of map[string]string) []string {
	crates := map[string]string{} // folders by name
	for p, text := range files {
		if path.Base(p) == "Cargo.toml" {
			for _, m := range crateName.FindAllStringSubmatch(text, -1) {
				crates[strings.ReplaceAll(m[1], "-", "_")] = path.Dir(p)
			}
		}
	}
	return func(of map[string]string) []string { return modulesIn(of, crates, listed) }
}

func modulesIn(of, crates map[string]string, listed map[string]bool) []string {
	var found []string
	for p, text := range of {
		if path.Ext(p) != ".rs" {
			continue
		}
		text = listing.CodeOf(p, text)
		dir, stem := path.Dir(p), strings.TrimSuffix(path.Base(p), ".rs")
		if stem != "main" && stem != "lib" && stem != "mod" && path.Base(dir) != "bin" {
			dir = path.Join(dir, stem)
		}
		for _, m := range moduleOf.FindAllStringSubmatchIndex(text, -1) {
			before, name := strings.TrimSpace(text[max(0, m[0]-100):m[0]]), text[m[2]:m[3]]
			if !strings.HasSuffix(before, "#[cfg(test)]") {
				found = append(found, path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs"))
			}
		}
		for _, m := range crateOf.FindAllStringSubmatch(text, -1) {
			if at, known := crates[m[1]]; known {
				found = append(found, path.Join(at, "src/lib.rs"))
			}
		}
	}
	return listing.Rank(found, of, listed)
}
