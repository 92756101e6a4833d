package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,80}$`)

// fileName is the name of the file of a tag or an owner: the name itself if all web servers
// and file systems accept it, otherwise a similar one with a digest.
func fileName(s string) string {
	s = strings.ToLower(s)
	if plainName.MatchString(s) {
		return s
	}
	similar := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s), "-")
	sum := sha256.Sum256(fmt.Appendf(nil, "%q\n", s)) // file names must not change
	return similar[:min(len(similar), 40)] + "-" + hex.EncodeToString(sum[:5])
}

// FileOf returns the file that an export writes an address of the site to,
// whether it exists or not. Pages end in .html, so that any web server can serve them. Later
// pages of a list are in a separate folder.
func FileOf(address string) string {
	path, rawQuery, _ := strings.Cut(address, "?")
	path = strings.TrimPrefix(path, "/")
	query, _ := url.ParseQuery(rawQuery)
	page := ""
	if n := query.Get("page"); n != "" && n != "1" {
		page = "/page/" + n
	}
	switch folder, rest, deep := strings.Cut(path, "/"); {
	case path == "":
		return "index.html"
	case path == "api/health" && query.Get("server") != "":
		return "servers/" + query.Get("server") + ".health.json"
	case strings.HasPrefix(path, "api/servers/"):
		return strings.TrimPrefix(path, "api/") + ".json"
	case folder == "avatars":
		host, owner, _ := strings.Cut(strings.TrimSuffix(rest, ".png"), "/")
		if plain, err := url.PathUnescape(owner); err == nil {
			owner = plain
		}
		return "avatars/" + fileName(host) + "/" + fileName(owner) + ".png"
	case path == "api/servers":
		return "api/servers/1.json"
	case deep && (folder == "owners" || folder == "tags"):
		name, last, more := strings.Cut(rest, "/")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if name = folder + "/" + fileName(name); more {
			return name + "/" + last
		}
		return name + page + ".html"
	case isFile(path, folder, deep):
		return path
	}
	return path + page + ".html"
}

// isFile reports whether a path is that of a file, and not of a page.
func isFile(path, folder string, deep bool) bool {
	if !deep {
		return strings.Contains(path, ".")
	}
	switch folder {
	case "static", "badge", "social", "sitemaps", "search", "stats":
		return true
	}
	return strings.HasSuffix(path, "/feed.atom") || folder == "servers" && strings.HasSuffix(path, ".md")
}
