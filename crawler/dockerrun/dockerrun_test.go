package dockerrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]Run{
		"": {},
		"-i --rm mcp/time --local UTC": {Options: []Option{
			{Name: "interactive", Known: true, At: 0, N: 1}, {Name: "rm", Known: true, At: 1, N: 1},
		}, Image: "mcp/time", Args: []string{"--local", "UTC"}, At: 2},
		"-it -e KEY -eA=b --env=C=d -e=E --env F=g=h mcp/x": {Options: []Option{
			{Name: "interactive", Known: true, At: 0, N: 1}, {Name: "tty", Known: true, At: 0, N: 1},
			{Name: "env", Known: true, Takes: true, Value: "KEY", At: 1, N: 2},
			{Name: "env", Known: true, Takes: true, Value: "A=b", At: 3, N: 1},
			{Name: "env", Known: true, Takes: true, Value: "C=d", At: 4, N: 1},
			{Name: "env", Known: true, Takes: true, Value: "E", At: 5, N: 1},
			{Name: "env", Known: true, Takes: true, Value: "F=g=h", At: 6, N: 2},
		}, Image: "mcp/x", Args: []string{}, At: 8},
		"-itp 80:80 --net host --rm=false -t=true x": {Options: []Option{
			{Name: "interactive", Known: true, At: 0, N: 1}, {Name: "tty", Known: true, At: 0, N: 1},
			{Name: "publish", Known: true, Takes: true, Value: "80:80", At: 0, N: 2},
			{Name: "network", Known: true, Takes: true, Value: "host", At: 2, N: 2},
			{Name: "rm", Known: true, Value: "false", At: 4, N: 1},
			{Name: "tty", Known: true, Value: "true", At: 5, N: 1},
		}, Image: "x", Args: []string{}, At: 6},
		"--rm -- mcp/x -i": {Options: []Option{{Name: "rm", Known: true, At: 0, N: 1}},
			Image: "mcp/x", Args: []string{"-i"}, At: 2},
		"--sorcery=a --size=3 x": {Options: []Option{
			{Name: "--sorcery=a", At: 0, N: 1}, {Name: "--size=3", At: 1, N: 1},
		}, Image: "x", Args: []string{}, At: 2},
		"--rm --sorcery a x": {Options: []Option{
			{Name: "rm", Known: true, At: 0, N: 1}, {Name: "--sorcery", At: 1, N: 1},
		}, Unknown: "--sorcery", At: 2},
		"-iz a x": {Options: []Option{
			{Name: "interactive", Known: true, At: 0, N: 1}, {Name: "-iz", At: 0, N: 1},
		}, Unknown: "-iz", At: 1},
		"--e x": {Options: []Option{{Name: "--e", At: 0, N: 1}}, Unknown: "--e", At: 1},
		"--uidmap 0:1:2 --userns keep-id --rmi --pod box x": {Options: []Option{
			{Name: "uidmap", Known: true, Takes: true, Value: "0:1:2", At: 0, N: 2},
			{Name: "userns", Known: true, Takes: true, Value: "keep-id", At: 2, N: 2},
			{Name: "rmi", Known: true, At: 4, N: 1},
			{Name: "pod", Known: true, Takes: true, Value: "box", At: 5, N: 2},
		}, Image: "x", Args: []string{}, At: 7},
		"--rm --env": {Options: []Option{{Name: "rm", Known: true, At: 0, N: 1},
			{Name: "env", Known: true, Takes: true, At: 1}}, At: 2},
		"- x": {Image: "-", Args: []string{"x"}},
		"--":  {At: 1},
	} {
		if diff := cmp.Diff(want, Parse(strings.Fields(line))); diff != "" {
			t.Errorf("%q: -want +got:\n%s", line, diff)
		}
	}
}

func TestName(t *testing.T) {
	for word, want := range map[string]string{
		"-e": "env", "--env": "env", "--env=A": "env", "-it": "interactive", "--net": "network",
		"--user": "user", "-i=false": "interactive", "run": "", "--verbose": "", "": "", "-": "", "--": "",
		"--i": "", "-eA": "", "-port": "", "-transport": "", "-token": "", "-input": "",
	} {
		if got := Name(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

func TestMount(t *testing.T) {
	for text, want := range map[string]Mount{
		"volume data:/data":             {Type: "volume", Source: "data", Target: "/data"},
		"volume /a/b:/data:ro":          {Type: "bind", Source: "/a/b", Target: "/data"},
		"volume ./a:/data":              {Type: "bind", Source: "./a", Target: "/data"},
		"volume /data":                  {Type: "volume", Target: "/data", At: -1},
		`volume C:\Users\me:/data`:      {Type: "bind", Source: `C:\Users\me`, Target: "/data"},
		"volume C:/Users/me:/data":      {Type: "bind", Source: "C:/Users/me", Target: "/data"},
		"volume ${input:folder}:/data":  {Type: "bind", Source: "${input:folder}", Target: "/data"},
		"volume ${HOME}/.config:/data":  {Type: "bind", Source: "${HOME}/.config", Target: "/data"},
		"mount type=bind,src=/a,dst=/b": {Type: "bind", Source: "/a", Target: "/b", At: 14},
		"mount source=data,target=/b,ro": {
			Type: "volume", Source: "data", Target: "/b", Others: []string{"ro"}, At: 7,
		},
		`mount Type=bind,"Source=/a,b",target=/b`: {Type: "bind", Source: "/a,b", Target: "/b", At: 18},
		`mount "source=/a""b",target=/b`:          {Type: "volume", Source: `/a"b`, Target: "/b", At: -1},
		"mount type=volume,dst=/b,volume-opt=device=/etc": {
			Type: "volume", Target: "/b", Others: []string{"volume-opt"}, At: -1},
	} {
		name, value, _ := strings.Cut(text, " ")
		got, ok := Option{Name: name, Value: value}.Mount()
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v, -want +got:\n%s", text, ok, diff)
		}
	}
	for _, o := range []Option{
		{Name: "volume"}, {Name: "volume", Value: "aa:bb:cc:dd"}, {Name: "volume", Value: "aa:"},
		{Name: "mount", Value: `"`}, {Name: "mount"}, {Name: "env", Value: "a:/b"},
	} {
		if m, ok := o.Mount(); ok {
			t.Errorf("%+v mounts %+v", o, m)
		}
	}
}

// FuzzParse checks that every word belongs to an option, the image or its arguments.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		"-it --rm -e A=b mcp/x --help", "--mount type=bind,source=/a,target=/b x",
		"-eA -v a:b:ro -- x", "-i=", "--=x -", "--rm --x y z", "-iz x",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		r := Parse(words)
		next := 0
		for _, o := range r.Options {
			if o.At > next || o.At+o.N > len(words) || o.N == 0 && !o.Lacks() {
				t.Fatalf("%q: option %+v, want one at %d", words, o, next)
			}
			next = max(next, o.At+max(o.N, 1))
			if m, ok := o.Mount(); ok && m.At >= 0 && !strings.HasPrefix(o.Value[m.At:], m.Source) {
				t.Fatalf("%q: source of %+v is not at its position", o.Value, m)
			}
		}
		if r.At < next || r.At > next+1 || r.Unknown != "" && r.Image != "" ||
			r.Image != "" && (words[r.At] != r.Image ||
				len(r.Args) != len(words)-r.At-1) {
			t.Fatalf("%q: image at %d in %+v", words, r.At, r)
		}
	})
}
