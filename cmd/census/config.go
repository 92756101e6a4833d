package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/caarlos0/env/v11"

	"mcpcensus/internal/account"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/registry"
)

// config is the environment. The desc tags are its documentation: `census
// config` prints them with the values in force, and docs/operations.md is
// generated from them.
type config struct {
	DatabaseURL  string `env:"DATABASE_URL" secret:"url" desc:"Postgres to use (15 or newer). Empty: an embedded one in CENSUS_DATA_DIR."`
	GitHubToken  string `env:"GITHUB_TOKEN" secret:"all" desc:"Token for GitHub, no scopes needed. Empty: 60 REST requests an hour, no GraphQL, no search."`
	CheckToken   string `env:"CENSUS_GITHUB_CHECK_TOKEN" secret:"all" desc:"Token of another account or app for checks on demand, so that visitors and the crawl do not share a budget. Empty: they share GITHUB_TOKEN, with a reserve for each."`
	Addr         string `env:"CENSUS_ADDR" envDefault:"127.0.0.1:8080" desc:"Address that the API and the pages listen on."`
	MetricsAddr  string `env:"CENSUS_METRICS_ADDR" envDefault:"127.0.0.1:9464" desc:"Address of /metrics and /debug/pprof. \"off\" for none. Never expose it."`
	DataDir      string `env:"CENSUS_DATA_DIR" desc:"Folder for the embedded Postgres and the search index. Default: census in the user's data folder."`
	BaseURL      string `env:"CENSUS_BASE_URL" desc:"Public address of this registry, for links. Default: http:// and CENSUS_ADDR."`
	Proxies      string `env:"CENSUS_TRUSTED_PROXIES" desc:"Comma-separated addresses or CIDRs of proxies whose X-Forwarded-For is believed."`
	MeiliURL     string `env:"CENSUS_MEILI_URL" desc:"Meilisearch to use. Empty: an embedded index (Bleve) in CENSUS_DATA_DIR."`
	MeiliKey     string `env:"CENSUS_MEILI_KEY" secret:"all" desc:"Key for Meilisearch with rights on indexes, documents, settings, tasks and search."`
	GitHubURL    string `env:"CENSUS_GITHUB_URL" envDefault:"https://api.github.com/" desc:"REST base of GitHub or GitHub Enterprise (…/api/v3/). GraphQL is graphql under it, or under the Enterprise path."`
	RegistryURL  string `env:"CENSUS_MCP_REGISTRY_URL" envDefault:"https://registry.modelcontextprotocol.io/" desc:"The official MCP registry."`
	DepsDevURL   string `env:"CENSUS_DEPSDEV_URL" envDefault:"https://api.deps.dev/" desc:"deps.dev: package versions, advisories, attestations, dependents, scorecards."`
	NPMURL       string `env:"CENSUS_NPM_DOWNLOADS_URL" envDefault:"https://api.npmjs.org/" desc:"Download counts of npm packages."`
	PyPIStatsURL string `env:"CENSUS_PYPISTATS_URL" envDefault:"https://pypistats.org/" desc:"Download counts of Python packages."`
	OSVURL       string `env:"CENSUS_OSV_URL" envDefault:"https://api.osv.dev/" desc:"Known vulnerabilities and malware."`
	Lists        string `env:"CENSUS_LISTS" desc:"Comma-separated files or URLs of lists of links to read daily, such as awesome lists."`
	Contact      string `env:"CENSUS_CONTACT" desc:"An address or URL to reach the operator, sent in the User-Agent of every request and shown to those who wait for him."`
	Namespace    string `env:"CENSUS_NAMESPACE" envDefault:"org.mcpcensus" desc:"Reverse-DNS namespace of our members of _meta."`
	Name         string `env:"CENSUS_NAME" envDefault:"Census" desc:"Name of this registry on pages, badges, in mails and in the API's description."`
	LogoURL      string `env:"CENSUS_LOGO_URL" desc:"Address of an image, https or a path, shown in place of the mark."`
	Colors       string `env:"CENSUS_COLORS" desc:"Colour of links and buttons, such as #1f55cf, or two with a comma: on light and on dark ground. Colours that cannot be read there are refused."`
	Links        string `env:"CENSUS_LINKS" desc:"Links at the foot of every page, with commas: Imprint=https://example.com/imprint, Terms=/terms."`
	Notice       string `env:"CENSUS_NOTICE" desc:"A line shown on top of every page; addresses in it become links."`
	SMTPURL      string `env:"CENSUS_SMTP_URL" secret:"url" desc:"Mail server for links that confirm addresses and reset passwords, such as smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465. Empty: the operator does both with census account."`
	MailFrom     string `env:"CENSUS_MAIL_FROM" desc:"Address that mail comes from, such as Census <census@example.com>."`
	OAuthID      string `env:"CENSUS_GITHUB_OAUTH_ID" desc:"Client ID of an OAuth app at GitHub, to sign in with it. Its callback is /account/github/callback under CENSUS_BASE_URL. Empty: nobody signs in with GitHub."`
	OAuthSecret  string `env:"CENSUS_GITHUB_OAUTH_SECRET" secret:"all" desc:"Client secret of the OAuth app."`
	OAuthURL     string `env:"CENSUS_GITHUB_OAUTH_URL" envDefault:"https://github.com/" desc:"Where people sign in to GitHub. Their address is read from CENSUS_GITHUB_URL."`
	StripeKey    string `env:"CENSUS_STRIPE_KEY" secret:"all" desc:"Secret or restricted key of Stripe, to sell plans. Empty: the operator sets them with census plan. It needs the four variables after it."`
	StripeSecret string `env:"CENSUS_STRIPE_WEBHOOK_SECRET" secret:"all" desc:"Signing secret of the webhook endpoint, which is /webhooks/stripe under CENSUS_BASE_URL."`

	StripeProfessional string `env:"CENSUS_STRIPE_PRICE_PROFESSIONAL" desc:"ID of the monthly price of Professional. Former prices that are still paid follow after commas."`
	StripeEnterprise   string `env:"CENSUS_STRIPE_PRICE_ENTERPRISE" desc:"ID of the monthly price of Enterprise, likewise."`

	StripeURL string `env:"CENSUS_STRIPE_URL" envDefault:"https://api.stripe.com/" desc:"The API of Stripe."`
	LogLevel  string `env:"CENSUS_LOG_LEVEL" envDefault:"info" desc:"debug, info, warn or error."`
	LogFormat string `env:"CENSUS_LOG_FORMAT" envDefault:"auto" desc:"text, json, or auto: text on a terminal, JSON elsewhere."`
}

