package install

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestRuntimeOptions(t *testing.T) {
	named := func(name, text string) registry.Argument {
		return registry.Argument{Type: "named", Name: name, Value: text}
	}
	npm := func(args ...registry.Argument) registry.Package {
		return registry.Package{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", RuntimeArguments: args}
	}
	pypi := func(args ...registry.Argument) registry.Package {
		return registry.Package{RegistryType: "pypi", Identifier: "weather", RuntimeArguments: args}
	}
	oci := func(args ...registry.Argument) registry.Package {
		return registry.Package{RegistryType: "oci", Identifier: "octo/weather", RuntimeArguments: args}
	}
	with := func(p registry.Package, name, text string) registry.Package {
		p.EnvironmentVariables = []registry.Variable{{Name: name, Value: text}}
		return p
	}
	for name, p := range map[string]registry.Package{
		"registry":             npm(named("--registry", "https://evil.dev")),
		"registry, joined":     npm(registry.Argument{Type: "positional", Value: "--registry=https://evil.dev"}),
		"another package":      npm(named("-y", ""), named("-p", "evil")),
		"a command":            npm(named("--call", "sh")),
		"a word before it":     npm(registry.Argument{Type: "positional", Value: "evil"}),
		"a switch and a value": npm(named("-y", "evil")),
		"index":                pypi(named("--index-url", "https://evil.dev/simple")),
		"from":                 pypi(named("--from", "git+https://evil.dev/x")),
		"refresh of a path":    pypi(named("--refresh-package", "/x")),
		"python of an address": pypi(named("--python", "https://evil.dev/python")),
		"root folder":          oci(named("-v", "/:/host")),
		"home":                 oci(named("--volume", "~/.ssh:/keys")),
		"above a folder":       oci(named("-v", "${HOME}/../etc:/host")),
		"variable folder":      oci(named("-v", "$HOME:/host")),
		"mount":                oci(named("--mount", "type=bind,source=/,target=/host")),
		"mount, relative":      oci(named("--mount", "type=bind,source=data,target=/host")),
		"unknown, a value":     oci(named("--sorcery", "x")),
		"unknown, joined":      oci(registry.Argument{Type: "positional", Value: "--sorcery=x"}),
		"option of podman":     oci(named("--uidmap", "0:1:2")),
		"mount, open":          oci(registry.Argument{Type: "named", Name: "--mount", Value: "type=bind,src=/etc,dst={dst}", IsRequired: true}),
		"mount, upper case":    oci(named("--mount", "type=bind,Source=/etc,target=/host")),
		"mount, quoted":        oci(named("--mount", `type=bind,"source=/etc",target=/host`)),
		"mount of a driver": oci(named(
			"--mount",
			"source=x,target=/host,volume-opt=type=none,volume-opt=o=bind,volume-opt=device=/etc",
		)),
		"drive":           oci(named("-v", "C:/Users:/host")),
		"joined folder":   oci(registry.Argument{Type: "positional", Value: "-v/:/host"}),
		"behind switches": oci(named("-itv", "/:/host")),
		"joined preload":  oci(registry.Argument{Type: "positional", Value: "-eLD_PRELOAD=/x.so"}),
		"another image": oci(
			registry.Argument{Type: "positional", Value: "--"},
			registry.Argument{Type: "positional", Value: "evil/image"},
		),
		"privileged":      oci(named("--privileged", "")),
		"host's network":  oci(named("--network", "host")),
		"entry point":     oci(named("--entrypoint", "sh")),
		"preload in -e":   oci(named("-e", "LD_PRELOAD=/x.so")),
		"fixed registry":  with(npm(), "NPM_CONFIG_REGISTRY", "https://evil.dev"),
		"in lower case":   with(npm(), "npm_config_registry", "https://evil.dev"),
		"node options":    with(npm(), "NODE_OPTIONS", "--require=/tmp/x"),
		"fixed index":     with(pypi(), "UV_INDEX_URL", "https://evil.dev"),
		"mount of a pipe": oci(named("--mount", "type=npipe,source=x,target=/x")),
		"docker host":     with(oci(), "DOCKER_HOST", "tcp://evil.dev"),
	} {
		if got := Command(p); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for want, p := range map[string]registry.Package{
		"npx --yes @octo/weather@1.0.0": npm(named("--yes", "")),
		"uvx --python 3.12 weather":     pypi(named("--python", "3.12")),
		"uvx --refresh-package weather weather": pypi(
			named("--refresh-package", "weather")),
		"docker run -i --rm octo/weather":                                          oci(registry.Argument{Type: "positional", Value: "run"}, named("-i", ""), named("--rm", "")),
		"docker run -i --rm -v weather-data:/data octo/weather":                    oci(named("-v", "weather-data:/data")),
		"docker run -i --rm -v YOUR_FOLDER:/data octo/weather":                     oci(registry.Argument{Type: "named", Name: "-v", Value: "{folder}:/data", IsRequired: true}),
		"docker run -i --rm --mount type=bind,src=YOUR_DIR,dst=/data octo/weather": oci(registry.Argument{Type: "named", Name: "--mount", Value: "type=bind,src={dir},dst=/data", IsRequired: true}),
		"docker run -i --rm -v weather:/data:ro --mount type=volume,src=w,dst=/w,readonly octo/weather": oci(
			named("-v", "weather:/data:ro"), named("--mount", "type=volume,src=w,dst=/w,readonly")),
		"docker run -i --rm -eTZ=UTC octo/weather": oci(
			registry.Argument{Type: "positional", Value: "-eTZ=UTC"},
		),
		"docker run -i --rm -p 8080:8080 -e TZ=UTC octo/weather": oci(named("-p", "8080:8080"), named("-e", "TZ=UTC")),

		"bunx --bun @octo/weather@1.0.0": {RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0",
			Configurations: []registry.Configuration{{Command: "bunx",
				Runtime: []registry.Argument{{Type: "positional", Value: "--bun"}}}}},
		"uvx --prerelease allow weather": pypi(named("--prerelease", "allow")),
		"docker run -i --rm -p 80:80 octo/weather": oci(
			named("-d", ""), named("-p", "80:80")),
		"docker run -i --rm -p 81:80 octo/weather": oci(named("-it", ""), named("--tty", ""), named("-p", "81:80")),
	} {
		if got := Command(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for name, want := range map[string]bool{"CURL_HOME": true, "wgetrc": true, "R_PROFILE_USER": true, "PathExt": true,
		"PERL5DB": true, "LUA_INIT_5_4": true, "GIT_SSL_NO_VERIFY": true, "CARGO_BUILD_RUSTC": true, "ERL_FLAGS": true,
		"PSModulePath": true, "RUBYOPT": true, "_JAVA_OPTIONS": true, "DOTNET_STARTUP_HOOKS": true, "BUNDLE_GEMFILE": true,
		"KUBECONFIG": false, "GIT_TOKEN": false, "GIT_AUTHOR_NAME": false, "JAVA_OPTS": false, "BUNDLE_ID": false,
		"PYTHONUNBUFFERED": false, "LD_API_KEY": false, "PATH_TO_FILES": false, "MAVEN_URL": false, "NODE_ENV": false} {
		if got := controlsRuntime(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	// The user may set any variable.
	open := npm()
	open.EnvironmentVariables = []registry.Variable{{Name: "HTTPS_PROXY", IsRequired: true, Description: "Your proxy"}}
	if got := Command(open); got == "" {
		t.Error("a variable that the user fills in was refused")
	}
}
