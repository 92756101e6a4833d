package site

import (
	"net/url"
	"strings"
)

// A Feed is the Atom feed of a category, of an owner, or of everything.
type Feed struct{ Category, Owner string }

// Path is the address of the feed.
func (f Feed) Path() string { return strings.TrimSuffix(f.Page(), "/") + "/feed.atom" }

// Page is the address of the page with the same servers.
func (f Feed) Page() string {
	switch {
	case f.Category != "":
		return "/categories/" + f.Category
	case f.Owner != "":
		return "/owners/" + url.PathEscape(f.Owner)
	}
	return "/"
}
