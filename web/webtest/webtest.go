// Package webtest has what tests of several packages of pages use.
package webtest

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Attacks are texts from outside that must stay text on every page.
var Attacks = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, `javascript:alert(1)`,
	`</title><script>alert(1)</script>`, `{{.Site}}`, "\u202egnp.exe",
	`<svg/onload=alert(1)>`, `&lt;script&gt;`, `]]><script>`,
	`" autofocus onfocus="alert(1)`, strings.Repeat("A",
		3000), "\ufffd\ufeff", `data:text/html,<script>alert(1)</script>`,
}

// Balanced reports whether each element of an HTML fragment ends in it.
func Balanced(fragment string) bool {
	var open []string
	for z := html.NewTokenizer(strings.NewReader(fragment)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return len(open) == 0
		case html.StartTagToken:
			if name, _ := z.TagName(); !slices.Contains([]string{"br", "hr", "img"}, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return false
			}
			open = open[:len(open)-1]
		}
	}
}
