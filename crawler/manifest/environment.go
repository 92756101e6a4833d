package manifest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

// envAccess matches code that reads an environment variable. One of its groups is the name.
var envAccess = vocabulary.Expressions(rules, "variables/access.txt")

// literal is the pattern of a constant and of what ends it.
const literal = `(?:"([^"\n]{0,200})"|'([^'\n]{0,200})'|` + "`([^`$\n]{0,200})`" +
	`|(-?[0-9][0-9_.]*)|\b((?i:true|false))\b)(?:\.to_string\(\)|\.into\(\)|\.to_owned\(\))?` +
	`\s*(?:[,;)}\]\n]|$)`

var (
	envArgument = regexp.MustCompile(`^["']?\s*,\s*(?:default\s*=\s*|\|\|\s*)?` + literal)
	envOr       = regexp.MustCompile(`^["']\)\s*,\s*` + literal) // of cmp.Or
	envFallback = regexp.MustCompile(`^["']?[)\]]*\s*(?:as string\s*)?` +
		`(?:\?\?|\|\||\bor\b|\?:)\s*` + literal)
	envOrElse = regexp.MustCompile(`^["']?\)\s*` +
		`\.(?:unwrap_or|unwrap_or_else|orElse|getOrElse|or)\(\s*(?:\|_?\w*\|\s*)?` +
		`(?:String::from\()?` + literal)
	// envConstant matches the rest of a read whose fallback is a constant by name.
	envConstant = regexp.MustCompile(`^["']?(?:[)\]]*\s*(?:as string\s*)?(?:\?\?|\|\||\bor\b|\?:)|` +
		`\s*,(?:\s*default\s*=)?)\s*([A-Z][A-Z0-9_]{2,60})\s*[,;)}\]\n]`)
	// envOther matches the rest of a read that falls back to another value, which is not known.
	envOther = regexp.MustCompile(`^["']?[)\]]*\s*(?:as string\s*)?(?:\?\?|\|\||\bor\b|\?:)` +
		`\s*([A-Za-z_$][\w.]*)`)
	envOptional = regexp.MustCompile(`^["']?\)\s*\.(?:ok\(\)|unwrap_or|is_ok|orElse|getOrElse)`)
	envDemanded = regexp.MustCompile(`^["']?[)\]]*(?:!\s*(?:[;,.)\s]|$)` +
		`|\s*(?:\?\?|\|\||\?:|\bor\b)\s*(?:\w+\.)?(?:throw|raise|error|fail|die|exit|abort|` +
		`fatalError|exitProcess)\b` +
		`|\s*\.(?:expect|unwrap|context|with_context|orElseThrow)\()`)
	// envElse matches the rest of a read with code for a missing value: "unwrap_or_else(|_|
	// panic!())", "else { fatalError() }".
	envElse = regexp.MustCompile(`^["']?[)\]]*(?:\s*\.unwrap_or_else\(\s*\|[^|\n]{0,40}\|\s*` +
		`(?:\{([^}]{0,300})|([^;{\n]{0,200}))|(?:,[^{}]{0,300})?\s*\belse\s*\{([^}]{0,500})|` +
		`\s*\{\s*(?:\|\w+\|)?([^}\n]{0,200}))`)
	// matched matches the code before a read whose result is matched, and missingArm the first of
	// the arms for a missing value.
	matched    = regexp.MustCompile(`\bmatch\s+(?:\w+::)*$`)
	missingArm = regexp.MustCompile(`(?:\bErr\([^()]*(?:\([^()]*\))?\)|\b_)\s*=>\s*` +
		`(?:\{([^}]{0,300})|([^{\n]{0,200}))`)
	// demanding matches the code before a read whose value must not be null.
	demanding = regexp.MustCompile(`\b(?:requireNonNull|requireNotNull|checkNotNull)\(\s*[\w.]*$`)
	// isSet matches what follows the name of a variable that is set, not read.
	isSet = regexp.MustCompile(`^["'\])]{0,3} ?= ?[^=>]`)
	// compared matches the rest of a condition that a variable is missing.
	compared = regexp.MustCompile(`^["']?[)\]]*\s*(?:===?|is)\s*` +
		`(?:""|''|None|nil|null|undefined|false)`)
	// envOnlyOn matches the rest of a read of a switch that only a value turns on.
	envOnlyOn = regexp.MustCompile(`^["']?(?:\s*,\s*["']{2})?[)\]]*(?:\?{0,1}\.(?:toLowerCase|lower|trim|strip)\(\))*` +
		`\s*(?:([!=])==?\s*|in\s*[(\[{]\s*)["'](?i:true|1|yes|on)["']`)
	// envTried matches the rest of a read in Rust whose error is returned. In other languages a
	// question mark allows a missing value.
	envTried = regexp.MustCompile(
		`^["']\)\s*(?:\.\w+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)*\?\s*[;,.)]`)
	// envIndexed matches the rest of a read that fails if the variable is missing. An assignment
	// and a condition on the same line are no such read.
	envIndexed = regexp.MustCompile(`^["'][)\]]\s*(?:[^\s=+|?{]|=[^\n]|\n|$|[|?]?$)`)
	envAssign  = regexp.MustCompile(`^["'][)\]]\s*(?:[+|]?=[^=]|\{|do\b|[^\n]*\b(?:if|in)\b)`)

	assigned = regexp.MustCompile(`(?:^|[\s(,;$@])([A-Za-z_]\w{0,60})\s*` +
		`(?::\s*[\w<>|\[\]. ]+)?(?:,\s*(\w+))?\s*:?=\s*[\w.(]*$`)
	// memberOf matches a member that is set to a read: "self.key =", "$env['KEY'] = filter(".
	memberOf = regexp.MustCompile(`(\$?\w+(?:\[["']\w+["']\]|\.\w+)+)` +
		`\s*(?::\s*[\w<>|\[\]. ]+)?=\s*[\w.(]*$`)
	negated = regexp.MustCompile(`\b(?:if|unless)\b\s*\(?\s*` +
		`(?:[^\n{}]{0,80}(?:&&|\|\||\band\b|\bor\b)\s*)?` +
		`(?:!|not\s|(?:string\.IsNullOr(?:Empty|WhiteSpace)|empty)\()\s*[\w.]*$`)
	conditional = regexp.MustCompile(`\bif\b\s*\(?\s*[\w.]*$`)
	unlessRead  = regexp.MustCompile(`\bunless\b\s*\(?\s*$`)
	failure     = regexp.MustCompile(`\b(?:throw|raise|process\.exit|sys\.exit|(?i:exit)\(|os\.Exit|` +
		`log\.Fatal\w*|panic|bail!|abort|errors\.New|fmt\.Errorf|Err\(|die\(|process::exit|` +
		`fatalError|exitProcess|preconditionFailure|` +
		`\w*[mM]issing\w*(?:\.(?:push|append|add)\(|\s*=\s*append\())`)
	// ofMode matches a message that a way to run the server needs something.
	ofMode = regexp.MustCompile(`(?i)["'` + "`" + `][^"'` + "`" + `\n]*\b(?:in|for) ` +
		`(?:production|(?:https?|sse|stdio|oauth|remote) (?:mode|transport))\b`)
	branch = regexp.MustCompile(`^(?:try:|(?:\}\s*)?` +
		`(?:if|else|elif|elsif|case|switch|when|match|unless|except|catch)\b)`)
	mainGuard  = regexp.MustCompile(`^if\s+__name__\s*==`)
	testModule = regexp.MustCompile(`(?m)^#\[cfg\(test\)\]\s*mod\s`)
	remark     = regexp.MustCompile(`^\s*(?://|/\*|#\s|\*\s|--\s)`)
	// inText matches the code before a read in a text with the values of expressions.
	inText = regexp.MustCompile("`[^`\n]*\\$\\{[^{}`\n]*$|" +
		`(?:\b[fF]|\$)(?:"[^"\n]*|'[^'\n]*)\{[^{}\n]*$`)
)

