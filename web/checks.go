package web

import (
	"cmp"
	"html"
	"html/template"
	"strconv"
	"strings"

	"mcpcensus/internal/registry"
)

// Checks are the parts of a score with every check: what failed or was passed in
// part in full view, the rest folded. They are written here and not by a
// template, since they are a third of a server's page and a template takes
// several times as long; all that comes from elsewhere goes through text.
func (r record) Checks() template.HTML {
	w := checkWriter{prefix: html.EscapeString(r.Prefix)}
	w.Grow(24 << 10)
	for _, s := range r.Health.Categories {
		w.section(s)
	}
	return template.HTML(w.String())
}

type checkWriter struct {
	strings.Builder
	prefix string
}

// text writes what is no markup.
func (w *checkWriter) text(s string) { w.WriteString(html.EscapeString(s)) }

func (w *checkWriter) section(s registry.HealthSection) {
	w.WriteString(`<div class="section"><div class="sectionhead"><h3>`)
	w.text(titled(s.Category))
	w.WriteString(`</h3><span class="quiet">`)
	if s.Score != nil {
		w.WriteString("<b>" + rounded(*s.Score) + "</b> of 100")
	} else {
		w.WriteString("not applicable")
	}
	w.WriteString(" · weighs " + rounded(s.Weight) + "</span>")
	if s.Score != nil {
		w.WriteString(`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"/><rect class="fill" width="` + barLength(*s.Score, 100) + `" height="4"/></svg>`)
	}
	w.WriteString("</div>\n")
	lacking := func(c registry.Check) bool { return c.Result == "fail" || c.Result == "partial" }
	var folded []string
	for _, r := range []struct{ result, word string }{{"pass", "passed"}, {"unknown", "unknown"}, {"notApplicable", "not applicable"}} {
		n := 0
		for _, c := range s.Checks {
			n += bools(c.Result == r.result)
		}
		if n > 0 {
			folded = append(folded, strconv.Itoa(n)+" "+r.word)
		}
	}
	list := func(of func(registry.Check) bool) {
		w.WriteString(`<ul class="checks">`)
		for _, c := range s.Checks {
			if of(c) {
				w.check(c)
			}
		}
		w.WriteString("</ul>")
	}
	for _, c := range s.Checks {
		if lacking(c) {
			list(lacking)
			break
		}
	}
	if len(folded) > 0 {
		w.WriteString(`<details class="more"><summary>` + strings.Join(folded, ", ") + `<span class="unseen"> in `)
		w.text(titled(s.Category))
		w.WriteString("</span></summary>")
		list(func(c registry.Check) bool { return !lacking(c) })
		w.WriteString("</details>")
	}
	w.WriteString("</div>\n")
}

var resultWords = map[string]string{"pass": "✓ passed", "partial": "◐ in part", "fail": "✕ failed", "unknown": "? unknown"}

func (w *checkWriter) check(c registry.Check) {
	w.WriteString(`<li id="` + w.prefix)
	w.text(c.ID)
	w.WriteString(`"><span class="r `)
	w.text(c.Result)
	w.WriteString(`">`)
	if word := resultWords[c.Result]; word != "" {
		w.WriteString(word)
	} else {
		w.WriteString("– not applicable")
	}
	w.WriteString("</span><div><p><b>")
	w.text(c.Name)
	w.WriteString("</b>")
	if c.Result != "notApplicable" {
		w.WriteString(` <span class="quiet">` + rounded(c.Points) + " of " + rounded(c.Max) + "</span>")
	}
	w.WriteString("</p>\n<p>")
	w.text(c.Reason)
	w.WriteString("</p>\n")
	if len(c.Evidence) > 0 {
		w.WriteString(`<p class="evidence"><span class="quiet">Seen in</span> `)
		for i, e := range c.Evidence {
			if i > 0 {
				w.WriteString(", ")
			}
			w.evidence(e)
		}
		w.WriteString("</p>\n")
	}
	if c.Fix != "" {
		w.WriteString(`<p class="fix"><b>To mend it:</b> `)
		w.text(c.Fix)
		w.WriteString("</p>\n")
	}
	w.WriteString("</div></li>\n")
}

func (w *checkWriter) evidence(e registry.Evidence) {
	ref := cut(60, reference(e.Ref))
	if to := cmp.Or(outside(e.URL), packageOf(e)); to != "" {
		w.WriteString(`<a href="`)
		w.text(to)
		w.WriteString(`" rel="nofollow ugc noopener">`)
		w.text(ref)
		w.WriteString("</a>")
	} else {
		w.WriteString("<code>")
		w.text(ref)
		w.WriteString("</code>")
	}
	if e.Text != "" {
		w.WriteString(" <q>")
		w.text(cut(140, e.Text))
		w.WriteString("</q>")
	}
}
