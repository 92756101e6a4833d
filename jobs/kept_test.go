package jobs_test

import (
	"testing"
	"time"
)

func TestFilesThatAreTheSameInANewCommitAreNotReadAgain(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.github.Texts = h.db.Texts
	h.enqueue("rail/trains-mcp")
	h.refresh()
	id := h.work("rail/trains-mcp").ID
	before, err := h.db.Texts(t.Context(), id)
	h.must(err)
	if before["package.json"] == "" || before["README.md"] == "" {
		t.Fatalf("read only %d texts", len(before))
	}

	// A file that nobody reads: no text is asked for.
	h.must(h.world.Push("rail/trains-mcp", map[string]string{"notes/of-today.txt": "nothing"}))
	h.later(20 * 24 * time.Hour)
	h.world.Forget()
	h.refresh()
	if n := h.asked("query Blobs("); n != 0 {
		t.Errorf("%d queries for texts that are stored", n)
	}
	if after, err := h.db.Texts(t.Context(), id); err != nil || len(after) != len(before) ||
		after["README.md"] != before["README.md"] {
		t.Errorf("%d texts are stored of %d, %v", len(after), len(before), err)
	}

	// A README: it alone is asked for.
	h.must(h.world.Push("rail/trains-mcp",
		map[string]string{"README.md": "# Trains MCP Server\n\nAll the trains of the country, by number.\n"}))
	h.later(20 * 24 * time.Hour)
	h.world.Forget()
	h.refresh()
	if n, parts := h.asked("query Blobs("), h.asked("f1: object(oid:"); n != 1 || parts != 0 {
		t.Errorf("%d queries, %d of them for more than one file", n, parts)
	}
	after, err := h.db.Texts(t.Context(), id)
	h.must(err)
	if after["README.md"] == before["README.md"] ||
		after["package.json"] != before["package.json"] {
		t.Errorf("stored %q", after)
	}
	if s := h.server("rail/trains-mcp"); len(s.Packages) == 0 {
		t.Error("the server lost its package")
	}
}
