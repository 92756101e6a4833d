// Package format writes values the way people read them on pages.
package format

import "strings"

// maxURL is the length in bytes of the longest address that is linked to.
const maxURL = 2000

// SafeURL returns an address from outside if pages may link to it, else "".
func SafeURL(s string) string {
	if len(s) > maxURL || !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") ||
		strings.ContainsAny(s, " \t\r\n\"'<>\\") {
		return ""
	}
	return s
}
