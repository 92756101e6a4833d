package install

import (
	"embed"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

// Options of the programs that run packages can select another registry, add packages, or
// give access to the user's files and devices. Only options known to be safe are allowed, so
// that an entry cannot misuse the name of a trusted package.

// An option validates its value; nil means that the option has no value.
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

// runtimeOptions are the options known to be safe, by registry type; those of images have the
// names of package dockerrun.
var runtimeOptions = map[string]map[string]option{
	"npm": {
		"-y": nil, "--yes": nil, "-q": nil, "--quiet": nil, "--silent": nil, "--prefer-online": nil,
		"--bun": nil, // of bunx
	},
	"pypi": {
		"-q": nil, "--quiet": nil, "--python": pythonVersion, "-p": pythonVersion,
		"--refresh": nil, "--refresh-package": word(`[A-Za-z0-9._-]+`), "--no-cache": nil, "-n": nil,
		"--isolated": nil, "--no-progress": nil, "--managed-python": nil,
		"--python-preference": word(`only-managed|managed|system|only-system`),
		"--prerelease":        word(`disallow|allow|if-necessary|explicit|if-necessary-or-explicit`),
	},
	"nuget": {"-y": nil, "--yes": nil, "--prerelease": nil},
	"oci": {
		"interactive": nil, "tty": nil, "rm": nil, "detach": nil, "init": nil, "read-only": nil,
		"env": variableOption, "volume": volumeOption, "mount": mountOption,
		"publish": ports, "workdir": folder, "user": word(`[0-9]+(?::[0-9]+)?`),
		"network": word(`none|bridge`),
		"name":    word(`[A-Za-z0-9][A-Za-z0-9_.-]*`), "platform": word(`linux/[a-z0-9/]+`),
		"pull":     word(`always|missing|never`),
		"add-host": word(`host\.docker\.internal:host-gateway`),
	},
}

// variableOption accepts NAME, NAME=text and NAME= with a value to fill in.
func variableOption(v value) bool {
	name, _, _ := strings.Cut(v.fixed+v.prefix, "=")
	return registry.IsVariableName(name) && !controlsRuntime(name)
}

func volumeOption(v value) bool { return mounts(v, "volume") }

func mountOption(v value) bool { return mounts(v, "mount") }

// mounts reports whether the value of an option mounts a volume of the container engine or a
// folder to fill in or one below it, not a folder of the host.
func mounts(v value, option string) bool {
	if v.open {
		return v.prefix == ""
	}
	m, ok := dockerrun.Option{Name: option, Value: v.fixed}.Mount()
	unsafe := func(field string) bool { return field != "readonly" && field != "ro" }
	if !ok || slices.ContainsFunc(m.Others, unsafe) {
		return false
	}
	switch m.Type {
	case "tmpfs", "volume":
		return m.Source == "" || dockerrun.IsVolume(m.Source)
	case "bind":
		return !strings.Contains(m.Source, "..") && slices.ContainsFunc(v.inside, func(in value) bool {
			below, ok := strings.CutPrefix(m.Source, asPlaceholder.of(in))
			return ok && (below == "" || below[0] == '/')
		})
	}
	return false
}

// checkRuntime returns an obstacle for options and variables of the program that runs a
// package if they are not known to be safe.
func checkRuntime(p registry.Package, words, env []value) *Obstacle {
	if unsafe := unsafeOption(p.RegistryType, words); unsafe != "" {
		return obstacle("%s passes “%s” to %s. Only options known to be safe are included, "+
			"because others can change what is installed or what it can access.",
			declarer(p), excerpt(unsafe), registry.Programs[p.RegistryType])
	}
	for _, v := range env {
		if controlsRuntime(v.name) && (!v.open || indexName.MatchString(v.name)) {
			return obstacle("%s sets %s, which controls how packages or code are loaded.",
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

// unsafeOption returns the first option, with its value, that is not one of [runtimeOptions], or the
// first word that is none; "" if there is none.
func unsafeOption(registryType string, words []value) string {
	if registryType == "oci" {
		return unsafeDocker(words)
	}
	options := runtimeOptions[registryType]
	for i := 0; i < len(words); i++ {
		name, text, joined := strings.Cut(words[i].fixed, "=")
		accepts, known := options[name]
		v, given := value{fixed: text}, words[i:i+1]
		if !joined && (accepts != nil || !known) && i+1 < len(words) {
			i++
			v, given = words[i], words[i-1:i+1]
		}
		if !known || given[0].open || !accepts.allows(v, joined || len(given) > 1) {
			return strings.Join(texts(given, asPlaceholder), " ")
		}
	}
	return ""
}

// allows reports whether an option may be given with a value or, if none is set, without one.
func (o option) allows(v value, isSet bool) bool { return isSet == (o != nil) && (o == nil || o(v)) }

// unsafeDocker is unsafeOption for options of "docker run".
func unsafeDocker(words []value) string {
	run := dockerRun(words)
	for _, o := range run.Options {
		accepts, known := runtimeOptions["oci"][o.Name]
		if !known || o.Lacks() || !accepts.allows(valueOfDocker(o, words), accepts != nil || o.Value != "") {
			return strings.Join(texts(words[o.At:o.At+max(o.N, 1)], asPlaceholder), " ")
		}
	}
	if run.At < len(words) {
		return words[run.At].text(asPlaceholder)
	}
	return ""
}

// dockerRun parses options of "docker run" with values to fill in.
func dockerRun(words []value) dockerrun.Run {
	fixed := make([]string, len(words))
	for i, v := range words {
		fixed[i] = v.prefix + v.fixed
	}
	return dockerrun.Parse(fixed)
}

func valueOfDocker(o dockerrun.Option, words []value) value {
	v := words[o.At+o.N-1]
	if o.N == 1 {
		v.fixed = o.Value
	}
	return v
}

//go:embed rules
var embedded embed.FS

var (
	rules            = vocabulary.Rules(embedded)
	controlling      = vocabulary.Whole(rules, "controlling.txt")
	controllingNames = vocabulary.Set(rules, "controlling.txt")
	// ofOutput matches the variables of Python that load nothing.
	ofOutput = regexp.MustCompile(`(?i)^PYTHON(?:UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE)$`)
)

// controlsRuntime reports whether a variable determines which packages or programs run, or where
// code is loaded from. Only the user may set such a variable.
func controlsRuntime(name string) bool {
	isSecret := strings.HasPrefix(strings.ToUpper(name), "LD_") && registry.IsSecretName(name) // the loader has none
	return controlling.MatchString(name) && !ofOutput.MatchString(name) && !isSecret
}
