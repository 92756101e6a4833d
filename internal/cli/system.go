package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal returns the descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	if o, ok := stream.(*output); ok {
		stream = o.Writer
	}
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

// ask prompts on the terminal of this process. When ctx ends, it returns at once and
// leaves the terminal as it was; the program is expected to end then.
func ask(ctx context.Context, fd int, question string, secret bool) (string, error) {
	fmt.Fprint(os.Stderr, question)
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		if !secret {
			text, err := readLine(os.Stdin)
			answers <- answer{text, err}
			return
		}
		text, err := term.ReadPassword(fd)
		answers <- answer{string(text), err}
	}()
	select {
	case a := <-answers:
		if secret {
			fmt.Fprintln(os.Stderr)
		}
		return a.text, a.err
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr)
		return "", errors.Join(ctx.Err(), term.Restore(fd, before))
	}
}

// readLine reads a line byte by byte: the rest is left for the next question.
func readLine(r io.Reader) (string, error) {
	var line strings.Builder
	b := make([]byte, 1)
	for {
		_, err := r.Read(b)
		if err != nil && line.Len() == 0 {
			return "", err
		}
		if err != nil || b[0] == '\n' {
			return strings.TrimRight(line.String(), "\r"), nil
		}
		line.WriteByte(b[0])
	}
}
