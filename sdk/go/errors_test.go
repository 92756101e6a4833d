package census

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestErrors(t *testing.T) {
	const problem = `{"type": "x", "title": "Bad", "status": 400, "detail": "limit is wrong", "code": "c1",
		"error": "Bad", "requestId": "R1", "errors": [{"field": "limit", "message": "m"}],
		"candidates": ["a"], "requiredPlans": ["enterprise", "new"], "later": {"a": 1}}`
	const text = "c1: limit is wrong (request R1)"
	tests := []struct {
		name    string
		status  int
		body    string
		headers []string
		kind    error
		want    string
	}{
		{"400", 400, problem, nil, &BadRequestError{}, "census: 400 " + text},
		{"401", 401, problem, nil, &AuthenticationError{}, "census: 401 " + text},
		{"402", 402, problem, nil, &APIError{}, "census: 402 " + text},
		{"403", 403, problem, nil, &PermissionDeniedError{}, "census: 403 " + text},
		{"404", 404, problem, nil, &NotFoundError{}, "census: 404 " + text + ": did you mean a?"},
		{"405", 405, problem, nil, &APIError{}, "census: 405 " + text},
		{"409", 409, problem, nil, &APIError{}, "census: 409 " + text},
		{"410", 410, problem, nil, &GoneError{}, "census: 410 " + text},
		{"413", 413, problem, nil, &APIError{}, "census: 413 " + text},
		{"415", 415, problem, nil, &APIError{}, "census: 415 " + text},
		{"422", 422, problem, nil, &APIError{}, "census: 422 " + text},
		{"429", 429, problem, nil, &RateLimitError{}, "census: 429 " + text},
		{"431", 431, problem, nil, &APIError{}, "census: 431 " + text},
		{"500", 500, problem, nil, &InternalServerError{}, "census: 500 " + text},
		{"503", 503, problem, nil, &InternalServerError{}, "census: 503 " + text},
		{"599", 599, "", nil, &InternalServerError{}, "census: 599: error response"},
		{
			"HTML",
			502,
			"<html>…",
			[]string{"Content-Type", "text/html"},
			&InternalServerError{},
			"census: 502: Bad Gateway",
		},
		{"plain text", 502, "upstream\n down\xff", []string{"Content-Type", "text/plain"},
			&InternalServerError{}, "census: 502: upstream down"},
		{"truncated", 400, problem[:60], nil, &BadRequestError{}, "census: 400: Bad Request"},
		{"null", 404, "null", nil, &NotFoundError{}, "census: 404: Not Found"},
		{"a list", 404, "[]", nil, &NotFoundError{}, "census: 404: Not Found"},
		{
			"wrong types",
			400,
			`{"detail": "d", "code": 5, "status": "x"}`,
			nil,
			&BadRequestError{},
			"census: 400: d",
		},
		{
			"id in the header",
			404,
			"",
			[]string{"X-Request-Id", "H"},
			&NotFoundError{},
			"census: 404: Not Found (request H)",
		},
		{"not modified without a cache", 304, "", nil, &APIError{}, "census: 304: Not Modified"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, func(*http.Request) (*http.Response, error) {
				return respond(tt.status, tt.body, tt.headers...), nil
			})
			var r Response
			_, err := c.Account.Plans(t.Context(), WithMaxRetries(-1), WithResponse(&r))
			if reflect.TypeOf(err) != reflect.TypeOf(tt.kind) || err.Error() != tt.want {
				t.Fatalf("got %T %v, want %T %s", err, err, tt.kind, tt.want)
			}
			base, ok := errors.AsType[*APIError](err)
			if !ok || base.StatusCode != tt.status || string(base.Body) != tt.body ||
				string(r.Body) != tt.body {
				t.Errorf("the APIError is %+v", base)
			}
		})
	}
}

func TestErrorDetails(t *testing.T) {
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		switch r.URL.Path {
		case "/v1/account":
			return respond(429, `{"code": "rate_limit_exceeded"}`, "Retry-After", "3600",
				"X-RateLimit-Limit", "100", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset",
				"1795340000"), nil
		case "/v1/usage":
			return respond(403, `{"requiredPlans": ["professional", "enterprise"]}`), nil
		}
		return respond(404, `{"candidates": ["a", "b"], "errors": [{"field": "f", "message": "m"}]}`), nil
	})
	_, err := c.Account.Retrieve(t.Context())
	limit, ok := errors.AsType[*RateLimitError](err)
	if !ok || limit.RetryAfter != time.Hour || *limit.Limit != 100 || *limit.Remaining != 0 ||
		!limit.ResetAt.Equal(time.Unix(1795340000, 0)) {
		t.Errorf("got %+v", err)
	}
	_, err = c.Account.Usage(t.Context(), UsageParams{})
	denied, ok := errors.AsType[*PermissionDeniedError](err)
	if !ok || !cmp.Equal(denied.RequiredPlans, []PlanID{PlanIDProfessional, PlanIDEnterprise}) {
		t.Errorf("got %+v", err)
	}
	_, err = c.Account.Plans(t.Context())
	missing, ok := errors.AsType[*NotFoundError](err)
	if !ok || !cmp.Equal(missing.Candidates, []string{"a", "b"}) ||
		!cmp.Equal(missing.Fields, []FieldError{{Field: "f", Message: "m"}}) {
		t.Errorf("got %+v", err)
	}
}

// Successful responses that are not what the API describes.
func TestDecodeErrors(t *testing.T) {
	for name, body := range map[string]string{
		"HTML": "<html>", "nothing": "", "a list": "[]", "null": " null\n", "truncated": `{"total": 5`, "wrong type": `{"total": "x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, func(*http.Request) (*http.Response, error) {
				return respond(200, body, "Content-Type", "text/html"), nil
			})
			_, err := c.Directory.Categories(t.Context())
			e, ok := errors.AsType[*DecodeError](err)
			if !ok || string(e.Body) != body || !strings.Contains(err.Error(), "text/html") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestUnknownMembersAndValues(t *testing.T) {
	const body = `{"servers": [{"id": "a", "category": "brand-new", "grade": "S", "later": [1]}], "later": {}}`
	c := newClient(t, func(*http.Request) (*http.Response, error) { return respond(200, body), nil })
	var r Response
	page, err := c.Discover(t.Context(), DiscoverParams{}, WithResponse(&r))
	if err != nil {
		t.Fatal(err)
	}
	if s := page.Servers[0]; s.Category != "brand-new" || *s.Grade != "S" || string(r.Body) != body {
		t.Errorf("got %+v and %s", page, r.Body)
	}
}
