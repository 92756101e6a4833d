package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

func man(_ context.Context, c *call) error {
	var b strings.Builder
	upper := strings.ToUpper(c.Name)
	fmt.Fprintf(
		&b,
		".TH %s 1 \"\" \"%s %s\"\n.SH NAME\n%s \\- find MCP servers, add them to MCP clients, and "+
			"audit the configured servers\n",
		upper,
		c.Name,
		roff(c.Version),
		c.Name,
	)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I command\n[options] [arguments]\n.SH COMMANDS\n", c.Name)
	for _, k := range commands() {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(c.Name+" "+k.line()), roff(k.long))
		for _, f := range flagsOf(k) {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.spelling()), roff(f.usage))
		}
		for _, e := range k.examples {
			fmt.Fprintf(&b, ".PP\n.RS\n%s\n.RE\n", roff(c.Name+" "+e))
		}
	}
	fmt.Fprintf(&b, ".SH ENVIRONMENT\n.nf\n%s.fi\n.SH EXIT STATUS\n.nf\n%s.fi\n", roff(environment),
		roff(statuses))
	b.WriteString(
		".SH FILES\nBefore a file of a client is changed, its text is copied to FILE.TIME.bak beside it.\n")
	_, err := io.WriteString(c.Stdout, b.String())
	return err
}

// roff escapes a text for a manual page.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
