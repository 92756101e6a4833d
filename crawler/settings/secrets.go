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

	// loginPair matches a password after a user and the word for a sign-in, and what is before it:
	// "log in as admin / ".
	loginPair = regexp.MustCompile(`(\b(?i:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|credentials?)\b[^\n|]{0,40}?` +
		`[\s"'\x60(*:][a-z][\w.@-]{1,40}["'\x60*]*\s?(?:[/:,]|\band\b|\bwith\b)\s?["'\x60*]*)` +
		`([^\s"'\x60*|<>,;/(){}\[\]]{5,40})`)
	// cellBreak matches what is between cells of tables, and cellWord a cell with one word.
	cellBreak = regexp.MustCompile(`\||</?t[dhr]\b[^<>]{0,100}>`)
	cellWord  = regexp.MustCompile(`^([\s"'\x60*]*)([^\s"'\x60*<>(){}\[\]]{5,40})([\s"'\x60*]*)$`)
	// passwordLabel matches the label of a row or a column of passwords.
	passwordLabel = regexp.MustCompile(`(?i)^[\W_]*(?:[a-z]+[ _-]){0,3}(?:` + passwordName + `|pass|pwd|pw)[\W_]*$`)
	special       = regexp.MustCompile(`[!@#$%^&*?]`)
)

// mayBePassword reports whether a word looks more like a password than like one of a text.
func mayBePassword(word string) bool {
	return letters.MatchString(word) && (digits.MatchString(word) || special.MatchString(word)) &&
		isLiteral(word) && !IsEnvName(word) && !notAssigned.MatchString(word) && IsPassword(word)
}

// publicLogins is [Public] for passwords after their user, and in tables beside or below a label.
func publicLogins(text string) string {
	text = replaced(loginPair, contains("og", "ign", "redential"), text, func(m []string) string {
		word := strings.TrimRight(m[2], ".:")
		if !mayBePassword(word) || strings.Contains(word, "-") { // the name of a repository
			return m[0]
		}
		return m[1] + "YOUR_TOKEN" + m[2][len(word):]
	})
	if !strings.ContainsAny(text, "|<") {
		return text
	}
	var b strings.Builder
	var t table
	for line := range strings.Lines(text) {
		isHTML := strings.HasPrefix(strings.TrimSpace(line), "<")
		for row := range strings.SplitAfterSeq(line, "</tr>") {
			b.WriteString(t.public(row, isHTML))
		}
	}
	return b.String()
}

// A table is what is known of the one that a row is in.
type table struct {
	head       []string // its first row
	isLabelled bool     // the row has a label of passwords so far
}

func (t *table) public(row string, isHTML bool) (shown string) {
	cells, breaks := cellBreak.Split(row, -1), append(cellBreak.FindAllString(row, -1), "")
	t.isLabelled = t.isLabelled && isHTML && !strings.Contains(row, "<tr")
	isHead := t.head == nil && len(cells) > 1
	if isHead {
		t.head = cells
	} else if len(cells) == 1 && !isHTML {
		t.head = nil
	}
	for i, cell := range cells {
		isBelow := i < len(t.head) && passwordLabel.MatchString(t.head[i])
		m := cellWord.FindStringSubmatch(cell)
		if m != nil && !isHead && (isBelow || t.isLabelled) && mayBePassword(m[2]) {
			cell = m[1] + "YOUR_TOKEN" + m[3]
		}
		t.isLabelled = t.isLabelled || passwordLabel.MatchString(cell)
		shown += cell + breaks[i]
	}
	return shown
}

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
