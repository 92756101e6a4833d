package census

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"
)

const (
	defaultURL     = "http://127.0.0.1:8080"
	defaultTimeout = 60 * time.Second
	connectTimeout = 10 * time.Second
	defaultRetries = 2
)

// A Config configures a [Client]. Its zero value is ready to use.
type Config struct {
	// APIKey defaults to CENSUS_API_KEY. It is only sent to BaseURL, and over plain HTTP only on this
	// machine.
	APIKey string `json:"-"`
	// BaseURL is the URL of the registry. It defaults to CENSUS_URL, or http://127.0.0.1:8080.
	BaseURL string
	// Timeout is the timeout of one attempt. 0 means 60 seconds, negative values none.
	Timeout time.Duration
	// MaxRetries is the maximum number of retries. 0 means 2, negative values none.
	MaxRetries int
	// HTTPClient sends the requests. The default connects within 10 seconds and uses
	// the proxy of the environment.
	HTTPClient *http.Client
	// Header is sent with every request.
	Header http.Header
	// UserAgent is prepended to the user agent of this package.
	UserAgent string
	// ETagCacheBytes is the maximum size of an in-memory cache of responses, which are revalidated by
	// ETag. This saves transfer and time, but counts against the rate limit. 0 means no cache.
	ETagCacheBytes int
	// Logger receives one debug record per attempt, without keys, headers or bodies.
	Logger *slog.Logger
}

// String returns the configuration without its key.
func (c Config) String() string {
	return fmt.Sprintf("census.Config{BaseURL: %q, APIKey: %q}", c.BaseURL, shortKey(c.APIKey))
}

// GoString is String.
func (c Config) GoString() string { return c.String() }

// LogValue implements [slog.LogValuer].
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// shortKey returns a key with its secret part masked.
func shortKey(key string) string {
	if len(key) < 16 {
		return strings.Repeat("…", min(len(key), 1))
	}
	return key[:8] + "…"
}

// A Client calls a registry. It is safe for concurrent use.
type Client struct {
	// Directory lists servers, categories and changes of tools; no key is required.
	Directory *DirectoryService
	// Servers reads records of servers.
	Servers *ServersService
	// Account reads the account of the key.
	Account *AccountService
	// Custom manages and runs the custom endpoints of the account.
	Custom *CustomService
	// Registry reads the registry and its views through the official registry's API; no key is
	// required.
	Registry *RegistryService
	// Webhooks manages the webhook endpoints of the account.
	Webhooks *WebhooksService

	key     *string // a pointer, since fmt prints unexported fields
	base    *url.URL
	http    *http.Client
	timeout time.Duration
	retries int
	header  http.Header
	agent   string
	cache   *etagCache
	log     *slog.Logger
}

// New returns a client. It fails if the URL is invalid or the key would be sent unencrypted to
// another machine.
func New(config Config) (*Client, error) {
	key := strings.TrimSpace(firstOf(config.APIKey, os.Getenv("CENSUS_API_KEY")))
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("census: the API key contains invalid characters")
	}
	base, err := parseBase(firstOf(config.BaseURL, os.Getenv("CENSUS_URL"), defaultURL))
	if err != nil {
		return nil, err
	}
	if key != "" && base.Scheme == "http" && !isLoopback(base.Hostname()) {
		return nil, fmt.Errorf("census: the API key is not sent over plain HTTP to %s: use https", base.Host)
	}
	c := &Client{
		key: &key, base: base, timeout: config.Timeout, retries: config.MaxRetries,
		header: config.Header.Clone(), log: config.Logger, agent: userAgent(config.UserAgent),
		http: httpClient(config.HTTPClient),
	}
	if c.timeout == 0 {
		c.timeout = defaultTimeout
	}
	if c.retries == 0 {
		c.retries = defaultRetries
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if config.ETagCacheBytes > 0 {
		c.cache = newETagCache(config.ETagCacheBytes)
	}
	c.Directory, c.Servers = &DirectoryService{c}, &ServersService{c}
	c.Account, c.Custom = &AccountService{c}, &CustomService{c}
	c.Registry = &RegistryService{Entries{c, []string{"v0.1"}}}
	c.Webhooks = &WebhooksService{c}
	return c, nil
}

// String returns the URL of the registry and the beginning of the key.
func (c *Client) String() string {
	return fmt.Sprintf("census.Client{BaseURL: %q, APIKey: %q}", c.base, shortKey(*c.key))
}

// GoString is String.
func (c *Client) GoString() string { return c.String() }

// BaseURL returns the URL of the registry, without a trailing slash.
func (c *Client) BaseURL() string { return c.base.String() }

// HasKey reports whether the client has an API key.
func (c *Client) HasKey() bool { return *c.key != "" }

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func parseBase(address string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(strings.TrimSpace(address), "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("census: the base URL must have the form https://host[/path]")
	}
	return base, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// userAgent names this package, its version and the platform.
func userAgent(before string) string {
	own := fmt.Sprintf("census-go/%s (%s; %s/%s)", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return strings.TrimSpace(before + " " + own)
}

// httpClient returns a copy of c, or a new client, that follows redirects only within the scheme
// and host of the request, because headers contain the key.
func httpClient(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	} else {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DialContext = (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext
		t.TLSHandshakeTimeout = connectTimeout
		t.MaxIdleConnsPerHost = 32
		own.Transport = t
	}
	next := own.CheckRedirect
	own.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch {
		case req.URL.Scheme != first.Scheme || req.URL.Host != first.Host:
			return fmt.Errorf("%w to %s://%s", errRedirect, req.URL.Scheme, req.URL.Host)
		case len(via) >= 5:
			return fmt.Errorf("%w more than 5 times", errRedirect)
		case next != nil:
			return next(req, via)
		}
		return nil
	}
	return &own
}

var errRedirect = errors.New("redirected")