// SourceEnvironment returns what a source file says about the environment variables that it
// reads, a claim for each read: with a fallback, failing without a value, or neither. The position
// of a claim is the line of the read. It is weak if the value only becomes part of a text, or is set, or
// if code only goes through the names.
func SourceEnvironment(b []byte) (claims []settings.Claim) {
	text := string(b)
	if m := testModule.FindStringIndex(text); m != nil {
		text = text[:m[0]] // the tests of a file in Rust are at its end
	}
	claims = readsBy(text, envAccess)
	for _, m := range envAlias.FindAllStringSubmatch(text, 10) {
		claims = append(claims, readsBy(text, regexp.MustCompile(`\b`+m[1]+
			`(?:\[["']|\??\.(?:get\(\s*["'])?)([A-Z][A-Z0-9_]+)`))...)
	}
	claims = slices.Concat(claims, readsByConstant(text), readsOfLists(text), demandedFields(text))
	return slices.Concat(claims, helpers(text), settingsClasses(text), schemaMembers(text),
		structTags(text))
}

// envAlias matches another name of the environment, such as that of a parameter.
var envAlias = regexp.MustCompile(`\b([a-z]\w*)\s*(?::\s*NodeJS\.ProcessEnv\b|` +
	`=\s*(?:process\.env|os\.environ)\s*[;,)\n])`)

// readsBy returns the claims of the reads that an expression matches. One of its groups is the name.
func readsBy(text string, reads *regexp.Regexp) (claims []settings.Claim) {
	for _, m := range reads.FindAllStringSubmatchIndex(text, maxVariables) {
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 && settings.IsEnvName(text[m[i]:m[i+1]]) {
				claims = append(claims, readAt(text, text[m[i]:m[i+1]], m[0], m[i], m[i+1])...)
			}
		}
	}
	return claims
}

// readsByConstant returns the claims of reads of variables whose names are constants of the same file.
func readsByConstant(text string) (claims []settings.Claim) {
	for _, m := range anyRead.FindAllStringSubmatchIndex(text, maxVariables) {
		name := constantName(text[m[2]:m[3]], text)
		if strings.Contains(name, "_") && settings.IsEnvName(name) {
			claims = append(claims, readAt(text, name, m[0], m[2], m[3])...)
		}
	}
	return claims
}

