package registry

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpcensus/internal/text"
)

var (
	// secretWords are the last words of the names of secrets.
	secretWords = setOf(`auth authn authorization bearer cookie cookies cred credential credentials
		creds dsn jwt mnemonic otp pass passphrase passwd password passwords pat pin pw pwd salt secret
		secrets sig token userpass webhook`)
	// secretPairs are the words before the last ones of names of secrets: codes, and addresses
	// that contain a secret, and what wallets are restored from.
	secretPairs = map[string]map[string]bool{
		"hash": setOf("api password"), "base": setOf("key"), "string": setOf("conn connection session"),
		"uri": databases, "url": databases,
		"phrase": setOf("backup recovery seed wallet"), "seed": setOf("master wallet"),
	}
	databases = setOf("database db mongo mongodb mysql postgres postgresql redis webhook")
	// publicKeys are the words before "key" in the names of keys that are not secret.
	publicKeys = setOf("foreign partition primary public sort")
	// publicTokens are the words before "token" in the names of counts and places in lists.
	publicTokens = setOf("max min page")
	// keyKinds are the kinds of secret keys that are written together with "key": "APIKEY".
	keyKinds = setOf(`access account admin api app application auth client crypto encryption licence
		license master pass private project secret server service signing ssh subscription user wallet`)
	// switches are the first words of names of settings that turn something on or off.
	switches = setOf("allow disable enable forbid has hide ignore is no require requires show skip use")
	// encodings are words after the names of secrets.
	encodings = setOf("b64 base64 json pem value")
)

// IsSecretName reports whether the value of a variable, an option, a header or a parameter is
// probably a secret, judging by the last words of its name. Switches such as ENABLE_AUTH are not, nor is
// PWD, the folder of a shell.
func IsSecretName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(text.Apart(name)),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) > 1 && switches[words[0]] {
		return false
	}
	last, before := "", ""
	for _, word := range slices.Backward(words) {
		if last != "" {
			before = word
			break
		}
		if !encodings[word] {
			last = strings.TrimRight(word, "0123456789")
		}
	}
	if kind, isKey := strings.CutSuffix(strings.TrimSuffix(last, "s"), "key"); isKey {
		return keyKinds[kind] || kind == "" && !publicKeys[before]
	}
	if last == "token" && publicTokens[before] || name == "PWD" {
		return false
	}
	return secretWords[last] || secretPairs[last][before] ||
		slices.ContainsFunc([]string{"token", "secret", "password"},
			func(ending string) bool { return strings.HasSuffix(last, ending) })
}

// secretForm matches tokens that services mark as such, and those of JSON Web Tokens.
var secretForm = regexp.MustCompile(`\b(?:sk-|[spr]k_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|` +
	`GOCSPX-|hvs\.|ATATT|dckr_pat_|sbp_|whsec_|nvapi-|` +
	`ya29\.|SG\.|npm_|pypi-|hf_|ntn_|dop_v1_|shp[a-z]{2}_|lin_api_|figd_|tvly-|gsk_|pplx-|r8_|` +
	`ey[A-Za-z0-9_-]{10,}\.)[A-Za-z0-9_.-]{6,}`)

// MarkedSecrets returns the parts of a text that have the form in which a service writes its
// secrets, such as "ghp_…". Examples may have it, too.
func MarkedSecrets(text string) (all []string) {
	for line := range strings.Lines(text) {
		// The expression is slow.
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(line, mark) }) {
			all = append(all, secretForm.FindAllString(line, -1)...)
		}
	}
	return all
}

// marks are parts of which each match of secretForm has one.
var marks = strings.Fields("sk- sk_ pk_ rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox xapp- AKIA ASIA AIza " +
	"GOCSPX- hvs. ATATT dckr_ sbp_ whsec_ nvapi- ya29. SG. npm_ pypi- hf_ ntn_ dop_v1_ shp lin_api_ figd_ tvly- " +
	"gsk_ pplx- r8_ ey")

var (
	uuidForm = regexp.MustCompile(`(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	digit    = regexp.MustCompile(`[0-9]`)
)

// IsRandom reports whether a word looks generated, as keys and identifiers do: it is a UUID, or has
// a part of at least 16 letters and digits.
func IsRandom(word string) bool {
	if uuidForm.MatchString(word) {
		return true
	}
	for part := range strings.FieldsFuncSeq(word, isOther) {
		if len(part) >= 16 && len(digit.FindAllString(part, 3)) == 3 && strings.Trim(part, "0123456789") != "" {
			return true
		}
	}
	return false
}

func isOther(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
}
