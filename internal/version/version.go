// Package version compares versions of packages and resolves ranges, by the rules
// of each ecosystem.
package version

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"deps.dev/util/semver"
)

// MaxLength is the maximum length of a version or range in bytes.
const MaxLength = 256

// systems are the rules for versions and ranges by ecosystem.
var systems = map[string]semver.System{
	"npm": semver.NPM, "pypi": semver.PyPI, "cargo": semver.Cargo,
	"nuget": semver.NuGet, "go": semver.Go, "maven": semver.Maven,
}

// form matches versions of all ecosystems.
var form = regexp.MustCompile(`^[0-9A-Za-z.!_+~-]{1,256}$`)

var threeNumbers = regexp.MustCompile(
	`^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`)

// exact are the forms of exact versions by ecosystem. Versions with fewer numbers are ranges in
// npm and Cargo.
var exact = map[string]*regexp.Regexp{
	"npm": threeNumbers, "cargo": threeNumbers, "mcpb": threeNumbers,
	"pypi": regexp.MustCompile(`^(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*` +
		`(?:[._-]?[a-zA-Z]+[._-]?[0-9]*)*(?:\+[A-Za-z0-9.]+)?$`),
	"nuget": regexp.MustCompile(
		`^[0-9]+(?:\.[0-9]+){1,3}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`),
}

// IsExact reports whether a package manager that is asked for a version installs that one only,
// rather than the newest one of a range or tag.
func IsExact(ecosystem, version string) bool {
	f := exact[ecosystem]
	return f != nil && f.MatchString(version)
}

// parse parses a version by the rules of an ecosystem.
func parse(ecosystem, version string) (*semver.Version, error) {
	return parseAs(systems[ecosystem], version)
}

func parseAs(rules semver.System, version string) (v *semver.Version, err error) {
	defer guard(&err)
	if !form.MatchString(version) {
		return nil, errors.New("not a version")
	}
	return rules.Parse(version)
}

// parseConstraint parses a range by the rules of an ecosystem.
func parseConstraint(ecosystem, constraint string) (c *semver.Constraint, err error) {
	defer guard(&err)
	return systems[ecosystem].ParseConstraint(constraint)
}

// guard turns a panic of package semver, which invalid versions may cause, into an
// error.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("not a version: %v", r)
	}
}

// Compare orders two versions by the rules of an ecosystem. Invalid versions come
// before valid ones, and are equal to each other.
func Compare(ecosystem, a, b string) int {
	va, errA := parse(ecosystem, a)
	vb, errB := parse(ecosystem, b)
	switch {
	case errA != nil && errB != nil:
		return 0
	case errA != nil:
		return -1
	case errB != nil:
		return 1
	}
	return va.Compare(vb)
}

// Same reports whether two spellings denote one version.
func Same(ecosystem, a, b string) bool {
	if a == b {
		return true
	}
	_, err := parse(ecosystem, a)
	return err == nil && Compare(ecosystem, a, b) == 0
}

// IsPrerelease reports whether a version is installed only on request: a prerelease or an
// invalid version.
func IsPrerelease(ecosystem, version string) bool {
	v, err := parse(ecosystem, version)
	return err != nil || v.IsPrerelease() ||
		ecosystem == "pypi" && strings.Contains(strings.ToLower(version), "dev")
}

// anySystems are the rules for versions of an unknown ecosystem, the stricter first:
// semantic versions that may omit numbers, and PEP 440, which allows any count of numbers
// and suffixes without a hyphen.
var anySystems = []semver.System{semver.DefaultSystem, semver.PyPI}

// CompareAny orders two versions or tags of unknown ecosystems. ok is false if they are not
// comparable, such as "latest" and any other version.
func CompareAny(a, b string) (order int, ok bool) {
	a, b = OfTag(a), OfTag(b)
	for _, rules := range anySystems {
		va, errA := parseAs(rules, a)
		vb, errB := parseAs(rules, b)
		if errA == nil && errB == nil {
			return va.Compare(vb), true
		}
	}
	return 0, false
}

// Major returns the first number of a version or tag of an unknown ecosystem, -1 if there
// is none. It returns 0 for prereleases of 1.0.0.
func Major(s string) int {
	s = OfTag(s)
	for _, rules := range anySystems {
		v, err := parseAs(rules, s)
		if err != nil {
			continue
		}
		n, ok := v.Major()
		if order, _ := CompareAny(s, "1"); !ok || n == 1 && order < 0 {
			return 0
		}
		return int(n)
	}
	return -1
}

// OfTag returns the version in a tag. It removes a package name before it ("name@1.2.0",
// "name/v1.2.0"), a leading v and build metadata.
func OfTag(s string) string {
	s = strings.TrimSpace(s)
	s = s[strings.LastIndexAny(s, "@/")+1:]
	s, _, _ = strings.Cut(s, "+")
	if len(s) > 1 && (s[0] == 'v' || s[0] == 'V') {
		s = s[1:]
	}
	return s
}
