package inspect

import (
	"regexp"
	"strings"

	"mcpcensus/internal/install"
)

// emptyFolder is an empty, writable folder in the sandbox.
const emptyFolder = home + "/folder"

// words returns a pattern for names that contain one of the words, delimited by "_" or "-".
func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[_-])(?:` + alternatives + `)(?:$|[_-])`)
}

// dummies are dummy values by the name of the variable. The first match applies.
var dummies = []struct {
	name  *regexp.Regexp
	value string
}{
	{words(`database_url|postgres_url|postgresql_url|pg_url|dsn|connection_string|postgres_connection_string`),
		"postgresql://user:password@127.0.0.1:9/data"},
	{words(`mongo_uri|mongodb_uri|mongo_url|mongodb_url`), "mongodb://127.0.0.1:9/data"},
	{words(`redis_url|redis_uri`), "redis://127.0.0.1:9"},
	{words(`urls?|uri|endpoint|webhook|base_url`), "http://127.0.0.1:9"},
	{words(`hosts?|hostname|server|domain|site`), "127.0.0.1"},
	{words(`email|mail|username_email`), "user@example.com"},
	{words(`port|timeout|limit|size|count|max|min|number|interval|ttl|retries`), "1"},
	{words(`enabled?|disabled?|debug|verbose|readonly|read_only|insecure|flag|ssl|tls`), "false"},
	{words(`paths?|dirs?|directory|directories|folders?|root|vault|workspace|allowed`), emptyFolder},
	{words(`date`), "2026-01-01"},
	{words(`region`), "us-east-1"},
}

// secretPrefixes are the prefixes of tokens of well-known services, which some clients
// validate, by a word of the variable's name.
var secretPrefixes = map[string]string{
	"github": "ghp_", "gitlab": "glpat-", "openai": "sk-", "anthropic": "sk-ant-",
	"slack": "xoxb-", "stripe": "sk_test_", "notion": "ntn_", "huggingface": "hf_", "hf": "hf_",
	"figma": "figd_", "npm": "npm_", "linear": "lin_api_",
}

// dummy returns a dummy value for a variable of a launch.
func dummy(name string, b install.Blank) string {
	if b.Default != "" && !b.IsSecret {
		return b.Default
	}
	if len(b.Choices) > 0 {
		return b.Choices[0]
	}
	if scheme, _, ok := strings.Cut(b.Example, "://"); ok && scheme != "" && !strings.ContainsAny(scheme, " <{$") {
		return scheme + "://127.0.0.1:9"
	}
	name = strings.ToLower(name)
	if !b.IsSecret {
		for _, d := range dummies {
			if d.name.MatchString(name) {
				return d.value
			}
		}
	}
	prefix := ""
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
		if p := secretPrefixes[word]; p != "" {
			prefix = p
			break
		}
	}
	return prefix + strings.Repeat("x", 40-len(prefix))
}
