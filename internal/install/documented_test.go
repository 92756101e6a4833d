package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// What the README's configurations say, against what others declare.
func TestDocumented(t *testing.T) {
	words := func(list ...string) (out []registry.Argument) {
		for _, w := range list {
			out = append(out, registry.Argument{Type: "positional", Value: w})
		}
		return out
	}
	required := func(list ...string) []registry.Argument {
		out := words(list...)
		for i := range out {
			out[i].IsRequired = true
		}
		return out
	}
	key := registry.Variable{Name: "API_KEY", IsSecret: true, Placeholder: "your-key"}
	level := registry.Variable{Name: "LEVEL", Value: "info"}
	folder := registry.Argument{Type: "positional", Value: "{FOLDER}", IsRequired: true,
		Variables: map[string]registry.Variable{"FOLDER": {Placeholder: "/path/to/x", IsRequired: true}}}
	npx := func(env []registry.Variable, args ...registry.Argument) registry.Configuration {
		return registry.Configuration{Command: "npx", Runtime: words("-y"), Args: args, Env: env}
	}
	declared := registry.Variable{Name: "TOKEN", IsRequired: true, IsSecret: true}
	type command struct {
		Line string
		Env  map[string]string
	}
	none, digest := map[string]string{}, "@sha256:"+strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		p    registry.Package
		want command
	}{
		"one configuration": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				npx([]registry.Variable{key, level}, words("start")...)}},
			command{"npx -y tides start", map[string]string{"API_KEY": "YOUR_API_KEY", "LEVEL": "info"}},
		},
		"an option that server.json has as a variable": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo, PackageArguments: words("--stdio"),
				EnvironmentVariables: []registry.Variable{declared},
				Configurations:       []registry.Configuration{npx(nil, required("--token={TOKEN}", "--stdio")...)}},
			command{"npx -y tides --stdio", map[string]string{"TOKEN": "YOUR_TOKEN"}},
		},
		"words of server.json that the README does without": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo, PackageArguments: words("run", "start:stdio"),
				Configurations: []registry.Configuration{npx(nil)}},
			command{"npx -y tides", none},
		},
		"a flag that server.json lists as optional": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				PackageArguments: []registry.Argument{{Type: "named", Name: "--level", Description: "of logs"},
					{Type: "named", Name: "--readOnly", Description: "no writes", Format: "boolean"}},
				Configurations: []registry.Configuration{npx(nil, words("--readOnly")...)}},
			command{"npx -y tides --readOnly", none},
		},
		"an option that server.json lists as optional beside others": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				PackageArguments: append(words("serve"),
					registry.Argument{Type: "named", Name: "--mode", Description: "of access"},
					registry.Argument{Type: "named", Name: "--level", Description: "of logs"}),
				Configurations: []registry.Configuration{npx(nil, words("run", "--mode", "read", "--verbose")...)}},
			command{"npx -y tides serve --mode read", none},
		},
		"a flag that server.json does not have": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				PackageArguments: []registry.Argument{{Type: "named", Name: "--mode", Value: "stdio"}},
				Configurations:   []registry.Configuration{npx(nil, words("--mode", "stdio", "--read-only")...)}},
			command{"npx -y tides --mode stdio --read-only", none},
		},
		"a switch of server.json that no configuration has": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				PackageArguments: append(words("serve"), registry.Argument{Type: "named", Name: "--allow-writes"}),
				Configurations:   []registry.Configuration{npx(nil, words("serve")...)}},
			command{"npx -y tides serve", none},
		},
		"a switch of server.json that the README has": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				PackageArguments: append(words("serve"), registry.Argument{Type: "named", Name: "--read-only"}),
				Configurations:   []registry.Configuration{npx(nil, words("serve", "--read-only")...)}},
			command{"npx -y tides serve --read-only", none},
		},
		"words for the server among those for the runner": {
			registry.Package{RegistryType: "pypi", Declared: registry.DeclaredInRepo,
				RuntimeArguments: words("-p", "3.13", "start", "--all"),
				PackageArguments: words("--stdio")},
			command{"uvx -p 3.13 tides start --all --stdio", none},
		},
		"package among the words for the runner": {
			registry.Package{RegistryType: "pypi", Declared: registry.DeclaredInRepo,
				RuntimeArguments: words("tides", "start")},
			command{"uvx tides start", none},
		},
		"special case": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				{Command: "npx", Args: words("--enterprise"), Special: true}, npx(nil, words("start")...)}},
			command{"npx -y tides start", none},
		},
		"folder": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{npx(nil, folder)}},
			command{"npx -y tides YOUR_FOLDER", none},
		},
		"unsafe option of the runner": {
			registry.Package{RegistryType: "pypi", Configurations: []registry.Configuration{
				{Command: "uvx", Runtime: words("--index-url", "https://x.dev"), Args: words("a")},
				{Command: "uvx", Args: words("b")}}},
			command{"uvx tides b", none},
		},
		"no other option of the runner": {
			registry.Package{RegistryType: "pypi", Configurations: []registry.Configuration{
				{Command: "uvx", Runtime: words("--with", "x"), Args: words("a")}}},
			command{},
		},
		"the default index": {
			registry.Package{RegistryType: "pypi", Configurations: []registry.Configuration{
				{Command: "uvx", Runtime: words("--default-index", "https://pypi.example/simple/",
					"--index-url=https://pypi.example/simple", "-q"), Args: words("a")}}},
			command{"uvx -q tides a", none},
		},
		"the default registry in a variable": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				EnvironmentVariables: []registry.Variable{{Name: "npm_config_registry",
					Value: "https://npm-registry.example/"}, level}},
			command{"npx -y tides", map[string]string{"LEVEL": "info"}},
		},
		"a registry of one's own in a variable": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{{Command: "npx",
				Env: []registry.Variable{{Name: "npm_config_registry", Value: "https://npm.octo.example/"}, level}}}},
			command{},
		},
		"a registry to fill in": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{{Command: "npx",
				Env: []registry.Variable{{Name: "npm_config_registry"}, level}}}},
			command{},
		},
		"an index of one's own": {
			registry.Package{RegistryType: "pypi", Declared: registry.DeclaredInRepo,
				RuntimeArguments: words("--index-url", "https://pypi.octo.example/simple")},
			command{},
		},
		"options of an image that give access": {
			registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides",
				Configurations: []registry.Configuration{{Command: "docker",
					Runtime: words("-i", "--rm", "--net=host"), Env: []registry.Variable{key}}}},
			command{},
		},
		"options of an image that limit it": {
			registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides",
				Configurations: []registry.Configuration{{Command: "docker",
					Runtime: words("-i", "--network", "none", "-u", "1000:1000", "-p", "127.0.0.1:8080:80")}}},
			command{"docker run -i --rm --network none -u 1000:1000 -p 127.0.0.1:8080:80 ghcr.io/octo/tides", none},
		},
		"a tag of an image": {
			registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides",
				Configurations: []registry.Configuration{{Command: "docker", Version: ":stdio"}}},
			command{"docker run -i --rm ghcr.io/octo/tides:stdio", none},
		},
		"the runner that everybody has": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				{Command: "bunx", Args: words("start", "--fast")}, npx(nil, words("start")...)}},
			command{"npx -y tides start", none},
		},
		"a program in a folder": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				{Command: "npx", Script: "../tides", Args: words("start")}}},
			command{},
		},
		"script of another name": {
			registry.Package{RegistryType: "pypi", Version: "1.0.0", Configurations: []registry.Configuration{
				{Command: "uvx", Script: "tides-server", Args: words("stdio")}}},
			command{"uvx --from tides==1.0.0 tides-server stdio", none},
		},
		"script from the manifest": {
			registry.Package{RegistryType: "pypi", Script: "tides-server"},
			command{"uvx --from tides tides-server", none},
		},
		"tool": {
			registry.Package{RegistryType: "nuget", Version: "1.0.0", Configurations: []registry.Configuration{
				{Command: "dnx", Runtime: words("--yes"), Args: words("start")}}},
			command{"dnx tides@1.0.0 --yes -- start", none},
		},
		"another runner": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				{Command: "bunx", Args: words("start")}}},
			command{"bunx tides start", none},
		},
		"unknown runner": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				{Command: "sh", Args: words("start")}}},
			command{"npx -y tides", none},
		},
		"server.json of the repository": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				PackageArguments:     words("run"),
				EnvironmentVariables: []registry.Variable{declared},
				Configurations:       []registry.Configuration{npx([]registry.Variable{level}, words("start")...)}},
			command{"npx -y tides run", map[string]string{"LEVEL": "info", "TOKEN": "YOUR_TOKEN"}},
		},
		"entry of the registry": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRegistry,
				PackageArguments: words("run"),
				Configurations:   []registry.Configuration{npx([]registry.Variable{key}, words("start")...)}},
			command{"npx -y tides start", map[string]string{"API_KEY": "YOUR_API_KEY"}},
		},
		"the first of several": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				npx(nil, words("start")...), npx([]registry.Variable{key})}},
			command{"npx -y tides start", none},
		},
		"server.json without arguments": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				Configurations: []registry.Configuration{npx(nil, words("start")...)}},
			command{"npx -y tides start", none},
		},
		"entry of the registry, variables only there": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRegistry,
				EnvironmentVariables: []registry.Variable{declared},
				Configurations:       []registry.Configuration{npx(nil, words("start")...)}},
			command{"npx -y tides start", map[string]string{"TOKEN": "YOUR_TOKEN"}},
		},
		"variable of the runner": {
			registry.Package{RegistryType: "npm", Configurations: []registry.Configuration{
				npx([]registry.Variable{level, {Name: "NODE_OPTIONS", Value: "--require x"}})}},
			command{"npx -y tides", map[string]string{"LEVEL": "info"}},
		},
		"a variable of the machine that server.json requires": {
			registry.Package{RegistryType: "npm", Declared: registry.DeclaredInRepo,
				EnvironmentVariables: []registry.Variable{{Name: "USER", IsRequired: true}},
				Configurations:       []registry.Configuration{npx([]registry.Variable{{Name: "USER"}})}},
			command{"npx -y tides", map[string]string{"USER": "YOUR_USER"}},
		},
		"mounted folder": {
			registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides",
				Configurations: []registry.Configuration{{Command: "docker",
					Runtime: append(words("-i", "--rm", "-v"), registry.Argument{Type: "positional",
						Value: "{FOLDER}:/data", IsRequired: true,
						Variables: map[string]registry.Variable{"FOLDER": {IsRequired: true}}}),
					Args: words("stdio"), Env: []registry.Variable{key}}}},
			command{"docker run -i --rm -v YOUR_FOLDER:/data -e API_KEY ghcr.io/octo/tides stdio",
				map[string]string{"API_KEY": "YOUR_API_KEY"}},
		},
		"digest of an image": {
			registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides", Version: "1.2.0",
				Configurations: []registry.Configuration{{Command: "docker", Runtime: words("-i"), Version: ":1.2.0" + digest}}},
			command{"docker run -i --rm ghcr.io/octo/tides:1.2.0" + digest, none},
		},
		"digest of another version": {
			registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides", Version: "1.3.0",
				Configurations: []registry.Configuration{{Command: "docker", Runtime: words("-i"), Version: ":1.2.0" + digest}}},
			command{"docker run -i --rm ghcr.io/octo/tides:1.3.0", none},
		},
		"extras": {
			registry.Package{RegistryType: "pypi", Version: "1.2.0",
				Configurations: []registry.Configuration{{Command: "uvx", Version: "[postgres,redis]>=1.0", Args: words("serve")}}},
			command{"uvx --from 'tides[postgres,redis]==1.2.0' tides serve", none},
		},
		"extras, with a script": {
			registry.Package{RegistryType: "pypi",
				Configurations: []registry.Configuration{{Command: "uvx", Script: "tidesd", Version: "[postgres]"}}},
			command{"uvx --from 'tides[postgres]' tidesd", none},
		},
		"named only by the registry": {
			registry.Package{RegistryType: "npm", Doubt: registry.DoubtUnnamed}, command{},
		},
		"another ecosystem": {
			registry.Package{RegistryType: "npm", Doubt: registry.DoubtEcosystem}, command{},
		},
		"image built on a machine": {
			registry.Package{RegistryType: "oci", Identifier: "octo/tides", Doubt: registry.DoubtImage}, command{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.p.Identifier == "" {
				c.p.Identifier = "tides"
			}
			l, _ := Of(c.p)
			if d := cmp.Diff(c.want, command{Command(c.p), l.Env}); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if o := Why(c.p); (o != nil) != (c.want.Line == "") {
				t.Errorf("obstacle %+v", o)
			}
		})
	}
}
