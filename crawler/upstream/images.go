package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// imageServices are the URLs of the API and of the token service of public registries which are not
// "https://" with the host in the names of images.
var imageServices = map[string][2]string{
	oci.DockerHub:         {"https://registry-1.docker.io", "https://auth.docker.io"},
	"registry.gitlab.com": {"https://registry.gitlab.com", "https://gitlab.com"},
}

const (
	maxTags       = 1000 // in one response
	maxStoredTags = 300
	maxToken      = 16 << 10 // bytes
	// imageInterval is the time between two requests to one registry. An image
	// requires three a day.
	imageInterval = 400 * time.Millisecond
)

// Images requests the tags of images from public container registries, without an account:
// with a token that the registry's token service issues to anyone. Listing tags does not
// count as a pull.
type Images struct {
	hosts map[string]imageHost
	now   func() time.Time
}

// An imageHost is one registry: its API and its token service.
type imageHost struct{ api, tokens *service }

// NewImages returns the public registries. With o.Base, each is at "/<host>" below that URL
// instead.
func NewImages(o Options) (*Images, error) {
	i := &Images{hosts: map[string]imageHost{}}
	base := strings.TrimRight(o.Base, "/")
	for _, host := range oci.Public {
		at, ok := imageServices[host]
		if !ok {
			at = [2]string{"https://" + host, "https://" + host}
		}
		connect := func(public string) (*service, error) {
			o.Base = ""
			if base != "" {
				o.Base = base + "/" + host
			}
			s, err := newService(public, nil, o, transport.Options{
				Upstream: "images " + host, OwnAuthorization: true, Interval: imageInterval,
				MaxBody: 1 << 20, PublicOnly: base == "",
			})
			if err == nil {
				s.name, i.now = "images", s.now
			}
			return s, err
		}
		var h imageHost
		var err error
		if h.api, err = connect(at[0]); err != nil {
			return nil, err
		}
		if h.tokens, err = connect(at[1]); err != nil {
			return nil, err
		}
		i.hosts[host] = h
	}
	return i, nil
}

// Facts returns p with facts from its registry. Facts that the registry withholds, and images of
// other registries, do not change. The error is one of package transport.
func (i *Images) Facts(ctx context.Context, p registry.PackageFacts) (registry.PackageFacts, error) {
	now := i.now().UTC()
	img, err := oci.Parse(p.Identifier, "")
	host, known := i.hosts[img.Host]
	if err != nil || !known || img.Unscoped {
		p.ObservedAt = &now
		return p, nil
	}
	tags, complete, err := host.tags(ctx, img.Path())
	switch {
	case errors.Is(err, errNoEntry):
		since := now
		if p.MissingSince != nil {
			since = *p.MissingSince
		}
		return registry.PackageFacts{RegistryType: p.RegistryType, Identifier: p.Identifier,
			Found: new(bool), MissingSince: &since, FirstAt: p.FirstAt, ObservedAt: &now}, nil
	case errors.Is(err, errWithheld):
		p.ObservedAt = &now
		return p, nil
	case err != nil:
		return p, err
	}
	p.ObservedAt, p.MissingSince, p.Found, p.Tags, p.Latest = &now, nil, nil, nil, ""
	if len(tags) > 0 { // without tags nothing can be pulled by name
		p.Found = new(true)
	}
	if complete && len(tags) <= maxStoredTags {
		p.Tags, p.Latest = tags, latestTag(tags)
	}
	return p, nil
}

// errWithheld reports that a registry does not reveal whether an image exists. It may be private.
var errWithheld = errors.New("the registry does not reveal whether the image exists")

