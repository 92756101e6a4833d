package settings

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

var (
	privateKey = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)
	// userPassword matches the user and password of a URL.
	userPassword = regexp.MustCompile(`://([^/@\s:"'<>]*):([^/@\s"']+)@`)
	userToken    = regexp.MustCompile(`://([^/@\s:"'<>]{16,})@`)
	// loginOption, authorization and password match what is before a password, and the password.
	loginOption = regexp.MustCompile(`(\s(?:-u ?|--user[ =])["']?[^\s:"']+:)([^\s"'\x60]+)`)
	// cookie, optionValue and commandOption match what is before a secret, and the secret, which has a
	// digit: a word after an option may be its description.
	cookie      = regexp.MustCompile(`(?i)(\bcookie["'\x60]?\s*[:=]\s*["'\x60]?[\w.-]{1,60}=)([^\s;"'\x60]{6,})`)
	optionValue = regexp.MustCompile(`((?:^|[\s"'\x60])--?[A-Za-z][\w-]{1,60}(?: |["'\x60],\s{0,3})["'\x60]?)` +
		`([^\s"'\x60<>{}\[\]|$-][^\s"'\x60<>{}\[\]|]{4,})`)
	// listedValue matches an option and its value in a list of words, which may be on the next line. The
	// fourth group is the value, the last one what follows the scheme of a URL.
	listedValue = regexp.MustCompile(`(?m)((?:["'\[,]|^\s{0,60}-)\s{0,60}["']?)(--?[A-Za-z][\w-]{0,60})` +
		`(\\?["']?(?:,\s{0,60}|[ \t\r]*\n\s{0,60}-\s)\\?["']?)([^\s"'{}\[\]<>$/:\\,-][^\s"'{}\[\]<>$/:\\]{5,})(://)?`)
	// headerValue matches the name of a header after an option, and its value.
	headerValue = regexp.MustCompile(`((?:^|[\s"'\x60])(?:-H|--header)\\?["'\x60]?(?:[,=]\s{0,60}| {1,3})?\\?["'\x60]?)` +
		`([A-Za-z][\w-]{0,60})(:\s{0,3}(?:[A-Za-z]{1,12} )?)([^\s"'\x60<>{}\\]{4,})`)
	// configuredURL matches addresses in configurations and commands of clients, ofEndpoint those of
	// endpoints of MCP.
	configuredURL = regexp.MustCompile(`(?i)(\b(?:url|serverUrl|httpUrl|uri)["']?\s*[:=]\s*["']?|` +
		`\bmcp add [^\n]*?|\bmcp-remote(?:@[\w.]+)?["',\s]+)(https?://[^\s"'\x60<>]+)`)
	ofEndpoint    = regexp.MustCompile(`(?i)(?://|[/.])(?:mcp|sse)(?:[./?]|$)`)
	commandOption = regexp.MustCompile(`(\b(?:mysql\w*(?: [^\s&|;]+){0,8}? -p|sshpass -p ?|` +
		`(?:docker|podman) login(?: [^\s&|;]+){0,8}? -p ?|` +
		`redis-cli(?: [^\s&|;]+){0,8}? -a ?|(?i:identified by) ["'])["']?)([^\s"'\x60]{4,})`)

	authorization = regexp.MustCompile(`(?i)(\bauthorization["'\x60]?\s*[:=,]\s*["'\x60]?(?:bearer|basic)\s+|` +
		`\bauthorization["']\s*:\s*["'](?:token\s+)?)([^\s"'\x60<>(){}\[\]]{6,})`)
	// password matches its name and sign, the value, and what ends that.
	password = regexp.MustCompile(`(?i)(` + passwordName + marks + `\s{0,3})(is:?|[:=：—–→]|[-=]>)?(` + marks +
		`\s{0,3}` + marks + `)` + passwordWord +
		`(\s*(?:$|["'\x60*|<,;)])|\s(?:and|or|for|to|in|on|at|as|when|und|et|y)\s)`)
	// passwordSlot matches a password of any form alone on a line with its name.
	passwordSlot = regexp.MustCompile(`(?i)(^[\s*>+-]*(?:\w+ ){0,2}` + passwordName +
		`\*{0,2}\s{0,3}(?:is:?|[:=：])\*{0,2}\s{0,3})([^\s"'\x60*|<>,;(){}\[\]]{5,40})(\s*$)`)
	// shortPassword matches one with a digit after an abbreviation of its name.
	shortPassword = regexp.MustCompile(`((?:^|[,;/|&(])[\s*>+-]*(?:[Pp]ass|[Pp]wd?|PWD?)` + marks + `\s?[:=]\s?` +
		marks + `)` + passwordWord)
	// login matches a user and a password in one sentence, each after a sign or in quotes, or how to
	// log in with a password.
	login = regexp.MustCompile(`(?i)(\b(?:` + accountName +
		`["'\x60*]*\s{0,3}(?:[:=：]["'\x60*]*\s{0,3}|["'\x60])[^\s|]{1,60}` +
		`[\s"'\x60*,;/|&]{1,6}(?:and |with )?|(?:log|sign)[ -]?in\b[^.|]{0,60}\b)` +
		`(?:` + passwordName + `|pass|pwd)["'\x60*]*\s{0,3}` +
		`(?:[:=：]["'\x60*]*\s{0,3}["'\x60*]*|["'\x60]))([^\s"'\x60*|<>,;(){}\[\]]{5,40})(\s*(?:$|["'\x60*|<,;.)])|[ \t&])`)
	// accountPair matches an account with its password after a slash or colon.
	accountPair = regexp.MustCompile(`(?i)(\b(?:log ?in|sign ?in|credentials?|accounts?|users?)\b[^|]{0,30}["'\x60(\s])` +
		`(\w+)(["'\x60]?\s?[/:]\s?["'\x60]?)([^\s"'\x60|<>,;(){}\[\]/:]{5,40})`)
	accountCell  = regexp.MustCompile(`(?i)^(?:\w+ )?` + accountName + `(?: address)?$`)
	passwordCell = regexp.MustCompile(`(?i)^(?:\w+ )?(?:` + passwordName + `|pass|pwd)$`)
	tableTag     = regexp.MustCompile(`(?i)</?(?:table|tr)\b`)
	cellTag      = regexp.MustCompile(`(?i)<t[dh]\b`)
	anyTag       = regexp.MustCompile(`<[^<>]*>`)
	// variableSlot matches a text in quotes after a variable, or a word if they are alone on a line.
	variableSlot = regexp.MustCompile(`(\b(` + variableName + `)["'\x60]?\s{0,3}[:=]\s{0,3})` +
		`("[^"]{4,200}"|'[^']{4,200}')|` +
		`^([\s>#*$-]*(?:(?:(?:export|set) |\$env:)?(` + variableName + `)\s{0,3}[:=]\s{0,3}|` +
		`(?:setx|ENV) (` + variableName + `) {1,3}))([^\s"'\x60<>|,;&(){}\[\]]{4,60})(\s*)$`)
	// packedJSON matches a JSON object in Base64, as in install links, and escaped the rest of a
	// word from its first character in the encoding of URLs on.
	packedJSON = regexp.MustCompile(`(^|[^A-Za-z0-9+/_-])(e[wy](?:[A-Za-z0-9+/_-]|%2[BbFf]){20,}(?:=|%3[Dd]){0,2})`)
	escaped    = regexp.MustCompile(`[\w.+-]*%[0-9A-Fa-f]{2}[^\s"'<>()&]*`)
	longWord   = regexp.MustCompile(`[A-Za-z0-9_+/~.-]{16,}={0,2}`)
	// nameBefore matches the name, option or header, or the scheme, before a value.
	nameBefore = regexp.MustCompile(`(?:([A-Za-z]+) )?([A-Za-z][A-Za-z0-9_.-]*)(?:["'\x60\])]|\\")*\s{0,3}(?:[:=,]|=>)?\s{0,3}` +
		`(?:["'\x60(]|\\")*((?i:bearer|basic|token)\s+)?$`)
	mailAddress = regexp.MustCompile(`((?:^|[\s"'\x60(])[A-Za-z]+:|^|[^\w.+/:-]|mailto:|\w/)` +
		`([\w.+-]+)@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24})\b`)
	// homeFolder matches the folder of a user, with the name, which may have spaces before a slash.
	homeFolder = regexp.MustCompile(`(?i)(^|[^\w.:/~}-]|: |\w:///?|(?:^|[\s"'\x60])-[a-z]{1,5})` +
		`((?:/var|/export)?/home/|/Volumes/)` + userName + `|` +
		`(^|[^\w./~}-]|\w:///?|(?:^|[\s"'\x60])-[a-z]{1,5})` +
		`(/Users/|(?:/mnt)?/[a-z]/Users/|\\{2,8}wsl(?:\$|\.localhost)\\{1,4}[\w.-]+\\{1,4}home\\{1,4}|` +
		`[a-z]:(?:/|\\{1,4})Users(?:/|\\{1,4}))` + userName)
	// home and share match a folder of a user, and the host of a folder in a network.
	home    = regexp.MustCompile(`(^|[\s"'\x60=(:])~([a-z_][a-z0-9_.-]*)/`)
	share   = regexp.MustCompile(`(^|[\s"'\x60=(])(\\{2}(?:\\{2})?)([A-Za-z0-9][\w-]+)(\\{1,2}[\w$])`)
	urlHost = regexp.MustCompile(`(://(?:[^/@\s"']*@)?)((?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*)`)
	// bareHost matches a host without a scheme: before a port, in a share, or after its name.
	bareHost = regexp.MustCompile(`(?i)(^|[\s"'\x60=(,@]|\w*(?:host(?:name)?|server)["'\x60]?\s*[:=]\s*["'\x60]?|\\\\)` +
		`((?:[a-z0-9-]+\.)+[a-z]{2,})(:[0-9/]|\\|$|[\s"'\x60,;)])`)
	nobodysHomes = vocabulary.Set(rules, "homes.txt")
	machineHosts = regexp.MustCompile(`(?i)(?:^|\.)(?:docker|containers|google)\.internal$|\.cluster\.local$`)
	certain      = regexp.MustCompile(`(?i)<[^<>]+>|\$\{?[a-z]|\{\{?[a-z]|\byour?\b|your?[-_A-Z]|\.\.\.|…|x{3,}|\*{3,}|` +
		`replace|change-?_?me|[-_]here\b|placeholder`)
)