var (
	// nameList matches a constant list of names in capitals, and the names.
	nameList = regexp.MustCompile(`\b(\w+)\s*(?::[^=\n]{1,40})?=\s*[\[({]((?:\s*["'][A-Z][A-Z0-9_]+["']\s*,?)+\s*)[\])}]`)
	inList   = regexp.MustCompile(`["']([A-Z][A-Z0-9_]+)["']`)
	goesOn   = regexp.MustCompile(`\bcontinue\b`)
	// readOfElement matches a read by the name in a variable, and whether it asks what is missing.
	readOfElement = regexp.MustCompile(`(!\s*|\bnot\s+)?(?:\b\w+\.)*` + anyRead.String())
)

// readsOfLists returns the claims of reads of all variables whose names a list of the same file has. They
// are required if one of these reads finds which are missing, and the code behind it fails.
func readsOfLists(text string) (claims []settings.Claim) {
	for _, m := range nameList.FindAllStringSubmatch(text, 20) {
		each := regexp.MustCompile(`\b` + m[1] + `\.(?:filter|forEach|every|some|find)\(\s*\(?\s*(\w+)|` +
			`\bfor\s*\(?\s*(?:const|let|var)?\s*(\w+)\s+(?:of|in)\s+` + m[1] + `\b`)
		for _, e := range each.FindAllStringSubmatchIndex(text, 10) {
			element := cmp.Or(each.FindStringSubmatch(text[e[0]:e[1]])[1:]...)
			around := text[max(0, e[0]-80):min(len(text), e[1]+400)]
			read := readOfElement.FindStringSubmatch(around)
			if read == nil || read[2] != element {
				continue
			}
			demands := read[1] != "" && failure.MatchString(around) && !goesOn.MatchString(around)
			for _, name := range inList.FindAllStringSubmatch(m[2], maxVariables) {
				c := readClaim(name[1], "", settings.Unstated)
				if c.Weak = !demands; demands {
					c = demandedAt(name[1], text[:e[0]])
				}
				if settings.IsEnvName(name[1]) {
					claims = append(claims, at(text, e[0], c))
				}
			}
		}
	}
	return claims
}

var (
	// fieldRead matches a field of a class that is set to a variable, and the variable.
	fieldRead = regexp.MustCompile(`(?m)^[ \t]+(\w+)\s*:[^=\n]+=\s*(?:field\(\s*default_factory\s*=\s*lambda\s*:\s*)?` +
		`os\.(?:getenv|environ\.get)\(\s*["']([A-Z][A-Z0-9_]+)["']`)
	// prefixed matches what fills a struct in Rust from variables with a prefix, and structField a field.
	prefixed    = regexp.MustCompile(`\bEnvironment::with_prefix\("([A-Z][A-Z0-9_]*)"\)`)
	structField = regexp.MustCompile(`(?m)^\s+pub (\w+)\s*:\s*Option<`)
)

// demandedFields returns the claims of code that fails without a value of a field of a class or a
// struct, which is that of a variable.
func demandedFields(text string) (claims []settings.Claim) {
	fields := fieldRead.FindAllStringSubmatch(text, maxVariables)
	if m := prefixed.FindStringSubmatch(text); m != nil {
		for _, f := range structField.FindAllStringSubmatch(text, maxVariables) {
			fields = append(fields, append(f, m[1]+"_"+strings.ToUpper(f[1])))
		}
	}
	for _, f := range fields {
		guard := regexp.MustCompile(`\bif\s+(?:not\s+(?:\w+\.)+` + f[1] + `\b|(?:\w+\.)+` + f[1] + `\.is_none\(\))[^\n]*`)
		m := guard.FindStringIndex(text)
		if m == nil || !settings.IsEnvName(f[2]) || either.MatchString(text[m[0]:m[1]]) ||
			!failure.MatchString(branchOf(text[m[0]:])) {
			continue
		}
		claims = append(claims, at(text, m[0], demandedAt(f[2], text[:m[0]])))
	}
	return claims
}

// constantName returns the text in capitals that a constant of a file has, "" for none.
func constantName(constant, text string) string {
	value := `\b` + constant + `\b[^=\n]{0,40}=\s*["']([A-Z][A-Z0-9_]+)["']`
	return firstGroup(regexp.MustCompile(value), text)
}

// readAt returns the claim of the read of a variable that begins at start, with what names it between
// from and to; none in a comment.
func readAt(text, name string, start, from, to int) []settings.Claim {
	before := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
	if remark.MatchString(before) {
		return nil
	}
	c := claimOf(text, name, start, from, to)
	isInText := inText.MatchString(text[max(0, start-200):start])
	isWritten := isSet.MatchString(text[to:]) || strings.HasSuffix(before, "delete ")
	c.Weak, c.IsSecret = isWritten || isInText, isInText && registry.IsSecretName(c.Name) // "Bearer ${…}"
	return []settings.Claim{at(text, start, c)}
}

// at returns a claim with the line of its read, which is at an offset of a text.
func at(text string, offset int, c settings.Claim) settings.Claim {
	c.At = 1 + strings.Count(text[:offset], "\n")
	return c
}

func readClaim(name, fallback string, need settings.Need) settings.Claim {
	if lower := strings.ToLower(fallback); lower == "true" || lower == "false" {
		fallback = lower
	}
	v := registry.Variable{Name: name, Default: fallback}
	return settings.Claim{Variable: v, Source: settings.Code, Need: need}
}

