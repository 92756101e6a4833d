// Package crawler reads lists of repositories and selects the files of a repository to
// read. Package crawler/github reads the code host, and crawler/upstream other services;
// all of them send requests through crawler/transport.
package crawler

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

const (
	maxList  = 16 << 20 // bytes of a list
	maxLinks = 200_000
	// listChunk is the number of candidates passed to yield at once.
	listChunk = 500
)

// ListOptions configure a [ListSource].
type ListOptions struct {
	Name     string // name of the source; "" derives one from Location
	Location string // a file, or an http or https URL
	// Loopback allows URLs that are not on the public internet, for lists on the
	// operator's own machines.
	Loopback  bool
	UserAgent string
	Base      http.RoundTripper
	Log       *slog.Logger
}

// A ListSource finds the repositories that a file or a page links to, such as an awesome
// list or a file with one URL a line.
type ListSource struct {
	opt    ListOptions
	client *transport.Client // nil for a file
	url    *url.URL
}

// NewListSource returns a source for a list. It fails if the location is invalid.
func NewListSource(opt ListOptions) (*ListSource, error) {
	s := &ListSource{opt: opt}
	if !strings.Contains(opt.Location, "://") {
		if opt.Location == "" {
			return nil, registry.Invalid("list", "must be a file or an http or https URL")
		}
		base := opt.Location[strings.LastIndexAny(opt.Location, `/\`)+1:]
		s.opt.Name = cmp.Or(s.opt.Name, "list:"+text.Clean(base, 80))
		return s, nil
	}
	u, err := url.Parse(opt.Location)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, registry.Invalid("list", "must be a file or an http or https URL")
	}
	if u.User != nil {
		return nil, registry.Invalid("list", "must not contain a user name or password")
	}
	domain := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	for _, h := range registry.Hosts {
		if h.Domain == domain && h.RawFile != "" {
			return nil, registry.Invalid("list",
				"must not be a web page of %s; use the URL of the file, such as %s", domain, h.RawFile)
		}
	}
	u.Fragment = ""
	s.url = u
	s.opt.Name = cmp.Or(s.opt.Name, "list:"+text.Clean(u.Host+u.Path, 80))
	s.client, err = transport.New(transport.Options{
		Upstream: s.opt.Name, BaseURL: u.Scheme + "://" + u.Host + "/", UserAgent: opt.UserAgent,
		Timeout: time.Minute, MaxBody: maxList, PublicOnly: !opt.Loopback, Base: opt.Base,
		Log: opt.Log,
	})
	return s, err
}

// Name returns the list's name.
func (s *ListSource) Name() string { return s.opt.Name }

// A listState is the state of a list between crawls.
type listState struct {
	Hash string `json:"hash,omitempty"`
}

// Discover yields the repositories of the list, as the sources of a crawl do, and none if
// the list has not changed.
func (s *ListSource) Discover(
	ctx context.Context, state []byte, yield func([]registry.Candidate, []byte) error,
) error {
	text, err := s.load(ctx)
	if err != nil {
		return err
	}
	var was listState
	if len(state) > 0 {
		_ = json.Unmarshal(state, &was) // the state of another version is ignored
	}
	sum := sha256.Sum256(text)
	now := listState{hex.EncodeToString(sum[:8])}
	done, err := json.Marshal(now)
	if err != nil {
		return err
	}
	var found []registry.Candidate
	if now != was {
		found = Links(string(text), s.Name())
	}
	for ; len(found) > listChunk; found = found[listChunk:] {
		if err := yield(found[:listChunk], state); err != nil {
			return err
		}
	}
	return yield(found, done)
}

func (s *ListSource) load(ctx context.Context) ([]byte, error) {
	fail := func(err error) ([]byte, error) { return nil, fmt.Errorf("list %s: %w", s.Name(), err) }
	if s.client == nil {
		f, err := os.Open(s.opt.Location)
		if err != nil {
			return fail(err)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxList+1))
		if err == nil && len(text) > maxList {
			err = transport.ErrBodyTooLarge
		}
		if err != nil {
			return fail(err)
		}
		return text, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.String(), nil)
	if err != nil {
		return fail(err)
	}
	req.Header.Set("Accept", "text/markdown, text/plain, text/*;q=0.9, */*;q=0.1")
	resp, err := s.client.HTTP().Do(req)
	if err != nil {
		return fail(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, registry.Errorf(registry.ErrUnavailable, "list %s: status %d", s.Name(), resp.StatusCode)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return fail(err)
	}
	return text, nil
}

// repoLink returns an expression that finds URLs of repositories in a text.
func repoLink() *regexp.Regexp {
	var domains []string
	for _, h := range registry.Hosts {
		for _, d := range append([]string{h.Domain}, h.Aliases...) {
			domains = append(domains, regexp.QuoteMeta(d))
		}
	}
	return regexp.MustCompile(`(?i)(?:^|[^A-Za-z0-9.-])((?:` + strings.Join(domains, "|") + `)` +
		`/[A-Za-z0-9._-]+/[A-Za-z0-9._-]+(?:/[A-Za-z0-9._~@+/-]*)?)`)
}

var (
	// bareName matches owner/name.
	bareName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
	heading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	markup   = regexp.MustCompile(`<[^>]*>|!?\[([^\]]*)\]\([^)]*\)|[*_` + "`" + `]+`)
)

// Links returns the repositories that a list links to in order of appearance, once per
// folder, with the Markdown heading above them.
func Links(list, source string) []registry.Candidate {
	var found []registry.Candidate
	seen := map[string]bool{}
	under := ""
	link := repoLink()
	add := func(address string) {
		if len(found) >= maxLinks {
			return
		}
		ref, err := registry.ParseRepoRef(address)
		if err != nil {
			return
		}
		key := ref.Key() + " " + ref.Path
		if !seen[key] {
			seen[key] = true
			found = append(found, registry.Candidate{Ref: ref, Source: source, Heading: under})
		}
	}
	lines := bufio.NewScanner(strings.NewReader(list))
	lines.Buffer(make([]byte, 64<<10), maxList+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if m := heading.FindStringSubmatch(line); m != nil {
			under = text.Clean(markup.ReplaceAllString(m[1], "$1"), 120)
		}
		if bareName.MatchString(line) {
			add(line)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			add("https://" + m[1])
		}
	}
	return found
}
