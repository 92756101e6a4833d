package entry

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

var (
	versionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`)
	// wildcards are versions that the official registry reads as ranges.
	wildcards = regexp.MustCompile(`^v?(?:[0-9]+|x|X)(?:\.(?:[0-9]+|x|X)){1,2}(?:-[0-9A-Za-z.-]+)?$`)
)

// isVersion reports whether the official registry accepts a version.
func isVersion(v string) bool {
	return versionForm.MatchString(v) && v != "latest" && !(wildcards.MatchString(v) && strings.ContainsAny(v, "xX"))
}

// versionOf returns the version of the first package, else that of the newest release,
// else one made of the newest commit: "0.0.0-20261101.g3f2a1bc".
func versionOf(s *registry.Server, p install.Publication) string {
	var candidates []string
	if len(p.Packages) > 0 {
		candidates = append(candidates, p.Packages[0].Version)
	}
	for _, v := range append(candidates, strings.TrimPrefix(s.LatestVersion, "v")) {
		if isVersion(v) {
			return v
		}
	}
	at := cmp.Or(s.Repo.CommittedAt, &s.Repo.PushedAt)
	if len(s.Repo.Commit) < 7 || at.IsZero() || !isVersion(s.Repo.Commit) {
		return "0.0.0"
	}
	return "0.0.0-" + at.UTC().Format(strings.ReplaceAll(time.DateOnly, "-", "")) + ".g" + s.Repo.Commit[:7]
}