// claimOf returns the claim of a read that begins at start, with what names it between from and to.
func claimOf(text, name string, start, from, to int) settings.Claim {
	access := text[start:from]
	line := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
	after := text[to:min(len(text), to+maxScope)]
	if m := fallbackOf(access, line, after); m != nil {
		return fallbackClaim(name, m)
	}
	isCall := strings.Contains(access, "(")
	if m := envConstant.FindStringSubmatch(after); m != nil {
		return constantClaim(name, m[1], text)
	}
	if optionOf.MatchString(access) && (!isCall || strings.HasSuffix(line, ".")) {
		line, after = withAttribute(text, start, to, line, after)
		return optionClaim(name, line, after, text)
	}
	need := needOf(access, line, after)
	switch {
	case setsMissing(name, line, after):
		return readClaim(name, "", settings.Optional)
	case need == settings.Unstated && isOff(after):
		return readClaim(name, "false", settings.Optional)
	case need == settings.Required && ofMode.MatchString(bodyOf(line+after)):
		return readClaim(name, "", settings.Unstated)
	case need == settings.Required:
		return demandedAt(name, text[:start])
	}
	return readClaim(name, "", need)
}

// fallbackOf returns the groups of the constant that a read falls back to, nil for none.
func fallbackOf(access, line, after string) []string {
	for _, re := range []*regexp.Regexp{envFallback, envOrElse, envArgument, envOr} {
		m := re.FindStringSubmatch(after)
		switch {
		case m == nil:
		case re == envArgument && !strings.Contains(access, "("):
		case re == envOr && strings.HasSuffix(line, "cmp.Or(os."), cmp.Or(m[1:]...) != "" && re != envOr:
			return m
		}
	}
	return nil
}

const maxScope = 3000 // bytes behind a read

// scopeOf returns the code behind a read as far as what the read returns may have its name there.
func scopeOf(line, after string) string {
	end := strings.IndexByte(after, '\n') + 1
	for l := range strings.Lines(after[end:]) {
		if strings.TrimSpace(l) != "" && indentation(l) < indentation(line) {
			return after[:end]
		}
		end += len(l)
	}
	return after
}

// setsMissing reports whether the branch for a missing variable, behind a read, sets it.
func setsMissing(name, line, after string) bool {
	v, at := guardOf(line, after)
	if at < 0 {
		return false
	}
	sets := `(?:\benv\.|\[["'])` + name + `(?:["']\])?\s*=[^=>]|(?i:setenv)\(\s*["']` + name + `\b`
	if v != "" {
		sets += `|(?m:^|\{)\s*` + v + `\s*:?=[^=>]`
	}
	if regexp.MustCompile(sets).MatchString(branchOf(after[at:])) {
		return true
	}
	_, body, _ := strings.Cut(after[at:], "\n") // behind conditions inside, at its own depth
	indent := body[:indentation(body)]
	return v != "" && indent != "" &&
		regexp.MustCompile(`(?m)^`+indent+v+`\s*:?=[^=>]`).MatchString(scopeOf(indent, body))
}

// isOff reports whether the rest of a read does something only if a switch is on, other than failing.
func isOff(after string) bool {
	m := envOnlyOn.FindStringSubmatch(after)
	return m != nil && (m[1] == "!" || !failure.MatchString(branchOf(after)))
}

// demandedAt returns the claim of a read at the end of a text that fails without a value.
func demandedAt(name, text string) settings.Claim {
	switch branched, tool := placeOf(text); {
	case branched:
		return readClaim(name, "", settings.Unstated)
	case tool != "":
		c := readClaim(name, "", settings.Conditional)
		c.Description = registry.OnlyTool + tool + " requires it."
		return c
	}
	return readClaim(name, "", settings.Required)
}

var (
	helper = regexp.MustCompile(`\bfunction\s+(\w+)\s*\(\s*(\w+)|` +
		`\b(?:const|let)\s+(\w+)\s*=\s*\(\s*(\w+)[^=\n]*=>|` +
		`\b(?:def|func|fn)\s+(\w+)\s*\(\s*(?:self,\s*)?(\w+)`)
	anyRead = regexp.MustCompile(
		`(?:\benv\[|environ(?:\.get\(|\[)|(?i:getenv)\(|LookupEnv\(|env::var\(|` +
			`GetEnvironmentVariable\()\s*&?(\w+)\b`)
	second  = regexp.MustCompile(`^[^,()\n]*,\s*(\w+)`) // parameter
	bodyEnd = regexp.MustCompile(`\n\}|\n(?:def|func|fn|class)\b`)
)

// helpers returns the claims of calls of functions in the same file that fail unless the variable
// with the name that they get is set, or that fall back to their second argument.
func helpers(text string) (claims []settings.Claim) {
	readers := `(?i:env)\w*(?:(?:\.|::)\w+)?[(\[]` // expressions that read what follows
	for _, m := range helper.FindAllStringSubmatchIndex(text, 100) {
		var names []string // of the function and its parameter
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				names = append(names, text[m[i]:m[i+1]])
			}
		}
		body := text[m[1]:min(len(text), m[1]+600)]
		if end := bodyEnd.FindStringIndex(body); end != nil {
			body = body[:end[0]]
		}
		if helperNeed(body, names[1]) != settings.Required {
			_, code, _ := strings.Cut(body, ")")
			reads := regexp.MustCompile(`(?:` + readers + `)\s*&?` + names[1] + `\b`).MatchString(code)
			if reads && returns(firstGroup(second, body), code) {
				readers += `|\b` + names[0] + `\(`
				claims = append(claims, withFallback(text, names[0])...)
			}
			continue
		}
		call := regexp.MustCompile(`\b` + names[0] +
			`\(\s*(?:["']([A-Z][A-Z0-9_]+)["']|([A-Z][A-Z0-9_]+))\s*\)`)
		for _, c := range call.FindAllStringSubmatchIndex(text, maxVariables) {
			match := call.FindStringSubmatch(text[c[0]:c[1]])
			name := match[1]
			if match[2] != "" {
				name = constantName(match[2], text)
			}
			if settings.IsEnvName(name) && !hasFallback.MatchString(text[c[1]:]) {
				claims = append(claims, at(text, c[0], demandedAt(name, text[:c[0]])))
			}
		}
	}
	return claims
}

