// Package git reads repositories over git's own protocol, version 2, without cloning them: refs,
// trees without files, the wanted files, and commits without trees. It works with every code
// host that serves partial clones, without the host's API and, for public repositories, without
// a token. Nothing is written to the file system; paths are data.
//
// Responses are untrusted: all sizes are limited while reading, and the ID of each object is
// computed from its content. A limit or an incomplete response leaves what arrived before it,
// with the reason why the rest is unknown.
package git

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// Options configure a [Client]. All fields are optional.
type Options struct {
	// BaseURL is the prefix of the host's repositories; default https:// and the host's domain.
	BaseURL string
	// Token authenticates requests for repositories that are known to be public. It may only
	// be set for the host that issued it.
	Token string
	// Pace is the rate of requests without a token; default [DefaultPace]. With a token, the
	// rate starts at its Max.
	Pace        transport.Pace
	Connections int // requests in progress; default 4
	Limits      Limits
	// Transport has the options that are not specific to git: UserAgent, PublicOnly, Base,
	// Now, Sleep, Observe, Log, Credentials.
	Transport transport.Options
}

// DefaultPace starts at about one repository a second, which takes four requests. Hosts
// do not publish the limits of git, so the client finds them.
var DefaultPace = transport.Pace{Start: 4, Max: 5}

// Limits bound the reading of one repository. Zero values have defaults.
type Limits struct {
	Refs     int   // default 20,000, with at most 4 MB; the largest known server has 3,000
	Response int64 // bytes of one response; default 32 MB, ten times the largest known tree
	Objects  int   // in one response; default 200,000, ten times the largest known tree
	Object   int64 // bytes of a commit or tree; default 8 MB, about 200,000 entries
	Inflated int64 // bytes of all objects of a response; default 128 MB, a part of a worker's memory
	Entries  int   // of a listing; default 50,000, the number of files that are stored
	Blob     int64 // bytes of one file; default 1 MB, the largest README that is read
	Blobs    int   // files in one request; default 500, some 50 kB of object IDs
	Files    int64 // bytes of the files of one call of Blobs; default 32 MB, eight times what is used
	Requests int   // for one call of Blobs; default 24
}

const (
	maxRefBytes   = 4 << 20
	maxDeltas     = 4095 // the longest chain that git makes
	maxDepth      = 64   // folders in a path
	maxPath       = 4096 // bytes of a path, PATH_MAX of Linux
	maxName       = 255  // bytes of a name, NAME_MAX of Linux
	maxPathBytes  = 16 << 20
	maxMessage    = 200 // bytes of a displayed message
	maxCapability = 200 // lines of capabilities
	// requestTimeout is of one request with its response. It only ends servers that hang:
	// limits are in bytes.
	requestTimeout = 3 * time.Minute
	// maxWait is how long a request waits for its turn.
	maxWait = 2 * time.Minute
	// refusalAge is how long a host's lack of protocol version 2 is remembered, unless it has
	// responded in it before.
	refusalAge = 15 * time.Minute
)

func (l Limits) withDefaults() Limits {
	l.Refs = cmp.Or(l.Refs, 20_000)
	l.Response = cmp.Or(l.Response, 32<<20)
	l.Objects = cmp.Or(l.Objects, 200_000)
	l.Object = cmp.Or(l.Object, 8<<20)
	l.Inflated = cmp.Or(l.Inflated, 128<<20)
	l.Entries = cmp.Or(l.Entries, 50_000)
	l.Blob = cmp.Or(l.Blob, 1<<20)
	l.Blobs = cmp.Or(l.Blobs, 500)
	l.Files = cmp.Or(l.Files, 32<<20)
	l.Requests = cmp.Or(l.Requests, 24)
	return l
}

// A Client reads the repositories of one code host. Its methods are safe for concurrent use.
type Client struct {
	host      *registry.Host
	lim       Limits
	anonymous *transport.Client
	token     *transport.Client // nil without a token
	now       func() time.Time

	mu      sync.Mutex
	spoken  bool   // a response was in version 2
	refusal *Error // the host does not speak version 2
	until   time.Time
}

