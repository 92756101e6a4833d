package main

import (
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestReports(t *testing.T) {
	w := newEnvironment(t)
	if out := w.run("reports"); !strings.Contains(out, "No open reports") {
		t.Errorf("%q", out)
	}
	text := "It steals\x1b[2J tokens\u202e.\nSecond line\t<script>."
	for _, c := range []registry.Report{
		{Slug: "evil", Reason: "malicious", Text: text, Contact: "me@example.com", At: time.Now()},
		{Slug: "other", Reason: "facts", Text: "wrong", At: time.Now()},
	} {
		if err := w.db.AddReport(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	out := w.run("reports")
	if !strings.Contains(out, "evil") || !strings.Contains(out, "malicious") ||
		strings.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("%q", out)
	}
	out = w.run("reports", "show", "1")
	for _, want := range []string{"Malicious or misleading", "me@example.com", "  Second line <script>.",
		"census hide evil", "<U+001B>[2J"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if strings.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("a terminal would obey %q", out)
	}
	if out := w.run("reports", "close", "1", "--note", "hidden"); !strings.Contains(out, "closed") {
		t.Errorf("%q", out)
	}
	if out := w.run("reports"); strings.Contains(out, "evil") || !strings.Contains(out, "other") {
		t.Errorf("%q", out)
	}
	if out := w.run("reports", "--all"); !strings.Contains(out, "closed") ||
		strings.Index(out, "other") > strings.Index(out, "evil") {
		t.Errorf("%q", out)
	}
	if out := w.run("reports", "show", "1"); !strings.Contains(out, "hidden") ||
		strings.Contains(out, "me@example.com") {
		t.Errorf("%q", out)
	}
	for _, args := range [][]string{{"reports", "show"}, {"reports", "show", "x"},
		{"reports", "show", "99"}, {"reports", "close", "2"}, {"reports", "close", "1", "--note",
			"x"}} {
		var sink strings.Builder
		if err := run(t.Context(), args, w.environ, &sink, &sink); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