const (
	passwordName = `(?:\bpass(?:word|wort|phrase|wd)|\bmot de passe|\bcontraseña|\bsenha|\bkennwort|` +
		`\bwachtwoord|\bhasło|şifre|\bparola|` +
		`пароль|密码|密碼|パスワード|비밀번호)`
	passwordWord = `([^\s"'\x60*|<>,;(){}\[\]&]{5,40})`
	// marks are quotes, emphasis and tags around a word.
	marks = `(?:["'\x60*]|</?[a-z]{1,6}>)*`

	accountName = `(?:user(?: ?name)?|login|account|e-?mail)`

	variableName = `[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+`

	userName = `(` + nameWord + `(?:(?-i: [A-Z])` + nameWord + `){1,2}[/\\]|` + nameWord + `)`
	nameWord = `[^/\\\s"'\x60<>:,;()$%{}\[\]]+`
)

// maxEncoded is how many times one within another the encodings of a URL and Base64 are decoded.
const maxEncoded = 8

// Public returns a text in which what only its writer may know is a placeholder: secrets, addresses
// of mail, the names of users in folders, and names of hosts in private networks, and what is
// encoded more than [maxEncoded] times. It is Public of itself. The time is linear in the length.
func Public(text string) string { return public(text, maxEncoded) }

// public is [Public] for a text with encodings of at most a number of levels.
func public(text string, levels int) string {
	if strings.Contains(text, "PRIVATE KEY") {
		text = privateKey.ReplaceAllLiteralString(text, "YOUR_PRIVATE_KEY")
	}
	text = replaced(userPassword, contains("://"), text, func(m []string) string {
		user, password := m[1], m[2]
		known := strings.ToLower(user)
		if user != "" && !anyones[known] && !nobodysHomes[known] && !certain.MatchString(user) {
			user = "YOUR_USER"
		}
		if !certain.MatchString(password) {
			password = "YOUR_PASSWORD"
		}
		return "://" + user + ":" + password + "@"
	})
	text = replaced(userToken, contains("://"), text, func(m []string) string {
		if !registry.IsRandom(m[1]) && !isMixed(m[1]) {
			return m[0]
		}
		return "://YOUR_TOKEN@"
	})
	text = publicPasswords(text)
	text = replaced(packedJSON, contains("ey", "ew"), text, func(m []string) string {
		return publicPacked(m, levels)
	})
	text = replaced(escaped, contains("%"), text, func(m []string) string {
		return publicEscaped(m[0], levels)
	})
	return publicPlaces(publicWords(WithoutMarked(text)))
}

