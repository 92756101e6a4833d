package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"mcpcensus/internal/copies"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

const madeCopies = 20

// A copiedStore is a store with made copies of some of its servers.
type copiedStore struct {
	jobs.CopyStore
	texts map[int64]string        // READMEs by server
	made  map[int64]string        // slugs of the originals by the copy
	found map[int64]registry.Copy // by server
}

func (s *copiedStore) UnsignedReadmes(
	ctx context.Context, after int64, limit int,
) ([]registry.ReadmeText, error) {
	texts, err := s.CopyStore.UnsignedReadmes(ctx, after, limit)
	for _, t := range texts {
		s.texts[t.ID] = t.Text
	}
	return texts, err
}

// EachCopyCandidate adds copies of servers with a README, evenly distributed: of other
// owners, younger, without a package, with 10 to 20 % of the words replaced.
func (s *copiedStore) EachCopyCandidate(
	ctx context.Context, f func(registry.CopyCandidate) error,
) error {
	var originals []registry.CopyCandidate
	err := s.CopyStore.EachCopyCandidate(ctx, func(c registry.CopyCandidate) error {
		if len(strings.Fields(s.texts[c.Server.ID])) >= 100 {
			originals = append(originals, c)
		}
		return f(c)
	})
	if err != nil || len(originals) < madeCopies {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range madeCopies {
		c := originals[i*len(originals)/madeCopies]
		original := c.Server
		c.FormerNames, c.Packages, c.Server = nil, nil, registry.Server{
			ID: 1<<40 + int64(i), Slug: fmt.Sprintf("stranger%d-%s", i, original.Repo.Name),
			Name: original.Name, Description: original.Description, Category: original.Category,
			Subfolder: original.Subfolder, Tools: original.Tools, Stars: new(int),
		}
		c.Server.Repo = registry.Repository{Host: original.Repo.Host, Owner: fmt.Sprint("stranger", i),
			Name: original.Repo.Name, CreatedAt: time.Now()}
		words := strings.Fields(s.texts[original.ID])
		for n := range words {
			if r.Float64() < 0.1+0.1*float64(i)/madeCopies {
				words[n] = fmt.Sprint("word", r.IntN(1000))
			}
		}
		c.Signature = copies.Sign(strings.Join(words, " ")).Bytes()
		s.made[c.Server.ID] = original.Slug
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *copiedStore) SaveCopies(
	_ context.Context, found map[int64]registry.Copy, _ time.Time,
) (int, error) {
	s.found = found
	return 0, nil
}

// copies counts how many of the listed servers, which are originals, are called copies,
// and how many made copies are found.
func (a *acceptance) copies() {
	a.t.Helper()
	s := &copiedStore{CopyStore: a.town.db, texts: map[int64]string{}, made: map[int64]string{}}
	seen, _, err := jobs.Copies(a.t.Context(), s, time.Now(), 0)
	if err != nil {
		a.t.Fatal(err)
	}
	var originals, found tally
	for id, original := range s.made {
		found.is(s.found[id].Of == original, "copy of %s: %+v", original, s.found[id])
		delete(s.found, id)
	}
	for range seen - len(s.made) - len(s.found) {
		originals.is(true, "")
	}
	for id, c := range s.found {
		originals.is(false, "server %d is called a %s of %s: %s", id, c.Kind, c.Of, c.Reason)
	}
	originals.report(a.t, "originals, not called copies", 1)
	found.report(a.t, "made copies, found", 0.9)
}
