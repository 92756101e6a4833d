package config

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/account"
	"mcpcensus/internal/mail"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// rules are the checks of single values, by the name in the check tag. Each returns the
// fault, as the end of a sentence that begins with the name of the variable, or "". Empty
// values are not checked.
var rules = map[string]func(value string) string{
	"postgres": must(isPostgres, "must look like postgres://user:password@host:5432/name?sslmode=require"),
	"address": mustEach(false, isAddress,
		"must be an address and a port, such as 127.0.0.1:8080 or [::]:8080"),
	"addressOrOff": mustEach(false, func(v string) bool { return v == "off" || isAddress(v) },
		"must be an address and a port, such as 127.0.0.1:9464, or off"),
	"url":     must(isURL, mustBeURL),
	"baseURL": must(isURL, mustBeURL),
	"prefixes": func(v string) string {
		_, err := (&Config{Proxies: v}).TrustedProxies()
		return message(err)
	},
	"printable": must(isPrintable, mustBePrintable),
	"text": must(func(v string) bool { return isPrintable(strings.ReplaceAll(v, " ", "")) },
		"contains an invalid character"),
	"line":      must(isLine, "must be one line of at most 200 characters"),
	"namespace": mustEach(false, namespaceForm.MatchString, "must be a reverse-DNS name such as org.example"),
	"object": must(func(v string) bool { return json.Unmarshal([]byte(v), &map[string]any{}) == nil },
		"must be a JSON object"),
	"lists":  checkLists,
	"plans":  checkPlans,
	"secret": checkSecret,
	"key": must(func(v string) bool {
		b, err := base64.StdEncoding.DecodeString(v)
		return err == nil && len(b) == 32
	}, "must be 32 random bytes in base64, as `openssl rand -base64 32` prints"),
	"hosts": mustEach(true, hostForm.MatchString,
		"must be a host, such as packages.example, or a host and a port"),
	"origins": mustEach(true, isOrigin, "must be an origin, such as https://app.example"),
	"smtp":    func(v string) string { return message(mail.CheckURL(v)) },
	"sender": func(v string) string {
		_, err := mail.ParseFrom(v)
		return message(err)
	},
}

const (
	mustBeURL       = "must be an http or https URL without user, query and fragment"
	mustBePrintable = "contains an invalid character, such as a space"
	minSecret       = 32 // minimum length of a secret
)

var (
	hostForm      = regexp.MustCompile(`^[a-zA-Z0-9.-]+(:[0-9]{1,5})?$`)
	namespaceForm = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)
)

// must returns the check that a value is valid; otherwise is the fault.
func must(valid func(string) bool, otherwise string) func(string) string {
	return func(v string) string {
		if valid(v) {
			return ""
		}
		return otherwise
	}
}

// mustEach is must with the invalid value before otherwise. If list is true, it checks each
// part of a list.
func mustEach(list bool, valid func(string) bool, otherwise string) func(string) string {
	return func(v string) string {
		parts := []string{v}
		if list {
			parts = split(v)
		}
		for _, p := range parts {
			if !valid(p) {
				return quoted(p) + " " + otherwise
			}
		}
		return ""
	}
}

// checkValues checks each value by its rule, and completes base URLs.
func (c *Config) checkValues(p *problems) {
	for f, v := range reflect.ValueOf(c).Elem().Fields() {
		value, name, rule := v.String(), f.Tag.Get("env"), f.Tag.Get("check")
		if value == "" || rule == "" {
			continue
		}
		wrong := ""
		if choices, ok := strings.CutPrefix(rule, "oneOf:"); ok {
			wrong = checkOneOf(value, strings.Fields(choices))
		} else {
			wrong = rules[rule](value)
		}
		if wrong != "" {
			p.add(name, "%s", wrong)
		} else if rule == "baseURL" && !strings.HasSuffix(value, "/") {
			v.SetString(value + "/")
		}
	}
}

// message returns the text of an error, "" for nil.
func message(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*registry.Error](err); ok && e.Cause == nil {
		return e.Msg
	}
	return err.Error()
}

