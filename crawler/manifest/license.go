package manifest

import (
	"strings"

	"mcpcensus/crawler/untyped"
)

// licenseNames are parts of names of licences, in lower case, and their SPDX identifiers. The
// first match wins.
var licenseNames = []struct{ part, id string }{
	{"mit license", "MIT"},
	{"apache", "Apache-2.0"},
	{"affero", "AGPL-3.0"},
	{"lesser general", "LGPL-3.0"},
	{"gnu general public license v2", "GPL-2.0"},
	{"general public license", "GPL-3.0"},
	{"mozilla", "MPL-2.0"},
	{"isc license", "ISC"},
	{"bsd 2", "BSD-2-Clause"},
	{"bsd-2", "BSD-2-Clause"},
	{"bsd", "BSD-3-Clause"},
}

const maxLicenseName = 40 // bytes

// licenseOfText returns the SPDX identifier that a short text names, or the text itself if it is
// short enough to be one.
func licenseOfText(s string) string {
	s = untyped.Short(s)
	lower := strings.ToLower(s)
	for _, l := range licenseNames {
		if strings.Contains(lower, l.part) || l.id == "MIT" && strings.HasPrefix(lower, "mit") {
			return l.id
		}
	}
	if len(s) <= maxLicenseName && !strings.Contains(s, "\n") {
		return s
	}
	return ""
}
