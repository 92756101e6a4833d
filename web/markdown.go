package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
)

// markdown answers GET /servers/{slug}.md: the page for who reads text, such
// as a language model. Everything from outside is escaped, so that it is text
// and nothing else; the README is left out.
func (s *Site) markdown(c *gin.Context, slug string) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	i, err := find(v, slug)
	if err != nil {
		return err
	}
	if i.Slug() != slug {
		c.Redirect(http.StatusPermanentRedirect, "/servers/"+i.Slug()+".md")
		return nil
	}
	r, err := recordOf(i)
	if err != nil {
		return err
	}
	s.Counter.Event(meter.EventView, i.Slug(), c.Request)
	body := []byte(s.markdownOf(&r))
	h := c.Writer.Header()
	h.Set("X-Robots-Tag", "noindex") // the page itself is what search engines should show
	if s.BaseURL != "" {
		h.Set("Link", "<"+s.address("/servers/"+i.Slug())+`>; rel="canonical"`)
	}
	httpd.Write(c, httpd.Answer{Type: "text/markdown; charset=utf-8", Tag: contentTag(body), Cache: "public, no-cache", Body: body, Zipped: s.zip(c, body)})
	return nil
}

// markdownOf writes a server down.
func (s *Site) markdownOf(r *record) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	name := mdText(r.Name)
	if name == "" {
		name = mdText(r.Slug)
	}
	line("# %s\n", name)
	if d := mdText(r.Server.Description); d != "" {
		line("> %s\n", d)
	}
	if r.Status != registry.StatusActive {
		why := mdText(r.StatusMessage)
		line("**%s.** %s\n", mdText(titled(r.Status)), why)
	}
	fact := func(name, value string) {
		if value != "" {
			line("- %s: %s", name, value)
		}
	}
	number := func(n *int) string {
		if n == nil {
			return "unknown"
		}
		return fmt.Sprint(*n)
	}
	day := func(t *time.Time) string {
		if t == nil || t.IsZero() {
			return "unknown"
		}
		return t.UTC().Format(time.DateOnly)
	}
	score := "unknown"
	if h := r.Health; h.Score != nil {
		score = fmt.Sprintf("%d of 100, grade %s", *h.Score, mdText(h.Grade))
		if h.Low != nil && h.High != nil {
			score += fmt.Sprintf(" (between %d and %d if what is unknown were known)", *h.Low, *h.High)
		}
	}
	fact("Health", score)
	fact("Popularity", number(r.Popularity))
	fact("Category", mdText(r.Category))
	fact("Repository", mdLink(r.Repository.URL))
	fact("Folder of the repository", mdCode(r.Repository.Subfolder))
	fact("Name in the official registry", mdCode(r.RegistryName))
	fact("SDK", mdText(r.SDK))
	fact("Transports", mdText(strings.Join(r.Transports, ", ")))
	fact("Licence", or(mdText(r.License), "none found"))
	fact("Latest version", or(mdText(r.LatestVersion), "unknown"))
	fact("Released", day(r.ReleasedAt))
	fact("Last commit", day(r.LastCommitAt))
	fact("Stars", number(r.Stars))
	downloads := "unknown"
	if r.Downloads != nil {
		downloads = fmt.Sprint(*r.Downloads)
	}
	fact("Downloads in 30 days", downloads)
	fact("Tags", mdText(strings.Join(r.Tags, ", ")))
	fact("Last read", day(r.LastCrawledAt))

	line("\n## Install\n")
	if r.Install.Command != "" {
		line("%s", mdBlock(r.Install.Command))
	}
	if e := r.Started(); e != nil {
		if e.URL != "" {
			line("Once it runs, clients connect to it at this address (%s):\n\n%s", mdText(e.Transport), mdBlock(e.URL))
		} else {
			line("Clients connect to it by %s once it runs. At which address is not declared.\n", mdText(e.Transport))
		}
	}
	for _, m := range r.Remotes {
		line("Hosted by its owner (%s):\n\n%s", mdText(m.Type), mdBlock(m.URL))
		for _, h := range m.Headers {
			line("- Header %s%s", mdCode(h.Name), variableText(h))
		}
	}
	for _, p := range r.Hindered() {
		line("There is no command for the package %s of %s. %s\n", mdCode(p.Identifier), mdText(p.RegistryType), mdText(p.Why))
		if p.Command != "" {
			line("%s", mdBlock(p.Command))
		}
		if to := mdLink(p.URL); to != "" {
			line("Download: %s\n", to)
		}
	}
	if r.Install.Command == "" {
		if len(r.Remotes) == 0 && len(r.Packages) == 0 {
			line("No published package and no hosted address is known, so no command is shown: it would be a guess.\n")
		}
		if len(r.Remotes) == 0 || len(r.Packages) > 0 {
			line("How its owners start it stands in the README of the repository.\n")
		}
	}
	for _, v := range r.Blanks() {
		text := mdCode(v.Placeholder)
		if v.Option != "" {
			text += ", for " + mdCode(v.Option)
		}
		if v.IsSecret {
			text += " (secret)"
		}
		text += ": " + or(mdText(v.Description), "not described")
		if v.Example != "" {
			text += "; for example " + mdCode(v.Example)
		}
		if v.Default != "" {
			text += "; default " + mdCode(v.Default)
		}
		if len(v.Choices) > 0 {
			text += "; one of " + mdText(strings.Join(v.Choices, ", "))
		}
		line("- Put in for %s", text)
	}
	for _, p := range r.Packages {
		line("- Package %s of %s, version %s, transport %s", mdCode(p.Identifier), mdText(p.RegistryType), or(mdText(p.Version), "unknown"), or(mdText(p.Transport.Type), "unknown"))
	}
	if len(r.Variables) > 0 {
		line("\n### Environment variables\n")
		if who := r.WhoSets(); who != "" {
			line("%s\n", who)
		}
		for _, v := range r.Variables {
			line("- %s%s", mdCode(v.Name), variableText(v))
		}
	}

	line("\n## Tools\n")
	switch {
	case len(r.Tools) > 0:
		if r.NoParameters() {
			line("Which parameters they take could not be told from its files.\n")
		}
		room := mostParameterText
		for _, t := range r.Tools {
			line("- %s: %s", mdCode(t.Name), or(mdText(t.Description), "no description is known"))
			text := parametersText(t)
			if len(text) > room {
				text = "  - Its parameters are left out here.\n"
			}
			room -= len(text)
			b.WriteString(text)
		}
	case r.ToolCount == nil:
		line("Which tools it offers could not be told from its files.")
	case *r.ToolCount == 0:
		line("It offers no tools.")
	default:
		line("%d; their names are not known.", *r.ToolCount)
	}

	line("\n## Health\n")
	for _, c := range r.Health.Caps {
		if c.Applied {
			line("Limited to %d: %s\n", c.Max, mdText(c.Reason))
		}
	}
	for _, section := range r.Health.Categories {
		value := "not applicable"
		if section.Score != nil {
			value = fmt.Sprintf("%.0f of 100", *section.Score)
		}
		line("### %s: %s (weight %g)\n", mdText(titled(section.Category)), value, section.Weight)
		for _, c := range section.Checks {
			line("- %s: %s, %.1f of %.1f. %s", mdText(c.Name), resultText(c.Result), c.Points, c.Max, mdText(c.Reason))
			if c.Fix != "" {
				line("  To mend it: %s", mdText(c.Fix))
			}
		}
		line("")
	}
	if len(r.Health.Categories) == 0 {
		line("Nothing was checked yet.\n")
	}
	line("## Links\n")
	line("- [Page](%s)", s.address("/servers/"+r.Slug))
	if s.Static {
		line("- [Record](%s/servers/%s.json), [health](%s/servers/%s.health.json) as JSON", s.BaseURL, r.Slug, s.BaseURL, r.Slug)
	} else {
		line("- [Health as JSON](%s/api/health?server=%s)", s.BaseURL, r.Slug)
	}
	line("- [How servers are scored](%s)", s.address("/docs/scoring"))
	return b.String()
}

