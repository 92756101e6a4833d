package cli

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/registry"
)

// minSecret is the length in bytes of the shortest value that is masked: shorter ones
// are words of the rest of the file.
const minSecret = 6

var authorization = regexp.MustCompile(`(?i)^authorization: *|^(?:bearer|basic|token) +`)

// secretsOf returns the secrets of a client's file, which may stand near a change: values
// of variables and headers, and those in arguments and addresses that look like secrets.
func secretsOf(p place, text []byte) (all []string) {
	entries, err := clientfile.Entries(p.format(), text, p.Section)
	if err != nil {
		return nil
	}
	every := slices.Collect(maps.Values(entries))
	folders, _ := p.foldersOf(text) // an error is one of all entries
	for _, entries := range folders {
		every = slices.AppendSeq(every, maps.Values(entries))
	}
	for _, e := range every {
		entry, _ := e.(map[string]any)
		for key, value := range entry {
			if slices.Contains(shell.EnvMembers, key) || slices.Contains(shell.HeaderMembers, key) {
				values, _ := value.(map[string]any)
				for _, v := range values {
					if text, ok := v.(string); ok {
						all = append(all, text)
					}
				}
			} else {
				all = append(all, secretsIn(value)...)
			}
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < minSecret || strings.Contains(s, "{") })
	// A secret within a longer one must not be masked first.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// secretsIn returns the parts of a value that look like secrets.
func secretsIn(value any) (all []string) {
	switch v := value.(type) {
	case string:
		return secretsOfText(v)
	case map[string]any:
		for key, x := range v {
			if text, ok := x.(string); ok && registry.IsSecretName(key) {
				all = append(all, text)
			}
			all = append(all, secretsIn(x)...)
		}
	case []any:
		for i, x := range v {
			// The value of the option before it: "--api-key", "…".
			if before, ok := v[max(i-1, 0)].(string); ok && i > 0 && strings.HasPrefix(before, "-") &&
				registry.IsSecretName(before) {
				if text, ok := x.(string); ok && !strings.HasPrefix(text, "-") {
					all = append(all, text)
				}
			}
			all = append(all, secretsIn(x)...)
		}
	}
	return all
}

// secretsOfText returns the secrets in an argument: "--api-key=…", "NAME_TOKEN=…",
// "Authorization: Bearer …", an address with a password.
func secretsOfText(text string) (all []string) {
	all = registry.MarkedSecrets(text)
	if name, value, ok := strings.Cut(text, "="); ok && registry.IsSecretName(name) {
		all = append(all, value)
	}
	if name, value, ok := strings.Cut(text, ":"); ok && registry.IsSecretName(name) {
		all = append(all, strings.TrimSpace(value))
	}
	if m := authorization.FindString(text); m != "" {
		rest := text[len(m):]
		all = append(all, strings.TrimSpace(rest[len(authorization.FindString(rest)):]))
	}
	_, address, _ := strings.Cut(text, "=") // of an option or variable
	for _, s := range []string{text, address} {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" {
			continue
		}
		if u.User != nil {
			// As it is written, and not decoded.
			user, _, _ := strings.Cut(s[strings.Index(s, "//")+2:], "@")
			_, password, _ := strings.Cut(user, ":")
			all = append(all, password)
		}
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			if name, value, _ := strings.Cut(pair, "="); registry.IsSecretName(name) {
				all = append(all, value)
			}
		}
	}
	return all
}

// mask hides secrets.
func mask(text string, hidden []string) string {
	for _, h := range hidden {
		text = strings.ReplaceAll(text, h, "••••••")
		quoted := fmt.Sprintf("%q", h)
		text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], "••••••")
	}
	return text
}
