package git

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A Repository is a repository of a host and its refs. Its methods are safe for concurrent use.
type Repository struct {
	// Ref is where the repository is. It differs from the requested one if it was renamed.
	Ref    registry.RepoRef
	Branch string // the default branch, "" if unknown
	Head   string // commit of the default branch, "" if the repository is empty
	Tags   []Tag  // sorted by name
	// Cut is why Tags is incomplete, "" if it is complete.
	Cut string

	client *Client
	api    *transport.Client
	pack   string // URL of requests
}

// A Tag is a tag with the commit to which it points.
type Tag struct{ Name, Commit string }

// Open reads the refs of a repository, in two requests. With public, the caller knows that
// anyone may read it: then the requests carry the client's token, if there is one. A repository
// without a commit has no Head. Errors are of type [Error], or the cause of the end of ctx.
func (c *Client) Open(
	ctx context.Context, ref registry.RepoRef, public bool,
) (*Repository, error) {
	if err := c.remembered(); err != nil {
		return nil, err
	}
	if !validRef(ref) {
		return nil, &Error{Kind: Missing, Reason: "the repository's name is invalid"}
	}
	r := &Repository{Ref: ref, client: c, api: c.anonymous}
	if public && c.token != nil && c.token.Ready("core") == nil {
		r.api = c.token
	}
	err := r.advertisement(ctx)
	if errors.Is(err, errUnauthorized) { // hosts also respond so for what the token may not read
		r.api = c.anonymous
		if err = r.advertisement(ctx); err == nil {
			c.token.NoteRejection()
		}
	}
	if err == nil && r.api == c.token && r.Ref.Key() != ref.Key() {
		// The caller's knowledge does not extend to the place to which a redirect led.
		r.api = c.anonymous
		if err = r.advertisement(ctx); err == nil {
			r.api = c.token
		}
	}
	if err == nil {
		err = r.readRefs(ctx)
	}
	if err != nil {
		return nil, r.fail(ctx, err)
	}
	return r, nil
}

func validRef(ref registry.RepoRef) bool {
	return !slices.ContainsFunc(strings.Split(ref.Owner+"/"+ref.Name, "/"), func(part string) bool {
		return part == "" || part == "." || part == ".." || strings.ContainsAny(part, "?#%\\\x00")
	})
}

// remembered returns the error of a host that does not speak version 2.
func (c *Client) remembered() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusal != nil && c.now().Before(c.until) {
		return c.refusal
	}
	return nil
}

// refuse returns the error of a response that is not supported. It is remembered for the host,
// unless other responses were supported.
func (c *Client) refuse(why string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := &Error{Kind: Unsupported, Reason: c.host.Name + " " + why}
	if !c.spoken {
		c.refusal, c.until = err, c.now().Add(refusalAge)
	}
	return err
}

// supported notes that a response of the host was supported.
func (c *Client) supported() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spoken, c.refusal = true, nil
}

const refsPath = "info/refs"

// advertisement reads what the server supports. It follows redirects, and sets Ref to the
// repository that responded.
func (r *Repository) advertisement(ctx context.Context) error {
	c := r.client
	u := r.api.BaseURL().JoinPath(r.Ref.Owner, r.Ref.Name+".git", refsPath)
	u.RawQuery = "service=git-upload-pack"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := r.api.HTTP().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return c.statusError(r.api, resp)
	}
	if err := r.moved(resp.Request.URL); err != nil {
		return err
	}
	if resp.Header.Get("Content-Type") != "application/x-git-upload-pack-advertisement" {
		return &Error{Kind: Unsupported,
			Reason: c.host.Name + " responded with something other than git's protocol"}
	}
	body := &boundedReader{resp.Body, maxRefBytes, maxRefBytes}
	caps, err := readCapabilities(newPacketReader(body))
	if err != nil {
		return err
	}
	return c.check(caps)
}

