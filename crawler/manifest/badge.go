package manifest

import (
	"net/url"
	"regexp"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

// badgePaths match the package in the path of a badge, by registry type.
var badgePaths = []struct {
	registryType string
	path         *regexp.Regexp
}{
	{"npm", badgePath(`npm/(?:v|dm|dt|dw|l)/((?:@|%40)?[\w.~-]{1,100}(?:/|%2[Ff])?[\w.~-]{0,100}?)`)},
	{"pypi", badgePath(`pypi/(?:v|dm|pyversions|l)/([\w.-]{1,100}?)`)},
	{"nuget", badgePath(`nuget/(?:v|vpre|dt)/([\w.-]{1,100}?)`)},
	{"cargo", badgePath(`crates/(?:v|d)/([\w-]{1,64}?)`)},
}

func badgePath(p string) *regexp.Regexp {
	return regexp.MustCompile(`/` + p + `(?:\.svg)?(?:[?#]|$)`)
}

// ParseBadge returns the package whose version or downloads a badge shows.
func ParseBadge(link string) (shell.Launch, bool) {
	for _, b := range badgePaths {
		name, err := url.PathUnescape(strings.TrimSuffix(firstGroup(b.path, link), ".svg"))
		if err == nil && registry.IsPackageName(b.registryType, name) {
			return shell.Launch{RegistryType: b.registryType, Identifier: name}, true
		}
	}
	return shell.Launch{}, false
}
