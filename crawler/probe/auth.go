package probe

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/mcp"
	"mcpcensus/internal/text"
)

// maxMetadata is the maximum size of a metadata document in bytes.
const maxMetadata = 64 << 10

// maxAuthServers is the number of stored issuers.
const maxAuthServers = 5

var metadataField = regexp.MustCompile(`(?i)\bresource_metadata\s*=\s*"?([^",\s]{1,1000})`)

// authorization reads the metadata of a resource that requires a login (RFC 9728) and
// of its first authorization server (RFC 8414 or OpenID Connect). It returns the problem
// with them, "" if there is none.
func (c *session) authorization(ctx context.Context, header http.Header) string {
	resource, found, err := c.resourceMetadata(ctx, header)
	switch {
	case err != nil:
		return "authorization metadata is invalid"
	case !found:
		return "no authorization metadata"
	case !covers(resource.Resource, c.url):
		return "authorization metadata is for another resource"
	case len(resource.Servers) == 0:
		return "authorization metadata names no authorization server"
	}
	for _, issuer := range resource.Servers[:min(len(resource.Servers), maxAuthServers)] {
		c.result.AuthServers = append(c.result.AuthServers, text.Clean(issuer, 500))
	}
	return c.serverMetadata(ctx, resource.Servers[0])
}

// resource is the metadata of a protected resource.
type resource struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
}

// resourceMetadata reads the metadata at the URL in a challenge or at the well-known URLs of
// the endpoint.
func (c *session) resourceMetadata(
	ctx context.Context, header http.Header,
) (r resource, found bool, err error) {
	for _, challenge := range header.Values("WWW-Authenticate") {
		if m := metadataField.FindStringSubmatch(challenge); m != nil {
			u, err := c.url.Parse(m[1])
			if err != nil || u.Scheme != "https" {
				return r, false, mcp.ErrNotMCP
			}
			return r, true, c.metadata(ctx, u, &r)
		}
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	paths := []string{wellKnown + strings.TrimRight(c.url.EscapedPath(), "/"), wellKnown}
	for _, path := range slices.Compact(paths) {
		u, err := c.url.Parse(path)
		if err != nil {
			continue
		}
		r = resource{}
		if c.metadata(ctx, u, &r) == nil && r.Resource != "" {
			return r, true, nil
		}
	}
	return r, false, nil
}

// covers reports whether a resource is the endpoint, or a parent of it on the same origin.
func covers(name string, endpoint *url.URL) bool {
	u, err := url.Parse(name)
	if err != nil || !sameOrigin(u, endpoint) {
		return false
	}
	parent := strings.TrimRight(u.Path, "/")
	return parent == strings.TrimRight(endpoint.Path, "/") ||
		strings.HasPrefix(endpoint.Path, parent+"/")
}

// serverMetadata reads the metadata of an authorization server. It returns the problem with
// it, "" if there is none.
func (c *session) serverMetadata(ctx context.Context, issuer string) string {
	base, err := url.Parse(issuer)
	if err != nil || base.Scheme != "https" || base.Host == "" || base.User != nil ||
		portOf(base) != "443" && portOf(base) != "8443" {
		return "the URL of the authorization server is invalid"
	}
	path := strings.TrimRight(base.EscapedPath(), "/")
	for _, at := range slices.Compact([]string{
		"/.well-known/oauth-authorization-server" + path,
		"/.well-known/openid-configuration" + path,
		path + "/.well-known/openid-configuration",
	}) {
		u, err := base.Parse(at)
		if err != nil {
			continue
		}
		var server struct {
			Issuer       string   `json:"issuer"`
			PKCE         []string `json:"code_challenge_methods_supported"`
			ClientIDs    bool     `json:"client_id_metadata_document_supported"`
			Registration string   `json:"registration_endpoint"`
		}
		if c.metadata(ctx, u, &server) != nil || server.Issuer == "" {
			continue
		}
		if strings.TrimRight(server.Issuer, "/") != strings.TrimRight(issuer, "/") {
			return "the issuer of the authorization server does not match"
		}
		c.result.PKCE = slices.Contains(server.PKCE, "S256")
		c.result.ClientIDs, c.result.Registration = server.ClientIDs, server.Registration != ""
		return ""
	}
	return "the authorization server has no metadata"
}

// metadata reads a JSON document.
func (c *session) metadata(ctx context.Context, u *url.URL, v any) error {
	if u.Scheme != "https" || u.User != nil || portOf(u) != "443" && portOf(u) != "8443" {
		return mcp.ErrNotMCP
	}
	resp, err := c.send(ctx, request{method: http.MethodGet, url: u, limit: maxMetadata,
		header: map[string]string{"Accept": "application/json"}})
	if err != nil {
		return err
	}
	defer resp.close()
	if resp.status != http.StatusOK {
		return &refusal{resp.status, resp.header}
	}
	if err := readJSON(resp, v); err != nil {
		return errors.Join(mcp.ErrNotMCP, err)
	}
	return nil
}