// hasFallback matches what follows a call whose failure is not the end.
var hasFallback = regexp.MustCompile(
	`^\s*(?:\.(?:ok\(\)|unwrap_or|or\(|or_else|orElse|getOrElse)|\?\?|\|\||\?:|or\b)`)

// returns reports whether the code of a function returns one of its parameters in place of a value.
func returns(parameter, code string) bool {
	used := regexp.MustCompile(`(?:\breturn\s|\bor\s|\belse\s|[?|:,(])\s*` + parameter + `\b\s*(?:[;)\n]|\.[^.]|$)`)
	return parameter != "" && used.MatchString(code)
}

// helperNeed returns the need of variables that the body of a function reads by the name in a
// parameter.
func helperNeed(body, parameter string) settings.Need {
	m := anyRead.FindStringSubmatchIndex(body)
	if m == nil || body[m[2]:m[3]] != parameter {
		return settings.Unstated
	}
	line := body[strings.LastIndexByte(body[:m[0]], '\n')+1 : m[0]]
	return needOf(body[m[0]:m[2]], line, `"`+body[m[3]:])
}

// withFallback returns the claims of the calls of a function in the same file with the name of a
// variable and its fallback.
func withFallback(text, name string) (claims []settings.Claim) {
	call := regexp.MustCompile(`\b` + name + `\(\s*["']([A-Z][A-Z0-9_]+)["']\s*,\s*(?:` + literal + `)?`)
	for _, m := range call.FindAllStringSubmatch(text, maxVariables) {
		if settings.IsEnvName(m[1]) {
			claims = append(claims, fallbackClaim(m[1], m[1:]))
		}
	}
	return claims
}

// constantClaim returns the claim of a read whose fallback is a constant of the same file, or ""
// for another expression, whose value is not known.
func constantClaim(name, constant, text string) settings.Claim {
	if constant == "" {
		return readClaim(name, "", settings.Optional)
	}
	value := regexp.MustCompile(`\b` + constant + `\b\s*(?::[^=\n]{1,40})?:?=\s*` + literal)
	if m := value.FindStringSubmatch(text); m != nil {
		return fallbackClaim(name, m)
	}
	return readClaim(name, "", settings.Optional)
}

var (
	// optionOf matches the beginning of a read that belongs to an option of a command.
	optionOf      = regexp.MustCompile(`^(?:envvar|env)\s*[=:(]\s*["']$`)
	optionDefault = regexp.MustCompile(`\bdefault(?:_value(?:_t)?)?(?:\s*[=:]\s*|\(\s*)` +
		`(?:` + literal + `|([A-Z][A-Z0-9_]{2,60})\b|([a-z]\w*))`)
	optionNeeded = regexp.MustCompile(`\b(?:required|demandOption)\s*[=:]\s*[Tt]rue\b|` +
		`\.makeOptionMandatory\(`)
	// switchOf matches a switch of the command line, which is off without it.
	switchOf     = regexp.MustCompile(`\bSetTrue\b|\)\]\s*(?:pub(?:\([^)]*\))?\s+)?\w+\s*:\s*bool\b`)
	firstOfField = regexp.MustCompile(`\bField\(\s*` + literal)
	noValue      = regexp.MustCompile(`^(?:undefined|null|nil|none)$`)
)

// optionClaim returns the claim of an option of a command: one with a default is optional.
func optionClaim(name, line, after, text string) settings.Claim {
	rest, _, _ := strings.Cut(after, "\n")
	if switchOf.MatchString(line + rest) {
		return readClaim(name, "false", settings.Optional)
	}
	m := optionDefault.FindStringSubmatch(line + rest + "\n")
	if preset := firstOfField.FindStringSubmatch(line); preset != nil {
		return fallbackClaim(name, preset)
	}
	switch {
	case m == nil && optionNeeded.MatchString(line+rest):
		return readClaim(name, "", settings.Required)
	case m == nil, noValue.MatchString(m[7]):
		return readClaim(name, "", settings.Unstated)
	case m[6] != "":
		return constantClaim(name, m[6], text)
	case m[7] != "":
		return readClaim(name, "", settings.Optional)
	}
	return fallbackClaim(name, m[:6])
}

