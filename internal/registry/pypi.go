package registry

import (
	"regexp"
	"strings"
)

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
