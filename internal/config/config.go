// Package config reads and checks the environment variables of census.
package config

import (
	_ "embed"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"mcpcensus/internal/account"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

// Config is the configuration. Each field is one environment variable. Its check tag
// names its rule in checks.go; variables.txt describes it.
type Config struct {
	DatabaseURL        string `env:"DATABASE_URL" secret:"url" check:"postgres"`
	GitHubToken        string `env:"GITHUB_TOKEN" secret:"all" check:"printable"`
	CheckToken         string `env:"CENSUS_GITHUB_CHECK_TOKEN" secret:"all" check:"printable"`
	SecretKey          string `env:"CENSUS_SECRET_KEY" secret:"all" check:"key"`
	Addr               string `env:"CENSUS_ADDR" envDefault:"127.0.0.1:8080" check:"address"`
	MetricsAddr        string `env:"CENSUS_METRICS_ADDR" envDefault:"127.0.0.1:9464" check:"addressOrOff"`
	DataDir            string `env:"CENSUS_DATA_DIR"`
	BaseURL            string `env:"CENSUS_BASE_URL" check:"url"`
	Proxies            string `env:"CENSUS_TRUSTED_PROXIES" check:"prefixes"`
	MCPOrigins         string `env:"CENSUS_MCP_ORIGINS" check:"origins"`
	MeiliURL           string `env:"CENSUS_MEILI_URL" check:"url"`
	MeiliKey           string `env:"CENSUS_MEILI_KEY" secret:"all"`
	MeiliEmbedder      string `env:"CENSUS_MEILI_EMBEDDER" secret:"all" check:"object"`
	GitHubURL          string `env:"CENSUS_GITHUB_URL" envDefault:"https://api.github.com/" check:"baseURL"`
	GitURL             string `env:"CENSUS_GIT_URL" envDefault:"https://github.com/" check:"baseURL"`
	RegistryURL        string `env:"CENSUS_MCP_REGISTRY_URL" envDefault:"https://registry.modelcontextprotocol.io/" check:"baseURL"`
	DepsDevURL         string `env:"CENSUS_DEPSDEV_URL" envDefault:"https://api.deps.dev/" check:"baseURL"`
	NPMURL             string `env:"CENSUS_NPM_DOWNLOADS_URL" envDefault:"https://api.npmjs.org/" check:"baseURL"`
	Archives           string `env:"CENSUS_ARCHIVES" envDefault:"on" check:"oneOf:on off"`
	Dumps              string `env:"CENSUS_DUMPS" envDefault:"on" check:"oneOf:on off"`
	NPMRegistryURL     string `env:"CENSUS_NPM_URL" check:"baseURL"`
	PyPIURL            string `env:"CENSUS_PYPI_URL" check:"baseURL"`
	PyPIStatsURL       string `env:"CENSUS_PYPISTATS_URL" envDefault:"https://pypistats.org/" check:"baseURL"`
	AvatarsURL         string `env:"CENSUS_AVATARS_URL" check:"baseURL"`
	ImagesURL          string `env:"CENSUS_IMAGES_URL" check:"baseURL"`
	OSVURL             string `env:"CENSUS_OSV_URL" envDefault:"https://api.osv.dev/" check:"baseURL"`
	Lists              string `env:"CENSUS_LISTS" check:"lists"`
	Probes             string `env:"CENSUS_PROBES" envDefault:"on" check:"oneOf:on off"`
	ProbeExclude       string `env:"CENSUS_PROBE_EXCLUDE" check:"hosts"`
	Contact            string `env:"CENSUS_CONTACT" check:"line"`
	Namespace          string `env:"CENSUS_NAMESPACE" envDefault:"org.mcpcensus" check:"namespace"`
	Name               string `env:"CENSUS_NAME" envDefault:"Census"`
	LogoURL            string `env:"CENSUS_LOGO_URL"`
	Colors             string `env:"CENSUS_COLORS"`
	Links              string `env:"CENSUS_LINKS"`
	Notice             string `env:"CENSUS_NOTICE"`
	SMTPURL            string `env:"CENSUS_SMTP_URL" secret:"url" check:"smtp"`
	MailFrom           string `env:"CENSUS_MAIL_FROM" check:"sender"`
	OAuthID            string `env:"CENSUS_GITHUB_OAUTH_ID" check:"printable"`
	OAuthSecret        string `env:"CENSUS_GITHUB_OAUTH_SECRET" secret:"all" check:"printable"`
	OAuthURL           string `env:"CENSUS_GITHUB_OAUTH_URL" envDefault:"https://github.com/" check:"baseURL"`
	OIDCIssuer         string `env:"CENSUS_OIDC_ISSUER" check:"url"`
	OIDCID             string `env:"CENSUS_OIDC_CLIENT_ID" check:"printable"`
	OIDCSecret         string `env:"CENSUS_OIDC_CLIENT_SECRET" secret:"all" check:"printable"`
	OIDCDomains        string `env:"CENSUS_OIDC_DOMAINS" check:"hosts"`
	StripeKey          string `env:"CENSUS_STRIPE_KEY" secret:"all" check:"text"`
	StripeSecret       string `env:"CENSUS_STRIPE_WEBHOOK_SECRET" secret:"all" check:"text"`
	StripeProfessional string `env:"CENSUS_STRIPE_PRICE_PROFESSIONAL" check:"text"`
	StripeEnterprise   string `env:"CENSUS_STRIPE_PRICE_ENTERPRISE" check:"text"`
	StripeURL          string `env:"CENSUS_STRIPE_URL" envDefault:"https://api.stripe.com/" check:"baseURL"`
	PlansContact       string `env:"CENSUS_PLANS_CONTACT" check:"line"`
	PlansTexts         string `env:"CENSUS_PLANS_TEXTS" check:"plans"`
	InspectKey         string `env:"CENSUS_INSPECT_KEY" secret:"all" check:"secret"`
	InspectHosts       string `env:"CENSUS_INSPECT_HOSTS" check:"hosts"`
	WebhookHosts       string `env:"CENSUS_WEBHOOK_HOSTS" check:"hosts"`
	LogLevel           string `env:"CENSUS_LOG_LEVEL" envDefault:"info" check:"oneOf:debug info warn error"`
	LogFormat          string `env:"CENSUS_LOG_FORMAT" envDefault:"auto" check:"oneOf:auto text json"`
}

// Load parses an environment in the form of os.Environ and rejects invalid values. The
// error is of kind [registry.ErrInvalid] and names each invalid variable and what is
// accepted.
func Load(environ []string) (Config, error) {
	var c Config
	vars := map[string]string{}
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = strings.TrimSpace(v)
	}
	var p problems
	p.readSecretFiles(vars)
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		return c, fmt.Errorf("configuration: %w", err)
	}
	p.unknown(vars)
	c.checkValues(&p)
	c.complete(vars, &p)
	c.checkTogether(&p)
	return c, p.err()
}