// tags returns the tags of a repository, sorted, and whether they are complete. The error is
// errNoEntry, errWithheld or one of package transport.
func (h imageHost) tags(ctx context.Context, repository string) (tags []string, all bool, err error) {
	res, err := h.get(ctx, repository)
	if err != nil {
		return nil, false, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, false, h.api.unusable("response is too large or was truncated")
	}
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		if isUnknownName(raw) {
			return nil, false, errNoEntry
		}
		return nil, false, h.api.unusable("responded with 404 in an unexpected form")
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, false, errWithheld
	default:
		return nil, false, h.api.api.StatusError(res)
	}
	var list struct {
		Name *string  `json:"name"`
		Tags []string `json:"tags"`
	}
	if json.Unmarshal(raw, &list) != nil || list.Name == nil {
		return nil, false, h.api.unusable("response has an unexpected form")
	}
	for _, t := range list.Tags {
		if oci.IsTag(t) && len(tags) < maxTags {
			tags = append(tags, t)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags), res.Header.Get("Link") == "" && len(list.Tags) < maxTags, nil
}

// isUnknownName reports whether the body of a 404 is the registry's error for a repository that
// does not exist.
func isUnknownName(body []byte) bool {
	var response struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
	}
	return json.Unmarshal(body, &response) == nil && len(response.Errors) > 0 &&
		response.Errors[0].Code == "NAME_UNKNOWN"
}

// get requests the list of tags, again with a token if the registry requires one.
func (h imageHost) get(ctx context.Context, repository string) (*http.Response, error) {
	address := h.api.base + "/v2/" + repository + "/tags/list?n=1000"
	res, err := h.api.send(ctx, http.MethodGet, address, nil, "")
	if err != nil || res.StatusCode != http.StatusUnauthorized {
		return res, err
	}
	challenge := res.Header.Get("WWW-Authenticate")
	res.Body.Close()
	token, err := h.token(ctx, challenge, repository)
	if err != nil {
		return nil, err
	}
	return h.api.send(ctx, http.MethodGet, address, nil, token)
}

// token returns an anonymous token from the URL in the challenge, which must be that of the
// registry's known token service.
func (h imageHost) token(ctx context.Context, challenge, repository string) (string, error) {
	realm, service, ok := parseChallenge(challenge)
	u, err := url.Parse(realm)
	if base := h.tokens.api.BaseURL(); !ok || err != nil || u.Scheme != base.Scheme || u.Host != base.Host ||
		u.User != nil {
		return "", h.api.unusable("names an unexpected token service")
	}
	q := u.Query()
	if service != "" {
		q.Set("service", service)
	}
	q.Set("scope", "repository:"+repository+":pull")
	u.RawQuery, u.Fragment = q.Encode(), ""
	res, err := h.tokens.send(ctx, http.MethodGet, u.String(), nil, "")
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return "", errWithheld
	default:
		return "", h.tokens.api.StatusError(res)
	}
	var issued struct {
		Token  string `json:"token"`
		Access string `json:"access_token"`
	}
	raw, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(raw, &issued)
	}
	token := cmp.Or(issued.Token, issued.Access)
	if err != nil || token == "" || len(token) > maxToken ||
		strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", h.api.unusable("token is invalid")
	}
	return token, nil
}

var challengeField = regexp.MustCompile(`([a-z]+)="([^"]*)"`)

// parseChallenge parses the challenge of a registry that requires a bearer token: the URL of
// the token service, and the service to request.
func parseChallenge(header string) (realm, service string, ok bool) {
	scheme, fields, _ := strings.Cut(strings.TrimSpace(header), " ")
	if !strings.EqualFold(scheme, "Bearer") || len(header) > 4096 {
		return "", "", false
	}
	for _, m := range challengeField.FindAllStringSubmatch(fields, 10) {
		switch m[1] {
		case "realm":
			realm = m[2]
		case "service":
			service = m[2]
		}
	}
	return realm, service, realm != ""
}

// releaseTag matches the tags of releases: three numbers.
var releaseTag = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// latestTag returns the tag of the highest version that is not a prerelease, "" for none.
func latestTag(tags []string) (latest string) {
	for _, t := range tags {
		v := strings.TrimPrefix(t, "v")
		if releaseTag.MatchString(v) &&
			(latest == "" || version.Compare("npm", v, strings.TrimPrefix(latest, "v")) > 0) {
			latest = t
		}
	}
	return latest
}
