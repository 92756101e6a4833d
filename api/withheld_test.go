package api

import (
	"encoding/json"
	"net/http"
	"testing"
)

func TestHealthOfGoneServers(t *testing.T) {
	a := start(t, 10)
	for slug, want := range map[string]string{
		"octo-old":      "The repository of octo-old was deleted from its code host.",
		"octo-withheld": "The repository of octo-withheld is blocked by its code host.",
		"octo-left":     "The repository of octo-left no longer contains it.",
	} {
		code, body := a.get("/api/health?server=" + slug)
		var p struct{ Code, Detail string }
		if err := json.Unmarshal(body, &p); err != nil || code != http.StatusGone || p.Code != "server_deleted" || p.Detail != want {
			t.Errorf("%s: %d %s %q, %v", slug, code, p.Code, p.Detail, err)
		}
	}
	code, body := a.get("/api/health?githubUrl=octo/withheld")
	var b struct {
		Status, Reason string
		IsMCPServer    *bool `json:"isMcpServer"`
		Score          *int
	}
	if err := json.Unmarshal(body, &b); err != nil || code != http.StatusOK || b.Status != "blocked" || b.IsMCPServer != nil || b.Score != nil || b.Reason == "" {
		t.Errorf("%d %s", code, body)
	}
}

func TestHealthOfEmptyRepository(t *testing.T) {
	code, body := start(t, 10).get("/api/health?githubUrl=octo/bare")
	var b struct {
		Status, Reason string
		IsMCPServer    *bool `json:"isMcpServer"`
		Score          *int
	}
	if err := json.Unmarshal(body, &b); err != nil || code != http.StatusOK || b.Status != "empty" || b.IsMCPServer == nil || *b.IsMCPServer || b.Score != nil || b.Reason == "" {
		t.Errorf("%d %s", code, body)
	}
}
