package readme

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// Limits of rendering one README.
const (
	maxTime  = 2 * time.Second // of a processor
	maxAlloc = 200 << 20       // bytes
)

// TestHostile renders READMEs of 1 MB that are slow to parse, within limits of processor time and
// memory.
func TestHostile(t *testing.T) {
	r := strings.Repeat
	texts := map[string]string{
		"lists in a line":       r("- ", 500_000),
		"ordered lists":         r("1. ", 300_000),
		"nested lists":          nested("- a\n", 2000),
		"quotes in lists":       r("> - ", 250_000),
		"nested quotes":         r("> ", 9_000) + "a",
		"quotes of paragraphs":  r(r("> ", 40)+"a\n\n", 10_000),
		"spaces":                r(" ", 1<<20) + "a",
		"tabs in a list":        "- a\n" + r("\t", 1<<20),
		"headings":              r("# a\n", 250_000),
		"equal headings":        r("# aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 20_000),
		"underlined":            r("a\n=\n", 250_000),
		"references":            r("[a]: b\n", 150_000),
		"uses of references":    r("[a]: /b\n\n", 2_000) + r("[a] ", 200_000),
		"different references":  r("[a]", 300_000),
		"code in code":          ticks(1400),
		"open code":             r("`a ", 300_000),
		"fences":                r("```\n", 250_000),
		"fences of tildes":      r("~~~a\n", 200_000),
		"links in links":        r("[", 3000) + "a" + r("](b)", 3000),
		"open links":            r("[a](<b", 170_000),
		"open titles":           r("[a](b \"", 150_000),
		"pictures in pictures":  r("![", 2900) + "a" + r("](b)", 2900),
		"emphasis":              r("*a **a ", 150_000),
		"emphasis in lines":     r("*a_ b*\n\n", 120_000),
		"HTML elements":         r("<div>", 200_000),
		"HTML in lines":         r("<b>\n\n", 170_000),
		"formatting elements":   r("<b><i><a href=x>", 60_000),
		"formatting and blocks": r("<a><p>", 170_000),
		"tables of HTML":        r("<table><tr><td>", 70_000),
		"text in tables":        r("<table>a", 130_000),
		"attributes":            "<a " + r("b=c ", 250_000) + ">",
		"long attribute":        "<a href=\"" + r("b", 1<<20) + "\">c</a>",
		"comments":              r("<!--", 260_000),
		"declarations":          r("<!A ", 260_000),
		"instructions":          r("<?", 500_000),
		"CDATA":                 r("<![CDATA[", 110_000),
		"definitions":           r("<dl><dt>a<dd>b", 70_000),
		"selects":               r("<select><option>", 60_000),
		"frames":                r("<svg><desc>", 90_000),
		"templates":             r("<template>", 100_000),
		"entities":              r("&amp;&#x41;", 90_000),
		"open entities":         r("&a", 500_000),
		"addresses":             r("http://a.b/", 90_000),
		"addresses in brackets": r("<http://a.b", 90_000),
		"mail":                  r("a@", 500_000),
		"mails":                 r("a.b@c.d ", 120_000),
		"domains":               r("www.a", 200_000),
		"address of brackets":   "http://a.b/" + r("(", 500_000) + r(")", 500_000),
		"struck out":            r("~~a~b ", 170_000),
		"tasks":                 r("- [ ] a\n", 130_000),
		"tables":                "|a|b|\n|-|-|\n" + r("|a|b|\n", 170_000),
		"wide tables":           "|" + r("a|", 19_000) + "\n|" + r("-|", 19_000) + "\n" + r("|\n", 400_000),
		"tables in tables":      r("|a|\n|-|\n", 110_000),
		"backslashes":           r("\\", 1<<20),
		"backslashes in tables": "|a|\n|-|\n|" + r("\\|", 500_000),
		"invalid UTF-8":         r("\xff", 1<<20),
		"NUL":                   r("\x00", 1<<20),
	}
	for _, c := range "[]()*_`<>!|~#&\"'\\-+=:.@{}/^$%\n\t" {
		texts["1 MB of "+string(c)] = r(string(c), 1<<20)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := processorTime(t)
			out := Render(registry.Readme{Path: "README.md", Text: "# Tides\n\n" + text}, octo)
			used := processorTime(t) - start
			runtime.ReadMemStats(&after)
			alloc := after.TotalAlloc - before.TotalAlloc
			if used > maxTime || alloc > maxAlloc {
				t.Errorf("%v of a processor, %d MB allocated", used, alloc>>20)
			}
			if out != nil {
				checkHarmless(t, string(out.Text+out.Beginning))
			}
		})
	}
}

// processorTime returns the processor time of this process.
func processorTime(t *testing.T) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// nested returns n lines of a list, each deeper than the one before.
func nested(line string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 2*i) + line)
	}
	return b.String()
}

// ticks returns n runs of backticks of different lengths.
func ticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i+1) + "a")
	}
	return b.String()
}
