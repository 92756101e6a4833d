package readme

import (
	"net/url"
	"regexp"
	"strings"
)

// endedStatus are the states of repostatus.org and of the lifecycle badges of a project that has
// ended.
var endedStatus = regexp.MustCompile(`(?i)` +
	`(?:repostatus\.org/badges/[^/]+/|lifecycle-|repostatus\.org/#)` +
	`(?:abandoned|unsupported|moved|archived|deprecated|retired|superseded|defunct)\b`)

// unmaintainedBadge matches the badge of projects without maintenance.
var unmaintainedBadge = regexp.MustCompile(`(?i)^https?://(?:www\.)?unmaintained\.tech/`)

// shieldsBadge matches the text of a static badge of shields.io: label, message and color.
var shieldsBadge = regexp.MustCompile(
	`^https?://(?:img\.)?(?:shields\.io|badgen\.net)/badge/([^?#]+)`)

// badgeState returns what a badge says if that is that the project has ended: a machine-readable
// status, or a static badge or alternative text "status: deprecated".
func badgeState(alt, address string) (text string, ended bool) {
	switch {
	case endedStatus.MatchString(address), unmaintainedBadge.MatchString(address):
		if alt == "" {
			alt = "The badge of the README says that the project has ended."
		}
		return alt, true
	case wholeState.MatchString(strings.TrimSpace(stateLabel.ReplaceAllString(alt, ""))):
		return alt, alt != ""
	}
	label, message := shieldsText(address)
	switch {
	case message == "":
		return "", false
	case label == "":
		return message, wholeState.MatchString(message)
	case stateLabel.MatchString(label + ":"):
		no := strings.EqualFold(message, "no") && maintained.MatchString(label)
		return label + ": " + message, no || firstState.MatchString(message)
	}
	return label + ": " + message, wholeState.MatchString(label)
}

// maintained matches labels to which "no" is a state.
var maintained = regexp.MustCompile(`(?i)\bmaint(?:ained|enance)\b`)

// shieldsText returns label and message of a static badge, "" if it is none. In its path "--" is
// a dash, and "_" is a space.
func shieldsText(address string) (label, message string) {
	if u, err := url.Parse(address); err == nil && u.Host == "img.shields.io" {
		switch year := strings.TrimPrefix(u.Path, "/maintenance/no/"); {
		case u.Path == "/static/v1":
			return u.Query().Get("label"), u.Query().Get("message")
		case year != u.Path:
			return "maintained", "no"
		}
	}
	m := shieldsBadge.FindStringSubmatch(address)
	if m == nil {
		return "", ""
	}
	s, err := url.PathUnescape(strings.TrimSuffix(m[1], ".svg"))
	if err != nil {
		return "", ""
	}
	s = strings.NewReplacer("--", "\x00", "__", "\x01", "_", " ").Replace(s)
	parts := strings.Split(strings.ReplaceAll(s, "/", "-"), "-")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(strings.NewReplacer("\x00", "-", "\x01", "_").Replace(p))
	}
	switch len(parts) {
	case 2:
		return "", parts[0]
	case 3:
		return parts[0], parts[1]
	}
	return "", ""
}