// complete fills in the defaults that depend on other variables.
func (c *Config) complete(vars map[string]string, p *problems) {
	if c.BaseURL == "" {
		host := c.Addr
		for _, all := range []string{":", "0.0.0.0:", "[::]:"} {
			if strings.HasPrefix(host, all) {
				host = "localhost" + host[strings.LastIndex(host, ":"):]
			}
		}
		c.BaseURL = "http://" + host
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.DataDir == "" {
		dir, err := defaultDataDir(vars)
		if err != nil {
			p.add("CENSUS_DATA_DIR", "is not set, and there is no home folder for the default")
		}
		c.DataDir = dir
	} else if abs, err := filepath.Abs(c.DataDir); err == nil {
		c.DataDir = abs
	}
}

// defaultDataDir returns the data folder by the platform's conventions.
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

// Brand returns the operator's name, logo, colors and links.
func (c *Config) Brand() (brand.Brand, error) {
	return brand.Parse(c.Name, c.LogoURL, c.Colors, c.Links)
}

// MCPOriginList returns CENSUS_MCP_ORIGINS as origins, nil for all.
func (c *Config) MCPOriginList() []string {
	all := split(c.MCPOrigins)
	for i := range all {
		all[i] = strings.TrimRight(all[i], "/")
	}
	return all
}

func (c *Config) TrustedProxies() ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, s := range split(c.Proxies) {
		if a, err := netip.ParseAddr(s); err == nil {
			a = a.Unmap() // like addresses of clients
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

// ListLocations returns the files and URLs of CENSUS_LISTS.
func (c *Config) ListLocations() []string { return split(c.Lists) }

// StripePrices returns the IDs of prices by plan, the current one first.
func (c *Config) StripePrices() map[string][]string {
	return map[string][]string{
		account.Professional: split(c.StripeProfessional),
		account.Enterprise:   split(c.StripeEnterprise),
	}
}

// Offer returns the plans for sale. It reads CENSUS_PLANS_TEXTS.
func (c *Config) Offer() account.Offer {
	o := account.Offer{Online: c.StripeKey != "", Contact: c.PlansContact}
	if c.PlansTexts != "" {
		file, _ := os.ReadFile(c.PlansTexts) // Load has checked it
		o.Texts, _ = account.ParseTexts(string(file))
	}
	return o
}

// Hosts returns the hosts in a variable with the check "hosts".
func Hosts(list string) []string { return split(strings.ToLower(list)) }

// split returns the non-empty parts of a comma-separated list.
func split(list string) []string {
	var out []string
	for s := range strings.SplitSeq(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// OnLoopback reports whether the host of a URL is this machine.
func OnLoopback(location string) bool {
	u, err := url.Parse(location)
	return err == nil && hosts.KindOf(u.Host) == hosts.Loopback
}

// A Variable is one documented environment variable.
type Variable struct {
	Name, Value, Default, Description string
}

//go:embed variables.txt
var descriptions string

// Variables returns all variables in order of declaration. Secrets are masked.
func (c *Config) Variables() []Variable {
	text := map[string]string{}
	for line := range strings.Lines(descriptions) {
		name, description, _ := strings.Cut(strings.TrimSpace(line), ": ")
		text[name] = description
	}
	var out []Variable
	for f, v := range reflect.ValueOf(*c).Fields() {
		name, value := f.Tag.Get("env"), mask(v.String(), f.Tag.Get("secret"))
		out = append(out, Variable{name, value, f.Tag.Get("envDefault"), text[name]})
	}
	return out
}

// Secrets returns the names of the variables with secrets that are set, in order of
// declaration.
func (c *Config) Secrets() []string {
	var out []string
	for f, value := range reflect.ValueOf(*c).Fields() {
		if f.Tag.Get("secret") != "" && value.String() != "" {
			out = append(out, f.Tag.Get("env"))
		}
	}
	return out
}

// mask hides the secret part of a value: all of it, or the passwords of a URL.
func mask(value, secret string) string {
	if value == "" || secret == "" {
		return value
	}
	u, err := url.Parse(value)
	if secret == "all" || err != nil {
		return "********"
	}
	q := u.Query()
	for _, k := range []string{"password", "sslpassword"} {
		if q.Has(k) {
			q.Set(k, "xxxxx")
		}
	}
	u.RawQuery = q.Encode()
	return u.Redacted()
}

// Print writes the configuration with secrets masked.
func (c *Config) Print(w io.Writer) {
	for _, v := range c.Variables() {
		fmt.Fprintf(w, "# %s\n%s=%s\n\n", v.Description, v.Name, v.Value)
	}
}

func names() []string {
	var names []string
	for _, v := range new(Config).Variables() {
		names = append(names, v.Name)
	}
	return names
}

// problems are the faults of variables.
type problems []string

func (p *problems) add(name, format string, args ...any) {
	*p = append(*p, name+": "+fmt.Sprintf(format, args...))
}

// testVariables are read by tests and the Makefile only.
var testVariables = []string{"CENSUS_SHARED", "CENSUS_CORPUS", "CENSUS_MIRROR",
	"CENSUS_SDK_TEST", "CENSUS_SCALE", "CENSUS_SCALE_KNOWN"}

// clientVariables are read by clients of a registry, which may run on the same machine.
var clientVariables = []string{"CENSUS_URL", "CENSUS_API_KEY", "CENSUS_WEBHOOK_SECRET"}

// unknown rejects misspelt variables.
func (p *problems) unknown(vars map[string]string) {
	known := slices.Concat(names(), testVariables, clientVariables)
	for name := range vars {
		if strings.HasPrefix(name, "CENSUS_") && !strings.HasPrefix(name, "CENSUS_TEST_") &&
			!slices.Contains(known, name) {
			p.add(name, "is not a variable of census; see `census config`")
		}
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	slices.Sort(p)
	return registry.Errorf(registry.ErrInvalid, "configuration:\n  %s", strings.Join(p, "\n  "))
}
