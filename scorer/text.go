package scorer

import (
	"net/url"
	"strconv"
	"strings"

	"mcpcensus/internal/text"
)

// maxText is the most characters of an outside text that a reason quotes.
const maxText = 200

// clean makes an outside text safe for a sentence: one line of visible characters, at most
// maxText.
func clean(s string) string {
	return text.Fit(text.OneLine(s), maxText)
}

// sentence capitalizes the first letter of s.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// link returns an outside address if a page may link to it, or "".
func link(address string) string {
	if len(address) > 500 || !strings.HasPrefix(address, "https://") || clean(address) != address &&
		len(address) <= maxText {
		return ""
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" {
		return ""
	}
	return address
}

// service returns the display name of a package service.
func service(registryType string) string {
	switch registryType {
	case "pypi":
		return "PyPI"
	case "oci":
		return "OCI"
	case "nuget":
		return "NuGet"
	case "mcpb":
		return "MCPB"
	}
	return clean(registryType)
}

// ago returns "today", "1 day ago", "28 days ago".
func ago(days int) string {
	if days == 0 {
		return "today"
	}
	return text.Count(days, "day") + " ago"
}

// some returns the first few of a list, joined with commas.
func some(list []string, few int) string {
	var b strings.Builder
	for i, s := range list {
		if i == few {
			b.WriteString(" and ")
			b.WriteString(strconv.Itoa(len(list) - few))
			b.WriteString(" more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(clean(s))
	}
	return b.String()
}
