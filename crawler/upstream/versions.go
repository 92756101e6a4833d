package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcpcensus/crawler/untyped"

	"github.com/Masterminds/semver/v3"
)

const maxConstraint = 256

// compareVersions orders two versions by the rules of an ecosystem ("npm",
// "pypi", "cargo", "go", "nuget", "maven"). What does not follow the rules
// comes before what does.
func compareVersions(ecosystem, a, b string) int {
	if a == b {
		return 0
	}
	switch ecosystem {
	case "pypi":
		x, xok := parsePEP440(a)
		y, yok := parsePEP440(b)
		if xok && yok {
			return x.compare(y)
		}
		if xok != yok {
			return boolCompare(xok, yok)
		}
	case "npm", "cargo", "go":
		x, xerr := semver.NewVersion(a)
		y, yerr := semver.NewVersion(b)
		if xerr == nil && yerr == nil {
			return x.Compare(y)
		}
		if (xerr == nil) != (yerr == nil) {
			return boolCompare(xerr == nil, yerr == nil)
		}
	}
	return compareNatural(a, b)
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// isPrerelease reports whether a version is one that nobody gets without
// asking for it.
func isPrerelease(ecosystem, v string) bool {
	switch ecosystem {
	case "pypi":
		p, ok := parsePEP440(v)
		return !ok || p.prerelease()
	case "npm", "cargo", "go":
		s, err := semver.NewVersion(v)
		return err != nil || s.Prerelease() != ""
	}
	for _, t := range naturalTokens(v) {
		if q, ok := qualifiers[t]; ok && q < 0 {
			return true
		}
	}
	return ecosystem == "nuget" && strings.Contains(v, "-")
}

var errConstraint = errors.New("the version in the manifest is not one that can be resolved")

// resolve returns which of versions somebody gets who asks for constraint, by
// the rules of the ecosystem: the highest of a range, but for NuGet's lowest
// and the exact version for Go. fallback is what is got without a constraint.
func resolve(ecosystem, constraint string, versions []string, fallback string) (string, error) {
	c := strings.TrimSpace(constraint)
	if len(c) > maxConstraint {
		return "", errConstraint
	}
	if c == "" || c == "*" || (ecosystem == "npm" && (c == "latest" || c == "x")) {
		if fallback == "" {
			return "", errors.New("the service names no version that is installed by default")
		}
		return fallback, nil
	}
	var match func(string) bool
	lowest, ok := false, true
	switch ecosystem {
	case "npm":
		if rest, is := strings.CutPrefix(c, "npm:"); is {
			i := strings.LastIndex(rest, "@")
			if i <= 0 {
				return resolve(ecosystem, "", versions, fallback)
			}
			c = rest[i+1:]
		}
		match, ok = semverRange(c)
	case "cargo":
		match, ok = semverRange(cargoRange(c))
	case "pypi":
		match, ok = pep440Range(c)
	case "nuget":
		match, lowest, ok = intervalRange(ecosystem, c)
		if ok && match == nil { // a bare version is the lowest that will do
			match, lowest = func(v string) bool { return compareVersions(ecosystem, v, c) >= 0 }, true
		}
	case "maven":
		match, lowest, ok = intervalRange(ecosystem, c)
		if ok && match == nil {
			match = func(v string) bool { return v == c }
		}
	case "go":
		match = func(v string) bool {
			return strings.TrimSuffix(v, "+incompatible") == strings.TrimSuffix(c, "+incompatible")
		}
	default:
		return "", fmt.Errorf("versions of %q are not known here", untyped.Cut(ecosystem, 20))
	}
	if !ok {
		return "", errConstraint
	}
	asksForPrerelease := isPrereleaseAsked(ecosystem, c)
	best := ""
	for _, v := range versions {
		if !match(v) || (!asksForPrerelease && ecosystem != "go" && isPrerelease(ecosystem, v)) {
			continue
		}
		if d := compareVersions(ecosystem, v, best); best == "" || (d > 0) != lowest && d != 0 {
			best = v
		}
	}
	// What is installed by default is got wherever it satisfies the range:
	// npm prefers its "latest", and a yanked or withdrawn version may be higher.
	if ecosystem == "npm" && fallback != "" && match(fallback) {
		best = fallback
	}
	if best == "" {
		return "", errors.New("no published version satisfies the manifest")
	}
	return best, nil
}

var versionInConstraint = regexp.MustCompile(`[0-9][0-9A-Za-z.+_!-]*`)

func isPrereleaseAsked(ecosystem, constraint string) bool {
	for _, v := range versionInConstraint.FindAllString(constraint, 20) {
		v = strings.TrimSuffix(strings.TrimRight(v, ".-"), ".x")
		switch ecosystem {
		case "pypi":
			if p, ok := parsePEP440(v); ok && p.prerelease() {
				return true
			}
		case "npm", "cargo":
			if s, err := semver.NewVersion(v); err == nil && s.Prerelease() != "" {
				return true
			}
		default:
			if isPrerelease(ecosystem, v) {
				return true
			}
		}
	}
	return false
}

// semverRange is a range in npm's notation.
func semverRange(c string) (func(string) bool, bool) {
	if strings.ContainsAny(c, ":/@#$") { // workspace:, file:, git and web addresses
		return nil, false
	}
	r, err := semver.NewConstraint(c)
	if err != nil {
		return nil, false
	}
	return func(v string) bool {
		s, err := semver.NewVersion(v)
		return err == nil && r.Check(s)
	}, true
}

// cargoRange turns Cargo's notation, where a bare version is a caret range,
// into npm's.
func cargoRange(c string) string {
	parts := strings.Split(c, ",")
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if p != "" && p[0] >= '0' && p[0] <= '9' && !strings.Contains(p, "*") {
			p = "^" + p
		}
		parts[i] = p
	}
	return strings.Join(parts, ", ")
}

