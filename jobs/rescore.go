package jobs

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/copies"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// rescoreBatch is how many scores are written in one statement.
const rescoreBatch = 250

// FactsStore holds the facts and scores of all servers.
type FactsStore interface {
	EachFacts(ctx context.Context, f func(registry.Scored) error) error
	SaveScores(ctx context.Context, scored []registry.Scored, now time.Time) (changed int,
		err error)
}

// Rescore recomputes the score of every stored server from its stored facts, and stores
// changed ones. progress, which may be nil, is called after each batch with the number of
// servers done.
func Rescore(
	ctx context.Context, store FactsStore, now time.Time, progress func(done int),
) (seen, changed int, err error) {
	var mu sync.Mutex // guards seen and changed
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	score := func(batch []registry.Scored) {
		group.Go(func() error {
			return recovered(func() error {
				for i, s := range batch {
					batch[i] = rescored(s, s.Facts, now)
					batch[i].FactsKept = true
				}
				n, err := store.SaveScores(gctx, batch, now)
				mu.Lock()
				defer mu.Unlock()
				seen += len(batch)
				changed += n
				if err == nil && progress != nil {
					progress(seen)
				}
				return err
			})
		})
	}
	var batch []registry.Scored
	err = store.EachFacts(gctx, func(s registry.Scored) error {
		if batch = append(batch, s); len(batch) == rescoreBatch {
			score(batch)
			batch = nil
		}
		return nil
	})
	if err == nil && len(batch) > 0 {
		score(batch)
	}
	if waitErr := group.Wait(); waitErr != nil {
		err = waitErr
	}
	return seen, changed, err
}

// Snapshot stores today's statistics of every server for its history.
func Snapshot(ctx context.Context, store *postgres.DB, now time.Time, log *slog.Logger) error {
	n, err := store.SnapshotDay(ctx, now.UTC().Truncate(24*time.Hour))
	if err == nil {
		log.InfoContext(ctx, "daily figures stored", "servers", n)
	}
	return err
}

const (
	// manyReadmes is how many new or changed READMEs make the servers be compared
	// before the night.
	manyReadmes = 200
	// signatureBatch is how many READMEs are read and signed at a time.
	signatureBatch = 500
)

// CopyStore stores the texts that servers are compared by, and the results.
type CopyStore interface {
	CountUnsigned(ctx context.Context) (int, error)
	UnsignedReadmes(ctx context.Context, after int64, limit int) ([]registry.ReadmeText, error)
	SaveSignatures(ctx context.Context, signed []registry.ReadmeSignature) error
	EachCopyCandidate(ctx context.Context, f func(registry.CopyCandidate) error) error
	SaveCopies(ctx context.Context, found map[int64]registry.Copy, now time.Time) (changed int,
		err error)
}

// Copies compares all listed servers and stores which are copies or look-alikes of others. It
// does nothing if fewer than least READMEs have changed since the last run. It returns the
// number of servers that were compared, and of records that changed.
func Copies(
	ctx context.Context, store CopyStore, now time.Time, least int,
) (seen, changed int, err error) {
	if least > 0 {
		if n, err := store.CountUnsigned(ctx); err != nil || n < least {
			return 0, 0, err
		}
	}
	if err := signReadmes(ctx, store); err != nil {
		return 0, 0, err
	}
	var servers []*copies.Server
	if err := store.EachCopyCandidate(ctx, func(c registry.CopyCandidate) error {
		servers = append(servers, comparedBy(c))
		return nil
	}); err != nil {
		return 0, 0, err
	}
	found := map[int64]registry.Copy{}
	if err := recovered(func() error {
		for _, f := range copies.Find(servers) {
			found[f.ID] = f.Copy
		}
		return nil
	}); err != nil {
		return 0, 0, err
	}
	changed, err = store.SaveCopies(ctx, found, now)
	return len(servers), changed, err
}

// signReadmes stores the signatures of new and changed READMEs.
func signReadmes(ctx context.Context, store CopyStore) error {
	for after := int64(0); ; {
		texts, err := store.UnsignedReadmes(ctx, after, signatureBatch)
		if err != nil || len(texts) == 0 {
			return err
		}
		signed := make([]registry.ReadmeSignature, len(texts))
		for i, t := range texts {
			signed[i] = registry.ReadmeSignature{ID: t.ID, Digest: t.Digest,
				Signature: copies.Sign(t.Text).Bytes()}
		}
		if err := store.SaveSignatures(ctx, signed); err != nil {
			return err
		}
		after = texts[len(texts)-1].ID
	}
}

func comparedBy(c registry.CopyCandidate) *copies.Server {
	s := copies.Of(&c.Server, c.FormerNames, copies.ParseSignature(c.Signature))
	for i := range s.Packages {
		p := &s.Packages[i]
		for _, known := range c.Packages {
			if known.RegistryType != p.Type || known.Identifier != c.Server.Packages[i].Identifier {
				continue
			}
			if ref, err := registry.ParseRepoRef(known.RepoURL); err == nil {
				p.Repo = ref.Key()
			}
			if at := known.FirstAt; at != nil && (s.Released.IsZero() || at.Before(s.Released)) {
				s.Released = *at
			}
		}
	}
	return s
}