// passwordForms are the forms of passwords and tokens by the words before them: each with a part of the
// lines that have one, the group of the value, and whether a match is one, nil for all.
var passwordForms = []struct {
	form  *regexp.Regexp
	in    []string
	value int
	is    func(m []string) bool
}{
	{loginOption, []string{"curl"}, 2, nil},
	{authorization, []string{"uthorization"}, 2, func(m []string) bool { return !isScheme[strings.ToLower(m[2])] }},
	{cookie, []string{"ookie"}, 2, nil},
	{commandOption, []string{"mysql", "sshpass", "login", "redis-cli", "IDENTIFIED", "dentified"}, 2, nil},
	{optionValue, []string{"--", " -"}, 2, isOfOption},
	{headerValue, []string{"-H", "--header"}, 4, func(m []string) bool {
		return registry.IsSecretName(m[2]) && !notAssigned.MatchString(m[4]) && !IsEnvName(m[4])
	}},
	{passwordSlot, passwordParts, 2, func(m []string) bool {
		return isPassword(m[2], !unlistedWords.MatchString(m[1]))
	}},
	{login, passwordParts, 2, func(m []string) bool {
		return isPassword(m[2], m[3] == "" || !strings.Contains(" \t&", m[3]))
	}},
	{password, passwordParts, 4, isOfPassword},
	{shortPassword, passwordParts, 2, func(m []string) bool { return isPassword(m[2], false) }},
	{accountPair, []string{"/", ":"}, 4, func(m []string) bool {
		return anyones[strings.ToLower(m[2])] && isPassword(m[4], false) && !strings.Contains(m[4], "_")
	}},
}

// isScheme has the schemes of the header Authorization, in lower case.
var isScheme = map[string]bool{"bearer": true, "basic": true, "token": true}

// isOfOption reports whether a match of optionValue is the secret of an option.
func isOfOption(m []string) bool {
	return isPassword(m[2], false) && !notAssigned.MatchString(m[2]) && !IsEnvName(m[2]) &&
		registry.IsSecretName(strings.Trim(m[1], "\t\n -,\"'`"))
}

// isOfPassword reports whether a match of password is one: a word only after a sign and in quotes.
func isOfPassword(m []string) bool {
	isSlot := m[2] != "" && strings.TrimLeft(m[3], " ") != "" && m[5] != "" && strings.Contains("\"'\x60*<", m[5][:1])
	return isPassword(m[4], isSlot) && (isSlot || len(m[4]) > 5)
}

// unlistedWords matches names of passwords in languages whose words for "required" are not known.
var unlistedWords = regexp.MustCompile(`(?i)mot de passe|contraseña|senha|kennwort|wachtwoord|` +
	`hasło|şifre|parola|пароль`)

var passwordParts = []string{"ass", "ASS", "wd", "WD", "pw", "PW", "señ", "senha", "enn", "acht", "asło", "ifre",
	"arola", "арол", "密", "パ", "비밀"}

// publicPasswords is [Public] for passwords and tokens by the words before them.
func publicPasswords(text string) string {
	for _, f := range passwordForms {
		text = replaced(f.form, contains(f.in...), text, func(m []string) string {
			if !isLiteral(m[f.value]) || f.is != nil && !f.is(m) {
				return m[0]
			}
			return strings.Join(m[1:f.value], "") + "YOUR_TOKEN" + strings.Join(m[f.value+1:], "")
		})
	}
	text = replaced(variableSlot, contains("_"), text, func(m []string) string {
		value, quote := m[3]+m[7], ""
		if m[3] != "" {
			quote, value = value[:1], value[1:len(value)-1]
		}
		if !isAssignable(m[2]+m[5]+m[6], value) {
			return m[0]
		}
		return m[1] + m[4] + quote + "YOUR_TOKEN" + quote + m[8]
	})
	text = replaced(configuredURL, contains("://"), text, func(m []string) string {
		if !ofEndpoint.MatchString(m[2]) {
			return m[0]
		}
		return m[1] + OpenParts(m[2])
	})
	text = listedValue.ReplaceAllStringFunc(text, func(match string) string {
		m := listedValue.FindStringSubmatch(match)
		isGenerated := publicGenerated(m[4]) != m[4]
		isOfSecret := registry.IsSecretName(m[2]) && isLiteral(m[4]) && !IsEnvName(m[4])
		if m[5] != "" || !isGenerated && !isOfSecret {
			return match
		}
		return m[1] + m[2] + m[3] + "YOUR_TOKEN"
	})
	return publicTables(text)
}

// isPassword reports whether a value may be a password. Where a text has nothing else than one, it may
// be a word.
func isPassword(value string, isSlot bool) bool {
	hasLetter, hasDigit := letters.MatchString(value), digits.MatchString(value)
	return isLiteral(value) && (hasLetter && hasDigit ||
		isSlot && (hasLetter || hasDigit) && !IsEnvName(value) && !notAssigned.MatchString(value))
}

// publicTables is [Public] for the cells of tables.
func publicTables(text string) string {
	if strings.Contains(text, "<t") {
		var head []string
		parts := strings.Split(tableTag.ReplaceAllString(text, "\x00$0"), "\x00")
		for i, part := range parts {
			cells := strings.Split(cellTag.ReplaceAllString(part, "\x00$0"), "\x00")
			if !strings.HasPrefix(strings.ToLower(part), "</tr") {
				head = publicRow(head, cells) // nil for the beginning of a table
			}
			parts[i] = strings.Join(cells, "")
		}
		text = strings.Join(parts, "")
	}
	if !strings.Contains(text, "|") {
		return text
	}
	var b strings.Builder
	var head []string
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		head = publicRow(head, cells)
		b.WriteString(strings.Join(cells, "|"))
	}
	return b.String()
}

