package registry

import "strings"

// maxSlug is the maximum length of a slug before a number is added.
const maxSlug = 200

// Slug returns the readable id of a server: owner, name and subfolder in lower case, joined by
// "-", with all characters except a–z and 0–9 replaced by "-", such as "octo-weather-mcp". It
// is not unique: the store adds "-2" to a later one. It is never "".
func Slug(owner, name, subfolder string) string {
	var b strings.Builder
	dash := false
	for _, part := range []string{owner, name, subfolder} {
		for i := 0; i < len(part) && b.Len() < maxSlug; i++ {
			c := part[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if ('a' > c || c > 'z') && ('0' > c || c > '9') {
				dash = true
				continue
			}
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteByte(c)
		}
		dash = true
	}
	if b.Len() == 0 {
		return "server"
	}
	return b.String()
}