// A pep440 is a version of Python's packages, as PEP 440 defines it.
type pep440 struct {
	epoch   int64
	release []int64
	pre     string // "a", "b", "rc" or ""
	preN    int64
	post    int64 // -1: none
	dev     int64 // -1: none
	local   string
}

var pep440Form = regexp.MustCompile(`^(?i)v?(?:(\d{1,9})!)?(\d{1,18}(?:\.\d{1,18}){0,20})` +
	`(?:[-_.]?(alpha|beta|preview|pre|rc|a|b|c)[-_.]?(\d{0,18}))?` +
	`(?:-(\d{1,18})|[-_.]?(post|rev|r)[-_.]?(\d{0,18}))?` +
	`(?:[-_.]?(dev)[-_.]?(\d{0,18}))?` +
	`(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$`)

func parsePEP440(s string) (pep440, bool) {
	if len(s) > maxConstraint {
		return pep440{}, false
	}
	m := pep440Form.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return pep440{}, false
	}
	number := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }
	v := pep440{epoch: number(m[1]), post: -1, dev: -1, local: strings.ToLower(m[10])}
	for _, part := range strings.Split(m[2], ".") {
		v.release = append(v.release, number(part))
	}
	if m[3] != "" {
		v.pre, v.preN = map[string]string{"alpha": "a", "a": "a", "beta": "b", "b": "b"}[strings.ToLower(m[3])], number(m[4])
		if v.pre == "" {
			v.pre = "rc"
		}
	}
	if m[5] != "" {
		v.post = number(m[5])
	} else if m[6] != "" {
		v.post = number(m[7])
	}
	if m[8] != "" {
		v.dev = number(m[9])
	}
	return v, true
}

func (v pep440) prerelease() bool { return v.pre != "" || v.dev >= 0 }

func (v pep440) compare(w pep440) int {
	if c := cmp.Compare(v.epoch, w.epoch); c != 0 {
		return c
	}
	if c := compareRelease(v.release, w.release); c != 0 {
		return c
	}
	// A development release of nothing comes before all, a final after its
	// candidates.
	rank := func(v pep440) int {
		switch {
		case v.pre == "" && v.post < 0 && v.dev >= 0:
			return 0
		case v.pre == "":
			return 4
		}
		return map[string]int{"a": 1, "b": 2, "rc": 3}[v.pre]
	}
	if c := cmp.Compare(rank(v), rank(w)); c != 0 {
		return c
	}
	if c := cmp.Compare(v.preN, w.preN); c != 0 {
		return c
	}
	if c := cmp.Compare(v.post, w.post); c != 0 {
		return c
	}
	if (v.dev < 0) != (w.dev < 0) {
		return boolCompare(v.dev < 0, w.dev < 0)
	}
	if c := cmp.Compare(v.dev, w.dev); c != 0 {
		return c
	}
	if v.local == "" || w.local == "" {
		return boolCompare(v.local != "", w.local != "")
	}
	return compareNatural(v.local, w.local)
}