func isPostgres(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") &&
		(u.Host != "" || u.Query().Get("host") != "")
}

func isAddress(v string) bool {
	_, err := netip.ParseAddrPort(strings.Replace(v, "localhost:", "127.0.0.1:", 1))
	return err == nil || strings.HasPrefix(v, ":")
}

func isURL(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		u.RawQuery == "" && u.Fragment == ""
}

func isPrintable(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isOrigin(v string) bool {
	v = strings.TrimSuffix(v, "/")
	u, err := url.Parse(v)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") &&
		u.Scheme+"://"+u.Host == v
}

func isLine(v string) bool {
	return len(v) <= 200 && text.IsLine(v)
}

func checkSecret(v string) string {
	if len(v) < minSecret {
		return fmt.Sprintf("must have at least %d characters", minSecret)
	}
	return must(isPrintable, mustBePrintable)(v)
}

func checkLists(v string) string {
	for _, l := range split(v) {
		if strings.Contains(l, "://") {
			continue
		}
		if _, err := os.Stat(l); err != nil {
			return "file not found: " + quoted(l)
		}
	}
	return ""
}

func checkPlans(v string) string {
	file, err := os.ReadFile(v)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	_, err = account.ParseTexts(string(file))
	return message(err)
}

func checkOneOf(v string, choices []string) string {
	if slices.Contains(choices, v) {
		return ""
	}
	last := len(choices) - 1
	return quoted(v) + " must be " + strings.Join(choices[:last], ", ") + " or " + choices[last]
}

func quoted(v string) string { return `"` + v + `"` }

// checkTogether checks values that depend on each other.
func (c *Config) checkTogether(p *problems) {
	p.requires("CENSUS_MEILI_KEY", c.MeiliKey, "CENSUS_MEILI_URL", c.MeiliURL)
	p.requires("CENSUS_MEILI_EMBEDDER", c.MeiliEmbedder, "CENSUS_MEILI_URL", c.MeiliURL)
	if c.CheckToken != "" && c.CheckToken == c.GitHubToken {
		p.add("CENSUS_GITHUB_CHECK_TOKEN",
			"is the same token as GITHUB_TOKEN; leave it unset or use the token of another account")
	}
	if c.MetricsAddr == c.Addr {
		p.add("CENSUS_METRICS_ADDR",
			"is the same as CENSUS_ADDR; metrics must have a separate address that is not public")
	}
	if c.SMTPURL != "" && c.MailFrom == "" {
		p.add("CENSUS_MAIL_FROM", "is not set, but CENSUS_SMTP_URL is: mail requires a sender")
	}
	p.requires("CENSUS_MAIL_FROM", c.MailFrom, "CENSUS_SMTP_URL", c.SMTPURL)
	p.allOrNone("", [][2]string{
		{"CENSUS_GITHUB_OAUTH_ID", c.OAuthID}, {"CENSUS_GITHUB_OAUTH_SECRET", c.OAuthSecret},
	})
	p.allOrNone(": OpenID Connect requires all four", [][2]string{
		{"CENSUS_OIDC_ISSUER", c.OIDCIssuer}, {"CENSUS_OIDC_CLIENT_ID", c.OIDCID},
		{"CENSUS_OIDC_CLIENT_SECRET", c.OIDCSecret}, {"CENSUS_OIDC_DOMAINS", c.OIDCDomains},
	})
	p.allOrNone(": payments require all four", [][2]string{
		{"CENSUS_STRIPE_KEY", c.StripeKey},
		{"CENSUS_STRIPE_WEBHOOK_SECRET", c.StripeSecret},
		{"CENSUS_STRIPE_PRICE_PROFESSIONAL", c.StripeProfessional},
		{"CENSUS_STRIPE_PRICE_ENTERPRISE", c.StripeEnterprise},
	})
	for _, x := range []struct{ name, url, sent string }{
		{"CENSUS_OIDC_ISSUER", c.OIDCIssuer, "secret"}, {"CENSUS_STRIPE_URL", c.StripeURL, "key"},
		{"CENSUS_GITHUB_OAUTH_URL", c.OAuthURL, "secret"},
	} {
		if strings.HasPrefix(x.url, "http://") && !OnLoopback(x.url) {
			p.add(x.name, "must be https, because the %s is sent there", x.sent)
		}
	}
	if strings.HasPrefix(c.StripeKey, "pk_") {
		p.add("CENSUS_STRIPE_KEY", "is a publishable key; the secret key begins with sk_ or rk_")
	}
	c.checkPrices(p)
	c.checkBrand(p)
}

// requires rejects a variable that is set without another one.
func (p *problems) requires(name, value, other, otherValue string) {
	if value != "" && otherValue == "" {
		p.add(name, "is set, but %s is not", other)
	}
}

// allOrNone rejects variables, pairs of a name and a value, of which only some are set.
func (p *problems) allOrNone(why string, variables [][2]string) {
	set := slices.IndexFunc(variables, func(v [2]string) bool { return v[1] != "" })
	for _, v := range variables {
		if v[1] == "" && set >= 0 {
			p.add(v[0], "is not set, but %s is%s", variables[set][0], why)
		}
	}
}

func (c *Config) checkBrand(p *problems) {
	_, err := c.Brand()
	if err == nil {
		return
	}
	variable := map[string]string{
		"name": "CENSUS_NAME", "logo": "CENSUS_LOGO_URL", "colors": "CENSUS_COLORS",
		"links": "CENSUS_LINKS",
	}
	if e, ok := errors.AsType[*registry.Error](err); ok && len(e.Fields) > 0 {
		p.add(variable[e.Fields[0].Field], "%s", e.Fields[0].Message)
	} else {
		p.add("CENSUS_NAME", "%v", err)
	}
}

func (c *Config) checkPrices(p *problems) {
	prices := c.StripePrices()
	for name, ids := range map[string][]string{
		"CENSUS_STRIPE_PRICE_PROFESSIONAL": prices[account.Professional],
		"CENSUS_STRIPE_PRICE_ENTERPRISE":   prices[account.Enterprise],
	} {
		for _, id := range ids {
			if !strings.HasPrefix(id, "price_") && !strings.HasPrefix(id, "plan_") {
				p.add(name, "%q is not the ID of a price, which begins with price_", id)
			}
		}
	}
	for _, id := range prices[account.Enterprise] {
		if slices.Contains(prices[account.Professional], id) {
			p.add("CENSUS_STRIPE_PRICE_ENTERPRISE", "%q is also the price of Professional", id)
		}
	}
}

// maxSecretFile is the maximum size of a file with a secret, in bytes.
const maxSecretFile = 64 << 10

// readSecretFiles sets each variable with a secret to the contents of the file that
// NAME_FILE names, as container platforms provide secrets, and removes NAME_FILE.
func (p *problems) readSecretFiles(vars map[string]string) {
	for f := range reflect.TypeFor[Config]().Fields() {
		name := f.Tag.Get("env")
		path := vars[name+"_FILE"]
		if f.Tag.Get("secret") == "" || path == "" {
			continue
		}
		delete(vars, name+"_FILE")
		if vars[name] != "" {
			p.add(name+"_FILE", "must not be set together with %s", name)
			continue
		}
		secret, fault := readSecret(path)
		if fault != "" {
			p.add(name+"_FILE", "%s", fault)
		}
		vars[name] = secret
	}
}

// readSecret returns the contents of a file without surrounding white space, or its
// fault.
func readSecret(path string) (secret, fault string) {
	f, err := os.Open(path)
	if err != nil {
		return "", "cannot be read: " + err.Error()
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	switch secret = strings.TrimSpace(string(b)); {
	case err != nil:
		return "", "cannot be read: " + err.Error()
	case len(b) > maxSecretFile:
		return "", "names a file larger than 64 KiB"
	case secret == "":
		return "", "names an empty file"
	case !utf8.ValidString(secret):
		return "", "names a file that is not text"
	}
	return secret, ""
}
