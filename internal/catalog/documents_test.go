package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"mcpcensus/internal/registry"
)

// stored returns servers as the store gives them: with the text of their
// records.
func stored(t *testing.T, all []registry.Server) []registry.Server {
	t.Helper()
	out := make([]registry.Server, len(all))
	for i, s := range all {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		s.Record = string(text)
		out[i] = s
	}
	return out
}

// later returns how many items have documents that are still to be made.
func later(v *View) (n int) {
	for _, i := range v.items {
		if i != nil && i.documents.Load().later {
			n++
		}
	}
	return n
}

func TestDocumentsAreTheSameBeforeAndAfterTheyAreMade(t *testing.T) {
	all := stored(t, servers(300))
	want := map[string]registry.Server{}
	for _, s := range all {
		want[s.Slug] = s
	}
	c := New(encodeForTest)
	if err := c.Apply(all, nil, 300); err != nil {
		t.Fatal(err)
	}
	if n := later(c.View()); n != len(all) {
		t.Fatalf("%d documents are put off, want %d", n, len(all))
	}
	var asking sync.WaitGroup
	for range 4 { // who asks first makes them, and several may
		asking.Go(func() { check(t, c.View(), want) })
	}
	c.settle(t.Context(), c.View(), slog.New(slog.DiscardHandler))
	asking.Wait()
	if n := later(c.View()); n != 0 {
		t.Fatalf("%d documents are not made", n)
	}
	check(t, c.View(), want)
}

func TestDocumentsAreMadeWhenTheCatalogIsReady(t *testing.T) {
	feed := &memory{servers: stored(t, servers(100))}
	want := map[string]registry.Server{}
	for i := range feed.servers {
		feed.servers[i].Seq = int64(i + 1)
		want[feed.servers[i].Slug] = feed.servers[i]
	}
	feed.notes = make(chan int64, 1)
	c := New(encodeForTest)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Follow(ctx, feed, slog.New(slog.DiscardHandler)) }()
	if err := c.Await(ctx); err != nil {
		t.Fatal(err)
	}
	check(t, c.View(), want)
	wait(t, "the documents", func() bool { return later(c.View()) == 0 })
	check(t, c.View(), want)

	s := feed.servers[3] // what changes then is made at once
	s.Seq, s.Description = 101, "another"
	feed.mu.Lock()
	feed.servers = append(feed.servers, stored(t, []registry.Server{s})...)
	feed.mu.Unlock()
	feed.notes <- 101
	wait(t, "the change", func() bool { return c.View().Seq() == 101 })
	if n := later(c.View()); n != 0 {
		t.Errorf("%d documents are put off", n)
	}
	want[s.Slug] = s
	check(t, c.View(), want)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A new place in a chunk must not undo what was made of an item.
func TestDocumentsThatAreMadeStayMadeWhereverTheItemMoves(t *testing.T) {
	all := stored(t, servers(perChunk))
	c := New(encodeForTest)
	if err := c.Apply(all, nil, perChunk); err != nil {
		t.Fatal(err)
	}
	before := c.View()
	for n := range perChunk / 2 {
		s := all[n]
		s.Seq, s.Record = int64(perChunk+1+n), ""
		if err := c.Apply([]registry.Server{s}, nil, s.Seq); err != nil {
			t.Fatal(err)
		}
	}
	c.settle(t.Context(), before, slog.New(slog.DiscardHandler))
	if n := later(c.View()); n != 0 {
		t.Errorf("%d documents are put off again", n)
	}
}

func TestWhatIsKeptOfARecordDoesNotHoldTheWholeOfIt(t *testing.T) {
	record := strings.Repeat("record ", 1000) + "tag"
	n := new(names)
	n.of(record[len(record)-3:])
	kept := n.all()[0]
	if at := uintptr(unsafe.Pointer(unsafe.StringData(kept))); at >= uintptr(unsafe.Pointer(unsafe.StringData(record))) &&
		at < uintptr(unsafe.Pointer(unsafe.StringData(record)))+uintptr(len(record)) {
		t.Error("a tag is a part of the record's memory")
	}
	for key := range n.known {
		if unsafe.StringData(key) != unsafe.StringData(kept) {
			t.Error("a tag is kept twice")
		}
	}
}

func TestASettlingCatalogStopsWhenItIsTold(t *testing.T) {
	c := New(encodeForTest)
	if err := c.Apply(stored(t, servers(50)), nil, 50); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cancel()
	c.settle(ctx, c.View(), slog.New(slog.DiscardHandler))
	if n := later(c.View()); n != 50 {
		t.Errorf("%d documents are put off, want 50", n)
	}
}
