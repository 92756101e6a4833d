package manifest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/untyped"
)

func equal(t *testing.T, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func must[T any](t *testing.T, parse func([]byte) (T, error), text string) T {
	t.Helper()
	v, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEncodings(t *testing.T) {
	u := utf16.Encode([]rune(`{"name": "wärme"}`))
	var le bytes.Buffer
	le.Write([]byte{0xFF, 0xFE})
	_ = binary.Write(&le, binary.LittleEndian, u)
	for name, b := range map[string][]byte{
		"utf-16": le.Bytes(), "bom": []byte("\xEF\xBB\xBF{\"name\": \"wärme\"}"),
		"carriage returns": []byte("{\r\n\"name\": \"wärme\"\r\n}"),
	} {
		p, err := ParsePackageJSON(b)
		if err != nil || p.Name != "wärme" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	for name, file := range map[string]string{"NUL": "{\"name\": \"a\x00b\"}",
		"bad UTF-8": "{\"name\": \"a\xFFb\"}", "escaped NUL": `{"name": "a\u0000b"}`} {
		if p, err := ParsePackageJSON([]byte(file)); err != nil || p.Name != "a\uFFFDb" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	big := []byte(`{"name": "` + strings.Repeat("x", untyped.MaxSize) + `"}`)
	if _, err := ParsePackageJSON(big); !errors.Is(err, untyped.ErrTooLarge) {
		t.Errorf("big: %v", err)
	}
	deep := []byte(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000))
	if _, err := ParsePackageJSON(deep); !errors.Is(err, untyped.ErrTooDeep) {
		t.Errorf("deep: %v", err)
	}
	if _, err := ParsePyProject([]byte("a = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000))); !errors.Is(err, untyped.ErrTooDeep) {
		t.Errorf("deep TOML: %v", err)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 12 {
		c, p := string(rune('b'+i)), string(rune('a'+i))
		bomb += c + ": &" + c + " [*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + "]\n"
	}
	if _, err := ParseSmithery([]byte(bomb + "startCommand: {type: stdio}\n")); err == nil {
		t.Error("no error for many aliases")
	}
	xml := strings.Repeat("<profiles><profile>", 6000) + strings.Repeat("</profile></profiles>", 6000)
	if _, err := ParsePOM([]byte("<project>" + xml + "</project>")); err == nil {
		t.Error("no error for deep XML")
	}
	if p, err := ParsePOM([]byte(`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><project><artifactId>&b;</artifactId></project>`)); err == nil && strings.Contains(p.Name, "aaaa") {
		t.Error("a declared entity is expanded")
	}
}
