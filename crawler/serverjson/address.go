package serverjson

import (
	"io/fs"
	"net/url"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// WebAddress returns an http or https URL, "" for anything else.
func WebAddress(s string) string {
	if s == "" || len(s) > maxAddress || untyped.Cut(s, maxAddress) != s ||
		strings.ContainsAny(s, " \n\t\"<>\\^`") {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return s
}

var templatePart = regexp.MustCompile(`[{<][a-zA-Z0-9_.-]{1,100}[}>]`)

// TemplateAddress is WebAddress for URLs with {variables}. It returns "" for a URL that begins
// with a variable, because its scheme is unknown.
func TemplateAddress(s string) string {
	// "1" may be a port
	if len(s) > maxAddress || WebAddress(templatePart.ReplaceAllString(s, "1")) == "" {
		return ""
	}
	return s
}

// subfolder returns a clean relative path, "" for paths outside the repository.
func subfolder(s string) string {
	s = strings.TrimPrefix(strings.Trim(s, "/"), "./")
	if s == "." || !fs.ValidPath(s) || untyped.Cut(s, 500) != s || strings.ContainsAny(s, "\\\n\t") {
		return ""
	}
	return s
}
