package registry

import "strings"

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
