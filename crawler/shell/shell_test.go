package shell

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	type commands = [][]string
	for name, c := range map[string]struct {
		line string
		want commands
	}{
		"words":           {"npx -y tides-mcp  --port 80", commands{{"npx", "-y", "tides-mcp", "--port", "80"}}},
		"quotes":          {`a 'b c' "d e"f ""`, commands{{"a", "b c", "d ef", ""}}},
		"escapes":         {`a b\ c "d \"e\" $f" \"g`, commands{{"a", "b c", `d "e" $f`, `"g`}}},
		"path of Windows": {`node C:\Users\me\index.js`, commands{{"node", `C:\Users\me\index.js`}}},
		"variables as written": {`docker run -v "$PWD/x:/y" -e K=${K} $(pwd)`,
			commands{{"docker", "run", "-v", "$PWD/x:/y", "-e", "K=${K}", "$(pwd)"}}},
		"variable set":     {"KEY=x npx a", commands{{"npx", "a"}}},
		"continued":        {"npx a \\\n  --b", commands{{"npx", "a", "--b"}}},
		"several commands": {"cd x && npm i; npx a || true", commands{{"cd", "x"}, {"npm", "i"}, {"npx", "a"}, {"true"}}},
		"pipeline":         {"curl x | sh", commands{{"curl", "x"}}},
		"redirections":     {"npx a <in >out 2>&1", commands{{"npx", "a"}}},
		"comment":          {"npx a # starts it", commands{{"npx", "a"}}},
		"placeholder": {"npx a --key <your key> <path/to/dir>",
			commands{{"npx", "a", "--key", "<your key>", "<path/to/dir>"}}},
		"placeholder in quotes": {`npx a "--key=<your key>" '<b|c>'`,
			commands{{"npx", "a", "--key=<your key>", "<b|c>"}}},
		"query of a URL": {"npx mcp-remote https://a.dev/mcp?b=1&c=2",
			commands{{"npx", "mcp-remote", "https://a.dev/mcp?b=1&c=2"}}},
		"expression": {"cd ${{ inputs.dir }} && npm test -- \"${{ matrix.os }}\"",
			commands{{"cd", "${{ inputs.dir }}"}, {"npm", "test", "--", "${{ matrix.os }}"}}},
		"text for a reader": {"npx a (needs Node 20)", commands{{"npx", "a"}}},
		"quote not closed":  {`npx a "b`, commands{{"npx", "a"}}},
		"characters of private use": {"npx a\uE002--b\uE001c \uE013 '\U000F0004' <your \uE000>",
			commands{{"npx", "a\uE002--b\uE001c", "\uE013", "\U000F0004", "<your \uE000>"}}},
		"statements in others": {"time npx a; (cd b && npx c); { npx d; }",
			commands{{"npx", "a"}, {"cd", "b"}, {"npx", "c"}, {"npx", "d"}}},
		"nothing":       {"# a comment", nil},
		"not a command": {") x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Line(c.line)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		`tides -e KEY=x --env=B='y z' -- npx a`: {"tides", "-e", "KEY=x", "--env=B=y z", "--", "npx", "a"},
		`a="b c" org.x.y=z`:                     {"a=b c", "org.x.y=z"},
		`tides -- npx a | tee log`:              {"tides", "--", "npx", "a"},
		`--header "Key: <your key>"`:            {"--header", "Key: <your key>"},
		"":                                      nil,
	} {
		if diff := cmp.Diff(want, Words(text)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}

func TestCalls(t *testing.T) {
	got, err := Calls("set -e\nif true; then npm test | tee log; fi\nx=$(make \"a b\")\n" +
		"if [ ${{ matrix.os == 'linux' && 1 }} ]; then make; fi\n")
	want := [][]string{{"set", "-e"}, {"true"}, {"npm", "test"}, {"tee", "log"}, {"make", "a b"},
		{"[", "${{ matrix.os == 'linux' && 1 }}", "]"}, {"make"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, (-want +got)\n%s", err, diff)
	}
	if _, err := Calls("if ($env:CI) { npm test }"); err == nil {
		t.Error("a script of another shell is parsed")
	}
}

// TestAllCharacters checks that a text in which no character is left to hide others reads well.
func TestAllCharacters(t *testing.T) {
	var b strings.Builder
	for r := rune(0xE000); r <= unicode.MaxRune; r += 16 {
		b.WriteRune(r)
	}
	if diff := cmp.Diff([]string{"a", b.String(), "b&c"}, Words("a "+b.String()+" 'b&c'")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("npx a <b c> && 'd' \"$(e)\" | f")
	f.Add("npx a\uE002b <c d>")
	f.Fuzz(func(_ *testing.T, s string) {
		Line(s)
		Words(s)
		_, _ = Calls(s)
	})
}

func TestTooDeep(t *testing.T) {
	deep := strings.Repeat("(", 100_000)
	if calls, err := Calls("a; " + deep); !errors.Is(err, ErrTooDeep) {
		t.Errorf("calls %v, %v", calls, err)
	}
	if got := Line("npx a " + deep); got != nil {
		t.Errorf("line %q", got)
	}
	if got := Words("npx a " + deep); got != nil {
		t.Errorf("words %q", got)
	}
	if calls, err := Calls("( ( (a)))"); err != nil || len(calls) != 1 {
		t.Errorf("calls %v, %v", calls, err)
	}
}
