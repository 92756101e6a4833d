package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/registry"
)

// minSecret is the length in bytes of the shortest value that is masked wherever it is: shorter ones
// may be words of the rest of the file.
const minSecret = 6

// notSecret matches references to variables, switches and small numbers.
var notSecret = regexp.MustCompile(`^YOUR_[A-Z0-9_]+$|` +
	`^(?i:(?:bearer |basic |token )?\$?\{\{?[\w:. -]+\}?\}|` +
	`true|false|yes|no|on|off|none|null|bearer|basic|[0-9]{0,3})$`)

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
		all = append(all, secretsIn(e, false)...)
	}
	all = slices.DeleteFunc(all, notSecret.MatchString)
	// A secret within a longer one must not be masked first.
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	return slices.Compact(all)
}

// secretsIn returns the parts of a value that look like secrets. isSecret tells that it is one by
// its name.
func secretsIn(value any, isSecret bool) (all []string) {
	switch v := value.(type) {
	case string:
		if isSecret {
			all = append(all, v)
		}
		return append(all, secretsOfWords([]string{v}, 0)...)
	case map[string]any:
		return secretsOfMembers(v, isSecret)
	case []any:
		all = secretsOfWords(texts(v), 0)
		for _, x := range v {
			if _, isText := x.(string); !isText || isSecret {
				all = append(all, secretsIn(x, isSecret)...)
			}
		}
	case float64:
		if isSecret {
			all = append(all, strconv.FormatFloat(v, 'f', -1, 64))
		}
	default:
		if isSecret && v != nil {
			all = append(all, fmt.Sprint(v))
		}
	}
	return all
}

// secretsOfMembers returns the secrets of an object, which may be an entry.
func secretsOfMembers(o map[string]any, isSecret bool) (all []string) {
	e := shell.ReadEntry(o)
	if e.Command != "" {
		if strings.Contains(e.Command, " ") {
			all = secretsOfScript(e.Command, 0)
		}
		all = append(all, secretsOfWords(append(strings.Fields(e.Command)[:1], e.Args...), 0)...)
	}
	name, _ := o["name"].(string) // of a header or variable in a list
	for key, x := range o {
		_, isObject := x.(map[string]any)
		named := isSecret && key != "name" || registry.IsSecretName(key) || key == "value" && registry.IsSecretName(name)
		switch {
		case e.Command != "" && !isObject && (key == "command" || key == "cmd" || key == "args"):
		case slices.Contains(shell.EnvMembers, key), slices.Contains(shell.HeaderMembers, key):
			all = append(all, secretsOfSettings(x)...)
		default:
			all = append(all, secretsIn(x, named)...)
		}
	}
	return all
}

// secretsOfSettings returns the values of variables or headers, short ones only if their names are
// those of secrets.
func secretsOfSettings(value any) (all []string) {
	settings, ok := value.(map[string]any)
	if !ok {
		return secretsIn(value, true)
	}
	for name, v := range settings {
		text, isText := v.(string)
		isShort := isText && len(text) < minSecret
		all = append(all, secretsIn(v, !isShort || registry.IsSecretName(name))...)
	}
	return all
}

// maxScripts is the deepest nesting of scripts in words that is read.
const maxScripts = 6

// secretsOfWords returns the secrets among the words of a command: the values of secret options and
// variables, those of headers and addresses, generated words, and those of scripts in words.
func secretsOfWords(words []string, depth int) (all []string) {
	own := serversWords(words)
	for i, w := range words {
		if i > 0 && scriptOption.MatchString(words[i-1]) && depth < maxScripts {
			all = append(all, secretsOfScript(w, depth+1)...)
			continue
		}
		if inner, ok := objectOf(w); ok && depth < maxScripts {
			all = append(all, secretsIn(inner, false)...)
			continue
		}
		all = append(all, settings.Secrets(w)...)
		if i > 0 && isValue(words[:i], w, i >= own) {
			all = append(all, w)
		}
		name, _, isSet := strings.Cut(w, "=")
		if isSet && registry.IsSecretName(name) {
			continue // all of it is known
		}
		if depth < maxScripts && strings.ContainsAny(w, " \t\n;&|(") {
			all = append(all, secretsOfScript(w, depth+1)...)
		}
	}
	return all
}

