package httpd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"mcpcensus/internal/registry"
)

func TestExplain(t *testing.T) {
	secret := errors.New("pq: password authentication failed for user census at /var/lib")
	for _, tc := range []struct {
		err    error
		status int
		code   string
		detail string
	}{
		{registry.Invalid("limit", "must be 1"), 400, "invalid_parameter", "limit must be 1."},
		{&registry.Error{Kind: registry.ErrMissing, Msg: "Give a name"}, 400, "missing_parameter", "Give a name."},
		{registry.Errorf(registry.ErrUnsupported, "no"), 422, "unsupported_host", "no."},
		{registry.ErrUnauthorized, 401, "missing_api_key", "API key required."},
		{&registry.Error{Kind: registry.ErrUnauthorized, Code: "revoked_api_key", Msg: "gone"}, 401, "revoked_api_key", "gone."},
		{registry.ErrForbidden, 403, "plan_upgrade_required", "Plan upgrade required."},
		{fmt.Errorf("server x: %w", registry.Wrap(registry.ErrNotFound, secret, "There is no x.")), 404, "not_found", "There is no x."},
		{&registry.Error{Kind: registry.ErrGone}, 410, "server_deleted", "Server deleted."},
		{registry.ErrTooLarge, 413, "payload_too_large", "Too large."},
		{registry.ErrMediaType, 415, "unsupported_media_type", "Unsupported media type."},
		{registry.ErrLimited, 429, "rate_limit_exceeded", "Rate limit exceeded."},
		{registry.ErrCheckFailed, 502, "check_failed", "Check failed."},
		{registry.ErrUnavailable, 503, "unavailable", "Temporarily unavailable."},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), 503, "unavailable", "The request took too long. Please try again."},
		{&http.MaxBytesError{Limit: 5}, 413, "payload_too_large", "The body is larger than 5 bytes."},
		{secret, 500, "internal", "Something went wrong on our side. Please try again."},
	} {
		p := Explain(tc.err)
		if p.Status != tc.status || p.Code != tc.code || p.Detail != tc.detail || p.Title == "" || p.Error != p.Title {
			t.Errorf("%v: %+v", tc.err, p)
		}
		if p.Status == 503 && p.RetryAfter == 0 {
			t.Errorf("%v: no Retry-After", tc.err)
		}
	}
}
