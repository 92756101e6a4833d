package untyped

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestObject(t *testing.T) {
	o, err := JSON([]byte(`{
		// comments and trailing commas are accepted
		"text": " a ", "id": 812345678901, "yes": true, "word": "true", "null": null,
		"list": ["a", 1, " ", "b"], "objects": [{"a": 1}, 2, {}], "map": {"b": "2", "a": 1},
		"at": "2026-11-20T13:00:00+01:00",
	}`))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	got := map[string]any{
		"text": o.Text("text"), "other spelling": o.Text("TEXT", "text"), "number": o.Text("id"),
		"bool as text": o.Text("yes"), "bool as scalar": o.Scalar("yes"), "missing": o.Text("none"),
		"null": o.Text("null"), "flag": o.Flag("none", "yes"), "word": o.Flag("word"), "no flag": o.Flag("text"),
		"texts": o.Texts("list"), "objects": len(o.Objects("objects")), "wrong type": o.Object("text") == nil,
		"map": o.TextMap("map"), "keys": o.Object("map").Keys(), "nil object": Object(nil).Object("a").Text("b"),
		"time": *o.Time("at"), "no time": o.Time("text") == nil,
	}
	want := map[string]any{
		"text": "a", "other spelling": "a", "number": "812345678901",
		"bool as text": "", "bool as scalar": "true", "missing": "",
		"null": "", "flag": true, "word": true, "no flag": false,
		"texts": []string{"a", "b"}, "objects": 2, "wrong type": true,
		"map": map[string]string{"a": "1", "b": "2"}, "keys": []string{"a", "b"}, "nil object": "",
		"time": at, "no time": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	value, ok := o.Bool("none", "yes")
	if _, missing := o.Bool("text"); !value || !ok || missing {
		t.Errorf("Bool: %v %v %v", value, ok, missing)
	}
}

func TestJSON(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		err  error // nil: any
	}{
		"array":       {`[]`, nil},
		"null":        {`null`, nil},
		"empty":       {``, nil},
		"two objects": {`{} {}`, nil},
		"cut off":     {`{"a":`, nil},
		"deep":        {strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), ErrTooDeep},
		"large":       {`{"a":"` + strings.Repeat("a", MaxSize) + `"}`, ErrTooLarge},
		"binary":      {strings.Repeat("\x00a", 100), ErrBinary},
	} {
		if o, err := JSON([]byte(c.text)); err == nil || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %v, %v", name, o, err)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{
		" a \n": "a", "a\x1bb\x7f": "a\x1bb\x7f", "\x00b": "\ufffdb", "a\n\tb": "a\n\tb", "\xff\xfea": "\ufffda",
		"abcdef": "abcde", "abcdé": "abcd", "abcd e": "abcd",
	} {
		if got := Cut(text, 5); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestJSONWithALastComment(t *testing.T) {
	got, err := JSON([]byte(`{"a": 1} // end`))
	if err != nil || len(got) != 1 {
		t.Errorf("JSON: %v, %v", got, err)
	}
}

// TestYAMLLimits checks that YAML is refused by the number of its values with aliases replaced,
// and by the nesting of its brackets, whatever the names and quotes.
func TestYAMLLimits(t *testing.T) {
	levels := func(n, width int, name string) string {
		text := "a: &" + name + "0 [x]\n"
		for i := 1; i <= n; i++ {
			before := "*" + name + strconv.Itoa(i-1) + " ,"
			text += fmt.Sprintf("a%d: &%s%d [%s]\n", i, name, i,
				strings.TrimSuffix(strings.Repeat(before, width), ","))
		}
		return text
	}
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"many values":       {levels(30, 9, "$a"), ErrTooManyNodes},
		"plain names":       {levels(8, 4, "a"), ErrTooManyNodes},
		"dashes":            {levels(30, 2, "-"), ErrTooManyNodes},
		"some values":       {levels(3, 4, "$a"), nil},
		"a hundred aliases": {"a: &a 1\nb: [" + strings.Repeat("*a ,", 100) + "]\n", nil},
		"brackets":          {"a: " + strings.Repeat("[", 70), ErrTooDeep},
		"quotes":            {"a: ['\"'," + strings.Repeat("[", 70), ErrTooDeep},
		"a comment":         {"a: 1 # \"\nb: " + strings.Repeat("{", 70), ErrTooDeep},
		"text":              {"a: '" + strings.Repeat("[", 70) + "'\n", nil},
		"a script":          {"a: |\n  " + strings.Repeat("[ ", 70) + "\n", nil},
	} {
		if o, err := YAML([]byte(tt.text)); !errors.Is(err, tt.want) || err == nil && len(o) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNesting(t *testing.T) {
	for text, want := range map[string]int{
		`{"a": [1]}`: 2, `{"[[": "\"[["}`: 1, "/* \" */ [[": 2, "// \"\n[": 1, "{/*[[[*/": 1, "/* [": 1,
	} {
		if got := Nesting([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
