package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mcpcensus/internal/lint"
	"mcpcensus/internal/text"
)

// lintFile checks a server.json without a registry.
func lintFile(_ context.Context, c *call) error {
	name := c.args[0]
	in := c.Stdin
	if name == "-" {
		name = "standard input"
	} else {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		f, err := os.Open(path)
		if err != nil {
			return &ExitError{exitFailure, err}
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, lint.MaxSize+1))
	if err != nil {
		return &ExitError{exitFailure, err}
	}
	r := lint.Check(data)
	if c.json {
		err = c.printJSON(r)
	} else {
		c.printIssues(name, r)
	}
	isStrict := c.strict || c.publish || c.Getenv("CI") != "" && c.Getenv("CI") != "false"
	switch n := r.Refused(); {
	case err != nil:
		return err
	case r.Valid && (!isStrict || n == 0):
		return nil
	case r.Valid:
		fmt.Fprintf(c.Stderr, "%s: this file cannot be published: %s\n", c.Name,
			text.Count(n, "issue"))
	}
	return &ExitError{exitFailure, nil}
}

var severityColors = map[string]string{lint.Error: red, lint.Warning: yellow, lint.Info: dim}

// printIssues prints issues as compilers do, so that editors find their places.
func (c *call) printIssues(name string, r lint.Result) {
	for _, i := range r.Issues {
		fmt.Fprintf(c.Stdout, "%s:%d:%d: %s: ", oneLine(name), max(i.Line, 1), max(i.Column, 1),
			c.style.paint(severityColors[i.Severity], i.Severity))
		if i.Path != "" {
			fmt.Fprintf(c.Stdout, "%s: ", oneLine(i.Path))
		}
		fmt.Fprintf(c.Stdout, "%s %s\n", oneLine(i.Message), c.style.paint(dim, "["+oneLine(i.Reference)+"]"))
	}
	verdict := c.style.paint(green, "valid")
	if !r.Valid {
		verdict = c.style.paint(red, "not valid")
	}
	fmt.Fprintf(c.Stdout, "%s: %s, %s, %s, %s\n", oneLine(name), verdict,
		text.Count(r.Count(lint.Error), "error"), text.Count(r.Count(lint.Warning), "warning"),
		text.Count(r.Count(lint.Info), "note"))
}
