package install

import (
	"regexp"
	"slices"
	"strings"
)

// What runs a package obeys options that have nothing to do with the package:
// another registry to take it from, another package beside it, the user's
// files and devices. An entry that names a trusted package with such an option
// would install something else, so only options that are known to be harmless
// may stand on a command line.

// An option says what may follow it; nil: nothing.
type option func(v value) bool

func word(form string) option {
	r := regexp.MustCompile(`^(?:` + form + `)$`)
	return func(v value) bool { return !v.open && r.MatchString(v.fixed) }
}

var runtimeOptions = map[string]map[string]option{
	"npm":   {"-y": nil, "--yes": nil, "-q": nil, "--quiet": nil},
	"pypi":  {"-q": nil, "--quiet": nil, "--python": word(`[0-9]+(?:\.[0-9]+){0,2}`), "-p": word(`[0-9]+(?:\.[0-9]+){0,2}`)},
	"nuget": {"-y": nil, "--yes": nil, "--prerelease": nil},
	"oci": {
		"-i": nil, "--interactive": nil, "--rm": nil, "--init": nil, "-it": nil, "-t": nil, "--tty": nil, "--read-only": nil,
		"-e": variableOption, "--env": variableOption,
		"-v": volumeOption, "--volume": volumeOption, "--mount": mountOption,
		"-p": word(`[0-9.:]+(?:/(?:tcp|udp))?`), "--publish": word(`[0-9.:]+(?:/(?:tcp|udp))?`),
		"--name": word(`[A-Za-z0-9][A-Za-z0-9_.-]*`), "--platform": word(`linux/[a-z0-9/]+`), "--pull": word(`always|missing|never`),
		"--add-host": word(`host\.docker\.internal:host-gateway`), "-w": word(`/[^,]*`), "--workdir": word(`/[^,]*`),
	},
}

// variableOption is NAME, NAME=text or NAME=what the user fills in.
func variableOption(v value) bool {
	name, _, _ := strings.Cut(v.fixed+v.prefix, "=")
	return variableName.MatchString(name) && !steers(name)
}

var volumeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// ofTheUser reports whether what is mounted is a place that the user fills in
// or one that the container engine keeps, and no folder that somebody else chose.
func ofTheUser(source string) bool { return volumeName.MatchString(source) }

func volumeOption(v value) bool {
	source, _, mounted := strings.Cut(v.fixed, ":")
	return v.open && v.prefix == "" || mounted && ofTheUser(source)
}

func mountOption(v value) bool {
	if v.open {
		return v.prefix == ""
	}
	for field := range strings.SplitSeq(v.fixed, ",") {
		name, source, _ := strings.Cut(field, "=")
		if (name == "src" || name == "source") && !ofTheUser(source) {
			return false
		}
	}
	return true
}

// unsoundRuntime returns the index of the first word that is no option that a
// package's runtime may be given by somebody else than its user, -1 if all are.
func unsoundRuntime(registryType string, words []value) int {
	options := runtimeOptions[registryType]
	for i := 0; i < len(words); i++ {
		v := words[i]
		if v.open {
			return i
		}
		name, text, joined := strings.Cut(v.fixed, "=")
		follows, known := options[name]
		switch {
		case !known, joined && follows == nil:
			return i
		case joined:
			if !follows(value{fixed: text}) {
				return i
			}
		case follows != nil:
			if i+1 == len(words) {
				return i
			}
			if i++; !follows(words[i]) {
				return i
			}
		}
	}
	return -1
}

var (
	steeringNames = []string{
		"PATH", "ENV", "BASH_ENV", "SHELLOPTS", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	}
	steeringPrefixes = []string{"NPM_CONFIG_", "YARN_", "PIP_", "UV_", "NUGET_", "DOTNET_", "DOCKER_", "LD_", "DYLD_", "GIT_CONFIG", "GIT_SSH", "BASH_FUNC_"}
)

// steers reports whether a variable says to the runtime where it takes
// packages or code from, so that nobody but the user may set it.
func steers(name string) bool {
	name = strings.ToUpper(name)
	return slices.Contains(steeringNames, name) || slices.ContainsFunc(steeringPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