// UpstreamOf returns the upstream of the transport, and of its budget, for the ID of a host.
func UpstreamOf(host string) string { return "git-" + host }

// New returns a client for a code host. It fails if the base URL or the token is invalid.
func New(host *registry.Host, opt Options) (*Client, error) {
	opt.BaseURL = cmp.Or(opt.BaseURL, "https://"+host.Domain+"/")
	if opt.Pace == (transport.Pace{}) {
		opt.Pace = DefaultPace
	}
	c := &Client{host: host, lim: opt.Limits.withDefaults()}
	t := opt.Transport
	t.Upstream, t.BaseURL = UpstreamOf(host.ID), opt.BaseURL
	t.Token, t.User, t.OwnAuthorization = "", "", false
	t.Header = map[string]string{"Git-Protocol": "version=2"}
	t.Refusal, t.Resource = refusalOf, nil
	t.Pace, t.Connections = opt.Pace, cmp.Or(opt.Connections, 4)
	t.Timeout, t.MaxWait = cmp.Or(t.Timeout, requestTimeout), cmp.Or(t.MaxWait, maxWait)
	t.MaxBody = max(c.lim.Response, maxRefBytes) + 1<<20
	t = t.WithDefaults()
	c.now = t.Now
	var err error
	if c.anonymous, err = transport.New(t); err != nil || opt.Token == "" {
		return c, err
	}
	t.Token, t.User = opt.Token, "x-access-token"
	t.Pace.Start, t.Confirm = t.Pace.Max, true
	c.token, err = transport.New(t)
	return c, err
}

func (c *Client) clients() []*transport.Client {
	if c.token == nil {
		return []*transport.Client{c.anonymous}
	}
	return []*transport.Client{c.anonymous, c.token}
}

// Budgets returns the known limits and rates of the host, to share with other processes.
func (c *Client) Budgets() (list []registry.Budget) {
	for _, api := range c.clients() {
		list = append(list, api.Budgets()...)
	}
	return list
}

// Restore applies limits and rates that other processes observed.
func (c *Client) Restore(list []registry.Budget) {
	for _, api := range c.clients() {
		api.Restore(list)
	}
}

// Ready returns nil if a request may be sent now, and otherwise the limit that applies.
func (c *Client) Ready() error {
	var err error
	for _, api := range c.clients() {
		if err = api.Ready("core"); err == nil {
			return nil
		}
	}
	return err
}

// post sends a request of protocol version 2 for a repository. The caller closes the response's
// body.
func (r *Repository) post(ctx context.Context, m *message) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.pack, &m.Buffer)
	if err != nil {
		return nil, err
	}
	const kind = "application/x-git-upload-pack-"
	req.Header.Set("Content-Type", kind+"request")
	req.Header.Set("Accept", kind+"result")
	resp, err := r.api.HTTP().Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, r.client.statusError(r.api, resp)
	}
	if resp.Header.Get("Content-Type") != kind+"result" {
		defer resp.Body.Close()
		return nil, &Error{Kind: Unsupported, Reason: r.client.host.Name +
			" responded with something other than git's protocol"}
	}
	return resp, nil
}

// fail returns the [Error] of a failed request. After a message in the protocol that asks for
// fewer requests, the whole host must wait.
func (r *Repository) fail(ctx context.Context, err error) error {
	err = r.client.explain(ctx, err)
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Throttled {
		if limit, known := errors.AsType[*transport.LimitError](e.Cause); known {
			e.RetryAt = limit.Until
		} else {
			limit := r.api.NotePause(time.Time{})
			e.Cause, e.RetryAt = limit, limit.Until
		}
	}
	return err
}

// beginning returns the first bytes of a body as text.
func beginning(r io.Reader) string {
	head, _ := io.ReadAll(io.LimitReader(r, 4<<10)) // an error leaves less text
	return string(head)
}
