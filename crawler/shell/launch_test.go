package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLine(t *testing.T) {
	cases := map[string]Launch{
		"npx -y @a/b@1.2.3 --flag x": {
			Runner: "npx", RegistryType: "npm", Identifier: "@a/b", Version: "1.2.3",
		},
		"npx --package=@a/b some-bin": {Runner: "npx", RegistryType: "npm", Identifier: "@a/b"},
		"bunx a-mcp@latest":           {Runner: "bunx", RegistryType: "npm", Identifier: "a-mcp"},
		"pnpm dlx a-mcp":              {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx --registry https://packages.example a-mcp --x": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"uvx --default-index https://packages.example/simple --index-strategy first-index a-mcp": {
			Runner: "uvx", RegistryType: "pypi", Identifier: "a-mcp",
		},
		"cmd /c npx -y a-mcp": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"API_KEY=x npx a-mcp": {
			Env: map[string]string{"API_KEY": "x"}, Runner: "npx", RegistryType: "npm",
			Identifier: "a-mcp",
		},
		"npx -y mcp-remote https://a.dev/mcp": {
			Runner: "npx", RegistryType: "npm", Identifier: "mcp-remote", Endpoint: Entry{URL: "https://a.dev/mcp"},
		},
		"uvx a_mcp==0.1": {
			Runner: "uvx", RegistryType: "pypi", Identifier: "a_mcp", Version: "0.1",
		},
		"uvx a-mcp@latest": {
			Runner: "uvx", RegistryType: "pypi", Identifier: "a-mcp",
		},
		"uvx --from a-pkg a-command": {
			Runner: "uvx", RegistryType: "pypi", Identifier: "a-pkg",
		},
		"uvx --from git+https://github.com/a/b a": {Runner: "uvx", Source: true},
		"uv tool run a-mcp": {
			Runner: "uv", RegistryType: "pypi", Identifier: "a-mcp",
		},
		"pipx run a-mcp":              {Runner: "pipx", RegistryType: "pypi", Identifier: "a-mcp"},
		"pip install 'a-mcp[all]>=1'": {Runner: "pip", RegistryType: "pypi", Identifier: "a-mcp"},
		"pip install -e .":            {Runner: "pip", Source: true},
		"docker run -i --rm -e A_KEY -p 1:1 a/b:2 stdio": {
			Runner: "docker", RegistryType: "oci", Identifier: "a/b", Version: "2",
		},
		"docker run --env=A=1 ghcr.io/a/b": {
			Runner: "docker", RegistryType: "oci", Identifier: "ghcr.io/a/b",
		},
		"docker run my-local-image": {Runner: "docker", Source: true},
		"dnx A.Mcp --version 1.0.0 --yes": {
			Runner: "dnx", RegistryType: "nuget", Identifier: "A.Mcp", Version: "1.0.0",
		},
		"dotnet tool install -g A.Mcp": {
			Runner: "dnx", RegistryType: "nuget", Identifier: "A.Mcp",
		},
		"cargo install a-mcp": {
			Runner: "cargo", RegistryType: "cargo", Identifier: "a-mcp",
		},
		"cargo install --git https://github.com/a/b": {Runner: "cargo", Source: true},
		"go install github.com/a/b/cmd/c@latest":     {Runner: "go", Source: true},
		"claude mcp add a -e K=V --scope user -- npx a-p": {
			Env: map[string]string{"K": "V"}, Runner: "npx", RegistryType: "npm", Identifier: "a-p",
		},
		"npx a-mcp --key <your key> > log.txt": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"npx -y \\\n  a-mcp":        {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp (needs Node 20)": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"sh -c 'cd x && npx a-mcp'": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx -y mcp-remote https://a.dev/mcp?a=1&b=2": {Runner: "npx", RegistryType: "npm",
			Identifier: "mcp-remote", Endpoint: Entry{URL: "https://a.dev/mcp?a=1&b=2"}},
		"time npx a-mcp": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp@^1.0": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp@~1.2": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp@next": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp@1.x":  {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx @a/b@npm:evil@1.0.0": {
			Runner: "npx", RegistryType: "npm", Identifier: "evil", Version: "1.0.0",
		},
		"npx a-mcp@1":   {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp@1.2": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp@v1.2.3": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp", Version: "v1.2.3",
		},
		"npx a-mcp@git+https://x.dev/a.git": {Runner: "npx", Source: true},
		"npx @a/b@tides/git":                {Runner: "npx", Source: true},
		"uvx a-mcp@file:x":                  {Runner: "uvx", Source: true},
		"uvx a-mcp@x.tar.gz":                {Runner: "uvx", Source: true},
		"uvx --from 'a-mcp @ x' a-mcp":      {Runner: "uvx", Source: true},
		"npx a-mcp@git@x.dev:a.git":         {Runner: "npx", Source: true},
		"npx --call='npx evil' a-mcp": {
			Runner: "npx", RegistryType: "npm", Identifier: "evil",
		},
		"npx -p a-mcp -c 'a-mcp --port 80'": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"npm -s exec a-mcp": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"npm --prefix d exec -- a-mcp": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"npm --prefix=d exec a-mcp": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"npm --prefix d start": {Runner: "npm", Source: true},
		"pnpm -C d dlx a-mcp": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"pnpm --silent dlx a-mcp": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"bun --silent x a-mcp": {
			Runner: "bunx", RegistryType: "npm", Identifier: "a-mcp",
		},
		"uv --quiet tool run a-mcp": {
			Runner: "uv", RegistryType: "pypi", Identifier: "a-mcp",
		},
		"uv --directory d tool run a-mcp": {
			Runner: "uv", RegistryType: "pypi", Identifier: "a-mcp",
		},
		"uv --directory d run server.py": {Runner: "uv", Source: true},
		"uv --directory=d server":        {Runner: "uv", Source: true},
		"npx a-mcp@1.0.0-rc.1+b5": {
			Runner: "npx", RegistryType: "npm", Identifier: "a-mcp", Version: "1.0.0-rc.1+b5",
		},
		"uvx a-mcp@1!2.0.post1": {
			Runner: "uvx", RegistryType: "pypi", Identifier: "a-mcp", Version: "1!2.0.post1",
		},
		"cargo install a-mcp --version ^1":              {Runner: "cargo", RegistryType: "cargo", Identifier: "a-mcp"},
		"dnx A.Mcp@1.* --yes":                           {Runner: "dnx", RegistryType: "nuget", Identifier: "A.Mcp"},
		"docker -D --log-level=debug container run a/b": {Runner: "docker", RegistryType: "oci", Identifier: "a/b"},
		"py -3 -m pip install a-mcp":                    {Runner: "pip", RegistryType: "pypi", Identifier: "a-mcp"},
		"python3 -I -X utf8 -m pip install a-mcp":       {Runner: "pip", RegistryType: "pypi", Identifier: "a-mcp"},
		"python server.py -m pip install a-mcp":         {Runner: "python", Source: true},
		"py -3 server.py":                               {Runner: "python", Source: true},
		"git clone x && cd x && npx a-mcp":              {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
	}
	for line, want := range cases {
		got, err := ParseLine(line)
		// The parts are in TestConfigure.
		got.Line, got.Spec, got.Runtime, got.Script, got.Args, got.Runs = "", "", nil, "", nil, false
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v, (-want +got)\n%s", line, err, d)
		}
	}
	for _, line := range []string{
		"cd x", "curl https://x.dev | sh", "npx -y @your-org/your-server", "# npx a",
		"npx <package>", "docker run <image>", "npx", "yarn global",
	} {
		if got, err := ParseLine(line); err == nil {
			t.Errorf("%s: got %+v", line, got)
		}
	}
}

func TestPrerequisites(t *testing.T) {
	for line, want := range map[string]bool{
		"brew install uv": false, "brew install node@22 git": false,
		"brew install octo/tap/tides": true, "brew install uv tides-mcp": true,
	} {
		if _, err := ParseLine(line); (err == nil) != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestLeadingOptions checks that options before a subcommand, and other packages, are kept for the runner.
func TestLeadingOptions(t *testing.T) {
	for line, want := range map[string]string{
		"npm -s exec tides": "-s", "npm --prefix d exec -- tides": "--prefix d",
		"uv --quiet --directory d tool run -p 3 tides": "--quiet --directory d -p 3",
		"bun --silent x tides":                         "--silent",
		"npx -y -p sea --package=bay -p tides tides":   "-y -p sea --package=bay",
	} {
		l, err := ParseLine(line)
		if got := strings.Join(l.Runtime, " "); err != nil || got != want || !l.Runs || l.Identifier != "tides" {
			t.Errorf("%s: got %q and %+v, %v", line, got, l, err)
		}
	}
}

// TestWrappers checks that the command inside of wrappers is the one that counts.
func TestWrappers(t *testing.T) {
	type env = map[string]string
	const inner = "npx -y tide-mcp@1.0.0 --port 80"
	words := strings.Fields(inner)
	for name, c := range map[string]struct {
		command []string
		env     env
	}{
		"none":                   {words, nil},
		"cmd":                    {wrap("cmd /c", words...), nil},
		"cmd, one text":          {wrap("cmd.exe /d /s /C", inner), nil},
		"cmd in a folder":        {wrap(`C:\Windows\System32\cmd.exe /c`, words...), nil},
		"env":                    {wrap("env -i -u A", words...), nil},
		"env, variable last":     {wrap("/usr/bin/env -u A TIDE_KEY=x b=", words...), env{"TIDE_KEY": "x", "b": ""}},
		"variable alone":         {wrap("TIDE_KEY=x", words...), env{"TIDE_KEY": "x"}},
		"env, one text":          {wrap("env -u A -S", "B=1 "+inner), env{"B": "1"}},
		"env, one joined text":   {wrap("env", "-S"+inner), nil},
		"env, text and words":    {wrap("env --split-string=npx", words[1:]...), nil},
		"sh":                     {wrap("sh -c", inner), nil},
		"login shell":            {wrap("/bin/bash -lc", inner), nil},
		"options of a shell":     {wrap("zsh -l -o pipefail -c", "cd /srv && exec "+inner), nil},
		"variable in a script":   {wrap("sh -c", "TIDE_KEY='a b' "+inner), env{"TIDE_KEY": "a b"}},
		"powershell":             {wrap("powershell.exe -NoProfile -ExecutionPolicy Bypass -Command", words...), nil},
		"powershell, one text":   {wrap("pwsh -c", inner), nil},
		"powershell, block":      {wrap("powershell -Command", "& {"+inner+"}"), nil},
		"powershell, call":       {wrap("pwsh -Command", "& 'npx' -y tide-mcp@1.0.0 --port 80"), nil},
		"powershell, words":      {wrap("pwsh -c & {", append(words, "}")...), nil},
		"wsl":                    {wrap("wsl.exe -d Ubuntu --", words...), nil},
		"wsl without dashes":     {wrap("wsl -u root --cd ~ -e", words...), nil},
		"wsl and shell":          {wrap("wsl bash -lc", inner), nil},
		"mise":                   {wrap("mise exec --", words...), nil},
		"mise, one text":         {wrap("mise exec node@22 --command", inner), nil},
		"mise, one joined text":  {wrap("mise x", "-c="+inner), nil},
		"mise with a tool":       {wrap("/home/me/.local/bin/mise x -C /srv node@22 --", words...), nil},
		"sudo with a home":       {wrap("sudo -H", words...), nil},
		"sudo on a host":         {wrap("sudo -h tides", words...), nil},
		"env, short group":       {wrap("env -vS", inner), nil},
		"env, group and text":    {wrap("env", "-ivS"+inner), nil},
		"cmd, joined":            {append([]string{"cmd", "/cnpx"}, words[1:]...), nil},
		"cmd, joined text":       {wrap("cmd /d", "/C"+inner), nil},
		"sudo":                   {wrap("sudo -E -u tide", words...), nil},
		"timeout":                {wrap("timeout -k 5 30", words...), nil},
		"version manager":        {wrap("fnm exec --using 22", words...), nil},
		"secrets of a manager":   {wrap("op run --env-file=.env --", words...), nil},
		"many":                   {wrap("wsl -- env A=1 B=2 bash -c", "A=3 sudo "+inner), env{"A": "3", "B": "2"}},
		"client":                 {wrap("claude mcp add tides -e A=1 -s user --", words...), env{"A": "1"}},
		"client and shell":       {wrap("claude mcp add tides -- cmd /c", words...), nil},
		"program in a folder":    {wrap(`C:\nodejs\npx.cmd`, words[1:]...), nil},
		"folder with spaces":     {append([]string{`C:\Program Files\nodejs\npx.cmd`}, words[1:]...), nil},
		"whole line as program":  {[]string{inner}, nil},
		"line and its arguments": {append([]string{"npx -y"}, words[2:]...), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseCommand(c.command[0], c.command[1:])
			got.Line = ""
			want := Launch{Env: c.env, Runner: "npx", RegistryType: "npm", Identifier: "tide-mcp",
				Version: "1.0.0", Spec: "tide-mcp@1.0.0", Runtime: []string{"-y"}, Args: words[3:], Runs: true}
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("%q: %v, (-want +got)\n%s", c.command, err, d)
			}
		})
	}
}

// wrap returns the words of a wrapper with those of its command.
func wrap(wrapper string, command ...string) []string {
	return append(strings.Fields(wrapper), command...)
}

// TestNotUnderstood checks that the error says why a command is not understood.
func TestNotUnderstood(t *testing.T) {
	for line, want := range map[string]string{
		"":                       "there is no command",
		"A=1":                    "there is no command",
		"env -u A":               "there is no command",
		"sh -c ''":               "there is no command",
		"npx":                    "npx has no arguments",
		"npx -y":                 "npx names no package",
		"npx your-package":       "the name of the package is a placeholder",
		"npx ./local":            "npx names no package",
		"npx a@file:../a":        "npx names no package",
		"npx @a/b@/tmp/x":        "npx names no package",
		"npx @a/b@~/x":           "npx names no package",
		"bunx @a/b@../x":         "bunx names no package",
		"npx @a/b/c":             "npx names no package",
		"npx a@.":                "npx names no package",
		"npx a@x.tgz":            "npx names no package",
		"npx -p 'a@ npm:b' c":    "npx names no package",
		"npx -c evil a-mcp":      "evil has no arguments",
		"wget https://tides.dev": "wget runs no package",
		"docker ps":              "docker runs no package",
		"docker --context c":     "docker runs no package",
		"docker run --x y a/b":   "docker has the unknown option --x",
		"podman run --x=y":       "podman names no package",

		"docker --context c run -i a/b:2":      "the container runs on another machine: docker has the option --context",
		"docker -l info -H ssh://h run a/b":    "the container runs on another machine: docker has the option -H",
		"docker --tlsverify container run a/b": "the container runs on another machine: docker has the option --tlsverify",
		"podman --remote run --rm a/b":         "the container runs on another machine: podman has the option --remote",
		"podman -c box run a/b":                "the container runs on another machine: podman has the option -c",

		"docker --sorcery c run":  "docker runs no package",
		"env -S":                  "there is no command",
		"sh install.sh":           "install.sh is a script",
		"mise exec node npx a":    "mise has no command",
		"claude mcp list":         "claude runs no package",
		"claude mcp add x --http": "claude adds no server",
		"sudo sudo sudo sudo sudo sudo sudo sudo npx a": "too many commands are nested",
	} {
		words := Words(line)
		command := append(words, "")[0]
		if l, err := ParseCommand(command, words[min(1, len(words)):]); err == nil || err.Error() != want {
			t.Errorf("%q: got %v and %+v, want %q", line, err, l, want)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	for _, line := range []string{
		"claude mcp add x -- npx -y @a/b@1", "docker run -i --rm -e A ghcr.io/a/b:1 stdio",
		"FOO=1 uvx --from git+https://x y", "cmd /c npx p", `bash -lc "env A=b npx p"`,
		"wsl -d x -- mise x node@1 -- npx p", "pwsh -c npx p", "sudo env -u A B=c timeout 3 dnx A.b --yes",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l, err := ParseLine(line)
		if err == nil && l.Runner == "" {
			t.Errorf("%q: no runner: %+v", line, l)
		}
		if err != nil && err != ErrPlaceholder && l.Identifier != "" {
			t.Errorf("%q: %q and %+v", line, err, l)
		}
		// A wrapper adds nothing but its variables.
		for _, wrapper := range []string{"env", "sudo -E", "cmd /c", "wsl --", "mise exec --"} {
			words := Words(line)
			bare, err1 := ParseCommand("", words)
			wrapped, err2 := ParseCommand(wrapper, words)
			if err1 == nil && len(words) < maxWords-5 && err2 != nil && err2 != errNested {
				t.Errorf("%s %q: %v", wrapper, words, err2)
			}
			if err1 == nil && err2 == nil {
				if d := cmp.Diff(bare, wrapped); d != "" {
					t.Errorf("%s %q: (-bare +wrapped)\n%s", wrapper, words, d)
				}
			}
		}
	})
}

func TestOptionsOfRunners(t *testing.T) {
	for line, want := range map[string][]string{
		"uvx --python-preference only-managed --python 3.12 a-mcp --zone x": {
			"a-mcp", "--python-preference only-managed --python 3.12", "", "--zone x"},
		"uv run --no-project --with a-mcp --python 3.10 a-mcp --zone x": {"a-mcp", "--python 3.10", "a-mcp", "--zone x"},
	} {
		l, err := ParseLine(line)
		if !l.Runs {
			t.Errorf("%s runs nothing", line)
		}
		got := []string{l.Identifier, strings.Join(l.Runtime, " "), l.Script, strings.Join(l.Args, " ")}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Error(line, err, d)
		}
	}
}
