package record

import (
	"cmp"
	"html"
	"html/template"
	"strconv"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

// Checks are the categories of a score with every check as HTML: what failed or
// passed partially in full view, the rest folded. They are a third of a
// server's page, and a template takes several times as long to write them. All
// that comes from elsewhere goes through text.
func (r Record) Checks() template.HTML {
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

// write writes markup.
func (w *checkWriter) write(markup ...string) {
	for _, m := range markup {
		w.WriteString(m)
	}
}

// text writes text.
func (w *checkWriter) text(s string) { w.WriteString(html.EscapeString(s)) }

func (w *checkWriter) section(s registry.HealthSection) {
	w.write(`<div class="section"><div class="sectionhead"><h3>`)
	w.text(format.Capital(s.Category))
	w.write(`</h3><span class="quiet">`)
	switch {
	case s.Score != nil:
		w.write("<b>", format.Decimal(*s.Score), "</b> of 100")
	case s.Applies():
		w.write("unknown")
	default:
		w.write("not applicable")
	}
	w.write(" · weight ", format.Decimal(s.Weight), "</span>")
	if s.Score != nil {
		w.write(`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">`,
			`<rect class="track" width="100" height="4"/><rect class="fill" `+
				`width="`, format.BarLength(*s.Score, 100), `" height="4"/></svg>`)
	}
	w.write("</div>\n")
	open, folded := []registry.Check(nil), []registry.Check(nil)
	for _, c := range s.Checks {
		if c.Result == "fail" || c.Result == "partial" {
			open = append(open, c)
		} else {
			folded = append(folded, c)
		}
	}
	if len(open) > 0 {
		w.list(open)
	}
	if len(folded) > 0 {
		w.write(`<details class="more"><summary>`, summary(folded), `<span class="unseen"> in `)
		w.text(format.Capital(s.Category))
		w.write("</span></summary>")
		w.list(folded)
		w.write("</details>")
	}
	w.write("</div>\n")
}

// summary counts folded checks by their results.
func summary(checks []registry.Check) string {
	var all []string
	for _, r := range []struct{ result, word string }{{"pass", "passed"}, {"unknown", "unknown"},
		{"notApplicable", "not applicable"}} {
		n := 0
		for _, c := range checks {
			if c.Result == r.result {
				n++
			}
		}
		if n > 0 {
			all = append(all, strconv.Itoa(n)+" "+r.word)
		}
	}
	return strings.Join(all, ", ")
}

func (w *checkWriter) list(checks []registry.Check) {
	w.write(`<ul class="checks">`)
	for _, c := range checks {
		w.check(c)
	}
	w.write("</ul>")
}

var resultWords = map[string]string{"pass": "✓ passed", "partial": "◐ partial", "fail": "✕ failed",
	"unknown": "? unknown"}

func (w *checkWriter) check(c registry.Check) {
	w.write(`<li id="`, w.prefix)
	w.text(c.ID)
	w.write(`"><span class="r `)
	w.text(c.Result)
	w.write(`">`, cmp.Or(resultWords[c.Result], "– not applicable"), "</span><div><p><b>")
	w.text(c.Name)
	w.write("</b>")
	if c.Result != "notApplicable" {
		w.write(` <span class="quiet">`, format.Decimal(c.Points), " of ", format.Decimal(c.Max), "</span>")
	}
	w.write("</p>\n<p>")
	w.text(c.Reason)
	w.write("</p>\n")
	if len(c.Evidence) > 0 {
		w.write(`<p class="evidence"><span class="quiet">Source</span> `)
		for i, e := range c.Evidence {
			if i > 0 {
				w.write(", ")
			}
			w.evidence(e)
		}
		w.write("</p>\n")
	}
	if c.Fix != "" {
		w.write(`<p class="fix"><b>How to fix:</b> `)
		w.text(c.Fix)
		w.write("</p>\n")
	}
	w.write("</div></li>\n")
}

func (w *checkWriter) evidence(e registry.Evidence) {
	ref := format.Cut(60, format.Commit(e.Ref))
	if to := cmp.Or(format.SafeURL(e.URL), evidencePage(e)); to != "" {
		w.write(`<a href="`)
		w.text(to)
		w.write(`" rel="nofollow ugc noopener">`)
		w.text(ref)
		w.write("</a>")
	} else {
		w.write("<code>")
		w.text(ref)
		w.write("</code>")
	}
	if e.Text != "" {
		w.write(" <q>")
		w.text(format.Cut(140, e.Text))
		w.write("</q>")
	}
}
