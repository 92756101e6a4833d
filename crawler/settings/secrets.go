package settings

import (
	"regexp"
	"strings"

	"mcpcensus/internal/registry"
)

var (
	// namedValue matches the name of an option, a variable or a parameter with its value.
	namedValue  = regexp.MustCompile(`([A-Za-z$_][\w.:-]*)=([^;&,\s"']+)`)
	schemeValue = regexp.MustCompile(`(?i)(?:\b(?:bearer|basic)|^token)\s+([^\s"',;}]+)`)
	userOption  = regexp.MustCompile(`^(?:-u|-U|--user|--proxy-user)=?[^:]*:(.+)`)
	joinedPass  = regexp.MustCompile(`^-p([A-Za-z]\S*[0-9!#$%^&*]\S*|[0-9]+[A-Za-z!#$%^&*]\S*)$`)
	// notPassword matches values of -p that are ports, versions or paths.
	notPassword = regexp.MustCompile(`^[0-9:.,-]+(?:/[a-z]+)?$|^[./~]|://`)
)

// IsPassword reports whether the value of -p, or one with a user, may be a password, rather than a
// port, IDs or a path.
func IsPassword(value string) bool { return !notPassword.MatchString(value) }

// Secrets returns the parts of an argument, an address or a header that may be secrets, for outputs
// that hide them. It finds more than [Public] replaces: values of any form after the name of a
// secret, and generated words.
func Secrets(text string) (all []string) {
	all = registry.MarkedSecrets(text)
	for _, sign := range []string{"=", ":"} {
		if name, value, ok := strings.Cut(text, sign); ok && registry.IsSecretName(name) {
			all = append(all, strings.TrimSpace(value))
		}
	}
	for _, m := range namedValue.FindAllStringSubmatch(text, -1) {
		if registry.IsSecretName(m[1]) && !strings.HasPrefix(text, m[0]) {
			all = append(all, m[2])
		}
	}
	for _, form := range []*regexp.Regexp{schemeValue, userPassword, userOption, joinedPass} {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if value := m[len(m)-1]; form != userOption || IsPassword(value) {
				all = append(all, value)
			}
		}
	}
	for _, w := range valuePart.FindAllString(digest.ReplaceAllString(text, ""), -1) {
		if registry.IsRandom(w) {
			all = append(all, w)
		}
	}
	return all
}
