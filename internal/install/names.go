package install

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	scriptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	// placeholderVersion matches the versions in manifests that release tools replace.
	placeholderVersion = regexp.MustCompile(`^0\.0\.0(?:-|$)`)
)

// publicHosts are the second-level domains, below .org, of the registries that clients use by
// default.
var publicHosts = map[string]string{"npm": "npmjs", "pypi": "pypi", "nuget": "nuget"}

// isPublicRegistry reports whether base is the registry that clients use by default. With
// any other, clients would install a different package of the same name.
func isPublicRegistry(registryType, base string) bool {
	if base == "" {
		return true
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" {
		return false
	}
	labels := strings.Split(strings.ToLower(u.Hostname()), ".")
	n := len(labels)
	return n >= 2 && labels[n-1] == "org" && labels[n-2] == publicHosts[registryType]
}