// withAttribute returns the code before and behind a read: in an attribute of several lines in Rust, all
// of it in one line, with the field behind it.
func withAttribute(text string, start, to int, line, after string) (before, rest string) {
	const most = 2000 // bytes of an attribute
	open := strings.LastIndex(text[:start], "#[arg(\n")
	end := strings.Index(text[to:], ")]\n")
	if open < 0 || end < 0 || start-open > most || end > most || strings.Contains(text[open:start], ")]\n") {
		return line, after
	}
	field, _, _ := strings.Cut(text[to+end+len(")]\n"):], "\n")
	flat := strings.NewReplacer("\n", " ")
	return flat.Replace(text[open:start]), flat.Replace(text[to:to+end]) + ")] " + field
}

// needOf returns what the code around a read without a fallback says about its need.
func needOf(access, line, after string) settings.Need {
	indexed := strings.Contains(access, "environ[") || strings.Contains(access, "ENV.fetch(")
	fails := indexed && envIndexed.MatchString(after) && !envAssign.MatchString(after)
	switch {
	case strings.HasPrefix(strings.TrimSpace(line), "del "):
	case endsWithout(line, after):
		return settings.Required
	case envOptional.MatchString(after), doesWithout(line, after):
		return settings.Optional
	case fails, demanding.MatchString(line), envDemanded.MatchString(after),
		!fallsBack(after) && isGuarded(line, after),
		strings.Contains(access, "::var") && envTried.MatchString(after):
		return settings.Required
	}
	return settings.Unstated
}

// fallsBack reports whether a read is followed by another value to use instead.
func fallsBack(after string) bool {
	m := envOther.FindStringSubmatch(after)
	return m != nil && m[1] != "not" && !noValue.MatchString(strings.ToLower(m[1]))
}

// inCondition matches the code before a read in a condition.
var inCondition = regexp.MustCompile(`\b(?:if|unless|while)\b[^{}\n]*$`)

// endsWithout reports whether the code for a missing value, around or behind a read, fails.
func endsWithout(line, after string) bool {
	m := envElse.FindStringSubmatch(after)
	if m != nil && m[4] != "" && inCondition.MatchString(line) {
		return false
	}
	if matched.MatchString(line) {
		m = missingArm.FindStringSubmatch(after)
	}
	return m != nil && failure.MatchString(strings.Join(m[1:], ""))
}

// fallbackClaim returns the claim of a read with a constant as fallback. An empty one does not
// make a variable optional.
func fallbackClaim(name string, groups []string) settings.Claim {
	value := cmp.Or(groups[1:]...)
	if value == "" {
		return readClaim(name, "", settings.Unstated)
	}
	if len(groups) > 4 && value == groups[4] { // of a number
		value = strings.ReplaceAll(value, "_", "")
	}
	return readClaim(name, value, settings.Optional)
}

// isGuarded reports whether a program fails if a read returns nothing: line is the code before
// it, and after the code behind it.
func isGuarded(line, after string) bool {
	v, at := guardOf(line, after)
	if at < 0 {
		return false
	}
	branched, code := false, line
	if v != "" {
		branched, _ = placeOf(line + after[:at])
		code = ""
	}
	return !branched && failure.MatchString(code+branchOf(after[at:]))
}

// guardOf returns where the code behind a read asks whether it returned nothing, and the expression
// on the variable that it was assigned to, "" for the read itself; -1 if nothing asks. A condition
// about several variables of which one suffices is not asked.
func guardOf(line, after string) (v string, at int) {
	condition, _, _ := strings.Cut(after, "\n")
	switch {
	case negated.MatchString(line), unlessRead.MatchString(line),
		conditional.MatchString(line) && compared.MatchString(after):
		if either.MatchString(line) && envAccess.MatchString(line) || either.MatchString(condition) {
			return "", -1
		}
		return "", 0
	}
	if v = assignedTo(line); v == "" {
		return "", -1
	}
	guard := regexp.MustCompile(`\b(?:if|unless)\b([^\n]{0,80}?` +
		`(?:!\s*` + v + `|\bnot ` + v + `|\bunless ` + v + `|` +
		`\b(?:IsNullOrEmpty|IsNullOrWhiteSpace|empty)\(` + v + `|` +
		v + `(?:\.(?:isEmpty|isBlank|is_empty|empty\?|nil\?)|` +
		`\s*(?:===?|is)\s*(?:""|''|None|nil|null|undefined|false)))[^\n]{0,80})|` +
		`[^\n]{0,80}\bunless ` + v)
	g := guard.FindStringSubmatchIndex(scopeOf(line, after))
	if g == nil || g[2] >= 0 && either.MatchString(after[g[2]:g[3]]) {
		return "", -1
	}
	return v, g[0]
}

// assignedTo returns the expression on the variable that code before a read assigns it to, "" for none.
func assignedTo(line string) string {
	v, m := regexp.QuoteMeta(firstGroup(memberOf, line)), assigned.FindStringSubmatch(line)
	switch {
	case v != "" || m == nil:
		return v
	case m[2] != "":
		return `(?:` + m[1] + `|` + m[2] + `)\b`
	}
	return `[$@]?` + m[1] + `\b`
}

// doesWithout reports whether code behind a read has another branch or value for a missing one, and
// does not fail there.
func doesWithout(line, after string) bool {
	v := assignedTo(line)
	if v == "" {
		return false
	}
	used := regexp.MustCompile(`^[^\n]*\n\s*if\s*\(?\s*` + v +
		`\s*\)?\s*[{:]([^}]{0,300}?)\}?\s*\belse\s*[{:]`)
	m := used.FindStringSubmatchIndex(after)
	if choice := regexp.MustCompile(`(?:=|\breturn|[(,])\s*!?\s*(?:string\.IsNullOr\w+\()?` + v +
		`\)?\s*\?\s*[^?.:\n][^:\n]{0,120}:[^\n]*`).FindString(scopeOf(line, after)); choice != "" {
		return !failure.MatchString(choice)
	}
	return m != nil && !nested.MatchString(after[m[2]:m[3]]) &&
		!failure.MatchString(branchOf(after[m[1]:]))
}

