package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"mcpcensus/internal/text"
)

// An output remembers the first error of writing, which most commands do not look at.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// A style writes colors, or none.
type style struct{ color bool }

// styleOf follows the convention of NO_COLOR.
func (c *call) styleOf() style {
	_, ok := terminal(c.Stdout)
	return style{ok && !c.noColor && c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb"}
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (s style) paint(code, text string) string {
	if !s.color || text == "" || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func gradeColor(score *int64) string {
	switch {
	case score == nil:
		return dim
	case *score >= 65:
		return green
	case *score >= 50:
		return yellow
	}
	return red
}

// plain returns a text that cannot forge what a terminal shows.
func plain(s string) string { return text.Visible(s) }

// unsafe returns the first character of a value that must not be in a configuration, as
// "U+200B", "" if there is none. Values may have line breaks.
func unsafe(s string) string {
	return text.Unsafe(strings.NewReplacer("\r", "", "\n", "", "\t", "").Replace(s))
}

// oneLine is plain on one line of at most 2,000 bytes.
func oneLine(s string) string { return text.Shorten(text.OneLine(s), 2000) }

type cell struct{ text, color string }

// A table is rows of cells. The last column is shortened to the width of a terminal.
type table struct {
	head []string
	rows [][]cell
}

func (t *table) add(cells ...cell) { t.rows = append(t.rows, cells) }

// write writes the table, columns separated by two spaces.
func (t *table) write(w io.Writer, s style, width int) {
	all := t.rows
	if len(t.head) > 0 {
		head := make([]cell, len(t.head))
		for i, h := range t.head {
			head[i] = cell{h, bold}
		}
		all = append([][]cell{head}, all...)
	}
	var widths []int
	for _, row := range all {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(oneLine(c.text)))
		}
	}
	for _, row := range all {
		at := 0
		var line strings.Builder
		for i, c := range row {
			shown := oneLine(c.text)
			last := i == len(row)-1
			if last && width > 0 {
				shown = text.Fit(shown, max(width-at, 10))
			}
			line.WriteString(s.paint(c.color, shown))
			if !last {
				line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(shown)+2))
				at += widths[i] + 2
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// number writes a count; "–" if it is unknown.
func number(n *int64) string {
	if n == nil {
		return "–"
	}
	return text.Thousands(*n)
}

func score(n *int64, grade *string) string {
	if n == nil {
		return "–"
	}
	if grade == nil {
		return number(n)
	}
	return number(n) + " " + *grade
}

// printJSON writes v as indented JSON, with escapes of the characters that a terminal would not
// show as they are.
func (c *call) printJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range b.String() {
		if r == '\n' || text.Unsafe(string(r)) == "" {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	_, err := io.WriteString(c.Stdout, out.String())
	return err
}
