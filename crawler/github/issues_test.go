package github

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

func TestIssueActivity(t *testing.T) {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	day := func(n int) string { return now.AddDate(0, 0, -n).Format(time.RFC3339) }
	var issues, pulls issuePage
	must := func(into *issuePage, s string) {
		if err := json.Unmarshal([]byte(s), into); err != nil {
			t.Fatal(err)
		}
	}
	must(&issues, fmt.Sprintf(`{"nodes":[
		{"number":1,"createdAt":%q,"authorAssociation":"NONE","comments":{"nodes":[{"createdAt":%q,"authorAssociation":"MEMBER","author":{"__typename":"User","login":"ann"}}]}},
		{"number":2,"createdAt":%q,"authorAssociation":"NONE","comments":{"nodes":[{"createdAt":%q,"authorAssociation":"MEMBER","author":{"__typename":"Bot","login":"stale"}}]}},
		{"number":3,"createdAt":%q,"authorAssociation":"OWNER","comments":{"nodes":[]}},
		{"number":4,"createdAt":%q,"authorAssociation":"NONE","closedAt":%q},
		{"number":5,"createdAt":%q,"authorAssociation":"NONE"},
		{"number":6,"createdAt":%q,"authorAssociation":"NONE"}]}`,
		day(30), day(25), day(30), day(29), day(30), day(40), day(39), day(3), day(200)))
	must(&pulls, fmt.Sprintf(`{"nodes":[{"number":7,"createdAt":%q,"authorAssociation":"CONTRIBUTOR","reviews":{"nodes":[{"createdAt":%q,"authorAssociation":"COLLABORATOR","author":{"__typename":"User","login":"bob"}}]}}]}`, day(100), day(80)))
	a := issueActivity(&issues, &pulls, now)
	if a.Opened != 4 || a.Answered != 2 || fmt.Sprint(a.Unanswered) != "[2 7]" || a.LastAnswer == nil || !a.LastAnswer.Equal(now.AddDate(0, 0, -25)) {
		t.Errorf("%+v", a)
	}
}