// loadConfig reads the environment and refuses every value that cannot work.
// The error names each wrong variable and says what it may be.
func loadConfig(environ []string) (config, error) {
	var c config
	vars := map[string]string{}
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = strings.TrimSpace(v)
	}
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		return c, fmt.Errorf("configuration: %w", err)
	}
	var wrong []string
	bad := func(name, format string, args ...any) {
		wrong = append(wrong, name+": "+fmt.Sprintf(format, args...))
	}
	for name := range vars {
		if strings.HasPrefix(name, "CENSUS_") && !strings.HasPrefix(name, "CENSUS_TEST_") && !slices.Contains(knownVariables(), name) && !slices.Contains(otherVariables, name) {
			bad(name, "is not a variable of census; `census config` lists them")
		}
	}
	if c.DatabaseURL != "" {
		if u, err := url.Parse(c.DatabaseURL); err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || u.Host == "" && u.Query().Get("host") == "" {
			bad("DATABASE_URL", "must look like postgres://user:password@host:5432/name?sslmode=require")
		}
	}
	if _, err := netip.ParseAddrPort(strings.Replace(c.Addr, "localhost:", "127.0.0.1:", 1)); err != nil && !strings.HasPrefix(c.Addr, ":") {
		bad("CENSUS_ADDR", "%q must be an address and a port, such as 127.0.0.1:8080 or [::]:8080", c.Addr)
	}
	if _, err := netip.ParseAddrPort(strings.Replace(c.MetricsAddr, "localhost:", "127.0.0.1:", 1)); err != nil && c.MetricsAddr != "off" && !strings.HasPrefix(c.MetricsAddr, ":") {
		bad("CENSUS_METRICS_ADDR", "%q must be an address and a port, such as 127.0.0.1:9464, or off", c.MetricsAddr)
	}
	for _, u := range []struct {
		name string
		p    *string
	}{
		{"CENSUS_BASE_URL", &c.BaseURL}, {"CENSUS_MEILI_URL", &c.MeiliURL}, {"CENSUS_GITHUB_URL", &c.GitHubURL},
		{"CENSUS_MCP_REGISTRY_URL", &c.RegistryURL}, {"CENSUS_DEPSDEV_URL", &c.DepsDevURL}, {"CENSUS_NPM_DOWNLOADS_URL", &c.NPMURL},
		{"CENSUS_STRIPE_URL", &c.StripeURL}, {"CENSUS_PYPISTATS_URL", &c.PyPIStatsURL}, {"CENSUS_OSV_URL", &c.OSVURL},
		{"CENSUS_GITHUB_OAUTH_URL", &c.OAuthURL},
	} {
		if *u.p == "" {
			continue
		}
		parsed, err := url.Parse(*u.p)
		if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
			bad(u.name, "must be an http or https address without user, query and fragment")
			continue
		}
		if u.name != "CENSUS_BASE_URL" && u.name != "CENSUS_MEILI_URL" && !strings.HasSuffix(*u.p, "/") {
			*u.p += "/"
		}
	}
	if c.BaseURL == "" {
		host := c.Addr
		if strings.HasPrefix(host, ":") || strings.HasPrefix(host, "0.0.0.0:") || strings.HasPrefix(host, "[::]:") {
			host = "localhost" + host[strings.LastIndex(host, ":"):]
		}
		c.BaseURL = "http://" + host
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if _, err := c.trustedProxies(); err != nil {
		bad("CENSUS_TRUSTED_PROXIES", "%v", err)
	}
	if c.MeiliKey != "" && c.MeiliURL == "" {
		bad("CENSUS_MEILI_KEY", "is set, but CENSUS_MEILI_URL is not")
	}
	for _, t := range []struct{ name, v string }{{"GITHUB_TOKEN", c.GitHubToken}, {"CENSUS_GITHUB_CHECK_TOKEN", c.CheckToken}} {
		if strings.ContainsFunc(t.v, func(r rune) bool { return r <= ' ' || r > '~' }) {
			bad(t.name, "has a character that no token has")
		}
	}
	if c.CheckToken != "" && c.CheckToken == c.GitHubToken {
		bad("CENSUS_GITHUB_CHECK_TOKEN", "is the same token as GITHUB_TOKEN; leave it empty or use another account's")
	}
	if len(c.Contact) > 200 || strings.ContainsFunc(c.Contact, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }) {
		bad("CENSUS_CONTACT", "must be one line of at most 200 characters")
	}
	c.checkStripe(bad)
	c.checkAccounts(bad)
	if _, err := c.brand(); err != nil {
		e, _ := errors.AsType[*registry.Error](err)
		bad(map[string]string{"name": "CENSUS_NAME", "logo": "CENSUS_LOGO_URL", "colors": "CENSUS_COLORS", "links": "CENSUS_LINKS"}[e.Fields[0].Field], "%s", e.Fields[0].Message)
	}
	if !namespaceForm.MatchString(c.Namespace) {
		bad("CENSUS_NAMESPACE", "%q must be a reverse-DNS name such as org.example", c.Namespace)
	}
	if c.MetricsAddr == c.Addr {
		bad("CENSUS_METRICS_ADDR", "is the same as CENSUS_ADDR; metrics have an address of their own, which is not public")
	}
	for _, l := range c.lists() {
		if !strings.Contains(l, "://") {
			if _, err := os.Stat(l); err != nil {
				bad("CENSUS_LISTS", "there is no file %q", l)
			}
		}
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, c.LogLevel) {
		bad("CENSUS_LOG_LEVEL", "%q must be debug, info, warn or error", c.LogLevel)
	}
	if !slices.Contains([]string{"auto", "text", "json"}, c.LogFormat) {
		bad("CENSUS_LOG_FORMAT", "%q must be auto, text or json", c.LogFormat)
	}
	if c.DataDir == "" {
		dir, err := defaultDataDir(vars)
		if err != nil {
			bad("CENSUS_DATA_DIR", "is not set and there is no home folder to put it in")
		}
		c.DataDir = dir
	} else if abs, err := filepath.Abs(c.DataDir); err == nil {
		c.DataDir = abs
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return c, registry.Errorf(registry.ErrInvalid, "configuration:\n  %s", strings.Join(wrong, "\n  "))
	}
	return c, nil
}