// publicRow replaces what is private in the cells of a row by the names in its first cell and in the head
// of its table, nil for the head, and returns the head; nil for a line of no table.
func publicRow(head, cells []string) []string {
	if len(cells) == 1 {
		return nil
	}
	values := make([]string, len(cells))
	for i, cell := range cells {
		values[i] = strings.Trim(anyTag.ReplaceAllString(cell, ""), " *_\x60\t\r\n")
	}
	if head == nil {
		head = values
	}
	head = append(head, make([]string, max(0, len(cells)-len(head)))...)
	name, ofAccounts := cmp.Or(values[0], values[1]), slices.ContainsFunc(head, accountCell.MatchString)
	for i, v := range values {
		above, isBeside := head[i], i > 0 && i < 3 && values[i-1] == name && passwordCell.MatchString(name)
		isBelow := ofAccounts && v != above && passwordCell.MatchString(above)
		switch {
		case (isBelow || isBeside) && isInCell(v, isBelow):
			cells[i] = strings.Replace(cells[i], v, "YOUR_TOKEN", 1)
		case registry.IsSecretName(name) || registry.IsSecretName(above):
			cells[i] = longWord.ReplaceAllStringFunc(cells[i], publicGenerated)
		}
	}
	return head
}

// isInCell reports whether the text of a cell may be a password, a word only if isSlot is set.
func isInCell(text string, isSlot bool) bool {
	return len(text) >= 5 && len(text) <= 40 && !strings.ContainsAny(text, " \n") && !anyones[strings.ToLower(text)] &&
		isPassword(text, isSlot)
}

// publicGenerated returns a placeholder for a generated word, other words unchanged.
func publicGenerated(w string) string {
	if anyHash.MatchString(w) || !registry.IsRandom(w) && !isMixed(w) {
		return w
	}
	return "YOUR_TOKEN"
}

// publicPacked is [Public] for a match of packedJSON.
func publicPacked(m []string, levels int) string {
	packed, err := url.PathUnescape(m[2])
	if err != nil {
		return m[0]
	}
	json := string(DecodeBase64(packed))
	if shown := decoded(json, levels); shown != json {
		return m[1] + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(shown)))
	}
	return m[0]
}

// publicEscaped is [Public] for a match of escaped.
func publicEscaped(match string, levels int) string {
	text, err := url.PathUnescape(match)
	if err != nil {
		return match
	}
	if shown := decoded(text, levels); shown != text {
		return strings.ReplaceAll(url.QueryEscape(shown), "+", "%20")
	}
	return match
}

// decoded is [Public] for a text that was decoded with levels left.
func decoded(text string, levels int) string {
	if levels == 0 {
		return "YOUR_VALUE"
	}
	return public(text, levels-1)
}