// scriptOption matches the words before a script: -c, -lc, /c, -Command.
var scriptOption = regexp.MustCompile(`^(?:-[a-z]{0,4}c|/[ckCK]|(?i:-command|-S|--split-string))$`)

// objectOf returns the object or list that a text is in JSON.
func objectOf(text string) (inner any, ok bool) {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil, false
	}
	err := json.Unmarshal([]byte(text), &inner)
	return inner, err == nil
}

// secretsOfScript returns the secrets of a script. Those that a word of it has in another spelling
// are the whole word as it is written.
func secretsOfScript(script string, depth int) (all []string) {
	for _, command := range shell.Everything(script) {
		var words []string
		for _, w := range command {
			words = append(words, w.Text)
		}
		for _, s := range secretsOfWords(words, depth) {
			for _, w := range command {
				if strings.Contains(w.Text, s) && !strings.Contains(w.Source, s) {
					s = w.Source
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// serversWords returns the index of the first word of a command that is for the program which it
// starts, rather than for the runner of its package.
func serversWords(words []string) int {
	if len(words) == 0 {
		return 0
	}
	l, err := shell.ParseCommand(words[0], words[1:])
	if (err == nil || errors.Is(err, shell.ErrPlaceholder)) && l.Runs {
		return len(words) - len(l.Args)
	}
	return 0
}

var scheme = regexp.MustCompile(`(?i)^(?:bearer|basic)$`)

// isValue reports whether a word is the value of a secret option or header before it: "--password x",
// "-p x", "-u me:x", "Authorization: x", "$env:TOKEN = x". isOwn tells that the word is not of a runner.
func isValue(before []string, text string, isOwn bool) bool {
	last := before[len(before)-1]
	switch {
	case last == "=" && len(before) > 1:
		return registry.IsSecretName(before[len(before)-2])
	case strings.HasPrefix(text, "-"), scheme.MatchString(text), strings.Contains(last, "="):
		return false
	case last == "-p":
		return isOwn && settings.IsPassword(text)
	case slices.Contains([]string{"-u", "-U", "--user", "--proxy-user"}, last):
		return strings.Contains(text, ":") && settings.IsPassword(text)
	}
	isNamed := strings.HasPrefix(last, "-") || strings.HasSuffix(last, ":")
	return isNamed && registry.IsSecretName(last) || scheme.MatchString(last)
}

const masked = "••••••"

// userinfo matches the beginning of an address and the password in it.
var userinfo = regexp.MustCompile(`(://[^/@\s:"'<>]*:)([^/@\s"']+)@`)

// mask hides secrets, in all spellings that clients' files have. Short ones are hidden where they
// are whole values. A password in an address is hidden in any form, unless it is a reference.
func mask(text string, hidden []string) string {
	text = userinfo.ReplaceAllStringFunc(text, func(m string) string {
		parts := userinfo.FindStringSubmatch(m)
		if notSecret.MatchString(parts[2]) && strings.ContainsAny(parts[2], "_{") {
			return m
		}
		return parts[1] + masked + "@"
	})
	for _, h := range hidden {
		for _, s := range spellings(h) {
			if len(s) >= minSecret {
				text = strings.ReplaceAll(text, s, masked)
				continue
			}
			whole := regexp.MustCompile(`(^|[\s"'=:{\[,])` + regexp.QuoteMeta(s) + `($|[\s"',;&|}\]])`)
			text = whole.ReplaceAllString(text, "${1}"+masked+"${2}")
		}
	}
	return text
}

// spellings returns a text as JSON, TOML and YAML may write it, the lines of one with several.
func spellings(s string) (all []string) {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		escaped, _ := json.Marshal(line) // strings have no errors
		plain := new(strings.Builder)
		e := json.NewEncoder(plain)
		e.SetEscapeHTML(false)
		_ = e.Encode(line)
		for _, quoted := range []string{fmt.Sprintf("%q", line), string(escaped), strings.TrimSpace(plain.String())} {
			all = append(all, quoted[1:len(quoted)-1])
		}
		all = append(all, line, strings.ReplaceAll(line, "'", "''"))
	}
	quoted := fmt.Sprintf("%q", s)
	return append(slices.DeleteFunc(all, func(s string) bool { return s == "" }), quoted[1:len(quoted)-1])
}
