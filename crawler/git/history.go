package git

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/text"
)

// A Commit is a commit without its files.
type Commit struct {
	ID, Tree          string
	Parents           []string
	Author, Committer Signature
	Subject           string // first line of the message, at most 200 bytes
	// Boundary means that the parents are before the start of the history that was read.
	Boundary bool
}

// A Signature is a person or a program, and a time. A time that is not between 1970 and 9999 is
// zero.
type Signature struct {
	Name, Email string
	At          time.Time // UTC
}

// A History is the commits that lead to a commit, the newest first in the order of committer
// dates, since some time.
type History struct {
	Commits []Commit
	Cut     string // why commits are missing, "" if the history is complete
}

// parseCommit parses a commit object. Headers that are not needed are ignored.
func parseCommit(id string, data []byte) (c Commit, ok bool) {
	c.ID = id
	header, message, _ := strings.Cut(string(data), "\n\n")
	for line := range strings.SplitSeq(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			if c.Tree == "" && isID(value) {
				c.Tree = value
			}
		case "parent":
			if isID(value) && len(c.Parents) < maxParents {
				c.Parents = append(c.Parents, value)
			}
		case "author":
			c.Author = parseSignature(value)
		case "committer":
			c.Committer = parseSignature(value)
		}
	}
	subject, _, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n")
	c.Subject = text.Clean(subject, maxMessage)
	return c, c.Tree != ""
}

// parseSignature parses "NAME <EMAIL> SECONDS ZONE". Parts that are missing are zero.
func parseSignature(s string) (sig Signature) {
	name, rest, _ := strings.Cut(s, "<")
	sig.Name = text.Clean(name, maxMessage)
	email, date := rest, ""
	if i := strings.LastIndexByte(rest, '>'); i >= 0 {
		email, date = rest[:i], rest[i+1:]
	}
	sig.Email = text.Clean(email, maxMessage)
	fields := strings.Fields(date)
	if len(fields) == 0 {
		return sig
	}
	if n, err := strconv.ParseInt(fields[0], 10, 64); err == nil && n > 0 && n < endOfYear9999 {
		sig.At = time.Unix(n, 0).UTC()
	}
	return sig
}

const endOfYear9999 = 253402300800

const (
	// maxRounds is the number of times that a history is completed, with two requests each.
	maxRounds = 3
	maxEdge   = 1000 // commits in one of these requests
	// maxCommits is the number of commits that are used, ten times that of the busiest known
	// repository in half a year.
	maxCommits = 50_000
	maxParents = 16 // of one commit; git makes no more
)

// Commits reads the history that leads to a commit since some time, without files. It is
// complete even where branches that are older were merged. An incomplete history is not an
// error, one without any commit is, unless the host has none since then.
func (r *Repository) Commits(ctx context.Context, commit string, since time.Time) (History, error) {
	h, err := r.readLog(ctx, commit, since, noTrees)
	if err != nil {
		return History{}, err
	}
	return History{Commits: h.commits(), Cut: h.cut}, nil
}

// A commitLog is a part of a history.
type commitLog struct {
	since time.Time
	head  string
	got   fetched
	known map[string]Commit // that arrived, older ones included
	cut   string
}

// readLog reads commits since some time. With the filter noBlobs, the parents of the oldest
// commits are read, too.
func (r *Repository) readLog(
	ctx context.Context, commit string, since time.Time, filter string,
) (*commitLog, error) {
	if !isID(commit) {
		return nil, &Error{Kind: Gone, Reason: "the commit's ID is invalid"}
	}
	h := &commitLog{since: since, head: commit, known: map[string]Commit{}}
	f := fetch{wants: []string{commit}, since: since, filter: filter}
	var err error
	h.got, err = r.fetch(ctx, f)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil && len(h.got.objects) == 0 {
		return nil, err
	}
	h.learn()
	for round := 0; err == nil; round++ {
		edge := h.edge(filter == noBlobs)
		if len(edge) == 0 {
			break
		}
		if round == maxRounds || len(edge) > maxEdge {
			h.cut = "older branches were merged too often"
			break
		}
		err = r.extend(ctx, h, f, edge)
	}
	if err != nil {
		h.cut = Reason(err)
	}
	return h, context.Cause(ctx)
}

// extend reads the commits of an edge, and the history of those that are young enough.
func (r *Repository) extend(ctx context.Context, h *commitLog, f fetch, edge []string) error {
	parents := f
	parents.wants, parents.depth, parents.since = edge, 1, time.Time{}
	got, err := r.fetch(ctx, parents)
	maps.Copy(h.got.objects, got.objects)
	h.learn()
	if err != nil {
		return err
	}
	f.wants = nil
	for _, id := range edge {
		switch c, ok := h.known[id]; {
		case !ok:
			return corruptf("a commit was not sent")
		case h.young(c):
			f.wants = append(f.wants, id)
		}
	}
	if len(f.wants) == 0 {
		return nil
	}
	got, err = r.fetch(ctx, f)
	maps.Copy(h.got.objects, got.objects)
	maps.Copy(h.got.shallow, got.shallow)
	h.learn()
	return err
}

// learn parses the commits that arrived.
func (h *commitLog) learn() {
	for id := range h.got.objects {
		if _, ok := h.known[id]; ok {
			continue
		}
		if len(h.known) >= maxCommits {
			h.cut = "it has more than " + text.Count(maxCommits, "commit")
			return
		}
		if c, ok := h.got.commit(id); ok {
			h.known[id] = c
		}
	}
}

// young reports whether a commit belongs to the history.
func (h *commitLog) young(c Commit) bool { return !c.Committer.At.Before(h.since) }

// edge returns the unknown parents of the oldest commits. Git leaves out all parents of a commit
// if one of them is too old, so those of merges may belong to the history; all asks for the
// others, too.
func (h *commitLog) edge(all bool) []string {
	edge := map[string]bool{}
	for id := range h.got.shallow {
		c := h.known[id]
		for _, parent := range c.Parents {
			if _, known := h.known[parent]; !known && (all || len(c.Parents) > 1) {
				edge[parent] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(edge))
}

// commits returns the commits of the history, the newest first. It sets cut if one is missing.
func (h *commitLog) commits() (list []Commit) {
	seen := map[string]bool{}
	todo := []string{h.head}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		c, ok := h.known[id]
		switch {
		case !ok && h.cut == "" && len(h.known) > 0:
			h.cut = "a commit was not sent"
		case !ok || !h.young(c):
			continue
		}
		c.Boundary = h.got.shallow[id]
		list = append(list, c)
		for _, parent := range c.Parents {
			if _, known := h.known[parent]; known || !c.Boundary {
				todo = append(todo, parent)
			}
		}
	}
	slices.SortFunc(list, newestFirst)
	return list
}

// newestFirst compares commits by committer date.
func newestFirst(a, b Commit) int {
	return cmp.Or(b.Committer.At.Compare(a.Committer.At), strings.Compare(a.ID, b.ID))
}
