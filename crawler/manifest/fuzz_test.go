package manifest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
)

// fuzz runs a parser on any bytes: it must return storable text.
func fuzz(f *testing.F, parse func(b []byte) []string, seeds ...string) {
	for _, s := range append(seeds, "", "{}", "[]", "\x00", "\xFF\xFE{", "\xEF\xBB\xBF") {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range parse(b) {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				t.Fatalf("%q cannot be stored", s)
			}
			if len(s) > untyped.MaxSize {
				t.Fatalf("a string of %d bytes", len(s))
			}
		}
	})
}

func names(deps []Dependency) (out []string) {
	for _, d := range deps {
		out = append(out, d.Name, d.Version)
	}
	return out
}

func FuzzPackageJSON(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParsePackageJSON(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name, p.Version, p.License)
	}, `{"name":"@a/b","bin":"x","dependencies":{"a":"1"}}`)
}

func FuzzPyProject(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParsePyProject(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name, p.License)
	}, "[project]\nname='x'\ndependencies=['mcp[cli]>=1']\n[tool.poetry.dependencies]\na={version='1'}\n")
}

func FuzzApplicationEnvironment(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		for _, c := range ApplicationEnvironment(b) {
			out = append(out, c.Name, c.Default)
		}
		return out
	}, "a: ${TIDE_URL:https://${TIDE_HOST}/v1}\n---\nb: ${B_B", "k=${TIDE_KEY}")
}

func FuzzSetupPy(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParseSetupPy(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name)
	}, "setup(name='x', install_requires=['mcp'])")
}

func FuzzSetupCfg(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParseSetupCfg(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name)
	}, "[metadata]\nname = x\n[options]\ninstall_requires =\n  mcp\n")
}

func FuzzRequirements(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		d, _ := ParseRequirements(b)
		return names(d)
	}, "mcp[cli]>=1.0 # x\n-r y\n")
}

func FuzzScriptDependencies(f *testing.F) {
	fuzz(f, func(b []byte) []string { return names(ScriptDependencies(b)) }, "# /// script\n# dependencies = [\"mcp>=1.2\", \"rich\"]\n# ///\n")
}

func FuzzPipfile(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		d, _ := ParsePipfile(b)
		return names(d)
	}, "[packages]\nmcp = {extras = [\"cli\"], version = \">=1\"}\n[dev-packages]\npytest = \"*\"\n")
}

func FuzzGoMod(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParseGoMod(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name)
	}, "module x\nrequire a.b/c v1.0.0 // indirect\n")
}

func FuzzCargoTOML(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParseCargoTOML(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name)
	}, "[package]\nname='x'\n[dependencies]\nrmcp={version='1'}\n")
}

func FuzzPOM(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParsePOM(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name)
	}, "<project><artifactId>a</artifactId><dependencies><dependency><groupId>g</groupId></dependency></dependencies></project>")
}

func FuzzGradle(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParseGradle(b)
		if err != nil {
			return nil
		}
		_, _ = ParseCatalog(b)
		return append(names(p.Dependencies), p.Version)
	}, "plugins { application }\ndependencies { implementation(\"a:b:1\") }")
}

func FuzzCSProj(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		p, err := ParseCSProj(b)
		if err != nil {
			return nil
		}
		return append(names(p.Dependencies), p.Name)
	}, "<Project Sdk=\"x\"><ItemGroup><PackageReference Include=\"A\"><Version>1</Version></PackageReference></ItemGroup></Project>")
}

func FuzzOtherManifests(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		for _, parse := range []func([]byte) (*Package, error){ParsePackageSwift, ParseRuby, ParseComposer} {
			if p, err := parse(b); err == nil {
				out = append(append(out, names(p.Dependencies)...), p.Name)
			}
		}
		if p, err := ParseDenoJSON(b); err == nil {
			out = append(out, names(p.Dependencies)...)
		}
		return out
	}, ".package(url: \"https://x/y/z\", from: \"1\")", "gem 'mcp', '1'", `{"require":{"a/b":"1"}}`)
}

func FuzzSmithery(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		s, err := ParseSmithery(b)
		if err != nil {
			return nil
		}
		for _, v := range s.Variables {
			out = append(out, v.Name, v.Description)
		}
		return out
	}, "startCommand:\n  type: stdio\n  configSchema:\n    properties:\n      A_B: {type: string}\n")
}

func FuzzBundle(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		m, err := ParseBundle(b)
		if err != nil {
			return nil
		}
		for _, v := range m.Launch.Variables() {
			out = append(out, v.Name, v.Default)
		}
		return append(out, m.Name)
	}, `{"manifest_version":"1","server":{"mcp_config":{"command":"x","env":{"A_B":"${user_config.a}"}}},"user_config":{"a":{}}}`)
}

func FuzzClientConfig(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		servers, _ := ParseClientConfig(b)
		for _, s := range servers {
			out = append(out, s.Name, s.Command, s.URL)
			shell.ParseCommand(s.Command, s.Args)
		}
		ParseInstallLink(string(b))
		return out
	}, `{"mcpServers":{"x":{"command":"npx","args":["-y","p"]}}}`, "vscode:mcp/install?%7B%22name%22%3A%22x%22%2C%22command%22%3A%22npx%22%7D")
}

func FuzzDockerfile(f *testing.F) {
	fuzz(f, func(b []byte) []string {
		d, err := ParseDockerfile(b)
		if err != nil {
			return nil
		}
		return []string{d.Entrypoint}
	}, "FROM a\nLABEL x=\"y\" \\\n z=1\nENTRYPOINT [\"a\"]")
}

func FuzzEnvFile(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		vs, _ := ParseEnvFile(b)
		for _, v := range vs {
			out = append(out, v.Name, v.Description, v.Default)
		}
		return out
	}, "# x\nA_B=1 # y\n")
}

func FuzzLock(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		for _, n := range LockNames {
			Locked(n, b, "mcp")
		}
		return nil
	}, "[[package]]\nname = \"mcp\"\nversion = \"1\"\n")
}

func FuzzConfigure(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		servers := ParseConfigBlock("json", string(b))
		if c, ok := ParseAddition(string(b)); ok {
			servers = append(servers, c)
		}
		for _, s := range servers {
			conf, l, ok := Configure(s)
			if !ok {
				continue
			}
			if l.Identifier == "" || len(conf.Args)+len(conf.Runtime) > 2*maxConfigured {
				panic("a configuration without a package, or with too many words")
			}
			out = append(out, conf.Key, conf.Script)
			for _, a := range append(conf.Runtime, conf.Args...) {
				out = append(out, a.Value)
				for name := range a.Variables {
					if !strings.Contains(a.Value, "{"+name+"}") {
						panic("a variable that its argument does not have")
					}
				}
			}
			for _, v := range conf.Env {
				out = append(out, v.Name, v.Value, v.Placeholder)
			}
		}
		return out
	}, `{"mcpServers": {"tides": {"command": "npx", "args": ["-y", "tides", "--key", "<key>", "/path/to/x"], "env": {"A": "b"}}}}`,
		`{"command": "docker", "args": ["run", "-i", "-e", "A=<b>", "-v", "/home/me:/x", "--mount", "type=bind,src=/a,dst=/b", "octo/tides"]}`,
		`claude mcp add tides -e A=b -- uvx --from tides x --y=${Z}`, "code --add-mcp '{}'",
		`{"command": "dnx", "args": ["Octo.Tides", "--yes", "--", "start"]}`)
}
