package install

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
)

var (
	scriptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	// placeholderVersion matches the versions in manifests that release tools replace.
	placeholderVersion = regexp.MustCompile(`^0\.0\.0(?:-|$)`)
)

// publicHosts are the second-level domains, below .org, of the registries that clients use by
// default.
var publicHosts = map[string]string{"npm": "npmjs", "pypi": "pypi", "nuget": "nuget"}

// IsPublicRegistry reports whether base is the registry that clients use by default, or stands
// for it in documentation. With any other, clients would install a different package of the same
// name.
func IsPublicRegistry(registryType, base string) bool {
	if base == "" {
		return true
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" {
		return false
	}
	labels := strings.Split(strings.ToLower(u.Hostname()), ".")
	n, public := len(labels), publicHosts[registryType]
	if hosts.IsReserved(u.Hostname()) {
		return n == 2 && public != "" && strings.HasPrefix(labels[0], registryType)
	}
	return n >= 2 && labels[n-1] == "org" && labels[n-2] == public
}

// withoutIndex returns the words for a program without the options whose value is the registry
// that it uses by default.
func withoutIndex[T any](registryType string, words []T, textOf func(T) string) (out []T) {
	isIndex := func(text string) bool { return text != "" && IsPublicRegistry(registryType, text) }
	for i := 0; i < len(words); i++ {
		option, text, joined := strings.Cut(textOf(words[i]), "=")
		isOption := strings.HasPrefix(option, "-")
		switch {
		case isOption && isIndex(text):
		case isOption && !joined && i+1 < len(words) && isIndex(textOf(words[i+1])):
			i++
		default:
			out = append(out, words[i])
		}
	}
	return out
}

// indexName matches options and variables of the programs that run packages which say where the
// packages come from: a registry, another source, or a file with settings that may name one.
var indexName = regexp.MustCompile(`(?i)^-[if]$|(?:^|[-_:])(?:reg(?:istry)?|index|source|find[-_]links|pip-args|` +
	`(?:user|global)config|(?:npm|bun|pip|uv)?_?config[-_]?file)(?:[-_]|$)`)

// HasOwnIndex reports whether a package comes from elsewhere than the registry that clients use by
// default, by the options of the program that runs it and by variables, or an image from another
// registry than the public ones.
func HasOwnIndex(registryType, identifier string, options []string, env map[string]string) bool {
	if registryType == "oci" {
		img, err := oci.Parse(identifier, "")
		return err == nil && !slices.Contains(oci.Public, img.Host)
	}
	isOption := func(word string) bool { return strings.HasPrefix(word, "-") && indexName.MatchString(optionIn(word)) }
	options = withoutIndex(registryType, options, func(w string) string { return w })
	if slices.ContainsFunc(options, isOption) {
		return true
	}
	for name, text := range env {
		start, _, _ := strings.Cut(name, "@") // a scope of npm
		if controlsRuntime(start) && text != "" && namesIndex(registryType, registry.Variable{Name: name, Value: text}) {
			return true
		}
	}
	return false
}

// namesIndex reports whether a variable of a command names an index of its own, or one to fill in: the
// package of the same name in the default index may be anybody's.
func namesIndex(registryType string, v registry.Variable) bool {
	return registryType != "oci" && indexName.MatchString(v.Name) &&
		(v.Value == "" || !IsPublicRegistry(registryType, v.Value))
}

func fixedText(v value) string { return v.fixed }

// withoutIndexVariables is withoutIndex for variables.
func withoutIndexVariables(registryType string, env []value) []value {
	return slices.DeleteFunc(env, func(v value) bool {
		return v.fixed != "" && controlsRuntime(v.name) && IsPublicRegistry(registryType, v.fixed)
	})
}
