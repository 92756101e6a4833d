package accounts_test

import (
	"testing"
	"time"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/quota"
)

// Whoever uses up the hour of an address locks nobody out who is signed in at
// it, or has been in the same browser.
func TestLimitOfOwner(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	limiter, err := quota.New(t.Context(), quota.Options{Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, setting{trusting: true, limiter: limiter})
	h.member("ada@example.com")
	ada, was, stranger := h.visitorFrom("203.0.113.9"), h.visitorFrom("203.0.113.9"), h.visitorFrom("203.0.113.9")
	ada.wants(200, ada.signIn("ada@example.com", password))
	was.wants(200, was.signIn("ada@example.com", password))
	was.wants(204, was.do("POST", "/sign-out"))
	for range accounts.HourlyLimit {
		if stranger.do("GET", "").status == 429 {
			break
		}
	}
	if r := stranger.do("GET", ""); r.status != 429 || r.code() != "rate_limit_exceeded" {
		t.Fatalf("%d %s", r.status, r.code())
	}
	stranger.cookie = "registry-session=" + "Q9bzlu982L7v9yotAWEMkrV2J_ydZXi7MzSkpp6sFRs; registry-known=Q9bzlu982L7v9yotAWEMkrV2J_ydZXi7MzSkpp6sFRs"
	if r := stranger.do("GET", ""); r.status != 429 {
		t.Errorf("with made-up cookies: %d", r.status)
	}
	r := ada.do("GET", "/keys")
	if r.status != 200 || r.header.Get("X-RateLimit-Remaining") != "299" || r.header.Get("Retry-After") != "" {
		t.Errorf("who is signed in: %d %v", r.status, r.header)
	}
	was.wants(200, was.signIn("ada@example.com", password))
	for n := 3; n <= accounts.HourlyLimit; n++ {
		if r := ada.do("GET", ""); r.status != 200 {
			t.Fatalf("request %d of the owner: %d", n, r.status)
		}
	}
	if r := ada.do("GET", ""); r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("past the owner's own limit: %d", r.status)
	}
}
