package registry

import (
	"regexp"
	"strings"
)

// packageNames are the forms of names in package registries, and the longest ones in bytes. None
// of them matches an option, a path, a URL or white space.
var packageNames = map[string]struct {
	form    *regexp.Regexp
	longest int
}{
	"npm": {regexp.MustCompile(
		`^(?:@[a-z0-9~][a-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*$`), 214},
	"pypi":  {regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`), 200},
	"nuget": {regexp.MustCompile(`^[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*$`), 100},
	"cargo": {regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`), 64},
}

// IsPackageName reports whether a registry of a type, such as "npm", may have a package of a
// name. It is false for types whose packages have no such names.
func IsPackageName(registryType, name string) bool {
	of, ok := packageNames[registryType]
	return ok && len(name) <= of.longest && of.form.MatchString(name)
}

// PyPIName returns the normal form of a Python package's name (PEP 503): in
// lower case, with "-" for each run of separators.
func PyPIName(name string) string {
	var b strings.Builder
	separated := false
	for _, r := range strings.ToLower(name) {
		separator := r == '-' || r == '_' || r == '.'
		switch {
		case !separator:
			b.WriteRune(r)
		case !separated:
			b.WriteByte('-')
		}
		separated = separator
	}
	return b.String()
}

// PyPIPattern returns an expression that matches all spellings of a Python package's name in
// lower case.
func PyPIPattern(name string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(PyPIName(name)), "-", "[-_.]+")
}
