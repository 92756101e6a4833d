package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"
)

const goos = runtime.GOOS

// terminal returns the descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// width returns the number of columns of the output; 0 if it is not a terminal.
func (p *Program) width() int {
	fd, ok := terminal(p.Stdout)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(fd)
	if err != nil {
		return 80
	}
	return columns
}

// interactive reports whether somebody can be asked.
func (p *Program) interactive() bool {
	_, in := terminal(p.Stdin)
	_, out := terminal(p.Stderr)
	return in && out
}

// ask returns a line that the user enters; a secret is not shown.
func (p *Program) ask(question string, secret bool) (string, error) {
	fmt.Fprint(p.Stderr, question)
	if fd, ok := terminal(p.Stdin); ok && secret {
		text, err := term.ReadPassword(fd)
		fmt.Fprintln(p.Stderr)
		return string(text), err
	}
	return readLine(p.Stdin)
}

// readLine reads a line byte by byte, so that the rest is left for the next question.
func readLine(r io.Reader) (string, error) {
	var line strings.Builder
	b := bufio.NewReaderSize(oneByte{r}, 16)
	for {
		c, err := b.ReadByte()
		if err != nil && line.Len() == 0 {
			return "", err
		}
		if err != nil || c == '\n' {
			return strings.TrimRight(line.String(), "\r"), nil
		}
		line.WriteByte(c)
	}
}

// A oneByte reads single bytes.
type oneByte struct{ io.Reader }

func (r oneByte) Read(b []byte) (int, error) { return r.Reader.Read(b[:min(len(b), 1)]) }
