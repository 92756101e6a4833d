package main

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/web/site"
)

// largestLogo is the maximum size of a logo in bytes.
const largestLogo = 1 << 20

// logoFile returns the logo in an export: a file, or a download of the brand's logo; nil if
// there is no logo. An included file works on any host, even if its URL is unreachable there
// or other origins are blocked.
func logoFile(ctx context.Context, file, address, base string) (*site.Logo, error) {
	if file == "" && address == "" {
		return nil, nil
	}
	var logo site.Logo
	var err error
	from := file
	if file != "" {
		logo.Type = mime.TypeByExtension(filepath.Ext(file))
		logo.Body, err = os.ReadFile(file)
	} else if u, parseErr := url.Parse(base); parseErr != nil {
		err = parseErr
	} else if u, err = u.Parse(address); err == nil {
		from = u.String()
		logo.Type, logo.Body, err = download(ctx, from)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
	case len(logo.Body) > largestLogo:
		err = fmt.Errorf("it is larger than %d kB", largestLogo>>10)
	case !logo.Known():
		err = fmt.Errorf("%q is not an image type that browsers support", logo.Type)
	}
	if err != nil {
		return nil, registry.Errorf(registry.ErrInvalid,
			"The logo cannot be read from %s: %v. Use --logo FILE instead.", from, err)
	}
	return &logo, nil
}

// logoClient reads the operator's own URL, which may have a private address, so it is
// unguarded.
var logoClient = &http.Client{Timeout: 20 * time.Second}

// download reads a file from the web.
func download(ctx context.Context, address string) (kind string, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", nil, err
	}
	resp, err := logoClient.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", nil, fmt.Errorf("the response is %s", resp.Status)
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, largestLogo+1))
	return resp.Header.Get("Content-Type"), body, err
}
