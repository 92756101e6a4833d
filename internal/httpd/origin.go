package httpd

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Origins tells requests that pages of other sites make a browser send from
// those of the registry's own pages and of programs. The zero value knows no
// address of the registry, and goes by that of the request.
type Origins struct {
	scheme, host string
	protection   http.CrossOriginProtection
}

// NewOrigins takes the address of the registry. It fails if that is none.
func NewOrigins(baseURL string) (*Origins, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a registry", baseURL)
	}
	o := &Origins{scheme: base.Scheme, host: base.Host}
	if err := o.protection.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	return o, nil
}

// Foreign reports whether a request that changes something is of another
// site's page: by Sec-Fetch-Site and Origin. A page of the registry's host that
// came under another scheme is of another site: without TLS anybody on the way
// can write such pages, and [http.CrossOriginProtection] compares hosts only.
func (o *Origins) Foreign(r *http.Request) bool {
	scheme, host, ok := strings.Cut(r.Header.Get("Origin"), "://")
	if ok && strings.EqualFold(host, o.host) && !strings.EqualFold(scheme, o.scheme) {
		return true
	}
	return o.protection.Check(r) != nil
}
