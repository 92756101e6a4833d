package version

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"deps.dev/util/semver"
)

var errConstraint = errors.New("the version in the manifest cannot be resolved")

// Resolve returns the version that is installed for a constraint, by the rules of the
// ecosystem: the highest that matches, the lowest for NuGet, and the version itself for Go
// and for Maven's bare versions. Without a constraint it is fallback.
func Resolve(ecosystem, constraint string, versions []string, fallback string) (string, error) {
	_, known := systems[ecosystem]
	c := strings.TrimSpace(constraint)
	switch {
	case !known:
		return "", fmt.Errorf("versions of %.20q are not supported", ecosystem)
	case len(c) > MaxLength:
		return "", errConstraint
	case ecosystem == "npm":
		c = npmConstraint(c)
	case ecosystem == "pypi":
		c = pypiConstraint(c)
	}
	if c == "" || c == "*" {
		if fallback == "" {
			return "", errors.New("the service names no default version")
		}
		return fallback, nil
	}

	match, err := matcher(ecosystem, c)
	if err != nil {
		return "", err
	}
	// npm installs its "latest" if that is in the range, even if a higher version matches.
	if ecosystem == "npm" && fallback != "" && match(fallback) {
		return fallback, nil
	}
	matching := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return !match(v) })
	if len(matching) == 0 {
		return "", errors.New("no published version satisfies the manifest")
	}
	order := func(a, b string) int { return Compare(ecosystem, a, b) }
	if ecosystem == "nuget" && !strings.Contains(c, "*") {
		return slices.MinFunc(matching, order), nil
	}
	return slices.MaxFunc(matching, order), nil
}

// matcher returns a function that reports whether a version satisfies a
// constraint.
func matcher(ecosystem, constraint string) (func(version string) bool, error) {
	isBare := ecosystem == "go" || ecosystem == "maven" && !strings.ContainsAny(constraint, "[(,")
	if isBare {
		if strings.Contains(constraint, "$") {
			return nil, errConstraint
		}
		want := strings.TrimSuffix(constraint, "+incompatible")
		return func(v string) bool { return strings.TrimSuffix(v, "+incompatible") == want }, nil
	}
	if prefix, ok := strings.CutSuffix(constraint, "*"); ok && ecosystem == "nuget" {
		stable := !strings.Contains(prefix, "-")
		return func(v string) bool {
			return strings.HasPrefix(v, prefix) && !(stable && IsPrerelease(ecosystem, v))
		}, nil
	}
	return rangeMatcher(ecosystem, constraint)
}

// rangeMatcher is matcher for constraints that package semver parses.
func rangeMatcher(ecosystem, constraint string) (func(version string) bool, error) {
	alternatives := []string{constraint}
	if ecosystem == "pypi" {
		alternatives = strings.Split(constraint, "||") // Poetry's syntax
	}
	var parsed []*semver.Constraint
	for _, a := range alternatives {
		p, err := parseConstraint(ecosystem, a)
		if err != nil {
			return nil, errConstraint
		}
		parsed = append(parsed, p)
	}
	stable := (ecosystem == "nuget" || ecosystem == "maven") && !parsed[0].HasPrerelease()
	return func(version string) bool {
		v, err := parse(ecosystem, version)
		if err != nil || stable && v.IsPrerelease() {
			return false
		}
		return slices.ContainsFunc(parsed, func(c *semver.Constraint) bool { return c.MatchVersion(v) })
	}, nil
}

// npmConstraint returns the range of a dependency, "" for any version. For an alias it
// returns the range of the target.
func npmConstraint(c string) string {
	if alias, ok := strings.CutPrefix(c, "npm:"); ok {
		i := strings.LastIndexByte(alias, '@')
		if i <= 0 {
			return ""
		}
		c = alias[i+1:]
	}
	if c == "latest" || c == "x" {
		return ""
	}
	return c
}

var (
	clause  = regexp.MustCompile(`([=<>!~^]*)\s*v?([0-9][^\s,|]*)`)
	release = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+)*`)
)

// pypiConstraint returns a requirement in the syntax of PEP 440, without environment
// markers. It translates Poetry's "^", "~" and bare versions.
func pypiConstraint(c string) string {
	c, _, _ = strings.Cut(c, ";")
	c = strings.TrimSpace(strings.Trim(strings.TrimSpace(c), "()"))
	return clause.ReplaceAllStringFunc(c, func(text string) string {
		m := clause.FindStringSubmatch(text)
		switch operator, version := m[1], m[2]; operator {
		case "^", "~":
			numbers := strings.Split(release.FindString(version), ".")
			return ">=" + version + ",<" + poetryLimit(operator, numbers)
		case "", "=", "===":
			return "==" + version
		default:
			return operator + version
		}
	})
}

// poetryLimit returns the lowest release that a clause excludes. A caret increments the
// first number that is not zero, a tilde the second.
func poetryLimit(operator string, release []string) string {
	at := min(1, len(release)-1)
	if operator == "^" {
		for at = 0; at < len(release)-1 && strings.Trim(release[at], "0") == ""; {
			at++
		}
	}
	n, err := strconv.Atoi(release[at])
	if err != nil {
		return "0"
	}
	return strings.Join(append(release[:at:at], strconv.Itoa(n+1)), ".")
}