// moved sets Ref and the URL of requests by the URL of the advertisement.
func (r *Repository) moved(final *url.URL) error {
	dir, ok := strings.CutSuffix(final.Path, "/"+refsPath)
	name, below := strings.CutPrefix(dir, r.api.BaseURL().Path)
	if !ok || !below {
		return &Error{Kind: Unsupported, Reason: "the repository moved to an unknown address"}
	}
	owner, base := path.Split(strings.TrimSuffix(name, ".git"))
	ref := registry.RepoRef{Host: r.Ref.Host, Owner: strings.Trim(owner, "/"), Name: base}
	if !validRef(ref) {
		return &Error{Kind: Unsupported, Reason: "the repository moved to an unknown address"}
	}
	if !strings.EqualFold(ref.Owner, r.Ref.Owner) || !strings.EqualFold(ref.Name, r.Ref.Name) {
		r.Ref = ref
	}
	pack := *final
	pack.Path, pack.RawPath, pack.RawQuery = dir+"/git-upload-pack", "", ""
	r.pack = pack.String()
	return nil
}

// errVersion is the response of a server that does not speak protocol version 2.
var errVersion = errors.New("version")

// readCapabilities returns the capabilities of a server that speaks version 2, by name.
func readCapabilities(p *packetReader) (map[string]string, error) {
	kind, line, err := p.line()
	if err == nil && strings.HasPrefix(line, "# service=") {
		if kind, _, err = p.line(); err == nil && kind == packetFlush {
			kind, line, err = p.line()
		}
	}
	switch {
	case err != nil:
		return nil, err
	case kind != packetData || line != "version 2":
		return nil, errVersion
	}
	caps := map[string]string{}
	for range maxCapability {
		kind, line, err := p.line()
		if err != nil {
			return nil, err
		}
		if kind != packetData {
			return caps, nil
		}
		name, value, _ := strings.Cut(line, "=")
		caps[name] = value
	}
	return nil, corruptf("it has more than %d capabilities", maxCapability)
}

// check returns an error if a server lacks what this package needs.
func (c *Client) check(caps map[string]string) error {
	format, known := caps["object-format"]
	fetch := strings.Fields(caps["fetch"])
	switch {
	case known && format != "sha1":
		return &Error{Kind: Unsupported, Reason: "the repository's object format is not SHA-1"}
	case !slices.Contains(fetch, "filter"), !slices.Contains(fetch, "shallow"):
		return c.refuse("does not serve parts of repositories")
	}
	c.supported()
	return nil
}

// readRefs reads HEAD and the tags.
func (r *Repository) readRefs(ctx context.Context) error {
	var m message
	m.line("command=ls-refs")
	m.line("object-format=sha1")
	m.delim()
	m.line("peel")
	m.line("symrefs")
	m.line("ref-prefix HEAD")
	m.line("ref-prefix refs/tags/")
	m.flush()
	resp, err := r.post(ctx, &m)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	err = r.parseRefs(newPacketReader(&boundedReader{resp.Body, maxRefBytes, maxRefBytes}))
	if err != nil && errors.Is(err, errLimit) && r.Head != "" {
		r.Cut, err = "it has "+err.Error(), nil
	}
	slices.SortFunc(r.Tags, func(a, b Tag) int { return strings.Compare(a.Name, b.Name) })
	return err
}

// parseRefs reads the response to ls-refs.
func (r *Repository) parseRefs(p *packetReader) error {
	for n := 0; ; n++ {
		kind, line, err := p.line()
		if err != nil {
			return err
		}
		if kind != packetData {
			return nil
		}
		if n >= r.client.lim.Refs {
			return &limitError{"more than " + text.Count(r.client.lim.Refs, "tag")}
		}
		r.addRef(line)
	}
}

// addRef adds a line "ID NAME ATTRIBUTE…" of the response to ls-refs. Invalid lines, and refs
// that point to something other than a commit of SHA-1, are ignored.
func (r *Repository) addRef(line string) {
	fields := strings.Split(line, " ")
	if len(fields) < 2 || !isID(fields[0]) {
		return
	}
	id, name := fields[0], fields[1]
	for _, attribute := range fields[2:] {
		switch key, value, _ := strings.Cut(attribute, ":"); key {
		case "peeled":
			if !isID(value) {
				return
			}
			id = value
		case "symref-target":
			if branch, ok := strings.CutPrefix(value, "refs/heads/"); ok && name == "HEAD" {
				r.Branch = text.Clean(branch, maxName)
			}
		}
	}
	if name == "HEAD" {
		r.Head = id
	} else if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok && validName(tag) {
		r.Tags = append(r.Tags, Tag{Name: tag, Commit: id})
	}
}
