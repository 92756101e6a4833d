package jobs_test

import (
	"net/http"
	"testing"
	"time"

	"mcpcensus/crawler/github/fakegithub"
)

func TestCommitsOfAFolderThatDoNotComeLeaveTheStoredOnes(t *testing.T) {
	h := newHouse(t)
	h.enqueue("nimbus-tools/toolbox")
	h.refresh()
	before := h.servers("nimbus-tools/toolbox")
	h.must(h.world.Push("nimbus-tools/toolbox", map[string]string{"NEWS.md": "All is new."}))
	h.later(20 * 24 * time.Hour)
	h.world.Fail(fakegithub.Fault{Path: "/github/graphql", Asks: "query Folders",
		Status: http.StatusBadGateway})
	h.refresh()
	after := h.servers("nimbus-tools/toolbox")
	if len(before) != 4 || len(after) != 4 {
		t.Fatalf("%d and %d servers", len(before), len(after))
	}
	seen := 0
	for i, s := range after {
		if was := before[i]; was.Subfolder != "" && was.LastCommitAt != nil {
			seen++
			if s.LastCommitAt == nil || !s.LastCommitAt.Equal(*was.LastCommitAt) {
				t.Errorf("%s: the last commit was %v, and is %v", s.Subfolder, was.LastCommitAt,
					s.LastCommitAt)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no commits were known before: nothing to see")
	}
	// They are asked for again within a day, push or not.
	h.world.Heal()
	h.later(25 * time.Hour)
	h.world.Forget()
	h.refresh()
	if n := h.asked("query Folders"); n == 0 {
		t.Error("they are not asked for again")
	}
}
