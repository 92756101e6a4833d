package registry

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	// secretWords are the last words of the names of secrets.
	secretWords = wordSet(`auth authorization bearer cookie cookies credential credentials
		dsn jwt mnemonic otp pass passphrase passwd password passwords pat pin pwd secret
		secrets token userpass webhook`)
	// secretPairs are the words before the last ones of names of secrets: codes, and addresses
	// that contain a secret, and what wallets are restored from.
	secretPairs = map[string]map[string]bool{
		"hash": wordSet("api password"), "base": wordSet("key"), "string": wordSet("conn connection session"),
		"uri": databases, "url": databases,
		"phrase": wordSet("backup recovery seed wallet"), "seed": wordSet("master wallet"),
	}
	databases = wordSet("database db mongo mongodb mysql postgres postgresql redis webhook")
	// publicKeys are the words before "key" in the names of keys that are not secret.
	publicKeys = wordSet("foreign partition primary public sort")
	// publicTokens are the words before "token" in the names of counts and places in lists.
	publicTokens = wordSet("max min page")
	// keyKinds are the kinds of secret keys that are written together with "key": "APIKEY".
	keyKinds = wordSet(`access account admin api app application auth client crypto encryption licence
		license master pass private project secret server service signing ssh subscription user wallet`)
	// switches are the first words of names of settings that turn something on or off.
	switches = wordSet("allow disable enable forbid has hide ignore is no require requires show skip use")
	// encodings are words after the names of secrets.
	encodings = wordSet("b64 base64 json pem value")

	camelCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// IsSecretName reports whether the value of a variable, an option, a header or a parameter is
// probably a secret, judging by the last words of its name. Switches such as ENABLE_AUTH are not, nor is
// PWD, the folder of a shell.
func IsSecretName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(camelCase.ReplaceAllString(name, "$1 $2")),
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