var namespaceForm = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)

// checkStripe refuses half of a configuration of Stripe.
func (c *config) checkStripe(bad func(name, format string, args ...any)) {
	needed := []struct{ name, value string }{
		{"CENSUS_STRIPE_KEY", c.StripeKey}, {"CENSUS_STRIPE_WEBHOOK_SECRET", c.StripeSecret},
		{"CENSUS_STRIPE_PRICE_PROFESSIONAL", c.StripeProfessional}, {"CENSUS_STRIPE_PRICE_ENTERPRISE", c.StripeEnterprise},
	}
	var set []string
	for _, v := range needed {
		if v.value != "" {
			set = append(set, v.name)
		}
	}
	for _, v := range needed {
		switch {
		case v.value == "" && len(set) > 0:
			bad(v.name, "is not set, but %s is: payment needs all four", set[0])
		case strings.ContainsFunc(v.value, func(r rune) bool { return r < ' ' || r > '~' }):
			bad(v.name, "has a character that it cannot have")
		}
	}
	prices := c.stripePrices()
	for _, list := range []struct{ plan, name string }{{account.Professional, "CENSUS_STRIPE_PRICE_PROFESSIONAL"}, {account.Enterprise, "CENSUS_STRIPE_PRICE_ENTERPRISE"}} {
		for _, id := range prices[list.plan] {
			if !strings.HasPrefix(id, "price_") && !strings.HasPrefix(id, "plan_") {
				bad(list.name, "%q is no ID of a price, which begins with price_", id)
			}
			if list.plan == account.Enterprise && slices.Contains(prices[account.Professional], id) {
				bad(list.name, "%q is the price of Professional too", id)
			}
		}
	}
	if strings.HasPrefix(c.StripeKey, "pk_") {
		bad("CENSUS_STRIPE_KEY", "is a publishable key; the secret key begins with sk_ or rk_")
	}
	if u, err := url.Parse(c.StripeURL); err == nil && u.Scheme == "http" {
		if ip, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
			bad("CENSUS_STRIPE_URL", "must be https: the key goes there")
		}
	}
}

