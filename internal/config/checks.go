package config

import (
	"encoding/json"
	"errors"
	"fmt"
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
)

// rules are the checks of single values, by the name in the check tag. Each
// returns what is wrong, as the end of a sentence that begins with the name of
// the variable; "" if nothing is. Empty values are not checked.
var rules = map[string]func(value string) string{
	"postgres":     checkPostgres,
	"address":      checkAddress,
	"addressOrOff": checkAddressOrOff,
	"url":          checkURL,
	"baseURL":      checkURL,
	"prefixes":     checkPrefixes,
	"printable":    checkPrintable,
	"text":         checkText,
	"line":         checkLine,
	"namespace":    checkNamespace,
	"object":       checkObject,
	"lists":        checkLists,
	"plans":        checkPlans,
	"secret":       checkSecret,
	"hosts":        checkHosts,
	"origins":      checkOrigins,
	"smtp":         func(v string) string { return message(mail.CheckURL(v)) },
	"sender":       checkSender,
}

// checkValues checks each value by its rule, and completes base URLs.
func (c *Config) checkValues(p *problems) {
	v, t := reflect.ValueOf(c).Elem(), reflect.TypeFor[Config]()
	for i := range t.NumField() {
		f, value := t.Field(i), v.Field(i).String()
		name, rule := f.Tag.Get("env"), f.Tag.Get("check")
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
			v.Field(i).SetString(value + "/")
		}
	}
}

// message returns the text of an error for the operator, "" for nil.
func message(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*registry.Error](err); ok && e.Cause == nil {
		return e.Msg
	}
	return err.Error()
}

func checkPostgres(v string) string {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Host == "" &&
		u.Query().Get("host") == "" {
		return "must look like postgres://user:password@host:5432/name?sslmode=require"
	}
	return ""
}

func validAddress(v string) bool {
	_, err := netip.ParseAddrPort(strings.Replace(v, "localhost:", "127.0.0.1:", 1))
	return err == nil || strings.HasPrefix(v, ":")
}

func checkAddress(v string) string {
	if !validAddress(v) {
		return quoted(v) + " must be an address and a port, such as 127.0.0.1:8080 or [::]:8080"
	}
	return ""
}

func checkAddressOrOff(v string) string {
	if v != "off" && !validAddress(v) {
		return quoted(v) + " must be an address and a port, such as 127.0.0.1:9464, or off"
	}
	return ""
}

func checkURL(v string) string {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		u.RawQuery != "" ||
		u.Fragment != "" {
		return "must be an http or https URL without user, query and fragment"
	}
	return ""
}

func checkPrefixes(v string) string {
	_, err := (&Config{Proxies: v}).TrustedProxies()
	return message(err)
}

func checkPrintable(v string) string {
	if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "has a character that is not allowed in it, such as a space"
	}
	return ""
}

// minSecret is the length of the shortest secret that cannot be guessed.
const minSecret = 32

func checkSecret(v string) string {
	if len(v) < minSecret {
		return fmt.Sprintf("must have at least %d characters", minSecret)
	}
	return checkPrintable(v)
}

var hostForm = regexp.MustCompile(`^[a-zA-Z0-9.-]+(:[0-9]{1,5})?$`)

func checkHosts(v string) string {
	for _, h := range split(v) {
		if !hostForm.MatchString(h) {
			return quoted(h) + " must be a host, such as packages.example, or a host and a port"
		}
	}
	return ""
}

func checkOrigins(v string) string {
	for _, o := range split(v) {
		u, err := url.Parse(strings.TrimSuffix(o, "/"))
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" ||
			u.Scheme+"://"+u.Host != strings.TrimSuffix(o, "/") {
			return quoted(o) + " must be an origin, such as https://app.example"
		}
	}
	return ""
}

func checkText(v string) string {
	if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "has a character that is not allowed in it"
	}
	return ""
}

func checkLine(v string) string {
	control := func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }
	if len(v) > 200 || strings.ContainsFunc(v, control) {
		return "must be one line of at most 200 characters"
	}
	return ""
}

var namespaceForm = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)

