package github

import (
	"encoding/json"
	"net/http"
	"strings"

	"mcpcensus/crawler/transport"
)

// refusals are parts of GitHub's error messages by kind. The first match wins.
var refusals = []struct {
	kind  transport.Kind
	words []string
}{
	{transport.SecondaryLimit, []string{"secondary rate limit", "abuse detection"}},
	{transport.Forbidden, []string{"list is too large", "contributor list too large", "blobs up to",
		"access blocked", "ip allow list", "saml enforcement"}},
	{transport.PrimaryLimit, []string{"rate limit exceeded"}},
}

// refusalOf implements [transport.Options.Refusal] for GitHub.
func refusalOf(h http.Header, body []byte) transport.Kind {
	var refusal struct {
		Message string `json:"message"`
		Doc     string `json:"documentation_url"`
		Block   *struct {
			Reason string `json:"reason"`
		} `json:"block"`
	}
	_ = json.Unmarshal(body, &refusal) // a body that is not JSON has no message
	if strings.HasSuffix(refusal.Doc, "#about-secondary-rate-limits") ||
		strings.HasSuffix(refusal.Doc, "#abuse-rate-limits") {
		return transport.SecondaryLimit
	}
	if refusal.Block != nil && refusal.Block.Reason == "dmca" {
		return transport.Forbidden
	}
	message := strings.ToLower(refusal.Message)
	for _, r := range refusals {
		for _, w := range r.words {
			if strings.Contains(message, w) {
				return r.kind
			}
		}
	}
	if h.Get("X-GitHub-SSO") != "" {
		return transport.Forbidden
	}
	return ""
}
