package install

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// Options of the programs that run packages can select another registry, add packages, or
// give access to the user's files and devices. Only options known to be safe are allowed, so
// that an entry cannot misuse the name of a trusted package.

// An option validates the value after it; nil means that the option has no value.
type option func(v value) bool

func word(form string) option {
	r := regexp.MustCompile(`^(?:` + form + `)$`)
	return func(v value) bool { return !v.open && r.MatchString(v.fixed) }
}

var (
	pythonVersion = word(`[0-9]+(?:\.[0-9]+){0,2}`)
	ports         = word(`[0-9.:]+(?:/(?:tcp|udp))?`)
	folder        = word(`/[^,]*`)
)

// runtimeOptions are the options known to be safe, by registry type.
var runtimeOptions = map[string]map[string]option{
	"npm":   {"-y": nil, "--yes": nil, "-q": nil, "--quiet": nil},
	"pypi":  {"-q": nil, "--quiet": nil, "--python": pythonVersion, "-p": pythonVersion},
	"nuget": {"-y": nil, "--yes": nil, "--prerelease": nil},
	"oci": {
		"-i": nil, "--interactive": nil, "-t": nil, "--tty": nil, "-it": nil,
		"--rm": nil, "--init": nil, "--read-only": nil,
		"-e": variableOption, "--env": variableOption,
		"-v": volumeOption, "--volume": volumeOption, "--mount": mountOption,
		"-p": ports, "--publish": ports, "-w": folder, "--workdir": folder,
		"--name": word(`[A-Za-z0-9][A-Za-z0-9_.-]*`), "--platform": word(`linux/[a-z0-9/]+`),
		"--pull":     word(`always|missing|never`),
		"--add-host": word(`host\.docker\.internal:host-gateway`),
	},
}

// variableOption accepts NAME, NAME=text and NAME= with a value to fill in.
func variableOption(v value) bool {
	name, _, _ := strings.Cut(v.fixed+v.prefix, "=")
	return variableName.MatchString(name) && !controlsRuntime(name)
}

var volumeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// isVolume reports whether the source of a mount is a volume of the container engine or a
// placeholder, not a folder of the host.
func isVolume(source string) bool { return volumeName.MatchString(source) }

func volumeOption(v value) bool {
	source, _, mounted := strings.Cut(v.fixed, ":")
	return v.open && v.prefix == "" || mounted && isVolume(source)
}

func mountOption(v value) bool {
	if v.open {
		return v.prefix == ""
	}
	for field := range strings.SplitSeq(v.fixed, ",") {
		name, source, _ := strings.Cut(field, "=")
		if (name == "src" || name == "source") && !isVolume(source) {
			return false
		}
	}
	return true
}

// checkRuntime returns an obstacle for options and variables of the program that runs a
// package if they are not known to be safe.
func checkRuntime(p registry.Package, words, env []value) *Obstacle {
	if at := unsafeWord(p.RegistryType, words); at >= 0 {
		return obstacle("%s passes “%s” to %s. Only options known to be safe are included, "+
			"because others can change what is installed or what it can access.",
			declarer(p), excerpt(words[at].text(asPlaceholder)), programs[p.RegistryType])
	}
	for _, v := range env {
		if !v.open && controlsRuntime(v.name) {
			return obstacle("%s sets %s, which controls where packages or code are loaded from.",
				declarer(p), excerpt(v.name))
		}
	}
	return nil
}

// splitRuntime splits words at the first one that is not an option. The program would
// consider it the package, so the rest are arguments of the server. The name of the package
// itself is dropped.
func splitRuntime(p registry.Package, words []value) (runtime, args []value) {
	options := runtimeOptions[p.RegistryType]
	for i := 0; i < len(words); i++ {
		v := words[i]
		name, _, joined := strings.Cut(v.fixed, "=")
		switch {
		case v.open || strings.HasPrefix(name, "-") && options[name] == nil:
		case !strings.HasPrefix(name, "-"):
			rest := words[i:]
			if name == p.Identifier || name == p.Script {
				rest = rest[1:]
			}
			return words[:i], rest
		case !joined:
			i++ // its value
		}
	}
	return words, nil
}

// unsafeWord returns the index of the first word that is not an option of
// [runtimeOptions] or its value, -1 if there is none.
func unsafeWord(registryType string, words []value) int {
	options := runtimeOptions[registryType]
	for i := 0; i < len(words); i++ {
		v := words[i]
		if v.open {
			return i
		}
		name, text, joined := strings.Cut(v.fixed, "=")
		accepts, known := options[name]
		switch {
		case !known, joined && accepts == nil:
			return i
		case joined:
			if !accepts(value{fixed: text}) {
				return i
			}
		case accepts != nil:
			if i+1 == len(words) {
				return i
			}
			if i++; !accepts(words[i]) {
				return i
			}
		}
	}
	return -1
}

var (
	controllingNames = []string{
		"PATH", "ENV", "BASH_ENV", "SHELLOPTS",
		"NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE",
		"PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	}
	controllingPrefixes = []string{
		"NPM_CONFIG_", "YARN_", "PIP_", "UV_", "NUGET_", "DOTNET_", "DOCKER_",
		"LD_", "DYLD_", "GIT_CONFIG", "GIT_SSH", "BASH_FUNC_",
	}
)

// controlsRuntime reports whether a variable determines where the runtime loads packages or
// code from. Only the user may set such a variable.
func controlsRuntime(name string) bool {
	name = strings.ToUpper(name)
	return slices.Contains(controllingNames, name) ||
		slices.ContainsFunc(controllingPrefixes,
			func(p string) bool { return strings.HasPrefix(name, p) })
}
