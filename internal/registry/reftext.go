package registry

import (
	"cmp"
	"regexp"
	"strings"
)

// trimPunctuation removes space, quotes and brackets around a URL, and punctuation at its end.
// It leaves a name of dots only.
func trimPunctuation(s string) string {
	s = strings.TrimLeft(s, " \t\r\n<([{\"'`*")
	for {
		t := strings.TrimRight(s, " \t\r\n>\"'`*,;:!?…")
		t = trimBracket(trimBracket(trimBracket(t, "(", ")"), "[", "]"), "{", "}")
		if t = trimDots(t); t == s {
			return s
		}
		s = t
	}
}

// trimBracket removes a closing bracket at the end that nothing opens.
func trimBracket(s, opening, closing string) string {
	if strings.HasSuffix(s, closing) && !strings.Contains(s, opening) {
		return s[:len(s)-1]
	}
	return s
}

// trimDots removes dots at the end of a name, unless it consists of dots.
func trimDots(s string) string {
	t := strings.TrimRight(s, ".")
	if t == "" || strings.HasSuffix(t, "/") {
		return s
	}
	return t
}

// cloneCommand matches commands whose argument is a repository.
var cloneCommand = regexp.MustCompile(
	`(?is)^[\s$>%\x60]*(?:git\s+(?:clone|submodule\s+add)|gh\s+repo\s+(?:clone|fork|view))\s+(.+)$`)

// clonedOptions are the options of these commands that have a value.
var clonedOptions = setOf(`-b --branch -c --config -j --jobs -o --origin -u --upload-pack --depth
	--filter --reference --remote-name --separate-git-dir --server-option --shallow-since --template
	--upstream-remote-name`)

// cloned returns the repository that a command clones.
func cloned(s string) (address string, ok bool) {
	m := cloneCommand.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	value := false
	for word := range strings.FieldsSeq(m[1]) {
		switch {
		case value:
			value = false
		case strings.HasPrefix(word, "-"):
			value = clonedOptions[word]
		default:
			return word, true
		}
	}
	return "", false
}

// refWithin returns the one repository whose address, with a domain, a text
// contains. Why is the error if there is none.
func refWithin(s string, why error) (RepoRef, error) {
	var found RepoRef
	var unsupported error
	for _, word := range strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n<>()[]|`\"'", r)
	}) {
		if !hasDomain(word) {
			continue
		}
		ref, err := parseAddress(word)
		switch {
		case err != nil:
			unsupported = cmp.Or(unsupported, err)
		case found.Name == "" || found.Key() == ref.Key() && found.Path == "":
			found = ref
		case found.Key() != ref.Key():
			return RepoRef{}, badRef("names more than one repository")
		}
	}
	if found.Name != "" {
		return found, nil
	}
	return RepoRef{}, cmp.Or(unsupported, why)
}

// hasDomain reports whether a word begins like an address with the domain of a
// host.
func hasDomain(word string) bool {
	if strings.Contains(word, "://") {
		return true
	}
	first, _, ok := strings.Cut(word, "/")
	first, _, _ = strings.Cut(first[strings.LastIndexByte(first, '@')+1:], ":")
	return ok && hostAt(strings.ToLower(first)) != nil
}

var registryName = regexp.MustCompile(`^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/[A-Za-z0-9._-]+$`)

// RegistryName returns a text that is a name of the official registry, such as
// "io.github.owner/name" or "com.example/name". It reports false for URLs on the domain of a
// code host.
func RegistryName(s string) (string, bool) {
	s = trimPunctuation(s)
	domain, _, _ := strings.Cut(strings.ToLower(s), "/")
	if !registryName.MatchString(s) || hostAt(domain) != nil || otherHosts[domain] != "" {
		return "", false
	}
	return s, true
}
