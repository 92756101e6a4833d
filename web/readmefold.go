package web

import (
	"html/template"
	"strings"
)

const (
	readmeShown  = 2000 // bytes of a README's HTML that are shown at least
	readmeFolded = 1200 // bytes that are worth folding
)

// First is what stands in full view of a README, and Rest what is folded: the
// two together are Body.
func (r *readme) First() template.HTML {
	if r.fold == 0 {
		return r.Body
	}
	return r.Body[:r.fold]
}

// Rest is empty if all is in full view.
func (r *readme) Rest() template.HTML {
	if r.fold == 0 {
		return ""
	}
	return r.Body[r.fold:]
}

// foldAt returns where a README, as [writeReadme] writes it, is folded: at a
// heading that is inside of nothing, or else, where there is none for long, at
// any element that is. It is 0 if the README is short.
func foldAt(body string) int {
	depth, second := 0, 0
	for at := 0; ; {
		next := strings.IndexByte(body[at:], '<')
		if next < 0 {
			break
		}
		at += next
		tag := body[at+1:]
		if strings.HasPrefix(tag, "/") {
			depth--
			at++
			continue
		}
		if len(body)-at < readmeFolded {
			break
		}
		if depth == 0 && at >= readmeShown {
			if heading(tag) {
				return at
			}
			if second == 0 && at >= 2*readmeShown {
				second = at
			}
		}
		if !void(tag) {
			depth++
		}
		at++
	}
	return second
}

func heading(tag string) bool { return len(tag) > 1 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6' }

// void says whether an element has no end.
func void(tag string) bool {
	for _, name := range []string{"br", "hr", "img"} {
		if rest, ok := strings.CutPrefix(tag, name); ok && rest != "" && strings.IndexByte("> /", rest[0]) >= 0 {
			return true
		}
	}
	return false
}