// WithoutMarked is [Public] for secrets in the form of a service.
func WithoutMarked(text string) string {
	var pairs []string
	seen := map[string]bool{}
	for _, s := range registry.MarkedSecrets(text) {
		isKey := accessKey.MatchString(s) && !strings.HasSuffix(s, "EXAMPLE")
		if !seen[s] && (isKey || len(s) >= 14 && len(digits.FindAllString(s, 2)) > 1 ||
			isMixed(s) && !certain.MatchString(s)) {
			pairs = append(pairs, s, "YOUR_TOKEN")
		}
		seen[s] = true
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// DecodeBase64 decodes any form of Base64, up to the first invalid character. A "+" may have
// become a space in a query.
func DecodeBase64(s string) []byte {
	s = strings.NewReplacer(" ", "+", "-", "+", "_", "/", "\n", "").Replace(strings.TrimRight(s, "="))
	b, _ := base64.RawStdEncoding.DecodeString(s)
	return b
}

// publicWords is [Public] for generated words beside the name of a secret.
func publicWords(text string) string {
	text = publicShort(text)
	var b strings.Builder
	end := 0
	for at := range matches(longWord, contains(""), text) {
		if word := text[at[0]:at[1]]; !registry.IsRandom(word) && !isMixed(word) {
			continue
		}
		if at[0] > 0 && text[at[0]-1] == '\\' { // an escape of JSON, such as \n
			at[0]++
		}
		word := strings.TrimRight(text[at[0]:at[1]], ".")
		if isNamed(text, at[0], word) {
			b.WriteString(text[end:at[0]] + "YOUR_TOKEN")
			end = at[0] + len(word)
		}
	}
	return b.String() + text[end:]
}

// publicShort is [Public] for values after the name of a secret and a sign: those that look like
// passwords, and in assignments all but placeholders.
func publicShort(text string) string {
	var b strings.Builder
	end := 0
	for i := range len(text) {
		if i < end || !strings.ContainsRune(":=>", rune(text[i])) {
			continue
		}
		name, isPaired := nameOfSecret(text, i)
		if name == "" {
			continue
		}
		m := shortValue.FindStringSubmatchIndex(text[i+1 : min(len(text), i+300)])
		if m == nil {
			continue
		}
		from, to := i+1+m[2], i+1+m[3]
		value := text[from:to]
		mayBe := len(value) >= 8 && len(value) < 16 && !certain.MatchString(value) && maySecret(value)
		if mayBe || isAssigned(name, text[i:], m, isPaired) {
			b.WriteString(text[end:from] + "YOUR_TOKEN")
			end = to
		}
	}
	return b.String() + text[end:]
}

// nameOfSecret returns the name of the secret after the sign at a position of a text: the one before
// it, which is that of an element for ">", or the one of a pair; "" for none.
func nameOfSecret(text string, at int) (name string, isPaired bool) {
	name = lastName.FindString(text[max(0, at-60):at])
	isElement, plain := text[at] == '>', strings.Trim(name, "\"'\x60 ")
	if isElement && !(strings.HasSuffix(text[:at-len(name)], "<") && closes.MatchString(text[at:])) {
		return "", false
	}
	if plain == "value" || plain == "default" || isElement && plain == "string" {
		if m := pairedName.FindStringSubmatch(text[max(0, at-160) : at-len(name)]); m != nil {
			name, isPaired = m[1], true
		}
	}
	if !registry.IsSecretName(name) {
		return "", false
	}
	return name, isPaired
}

// isAssigned reports whether a value after a sign is assigned to the name of a secret: in quotes,
// without a space, or in a pair. A value may be the name of a variable.
func isAssigned(name, text string, m []int, isPaired bool) bool {
	before, value, after := text[1:1+m[2]], text[1+m[2]:1+m[3]], text[1+m[3]:]
	quote := strings.Trim(before, " \\\t\r\n")
	isQuoted := quote != "" && strings.HasPrefix(strings.TrimLeft(after, `\`), quote)
	isJoined := text[0] != ':' && before == "" &&
		(after == "" || strings.ContainsAny(after[:1], " \t\r\n\"'`&;,)|<"))
	return (isQuoted || isJoined || isPaired) && isAssignable(strings.Trim(name, "\\\"'\x60 "), value)
}

// isAssignable reports whether a value may be that of a secret with a name.
func isAssignable(name, value string) bool {
	isKey := strings.HasSuffix(name, "_KEY") && registry.IsSecretName(name) && isPassword(value, false) &&
		!strings.ContainsAny(value, "/~.")
	return (isKey || assignedName.MatchString(name)) && isLiteral(value) && !IsEnvName(value) &&
		!notAssigned.MatchString(value)
}

// isNamed reports whether a generated word of a text is that of a secret by the words beside it.
func isNamed(text string, at int, word string) bool {
	const near = 120 // bytes
	before := text[max(0, at-near):at]
	m := nameBefore.FindStringSubmatch(before)
	if m != nil && (m[3] != "" || registry.IsSecretName(m[2]) && isSecretOf(m[1], m[2])) {
		return true
	}
	return !anyHash.MatchString(word) && isCalledSecret(before)
}

var (
	accessKey  = regexp.MustCompile(`^A[KS]IA[A-Z0-9]{16}$`)
	lastName   = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.-]*\\?["'\x60]?\s?$`)
	shortValue = regexp.MustCompile(`^(?:\s?\\?["'\x60]?|\s{1,12}\\?["'\x60])([^\s"'\x60\\<>|,;&(){}\[\]]{6,})`)
	// closes matches the rest of an element from the end of its first tag on.
	closes = regexp.MustCompile(`^>[^<>]{1,300}</`)
	// assignedName matches names that are of secrets only.
	assignedName = regexp.MustCompile(`(?i:(?:^|[_.-])(?:token|secret|pass)|[_.-]pwd|password|passwd|passphrase|` +
		`(?:api|access|secret|private|auth|admin|master|license|encryption|signing)[_.-]?key)$|[a-z](?:Token|Secret)$`)
	// notAssigned matches options, references, URLs, short numbers and words of schemas.
	notAssigned = regexp.MustCompile(`^-|[$%]|://|^[0-9._]{1,9}$|^(?i:string|boolean|number|integer|required|optional)$`)
	// pairedName matches the name in a pair before its value.
	pairedName = regexp.MustCompile(`\b(?:name|key|id)(?:["']?\s*[:=]\s*["']?|>)([A-Za-z][\w.-]*)` +
		`(?:["']?,?[\s"'-]*|</key>\s*<)$`)
	// anyHash matches words that are rarely secrets: digests, the IDs of commits, UUIDs and paths.
	anyHash = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64}|0x[0-9A-Fa-f]+|.*/.*|` +
		`(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	clause = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_-]*|[^A-Za-z \t"'\x60*_:=|>()-]`)
)

// isSecretOf reports whether a name is of a secret, with the word before it: a public key is none.
func isSecretOf(before, name string) bool { return registry.IsSecretName("a " + before + " " + name) }

// isCalledSecret reports whether a text ends with the name of a secret, of up to two words, and at
// most two words of up to three letters: "the API key is ".
func isCalledSecret(before string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	words := clause.FindAllString(strings.ReplaceAll(line, "e.g.", "eg"), -1)
	for range 3 {
		last := len(words) - 1
		if last < 0 || !letters.MatchString(words[last]) {
			return false
		}
		name := words[last]
		if last > 0 && letters.MatchString(words[last-1]) {
			if isSecretOf(words[last-1], name) {
				return true
			}
		} else if registry.IsSecretName(name) {
			return true
		}
		if len(words[last]) > 3 {
			return false
		}
		words = words[:last]
	}
	return false
}

// isMixed reports whether a word has a part of at least 16 letters and digits that are in both cases
// and change between these and digits as often as in generated words.
func isMixed(word string) bool {
	return slices.ContainsFunc(alphanumeric.FindAllString(word, -1), func(part string) bool {
		changes, least := len(oneKind.FindAllString(part, -1))-1, len(part)/3
		if !digits.MatchString(part) { // a name of several words
			least = max(len(part)/2, 10)
		}
		return strings.ToLower(part) != part && strings.ToUpper(part) != part && changes >= least
	})
}

var (
	alphanumeric = regexp.MustCompile(`[A-Za-z0-9]{16,}`)
	oneKind      = regexp.MustCompile(`[a-z]+|[A-Z]+|[0-9]+`)
)

var digits = regexp.MustCompile(`[0-9]`)

// publicPlaces is [Public] for addresses and folders.
func publicPlaces(text string) string {
	text = replaced(mailAddress, contains("@"), text, func(m []string) string {
		isVersion := strings.HasSuffix(m[1], "/") && digits.MatchString(m[3][:1])
		if m[2] == "git" || hosts.IsExample(m[3]) || isVersion {
			return m[0]
		}
		return m[1] + "YOUR_EMAIL"
	})
	text = replaced(homeFolder, mayHaveHome, text, func(m []string) string {
		before, folder, name := m[1]+m[4], m[2]+m[5], strings.TrimRight(m[3]+m[6], `/\`)
		if nobodysHomes[strings.ToLower(name)] || certain.MatchString(name) {
			return m[0]
		}
		return before + folder + "YOUR_NAME" + (m[3] + m[6])[len(name):]
	})
	text = replaced(home, contains("~"), text, func(m []string) string {
		if nobodysHomes[m[2]] || certain.MatchString(m[2]) {
			return m[0]
		}
		return m[1] + "~YOUR_NAME/"
	})
	return publicHosts(text)
}

// publicHosts is [Public] for the hosts of URLs.
func publicHosts(text string) string {
	text = replaced(urlHost, contains("://"), text, func(m []string) string {
		if !isInternal(m[2]) {
			return m[0]
		}
		return m[1] + "YOUR_HOST"
	})
	text = replaced(share, contains(`\\`), text, func(m []string) string {
		if len(m[2]) != 2*(len(m[4])-1) {
			return m[0]
		}
		return m[1] + m[2] + "YOUR_HOST" + m[4]
	})
	return replaced(bareHost, contains(":", "=", `\`), text, func(m []string) string {
		isHost := len(m[1]) > 2 || m[1] == `\\` || strings.HasPrefix(m[3], ":")
		if !isHost || !isInternal(m[2]) {
			return m[0]
		}
		return m[1] + "YOUR_HOST" + m[3]
	})
}

// isInternal reports whether a host is a name that only a private network knows.
func isInternal(host string) bool {
	return hosts.KindOf(host) == hosts.Private && !hosts.IsExample(host) && !machineHosts.MatchString(host) ||
		tunnelHost.MatchString(host)
}

// mayHaveHome reports whether a line can have a match of homeFolder.
func mayHaveHome(line string) bool {
	if !strings.ContainsAny(line, `/\`) {
		return false
	}
	lower := strings.ToLower(line)
	return strings.Contains(lower, "/home/") || strings.Contains(lower, `\wsl`) || strings.Contains(lower, "users") ||
		strings.Contains(lower, "/volumes/")
}

// contains returns whether a line contains one of some texts.
func contains(any ...string) func(line string) bool {
	return func(line string) bool {
		return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(line, s) })
	}
}

// matches returns the indexes of the matches of an expression, which are within lines, and of its
// groups. It is only searched for in lines that can have one: expressions are slow.
func matches(re *regexp.Regexp, can func(line string) bool, text string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		start := 0
		for line := range strings.Lines(text) {
			if !can(line) {
				start += len(line)
				continue
			}
			for _, at := range re.FindAllStringSubmatchIndex(line, -1) {
				for i := range at {
					if at[i] >= 0 {
						at[i] += start
					}
				}
				if !yield(at) {
					return
				}
			}
			start += len(line)
		}
	}
}

// replaced returns a text with its [matches] as by returns them.
func replaced(
	re *regexp.Regexp, can func(line string) bool, text string, by func(match []string) string,
) string {
	var b strings.Builder
	end := 0
	for at := range matches(re, can, text) {
		m := make([]string, len(at)/2)
		for i := range m {
			if at[2*i] >= 0 {
				m[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		b.WriteString(text[end:at[0]])
		b.WriteString(by(m))
		end = at[1]
	}
	if end == 0 {
		return text
	}
	return b.String() + text[end:]
}

// IsPrivate reports whether a value is one that must not be passed on as a value: it is not
// [Public], has no form that values for everybody have, or only its writer can use it.
func IsPrivate(value string) bool {
	return Public(value) != value || isUnknown(value) || isWriters(value)
}

// Clean makes all texts in the value that v points to [Public]. Values and defaults of variables
// and arguments that are private become values to fill in.
func Clean(v any) { clean(reflect.ValueOf(v).Elem()) }

func clean(v reflect.Value) {
	cleanValues(v.Addr().Interface())
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			clean(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				clean(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(publicJSON(v.Bytes()))
			return
		}
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.String:
		v.SetString(Public(v.String()))
	}
}

// cleanVariable removes private values of a variable with a name.
func cleanVariable(v *registry.Variable, name string) {
	named := registry.IsSecretName(name)
	secret := v.IsSecret || named && len(v.Choices) == 0
	const removed = "YOUR_TOKEN" // by Public, or by the author
	v.IsSecret = v.IsSecret || named && HoldsSecret(v.Value) || maySecret(v.Value) ||
		v.Value == removed || v.Placeholder == removed
	example := v.Placeholder
	if !mayPass(v.Value, v.Variables, secret) || v.Variables == nil && IsOwn(name, v.Value) {
		example, v.Value, v.Variables = cmp.Or(example, v.Value), "", nil
	}
	v.Description = cleanDescription(v.Description, v.IsSecret || secret)
	if IsOwn(name, v.Default) {
		v.Description = withoutWord(v.Description, v.Default)
		example, v.Default = cmp.Or(example, v.Default), ""
	} else if !mayPass(v.Default, nil, secret) {
		example, v.Default = cmp.Or(example, v.Default), ""
	}
	v.Placeholder = exampleOf(example, secret || isPersonal(name, example))
	v.Choices = slices.DeleteFunc(slices.Clone(v.Choices), IsPrivate)
}

// withoutWord returns a text with a placeholder for a word.
func withoutWord(text, word string) string {
	form := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`)
	return form.ReplaceAllLiteralString(text, "YOUR_VALUE")
}

// describedValue matches a word of a description, with quotes and what calls it the default, or an
// example or a kind of default, and a space after it.
var describedValue = regexp.MustCompile(`(?i)(,\s*default\s|\bdefaults? to\s|\bdefault\s?[:=]\s*)?` +
	`(\be\.g\.,?\s*|\b(?:for (?:example|instance)|such as)[,:]?\s*|\bdefault(?: is)?\s)?` +
	`(["'\x60]?)([^\s"'\x60<>(){}\[\],;]{3,}[^\s"'\x60<>(){}\[\],;.])(["'\x60]?)(\s?)`)

// cleanDescription returns the description of a secret with placeholders for values: words that look
// generated, words in quotes that may be passwords, and what it calls an example or the default.
func cleanDescription(description string, secret bool) string {
	if !secret {
		return description
	}
	return describedValue.ReplaceAllStringFunc(description, func(match string) string {
		m := describedValue.FindStringSubmatch(match)
		if !isDescribed(m) {
			return match
		}
		return m[1] + m[2] + m[3] + "YOUR_TOKEN" + m[5] + m[6]
	})
}

// isDescribed reports whether a match of describedValue has a value of a secret.
func isDescribed(m []string) bool {
	value, isQuoted := m[4], m[3] != "" && m[3] == m[5]
	switch {
	case !isLiteral(value) || IsEnvName(value):
		return false
	case isCalledValue(m, isQuoted):
		return number.MatchString(value) || !notAssigned.MatchString(value)
	}
	return !notAssigned.MatchString(value) && (maySecret(value) || isQuoted && isPassword(value, false))
}

// isCalledValue reports whether the words before a match of describedValue call it a value: in quotes,
// with a digit, or a default at the end of a clause.
func isCalledValue(m []string, isQuoted bool) bool {
	calls, ends := m[1]+m[2] != "", m[1] != "" && m[6] == ""
	return calls && isQuoted || m[3] == "" && (ends || calls && digits.MatchString(m[4]))
}

// mayPass reports whether a value with {names} of variables may be passed on.
func mayPass(value string, variables map[string]registry.Variable, secret bool) bool {
	literal := value
	for name := range variables {
		literal = strings.ReplaceAll(literal, "{"+name+"}", "")
	}
	return !IsPrivate(literal) && (!secret || literal != value || !isLiteral(value))
}

// cleanValues removes private values of variables, arguments and endpoints.
func cleanValues(v any) {
	switch x := v.(type) {
	case *registry.Variable:
		cleanVariable(x, x.Name)
	case *map[string]registry.Variable:
		*x = maps.Clone(*x)
		for name, in := range *x {
			cleanVariable(&in, cmp.Or(in.Name, name))
			clean(reflect.ValueOf(&in).Elem())
			(*x)[name] = in
		}
	case *[]registry.Argument:
		*x = slices.Clone(*x)
		for i := range *x {
			cleanArgument(*x, i)
		}
	case *registry.Remote:
		cleanURL(x)
	}
}

var jsonText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// publicJSON is [Public] for a JSON document, also for the values of secrets in a server.json.
func publicJSON(document []byte) []byte {
	if len(document) == 0 {
		return document
	}
	var whole any
	secrets := map[string]bool{}
	if json.Unmarshal(document, &whole) == nil {
		addSecrets(secrets, whole)
	}
	return []byte(publicWords(jsonText.ReplaceAllStringFunc(string(document), func(quoted string) string {
		var text string
		if json.Unmarshal([]byte(quoted), &text) != nil {
			return quoted
		}
		shown := Public(text)
		if secrets[text] {
			shown = "YOUR_TOKEN"
		}
		if shown == text {
			return quoted
		}
		quotedAgain, _ := json.Marshal(shown) // strings have no errors
		return string(quotedAgain)
	})))
}

// addSecrets adds the values of secret variables, headers and properties of schemas in a document.
func addSecrets(secrets map[string]bool, document any) {
	switch x := document.(type) {
	case []any:
		for _, in := range x {
			addSecrets(secrets, in)
		}
	case map[string]any:
		addDefaults(secrets, x)
		name, _ := x["name"].(string)
		for key, in := range x {
			value, _ := in.(string)
			isValue := key == "value" || key == "default"
			if isValue && (x["isSecret"] == true || registry.IsSecretName(name)) && isLiteral(value) {
				secrets[value] = true
			}
			addSecrets(secrets, in)
		}
	}
}

// addDefaults adds the defaults of secrets among the properties of a schema, but for those with choices.
func addDefaults(secrets map[string]bool, schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, in := range properties {
		p, _ := in.(map[string]any)
		value, _ := p["default"].(string)
		if p["enum"] == nil && value != name && isAssignable(name, value) {
			secrets[value] = true
		}
	}
}

// isLiteral reports whether a value of a secret may be one, rather than a placeholder.
func isLiteral(value string) bool {
	return value != "" && !certain.MatchString(value) && !switches.MatchString(value)
}

// exampleOf returns what an example may show, "" for a secret unless it is certainly a
// placeholder.
func exampleOf(example string, secret bool) string {
	public := Public(example)
	if secret && isLiteral(public) || maySecret(public) || namesPrivateHost(public) {
		return ""
	}
	return public
}

// cleanArgument makes the i-th argument of a command a value to fill in if it is private.
func cleanArgument(all []registry.Argument, i int) {
	a := &all[i]
	name, value := named(all, i)
	secret := a.IsSecret || registry.IsSecretName(name)
	a.Placeholder = exampleOf(a.Placeholder, secret)
	a.Choices = slices.DeleteFunc(slices.Clone(a.Choices), IsPrivate)
	if !mayPass(a.Default, nil, secret) {
		a.Default, a.IsSecret = "", secret
	}
	a.Description = cleanDescription(a.Description, secret)
	own := a.Variables == nil && isPersonal(cmp.Or(OptionName(name), name), value)
	if strings.HasPrefix(value, "-") || mayPass(value, a.Variables, secret) && !own {
		return
	}
	openArgument(all, i, secret, own)
}

// openArgument makes the i-th argument of a command a value to fill in. A secret value has no example,
// and one that is the writer's own only one that asks for a value.
func openArgument(all []registry.Argument, i int, secret, own bool) {
	a := &all[i]
	name, value := named(all, i)
	blank, open, after := cmp.Or(OptionName(name), "VALUE"), value, ""
	isTaken := func(a registry.Argument) bool { return a.Variables[blank].IsRequired }
	if slices.ContainsFunc(all, isTaken) {
		blank += "_" + strconv.Itoa(i+1)
	}
	for _, o := range dockerrun.Parse([]string{name, value}).Options { // where a mount leads stays
		if m, ok := o.Mount(); ok && m.At >= 0 && !IsPrivate(value[:m.At]+value[m.At+len(m.Source):]) {
			open, after = m.Source, value[m.At+len(m.Source):]
		}
	}
	a.Variables = map[string]registry.Variable{blank: {
		IsRequired: true, IsSecret: secret || HoldsSecret(open) || maySecret(open),
		Placeholder: exampleOf(open, secret || own),
	}}
	a.Value, a.IsRequired = strings.TrimSuffix(a.Value, open+after)+"{"+blank+"}"+after, true
}

// WithoutOwn returns a configuration whose values are to be filled in, unless they have a form that is
// nobody's own or known reports that the program knows them. Options and variables that the program does
// not name, by reads, keep theirs: they are of what it runs on, or of code that was not found.
func WithoutOwn(
	conf registry.Configuration, known, reads func(text string) bool,
) registry.Configuration {
	conf.Args, conf.Env = slices.Clone(conf.Args), slices.Clone(conf.Env)
	inContainer := conf.Command == registry.Programs["oci"]
	isOwn := func(name, value string) bool {
		return name != "" && reads(name) && !isAnyones(value, known) && !(inContainer && aPath.MatchString(value))
	}
	for i := range conf.Args {
		name, value := named(conf.Args, i)
		if conf.Args[i].Variables == nil && isOwn(cmp.Or(OptionName(name), name), value) {
			openArgument(conf.Args, i, false, true)
		}
	}
	for i := range conf.Env {
		if v := &conf.Env[i]; v.Variables == nil && isOwn(v.Name, v.Value) {
			v.Value, v.Placeholder = "", exampleOf(v.Value, true)
		}
	}
	return conf
}

// isAnyones reports whether a value is a short number, perhaps with a unit, a date, a locale, a switch, a
// path below the working folder or of a folder of the root, or consists of texts that known reports. Of
// an address, the host is on the user's machine or known, and so are the parts of the path.
func isAnyones(value string, known func(text string) bool) bool {
	isOption := strings.HasPrefix(value, "-") && !number.MatchString(value)
	if value == "" || isOption || switches.MatchString(value) || measure.MatchString(value) ||
		nearPath.MatchString(value) || known(value) {
		return true
	}
	separator, rest := ",", value
	if host := hostOf(value); host != "" {
		if hosts.KindOf(host) != hosts.Loopback && !anyHost.MatchString(host) && !known(host) {
			return false
		}
		_, rest, _ = strings.Cut(value, host)
		port, path, _ := strings.Cut(rest, "/")
		separator, rest = "/", strings.TrimPrefix(port, ":")+"/"+path
	}
	parts := strings.Split(rest, separator)
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool {
		return !isAnyones(strings.TrimSpace(part), known)
	})
}

// measure matches numbers that are no identifiers, with units, dates, and locales.
var measure = regexp.MustCompile(`^(?:[+-]?[0-9]{1,5}(?:\.[0-9]+)*(?: ?[A-Za-z%]{1,3})?|v[0-9]+(?:\.[0-9]+)*|` +
	`[0-9]{4}-[0-9]{2}-[0-9]{2}|[a-z]{2}[-_][A-Z]{2})$`)

// named returns the value of the i-th argument, and the option or variable that it is of, "" if
// none is known.
func named(all []registry.Argument, i int) (name, value string) {
	a := all[i]
	option, value, joined := strings.Cut(a.Value, "=")
	if joined && (strings.HasPrefix(option, "-") || registry.IsVariableName(option)) {
		return cmp.Or(a.Name, option), value
	}
	if i > 0 && strings.HasPrefix(all[i-1].Value, "-") && !strings.Contains(all[i-1].Value, "=") {
		name = all[i-1].Value
	}
	return cmp.Or(a.Name, name), a.Value
}

// cleanURL makes the values in the query of an endpoint's URL that users fill in variables.
func cleanURL(r *registry.Remote) {
	var names []string
	r.URL, names = OpenQuery(r.URL)
	for _, name := range names {
		if r.Variables == nil {
			r.Variables = map[string]registry.Variable{}
		}
		r.Variables[name] = registry.Variable{
			IsRequired: true, IsSecret: registry.IsSecretName(name), Description: "value of " + name,
		}
	}
}

// OpenParts returns a URL with {name} for the parts of its path, and of the name of its host below the
// domain, that look generated or private: they are the address of one user.
func OpenParts(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	path, query, hasQuery := strings.Cut(rest, "?")
	parts := strings.Split(path, "/")
	names := map[string]bool{}
	open := func(before string) string {
		name := before + "_token"
		for n := 2; names[name]; n++ {
			name = before + strconv.Itoa(n) + "_token"
		}
		names[name] = true
		return "{" + name + "}"
	}
	parts[0] = openHost(parts[0], open)
	for i, part := range parts[1:] {
		isOfSecret := isAfterSecret(parts[i], part)
		isGenerated := IsPrivate(part) || isMixed(part) || longNumber.MatchString(part)
		if strings.ContainsAny(part, "{}") || !isGenerated && !isOfSecret {
			continue
		}
		before := strings.Trim(notName.ReplaceAllString(parts[i], "_"), "_")
		if i == 0 || before == "" {
			before = "path"
		}
		parts[i+1] = open(before)
	}
	if !ok || len(names) == 0 {
		return address
	}
	address = scheme + "://" + strings.Join(parts, "/")
	if hasQuery {
		address += "?" + query
	}
	return address
}

// isAfterSecret reports whether a part of a path is the value of a secret that the part before names, and
// no version of it.
func isAfterSecret(before, part string) bool {
	return !strings.Contains(before, "{") && registry.IsSecretName(before) && len(part) > 5 && digits.MatchString(part)
}

// openHost is [OpenParts] for a host; open returns the parts.
func openHost(host string, open func(name string) string) string {
	labels := strings.Split(host, ".")
	domain, _ := publicsuffix.EffectiveTLDPlusOne(host) // "" for none
	for i, label := range labels[:max(0, len(labels)-strings.Count(domain, ".")-1)] {
		if registry.IsRandom(label) || isMixed(label) {
			labels[i] = open("host")
		}
	}
	return strings.Join(labels, ".")
}

var longNumber = regexp.MustCompile(`^[0-9]{16,}$`)

var notName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// OpenQuery returns a URL with {name} for the secrets, private values and placeholders in its
// query, and these names: those of the parameters, or ones that say that a value is secret.
func OpenQuery(address string) (opened string, names []string) {
	return openQuery(address, isPersonal)
}

// WithoutOwnQuery is [WithoutOwn] for the query of an endpoint's URL.
func WithoutOwnQuery(address string, known, reads func(text string) bool) string {
	address, _ = openQuery(address, func(name, value string) bool {
		return reads(name) && !isAnyones(value, known)
	})
	return address
}

// openQuery is [OpenQuery] for values that isOwn reports, too.
func openQuery(address string, isOwn func(name, value string) bool) (opened string, names []string) {
	before, query, ok := strings.Cut(address, "?")
	if !ok {
		return address, nil
	}
	query, fragment, _ := strings.Cut(query, "#")
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		named := registry.IsSecretName(name)
		isOpen := named || certain.MatchString(value) || IsPrivate(value) || isOwn(name, value)
		if value == "" || strings.HasPrefix(value, "{") || !isOpen {
			continue
		}
		blank := name
		if !named && (registry.IsSecretName(value) || HoldsSecret(value) || registry.IsRandom(value)) {
			blank += "_token"
		}
		pairs[i], names = name+"={"+blank+"}", append(names, blank)
	}
	if names == nil {
		return address, nil
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	return before + "?" + strings.Join(pairs, "&") + fragment, names
}