// branchOf returns a condition and the first lines of its branch, without conditions inside.
func branchOf(code string) string {
	body := bodyOf(code)
	if at := nested.FindStringIndex(body); at != nil {
		return body[:at[0]]
	}
	return body
}

var nested = regexp.MustCompile(`\n\s*(?:if|unless)\b`)

// bodyOf returns a condition and the first lines of its branch, which ends before a line that is less
// indented.
func bodyOf(code string) string {
	first, rest, _ := strings.Cut(code, "\n")
	most, depth, end := 3, 0, min(len(code), len(first)+1)
	if opensBlock.MatchString(first) {
		most, depth = 12, indentation(rest)
	}
	for line := range strings.Lines(rest) {
		trimmed := strings.TrimSpace(line)
		if most--; most < 0 || strings.HasPrefix(trimmed, "}") || trimmed != "" && indentation(line) < depth {
			break
		}
		end += len(line)
	}
	return code[:end]
}

var opensBlock = regexp.MustCompile(`[{:]\s*$`)

var either = regexp.MustCompile(`&&|\band\b`)

// placeOf returns where the code at the end of a text is, by indentation: whether it is inside a
// branch of a condition, and otherwise the name of the tool whose handler contains it, "" for none.
func placeOf(text string) (branched bool, tool string) {
	const most = 80 // lines
	lines := strings.Split(text[max(0, len(text)-most*100):], "\n")
	depth := indentation(lines[len(lines)-1])
	for i, line := range slices.Backward(lines[:len(lines)-1]) {
		trimmed, d := strings.TrimSpace(line), indentation(line)
		if trimmed == "" || d >= depth {
			continue
		}
		if depth = d; strings.ContainsAny(trimmed[:1], ")}]{") {
			depth++ // the statement begins above, at the same indentation
		}
		if branch.MatchString(trimmed) && !mainGuard.MatchString(trimmed) {
			return true, ""
		}
		above, below := lines[max(0, i-8):i], lines[i:]
		tool = cmp.Or(tool, toolAt(strings.Join(above, "\n"), strings.Join(below, "\n")))
	}
	return false, tool
}

// toolAt returns the name of the tool that a statement registers, in a call or by an attribute
// above a function; "" for none.
func toolAt(above, statement string) string {
	if m := toolCall.FindStringSubmatch(statement); m != nil {
		return m[1]
	}
	mark, function := toolMark.FindStringSubmatch(above), functionName.FindStringSubmatch(statement)
	if mark == nil || function == nil || apart.MatchString(mark[1]) {
		return ""
	}
	return cmp.Or(firstGroup(markedName, mark[1]), function[1], function[2])
}

var (
	toolCall = regexp.MustCompile(`^[^"'\n]*\b(?:registerTool|[aA]ddTool|add_tool|tool)\(\s*` +
		"(?:\\{[^\"'`}]{0,80}?\\bname\\s*[:=]\\s*|name\\s*=\\s*|(?:\\w+\\.)?\\w+\\(\\s*)?" +
		"[\"'`]([A-Za-z][\\w.-]{0,63})[\"'`]")
	toolMark = regexp.MustCompile(
		`(?:@|#\[|\[)(?:[\w.:]+[.:])?(?i:(?:mcp_?|server_?)*tool)\b([^{};]*)$`)
	markedName   = regexp.MustCompile(`(?i)^\(\s*(?:name\s*[=:]\s*)?["']([A-Za-z][\w.-]{0,63})["']`)
	apart        = regexp.MustCompile(`\n\s*\n|\b(?:def|fn|fun|func)\s+\w`)
	functionName = regexp.MustCompile(`^[^\n(]*\b(?:(?:def|fn|fun|func)\s+(\w+)|(\w+)\s*\()`)
)

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

var (
	settingsClass = regexp.MustCompile(`(?m)^class (\w+)\([^)\n]*\bBaseSettings\b[^)\n]*\):\n` +
		`((?:[ \t]+[^\n]*\n|[ \t]*\n)*)`)
	classPrefix = regexp.MustCompile(`\benv_prefix["']?\s*[=:]\s*["']([A-Za-z0-9_]{0,40})["']`)
	classField  = regexp.MustCompile(`(?m)^(?:    |\t)([a-z]\w{0,60})\s*:\s*([^=\n#]+?)\s*` +
		`(?:=\s*(\w+\(\n(?: {8}[^\n]*\n)*    \)|[^\n]+?))?\s*(?:#[^\n]*)?$`)
	fieldDefault  = regexp.MustCompile(`^(?:Field\(\s*(?:default\s*=\s*)?)?` + literal)
	fieldRequired = regexp.MustCompile(`^Field\(\s*` +
		`(?:\.\.\.|(?:alias|validation_alias|env|description)\s*=)`)
	fieldAlias = regexp.MustCompile(`\b(?:alias|validation_alias|env)\s*=\s*` +
		`["']([A-Z][A-Z0-9_]+)["']`)
)