// otherVariables are read by tests and by the Makefile only.
var otherVariables = []string{"CENSUS_SHARED", "CENSUS_CORPUS"}

// defaultDataDir returns the folder for our files that the platform's
// conventions give.
func defaultDataDir(vars map[string]string) (string, error) {
	if d := vars["XDG_DATA_HOME"]; filepath.IsAbs(d) {
		return filepath.Join(d, "census"), nil
	}
	home := vars["HOME"]
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(home, ".local", "share", "census"), nil
}

// brand returns the name and look of the registry.
func (c *config) brand() (brand.Brand, error) {
	return brand.ParseBrand(c.Name, c.LogoURL, c.Colors, c.Links)
}

// trustedProxies returns the proxies as prefixes.
func (c *config) trustedProxies() ([]netip.Prefix, error) {
	var out []netip.Prefix
	for s := range strings.SplitSeq(c.Proxies, ",") {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		if a, err := netip.ParseAddr(s); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a CIDR such as 10.0.0.0/8", s)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// lists returns the configured lists.
func (c *config) lists() []string {
	var out []string
	for s := range strings.SplitSeq(c.Lists, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// A variable is one documented environment variable with its value in force.
type variable struct {
	Name, Value, Default, Desc string
}

// variables returns the configuration with secrets masked, in order of
// declaration.
func (c *config) variables() []variable {
	var out []variable
	v, t := reflect.ValueOf(*c), reflect.TypeFor[config]()
	for i := range t.NumField() {
		f := t.Field(i)
		value := v.Field(i).String()
		switch f.Tag.Get("secret") {
		case "all":
			if value != "" {
				value = "********"
			}
		case "url":
			if u, err := url.Parse(value); err != nil {
				value = "********"
			} else if value != "" {
				q := u.Query()
				for _, k := range []string{"password", "sslpassword"} {
					if q.Has(k) {
						q.Set(k, "xxxxx")
					}
				}
				u.RawQuery = q.Encode()
				value = u.Redacted()
			}
		}
		out = append(out, variable{f.Tag.Get("env"), value, f.Tag.Get("envDefault"), f.Tag.Get("desc")})
	}
	return out
}

func knownVariables() []string {
	var names []string
	for _, v := range new(config).variables() {
		names = append(names, v.Name)
	}
	return names
}

// print writes the configuration with secrets masked.
func (c *config) print(w io.Writer) {
	for _, v := range c.variables() {
		fmt.Fprintf(w, "# %s\n%s=%s\n\n", v.Desc, v.Name, v.Value)
	}
}