// mostParameterText bounds what is said of the parameters of all tools, in bytes.
const mostParameterText = 64 << 10

// parametersText are the parameters of a tool as a list below it, "" if they are
// not known.
func parametersText(t tool) string {
	fields, known := fieldsOf(t.InputSchema)
	if known && len(fields) == 0 {
		return "  - Takes no parameters.\n"
	}
	var b strings.Builder
	for _, f := range fields {
		b.WriteString("  - " + mdCode(f.Name))
		var of []string
		if kind := mdText(f.Type); kind != "" {
			of = append(of, kind)
		}
		if f.Required {
			of = append(of, "required")
		}
		if len(of) > 0 {
			b.WriteString(" (" + strings.Join(of, ", ") + ")")
		}
		if d := mdText(cut(300, f.Description)); d != "" {
			b.WriteString(": " + d)
		}
		if f.Default != "" {
			b.WriteString("; default " + mdCode(cut(80, f.Default)))
		}
		if len(f.Choices) > 0 {
			b.WriteString("; one of " + mdText(cut(300, strings.Join(f.Choices, ", "))))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func resultText(result string) string {
	if result == "notApplicable" {
		return "not applicable"
	}
	return mdText(result)
}

func variableText(v registry.Variable) string {
	var all []string
	if v.IsRequired {
		all = append(all, "required")
	} else {
		all = append(all, "optional")
	}
	if v.IsSecret {
		all = append(all, "secret")
	}
	text := " (" + strings.Join(all, ", ") + ")"
	if d := mdText(v.Description); d != "" {
		text += ": " + d
	}
	return text
}

// mdText is a text from outside as Markdown in one line that means that text
// and nothing else: no emphasis, link, HTML, picture or list.
func mdText(s string) string {
	s = oneLine(s)
	var b strings.Builder
	rs := []rune(s)
	for n, r := range rs {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~&@^$!", r),
			n == 0 && strings.ContainsRune("+-=:", r),
			(r == '.' || r == ')') && leadingNumber(rs[:n]) && (n+1 == len(rs) || rs[n+1] == ' '),
			r == ':' && n+2 < len(rs) && rs[n+1] == '/' && rs[n+2] == '/',
			r == '.' && n >= 3 && strings.EqualFold(string(rs[n-3:n]), "www"),
			r == ':' && n >= 4 && strings.EqualFold(string(rs[max(0, n-6):n]), "mailto"),
			r == ':' && n >= 4 && strings.EqualFold(string(rs[n-4:n]), "xmpp"):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// leadingNumber says whether a line begins with digits and nothing else.
func leadingNumber(rs []rune) bool {
	for _, r := range rs {
		if r < '0' || r > '9' {
			return false
		}
	}
	return len(rs) > 0
}

// oneLine is a text without signs that are not seen, in one line.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r < ' ', r == 0x7f:
			return ' '
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r) && r != 0x200d && r != 0x200c, r == 0xfffe, r == 0xffff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

// mdCode is a text from outside as code in a line, "" if there is none.
func mdCode(s string) string {
	if s = oneLine(s); s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// mdBlock is a text from outside as a block of code.
func mdBlock(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		if r == '\t' {
			return ' '
		}
		if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

// longestRun is how many backticks stand next to each other at most.
func longestRun(s string) (most int) {
	n := 0
	for _, r := range s {
		if r != '`' {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// mdLink is an address from outside as a link, "" if it may not be linked.
func mdLink(address string) string {
	if outside(address) == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || strings.ContainsFunc(address, func(r rune) bool { return r > '~' || r < '!' || r == '`' }) {
		return ""
	}
	return "<" + u.String() + ">"
}