func checkNamespace(v string) string {
	if !namespaceForm.MatchString(v) {
		return quoted(v) + " must be a reverse-DNS name such as org.example"
	}
	return ""
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

func checkSender(v string) string {
	_, err := mail.ParseFrom(v)
	return message(err)
}

func checkOneOf(v string, choices []string) string {
	if slices.Contains(choices, v) {
		return ""
	}
	last := len(choices) - 1
	return quoted(v) + " must be " + strings.Join(choices[:last], ", ") + " or " + choices[last]
}

func checkObject(v string) string {
	var object map[string]any
	if json.Unmarshal([]byte(v), &object) != nil {
		return "must be a JSON object"
	}
	return ""
}

func quoted(v string) string { return `"` + v + `"` }

// checkTogether checks values that depend on each other.
func (c *Config) checkTogether(p *problems) {
	if c.MeiliKey != "" && c.MeiliURL == "" {
		p.add("CENSUS_MEILI_KEY", "is set, but CENSUS_MEILI_URL is not")
	}
	if c.MeiliEmbedder != "" && c.MeiliURL == "" {
		p.add("CENSUS_MEILI_EMBEDDER", "is set, but CENSUS_MEILI_URL is not")
	}
	if c.CheckToken != "" && c.CheckToken == c.GitHubToken {
		p.add("CENSUS_GITHUB_CHECK_TOKEN",
			"is the same token as GITHUB_TOKEN; leave it empty or use another account's")
	}
	if c.MetricsAddr == c.Addr {
		p.add("CENSUS_METRICS_ADDR",
			"is the same as CENSUS_ADDR; metrics need an address that is not public")
	}
	c.checkBrand(p)
	c.checkStripe(p)
	c.checkMail(p)
	c.checkOAuth(p)
	c.checkOIDC(p)
}

// allOrNone rejects variables, pairs of a name and a value, of which only some are set.
func (p *problems) allOrNone(why string, variables [][2]string) {
	set := slices.IndexFunc(variables, func(v [2]string) bool { return v[1] != "" })
	for _, v := range variables {
		if v[1] == "" && set >= 0 {
			p.add(v[0], "is not set, but %s is: %s", variables[set][0], why)
		}
	}
}

func (c *Config) checkOIDC(p *problems) {
	p.allOrNone("OpenID Connect needs all four", [][2]string{
		{"CENSUS_OIDC_ISSUER", c.OIDCIssuer}, {"CENSUS_OIDC_CLIENT_ID", c.OIDCID},
		{"CENSUS_OIDC_CLIENT_SECRET", c.OIDCSecret}, {"CENSUS_OIDC_DOMAINS", c.OIDCDomains},
	})
	if strings.HasPrefix(c.OIDCIssuer, "http://") && !OnLoopback(c.OIDCIssuer) {
		p.add("CENSUS_OIDC_ISSUER", "must be https, because the secret is sent there")
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

// checkStripe rejects an incomplete configuration of Stripe.
func (c *Config) checkStripe(p *problems) {
	p.allOrNone("payments need all four", [][2]string{
		{"CENSUS_STRIPE_KEY", c.StripeKey},
		{"CENSUS_STRIPE_WEBHOOK_SECRET", c.StripeSecret},
		{"CENSUS_STRIPE_PRICE_PROFESSIONAL", c.StripeProfessional},
		{"CENSUS_STRIPE_PRICE_ENTERPRISE", c.StripeEnterprise},
	})
	c.checkPrices(p)
	if strings.HasPrefix(c.StripeKey, "pk_") {
		p.add("CENSUS_STRIPE_KEY", "is a publishable key; the secret key begins with sk_ or rk_")
	}
	if strings.HasPrefix(c.StripeURL, "http://") && !OnLoopback(c.StripeURL) {
		p.add("CENSUS_STRIPE_URL", "must be https, because the key is sent there")
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

func (c *Config) checkMail(p *problems) {
	switch {
	case c.SMTPURL != "" && c.MailFrom == "":
		p.add("CENSUS_MAIL_FROM", "is not set, but CENSUS_SMTP_URL is: mail needs a sender")
	case c.SMTPURL == "" && c.MailFrom != "":
		p.add("CENSUS_MAIL_FROM", "is set, but CENSUS_SMTP_URL is not")
	}
}

func (c *Config) checkOAuth(p *problems) {
	switch {
	case c.OAuthID == "" && c.OAuthSecret != "":
		p.add("CENSUS_GITHUB_OAUTH_ID", "is not set, but CENSUS_GITHUB_OAUTH_SECRET is")
	case c.OAuthID != "" && c.OAuthSecret == "":
		p.add("CENSUS_GITHUB_OAUTH_SECRET", "is not set, but CENSUS_GITHUB_OAUTH_ID is")
	}
	if strings.HasPrefix(c.OAuthURL, "http://") && !OnLoopback(c.OAuthURL) {
		p.add("CENSUS_GITHUB_OAUTH_URL", "must be https, because the secret is sent there")
	}
}