// compareRelease compares numbers, with missing ones as 0.
func compareRelease(a, b []int64) int {
	for i := range max(len(a), len(b)) {
		var x, y int64
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

var pep440Clause = regexp.MustCompile(`^(===|==|!=|~=|>=|<=|>|<|\^|~|=)?\s*([0-9A-Za-z.!+_-]+?)(\.\*)?$`)

// pep440Range is a set of PEP 440 specifiers, or Poetry's caret and tilde
// notation.
func pep440Range(c string) (func(string) bool, bool) {
	c, _, _ = strings.Cut(c, ";")
	c = strings.TrimSpace(strings.Trim(strings.TrimSpace(c), "()"))
	if strings.Contains(c, "||") {
		var any []func(string) bool
		for _, part := range strings.Split(c, "||") {
			m, ok := pep440Range(part)
			if !ok {
				return nil, false
			}
			any = append(any, m)
		}
		return func(v string) bool {
			return slices.ContainsFunc(any, func(m func(string) bool) bool { return m(v) })
		}, true
	}
	var all []func(pep440) bool
	for _, part := range strings.Split(c, ",") {
		part = strings.TrimSpace(part)
		if part == "" || part == "*" {
			continue
		}
		m := pep440Clause.FindStringSubmatch(part)
		if m == nil {
			return nil, false
		}
		want, ok := parsePEP440(m[2])
		if !ok {
			return nil, false
		}
		match, ok := pep440Match(m[1], want, m[3] != "")
		if !ok {
			return nil, false
		}
		all = append(all, match)
	}
	return func(v string) bool {
		p, ok := parsePEP440(v)
		return ok && !slices.ContainsFunc(all, func(m func(pep440) bool) bool { return !m(p) })
	}, true
}

func pep440Match(op string, want pep440, wildcard bool) (func(pep440) bool, bool) {
	prefix := func(v pep440, release []int64) bool {
		if v.epoch != want.epoch {
			return false
		}
		for i, n := range release {
			if i >= len(v.release) && n != 0 || i < len(v.release) && v.release[i] != n {
				return false
			}
		}
		return true
	}
	public := func(v pep440) pep440 { // a local version is as good as its public one
		if want.local == "" {
			v.local = ""
		}
		return v
	}
	atLeast := func(v pep440) bool { return public(v).compare(want) >= 0 }
	switch op {
	case "", "=", "==", "===":
		if wildcard {
			return func(v pep440) bool { return prefix(v, want.release) }, true
		}
		return func(v pep440) bool { return public(v).compare(want) == 0 }, true
	case "!=":
		if wildcard {
			return func(v pep440) bool { return !prefix(v, want.release) }, true
		}
		return func(v pep440) bool { return public(v).compare(want) != 0 }, true
	case ">=":
		return atLeast, true
	case "<=":
		return func(v pep440) bool { return public(v).compare(want) <= 0 }, true
	case ">":
		// 1.0.post1 is not greater than 1.0 in the sense of the operator.
		return func(v pep440) bool {
			v = public(v)
			return v.compare(want) > 0 && (want.post >= 0 || v.post < 0 || compareRelease(v.release, want.release) != 0)
		}, true
	case "<":
		return func(v pep440) bool {
			v = public(v)
			return v.compare(want) < 0 && (want.prerelease() || !v.prerelease() || compareRelease(v.release, want.release) != 0)
		}, true
	case "~=":
		if len(want.release) < 2 {
			return nil, false
		}
		return func(v pep440) bool { return atLeast(v) && prefix(v, want.release[:len(want.release)-1]) }, true
	case "~":
		n := min(2, len(want.release))
		return func(v pep440) bool { return atLeast(v) && prefix(v, want.release[:n]) }, true
	case "^":
		n := 0
		for n < len(want.release)-1 && want.release[n] == 0 {
			n++
		}
		return func(v pep440) bool { return atLeast(v) && prefix(v, want.release[:n+1]) }, true
	}
	return nil, false
}

// intervalRange is a range of NuGet or Maven such as "[1.0,2.0)". A bare
// version gives no match function, and each of the two takes it in its own way.
func intervalRange(ecosystem, c string) (match func(string) bool, lowest, ok bool) {
	if strings.ContainsAny(c, "${}") {
		return nil, false, false
	}
	if ecosystem == "nuget" && strings.HasSuffix(c, "*") { // floating: the highest
		prefix := strings.TrimSuffix(c, "*")
		return func(v string) bool { return strings.HasPrefix(v, prefix) }, false, true
	}
	if !strings.ContainsAny(c, "[]()") {
		return nil, false, !strings.ContainsAny(c, ", ")
	}
	if len(c) < 3 || !strings.ContainsRune("[(", rune(c[0])) || !strings.ContainsRune("])", rune(c[len(c)-1])) {
		return nil, false, false
	}
	openLow, openHigh := c[0] == '(', c[len(c)-1] == ')'
	inner := c[1 : len(c)-1]
	if strings.ContainsAny(inner, "[]()") {
		return nil, false, false
	}
	low, high, both := strings.Cut(inner, ",")
	low, high = strings.TrimSpace(low), strings.TrimSpace(high)
	if !both {
		if low == "" || openLow || openHigh {
			return nil, false, false
		}
		high = low
	}
	if strings.Contains(high, ",") {
		return nil, false, false
	}
	return func(v string) bool {
		if low != "" {
			if d := compareVersions(ecosystem, v, low); d < 0 || d == 0 && openLow {
				return false
			}
		}
		if high != "" {
			if d := compareVersions(ecosystem, v, high); d > 0 || d == 0 && openHigh {
				return false
			}
		}
		return true
	}, ecosystem == "nuget", true
}

// qualifiers are words in versions of Maven and NuGet, by their rank against
// no word at all.
var qualifiers = map[string]int{
	"dev": -7, "alpha": -6, "a": -6, "beta": -5, "b": -5, "milestone": -4, "m": -4, "preview": -4, "pre": -4,
	"rc": -3, "cr": -3, "snapshot": -2, "ga": 0, "final": 0, "release": 0, "": 0, "sp": 1,
}

// compareNatural compares piece by piece, numbers as numbers.
func compareNatural(a, b string) int {
	x, y := naturalTokens(a), naturalTokens(b)
	for i := range max(len(x), len(y)) {
		var s, t string
		if i < len(x) {
			s = x[i]
		}
		if i < len(y) {
			t = y[i]
		}
		if c := compareToken(s, t); c != 0 {
			return c
		}
	}
	return 0
}

func compareToken(s, t string) int {
	sn, tn := isNumber(s), isNumber(t)
	switch {
	case sn && tn:
		s, t = strings.TrimLeft(s, "0"), strings.TrimLeft(t, "0")
		if c := cmp.Compare(len(s), len(t)); c != 0 {
			return c
		}
		return cmp.Compare(s, t)
	case sn && t == "":
		return boolCompare(strings.Trim(s, "0") != "", false)
	case tn && s == "":
		return -boolCompare(strings.Trim(t, "0") != "", false)
	case sn != tn:
		return boolCompare(sn, tn)
	}
	rank := func(s string) int {
		if r, ok := qualifiers[s]; ok {
			return r
		}
		return 2
	}
	if c := cmp.Compare(rank(s), rank(t)); c != 0 {
		return c
	}
	if rank(s) != 2 {
		return 0
	}
	return cmp.Compare(s, t)
}

func isNumber(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// naturalTokens splits a version into runs of digits and runs of letters.
func naturalTokens(s string) []string {
	var out []string
	s = strings.ToLower(strings.TrimPrefix(s, "v"))
	if i := strings.IndexByte(s, '+'); i >= 0 { // build metadata
		s = s[:i]
	}
	kind := func(r rune) int {
		switch {
		case r >= '0' && r <= '9':
			return 1
		case unicode.IsLetter(r):
			return 2
		}
		return 0
	}
	start, last := 0, 0
	for i, r := range s {
		k := kind(r)
		if k != last {
			if last != 0 {
				out = append(out, s[start:i])
			}
			start, last = i, k
		}
	}
	if last != 0 {
		out = append(out, s[start:])
	}
	return out
}
