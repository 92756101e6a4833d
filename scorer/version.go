package scorer

import "strings"

// compareVersions compares two versions as people write them, number by
// number: "v1.10" is above "1.9.2", "1.2.0-rc.1" and "1.2.0rc1" are below
// "1.2.0". ok is false if one of them holds no number in front, such as
// "latest". Package services differ in the fine print, so this follows none of
// them to the letter.
func compareVersions(a, b string) (order int, ok bool) {
	a, b = trimVersion(a), trimVersion(b)
	if a == "" || b == "" || !digit(a[0]) || !digit(b[0]) {
		return 0, false
	}
	for {
		var x, y int
		var more bool
		x, a, more = number(a)
		moreA := more
		y, b, more = number(b)
		switch {
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		case !moreA && !more:
			return tail(a, b), true
		}
	}
}

// number cuts the number in front of s, and the dot if another number follows.
func number(s string) (n int, rest string, more bool) {
	i := 0
	for ; i < len(s) && digit(s[i]); i++ {
		if n < 1<<40 {
			n = n*10 + int(s[i]-'0')
		}
	}
	s = s[i:]
	if len(s) > 1 && s[0] == '.' && digit(s[1]) {
		return n, s[1:], true
	}
	return n, s, false
}

// tail compares what follows the numbers: nothing is above a pre-release, and
// "post" above nothing.
func tail(a, b string) int {
	ra, rb := tailRank(a), tailRank(b)
	if ra != rb {
		return ra - rb
	}
	// Runs of digits are compared as numbers, so that rc.10 is above rc.9.
	for a != "" && b != "" {
		if digit(a[0]) && digit(b[0]) {
			x, restA, _ := number(a)
			y, restB, _ := number(b)
			if x != y {
				return sign(x - y)
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return sign(int(a[0]) - int(b[0]))
		}
		a, b = a[1:], b[1:]
	}
	return sign(len(a) - len(b))
}

func tailRank(s string) int {
	switch {
	case s == "":
		return 0
	case strings.HasPrefix(strings.TrimLeft(s, ".-"), "post"):
		return 1
	}
	return -1
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// trimVersion cuts spaces, a package's name as monorepos put it before a tag
// ("name@1.2.0", "name/v1.2.0"), a leading v and build metadata.
func trimVersion(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexAny(s, "@/"); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.IndexByte(s, '+'); i >= 0 {
		s = s[:i]
	}
	if len(s) > 1 && (s[0] == 'v' || s[0] == 'V') {
		s = s[1:]
	}
	return s
}

// majorOf returns the first number of a version, -1 if it has none. A
// pre-release of 1.0.0 is not yet 1.
func majorOf(s string) int {
	s = trimVersion(s)
	if s == "" || !digit(s[0]) {
		return -1
	}
	n, _, _ := number(s)
	if n == 1 {
		if c, ok := compareVersions(s, "1"); ok && c < 0 {
			return 0
		}
	}
	return n
}
