package github

import (
	"net/http"
	"testing"

	"mcpcensus/crawler/transport"
)

func TestRefusalOf(t *testing.T) {
	const limits = "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api"
	for name, c := range map[string]struct {
		header http.Header
		body   string
		want   transport.Kind
	}{
		"secondary limit": {nil, `{"message":"You have exceeded a secondary rate limit."}`, transport.SecondaryLimit},
		"documentation of secondary limits": {nil, `{"message":"x","documentation_url":"` + limits +
			`#about-secondary-rate-limits"}`, transport.SecondaryLimit},
		"primary limit": {nil, `{"message":"API rate limit exceeded for user ID 1."}`, transport.PrimaryLimit},
		"long history": {nil, `{"message":"The history or contributor list is too large to list contributors for this ` +
			`repository via the API."}`, transport.Forbidden},
		"terms of service": {nil, `{"message":"Repository access blocked","block":{"reason":"tos"}}`, transport.Forbidden},
		"takedown": {nil,
			`{"message":"Repository access blocked","block":{"reason":"dmca"}}`,
			transport.Forbidden},
		"allow list": {nil, "{\"message\":\"Although you appear to have the correct authorization credentials, the `x` " +
			"organization has an IP allow list enabled\"}", transport.Forbidden},
		"single sign-on": {nil,
			`{"message":"Resource protected by organization SAML enforcement."}`, transport.Forbidden},
		"single sign-on, in a header": {http.Header{"X-Github-Sso": {"required; url=x"}}, `{}`, transport.Forbidden},
		"page of a proxy":             {nil, "Request forbidden by administrative rules.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := refusalOf(c.header, []byte(c.body)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func FuzzRefusalOf(f *testing.F) {
	f.Add([]byte(`{"message":"secondary rate limit","block":{"reason":"tos"}}`))
	f.Fuzz(func(_ *testing.T, body []byte) { refusalOf(http.Header{}, body) })
}