// settingsClasses returns the claims of pydantic's settings classes: a field without a default
// must be set, unless other classes extend the class and may set it.
func settingsClasses(text string) (claims []settings.Claim) {
	for _, class := range settingsClass.FindAllStringSubmatchIndex(text, 10) {
		body := text[class[4]:class[5]]
		if isPart(text, text[class[2]:class[3]]) {
			continue
		}
		isBase := regexp.MustCompile(`(?m)^class \w+\([^)\n]*\b` + text[class[2]:class[3]] + `\b`).MatchString(text)
		prefix := firstGroup(classPrefix, body)
		for _, f := range classField.FindAllStringSubmatch(body, maxVariables) {
			name := cmp.Or(firstGroup(fieldAlias, f[3]), strings.ToUpper(prefix+f[1]))
			claim := fieldClaim(name, f[2], f[3])
			if isBase && claim.Need == settings.Required {
				claim.Need = settings.Unstated
			}
			if settings.IsEnvName(name) {
				claims = append(claims, at(text, class[0], claim))
			}
		}
	}
	return claims
}

// isPart reports whether a class is only the type of a field, whose variables have the name of the
// field before their own.
func isPart(text, class string) bool {
	ofField := regexp.MustCompile(`(?m)^[ \t]+\w+\s*:[^=\n]*\b` + class + `\b`)
	makes := regexp.MustCompile(`=\s*` + class + `\b`)
	return ofField.MatchString(text) && !makes.MatchString(text)
}

// fieldClaim returns the claim of a field of a settings class with its type and what is assigned
// to it, "" for nothing.
func fieldClaim(name, kind, assigned string) settings.Claim {
	if m := fieldDefault.FindStringSubmatch(assigned + "\n"); m != nil {
		return fallbackClaim(name, m)
	}
	optional := strings.Contains(kind, "Optional") || strings.Contains(kind, "None")
	if assigned == "" && !optional ||
		fieldRequired.MatchString(assigned) && !hasDefault.MatchString(assigned) {
		return readClaim(name, "", settings.Required)
	}
	return readClaim(name, "", settings.Unstated)
}

var (
	hasDefault   = regexp.MustCompile(`(?i)default`)
	schemaMember = regexp.MustCompile(`(?m)^\s*["']?([A-Z][A-Z0-9_]{2,99})["']?\s*:\s*` +
		`(z\b[^\n]*(?:\n\s*\.[^\n]*|(?:\n\s*["'][^\n]*)+\n\s*\))*|` +
		`(?:str|num|bool|port|url|host|email|json|makeValidator)\([^\n]*)`)
	memberOptional = regexp.MustCompile(`\.(?:optional|nullish|nullable|catch)\(|` +
		`\b(?:default|devDefault)\s*:`)
	memberConstant = regexp.MustCompile(
		`(?:\.default\(|\bdefault:)\s*(?:([A-Z][A-Z0-9_]{2,60})\b|[a-z]\w*[.(])`)
	memberDefault = regexp.MustCompile(`(?:\.default\(|\bdefault:)\s*` + literal)
)

// schemaMembers returns the claims of schemas of the environment in TypeScript and JavaScript: a
// member without a default must be set.
func schemaMembers(text string) (claims []settings.Claim) {
	if !strings.Contains(text, "process.env") && !strings.Contains(text, "cleanEnv") {
		return nil
	}
	for _, m := range schemaMember.FindAllStringSubmatch(text, maxVariables) {
		if d := memberConstant.FindStringSubmatch(m[2]); d != nil && settings.IsEnvName(m[1]) {
			claims = append(claims, constantClaim(m[1], d[1], text))
			continue
		}
		fallback := ""
		if d := memberDefault.FindStringSubmatch(m[2]); d != nil {
			fallback = cmp.Or(d[1:]...)
		}
		need := settings.Required
		switch {
		case fallback != "":
			need = settings.Optional
		case memberOptional.MatchString(m[2]), hasDefault.MatchString(m[2]):
			need = settings.Unstated
		}
		if settings.IsEnvName(m[1]) {
			claims = append(claims, readClaim(m[1], fallback, need))
		}
	}
	return claims
}

var (
	structTag = regexp.MustCompile("`[^`\n]*\\b(?:env|envconfig):" +
		"\"([A-Z][A-Z0-9_]+)([^\"\n]*)\"[^`\n]*`")
	tagNeeded = regexp.MustCompile(`,(?:required|notEmpty)\b`)
	tagField  = regexp.MustCompile(`\brequired:"true"`)
	tagPreset = regexp.MustCompile(`\b(?:envDefault|default):"([^"\n]*)"`)
)

// structTags returns the claims of the tags of Go structs that are filled from the environment.
func structTags(text string) (claims []settings.Claim) {
	for _, m := range structTag.FindAllStringSubmatch(text, maxVariables) {
		need, fallback := settings.Unstated, firstGroup(tagPreset, m[0])
		switch {
		case fallback != "":
			need = settings.Optional
		case tagNeeded.MatchString(m[2]), tagField.MatchString(m[0]):
			need = settings.Required
		}
		if settings.IsEnvName(m[1]) {
			claims = append(claims, readClaim(m[1], fallback, need))
		}
	}
	return claims
}
