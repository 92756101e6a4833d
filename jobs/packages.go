package jobs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"mcpcensus/internal/registry"
)

// An Enricher asks package services about packages.
type Enricher interface {
	// Facts fills in what the services know about p. Parts that no service
	// answered stay as they were in p. The error says what is missing and is
	// fit to show.
	Facts(ctx context.Context, p registry.PackageFacts) (registry.PackageFacts, error)
	// Downloads fills in the download counts of ps, all of one registry type.
	// Counts that are not known stay as they were.
	Downloads(ctx context.Context, ps []registry.PackageFacts) ([]registry.PackageFacts, error)
}

const (
	packagesEvery  = 24 * time.Hour // versions, advisories, deprecations
	downloadsEvery = 7 * 24 * time.Hour
	packageBatch   = 20
	// npmBatch is how many names npm's download counts take at once.
	npmBatch = 128
	packageTTL     = 2 * time.Minute
)

// A Packager keeps the facts about packages fresh, and the scores of the
// servers that they belong to.
type Packager struct {
	Store   Store
	Enrich  Enricher
	Log     *slog.Logger
	Now     func() time.Time
	Observe Observer
	// RetryAt returns when a failed question may be asked again, as the
	// service said; a zero time if it did not. Nil: it never does.
	RetryAt func(err error) time.Time
}

// Facts asks about packages whose turn it is until none is left or ctx is
// done.
func (p *Packager) Facts(ctx context.Context) (n int, err error) {
	for {
		batch, err := p.Store.LeasePackages(ctx, registry.PackageFactsKind, registry.FactTypes, packageBatch, packageTTL, p.Now())
		if err != nil || len(batch) == 0 {
			return n, err
		}
		known, err := p.Store.PackageFacts(ctx, batch)
		if err != nil {
			return n, err
		}
		for _, key := range batch {
			old, ok := known[key]
			if !ok {
				old = registry.PackageFacts{RegistryType: key.RegistryType, Identifier: key.Identifier}
			}
			facts, askErr := p.Enrich.Facts(ctx, old)
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			if facts.ObservedAt == nil || old.ObservedAt != nil && facts.ObservedAt.Equal(*old.ObservedAt) {
				if askErr == nil {
					askErr = registry.Errorf(registry.ErrUnavailable, "no service knows packages of this kind")
				}
				err = p.Store.FailPackage(ctx, registry.PackageFactsKind, key, p.retryAt(askErr), reason(askErr))
			} else {
				facts.DownloadsObservedAt = nil // not asked for now
				next := p.Now().Add(packagesEvery)
				if askErr != nil {
					next = p.retryAt(askErr)
				}
				err = p.Store.SavePackage(ctx, facts, next, reason(askErr))
			}
			if err != nil {
				return n, err
			}
			p.Observe.packages(registry.PackageFactsKind, askErr == nil)
			n++
		}
		if err := p.rescore(ctx, batch); err != nil {
			return n, err
		}
	}
}

// retryAt returns when to ask again after a failure.
func (p *Packager) retryAt(err error) time.Time {
	if p.RetryAt != nil {
		if at := p.RetryAt(err); at.After(p.Now()) {
			return at
		}
	}
	return p.Now().Add(30 * time.Minute)
}

// Downloads asks for the download counts whose turn it is, of each registry
// type until its service says to wait.
func (p *Packager) Downloads(ctx context.Context) (n int, err error) {
	var errs []error
	for _, typ := range registry.DownloadTypes {
		size := packageBatch
		if typ == "npm" {
			size = npmBatch
		}
		for {
			batch, err := p.Store.LeasePackages(ctx, registry.PackageDownloadsKind, []string{typ}, size, packageTTL*5, p.Now())
			if err != nil {
				return n, errors.Join(append(errs, err)...)
			}
			if len(batch) == 0 {
				break
			}
			known, err := p.Store.PackageFacts(ctx, batch)
			if err != nil {
				return n, errors.Join(append(errs, err)...)
			}
			asked := make([]registry.PackageFacts, len(batch))
			for i, key := range batch {
				asked[i] = registry.PackageFacts{
					RegistryType: key.RegistryType, Identifier: key.Identifier,
					Downloads: known[key].Downloads, DownloadsPrev: known[key].DownloadsPrev,
				}
			}
			counted, askErr := p.Enrich.Downloads(ctx, slices.Clone(asked))
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			for i, key := range batch {
				answered := i < len(counted) && counted[i].DownloadsObservedAt != nil
				switch {
				case answered:
					facts := counted[i]
					facts.ObservedAt = nil // not asked for now
					err = p.Store.SavePackage(ctx, facts, p.Now().Add(downloadsEvery), "")
				case askErr != nil:
					err = p.Store.FailPackage(ctx, registry.PackageDownloadsKind, key, p.retryAt(askErr), reason(askErr))
				default:
					err = p.Store.FailPackage(ctx, registry.PackageDownloadsKind, key, p.Now().Add(packagesEvery), "the service does not know the package")
				}
				if err != nil {
					return n, errors.Join(append(errs, err)...)
				}
				p.Observe.packages(registry.PackageDownloadsKind, answered)
				n++
			}
			if err := p.rescore(ctx, batch); err != nil {
				return n, errors.Join(append(errs, err)...)
			}
			if askErr != nil {
				errs = append(errs, askErr)
				break
			}
		}
	}
	return n, errors.Join(errs...)
}

// rescore scores the servers of packages again with what is known now.
func (p *Packager) rescore(ctx context.Context, keys []registry.PackageKey) error {
	ids, err := p.Store.ServersWithPackages(ctx, keys)
	if err != nil || len(ids) == 0 {
		return err
	}
	var servers []registry.Scored
	var all []registry.PackageKey
	if err := p.Store.FactsOf(ctx, ids, func(_ int64, facts registry.Facts, server registry.Server) error {
		servers = append(servers, registry.Scored{Server: server, Facts: facts})
		all = append(all, packageKeys(facts)...)
		return nil
	}); err != nil {
		return err
	}
	known, err := p.Store.PackageFacts(ctx, all)
	if err != nil {
		return err
	}
	for i, s := range servers {
		servers[i] = rescored(s, withPackages(s.Facts, known), p.Now())
	}
	_, err = p.Store.SaveScores(ctx, servers)
	return err
}

// rescored returns s scored again from f. What only the store knows is kept.
func rescored(s registry.Scored, f registry.Facts, now time.Time) registry.Scored {
	again := Score(f, now)
	old := s.Server
	n := &again.Server
	n.ID, n.Seq, n.Slug, n.OldSlugs = old.ID, old.Seq, old.Slug, old.OldSlugs
	n.Sources, n.ListedAt, n.UpdatedAt, n.Readme = old.Sources, old.ListedAt, old.UpdatedAt, old.Readme
	return again
}
