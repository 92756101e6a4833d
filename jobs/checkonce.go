package jobs

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"mcpcensus/crawler/read"
	"mcpcensus/internal/registry"
)

// A hostError is a failure of the code host.
type hostError struct{ error }

func (e hostError) Unwrap() error { return e.error }

// CheckOnce reads one repository from its code host and the package services, and
// scores its servers. It fails if the host fails.
func CheckOnce(
	ctx context.Context, in *Ingester, enrich Enricher, ref registry.RepoRef,
) (registry.CheckResult, error) {
	return checkOnce(ctx, in, enrich, ref, func(registry.CheckResult) {})
}

// checkOnce is CheckOnce; it calls note with partial results after each step.
func checkOnce(
	ctx context.Context, in *Ingester, enrich Enricher, ref registry.RepoRef, note func(
		registry.CheckResult),
) (registry.CheckResult, error) {
	// Archives are read as long as the caller waits.
	waiting, cancel := context.WithTimeout(ctx, checkAnswer-checkReserve)
	defer cancel()
	sofar := registry.CheckResult{Ref: ref, Status: registry.CheckPending,
		Progress: new(registry.CheckProgress)}
	p := sofar.Progress
	v := in.Hosts.of(ref.Host).Resolve(ctx, ref,
		func(repo registry.Repository, files []registry.File) {
			p.Repo = &repo
			sofar.Ref.Owner, sofar.Ref.Name = repo.Owner, repo.Name
			if files != nil {
				p.Files = new(len(files))
			}
			note(sofar)
		})
	r := registry.CheckResult{Ref: ref, Status: registry.CheckDone,
		At: in.Now().UTC().Truncate(time.Second)}
	switch v.Outcome {
	case registry.Missing:
		r.Status = registry.CheckNotFound
		return r, nil
	case registry.Blocked:
		r.Blocked, r.Reason = cmp.Or(v.Blocked,
			"blocked"), "The code host withholds the repository ("+v.Blocked+")."
		return r, nil
	case registry.Fetched:
	default:
		if failure, ok := errors.AsType[*read.Failure](v.Err); ok {
			return r, unreadError(failure)
		}
		return r, hostError{cmp.Or[error](v.Err,
			registry.Errorf(registry.ErrUnavailable, "The code host didn't respond."))}
	}
	snap := v.Snapshot
	r.Ref.Owner, r.Ref.Name = snap.Repo.Owner, snap.Repo.Name
	sofar.Ref, sofar.At = r.Ref, r.At
	files, texts := len(snap.Files), len(snap.Texts)
	p.Repo, p.Files, p.Read = &snap.Repo, &files, &texts
	note(sofar)
	scored, verdict, err := in.readOnce(ctx, new(registry.Work), snap)
	failure, ok := errors.AsType[*read.Failure](err)
	if errors.Is(err, context.DeadlineExceeded) {
		failure, ok = read.ErrLate, true
	}
	switch ended := ok && failure.Incomplete(); {
	case ok && !ended:
		return r, unreadError(failure)
	case err != nil && !ended:
		return r, err
	}
	r.Reason, r.Kind, r.Empty = verdict.Reason, verdict.Kind, snap.Repo.Empty
	p.Searched, sofar.Servers = true, slices.Clone(scored)
	var known map[registry.PackageKey]registry.PackageFacts
	r.Servers, known, r.Warnings = enriched(ctx, in, enrich, scored, func(asked, of int) {
		p.Asked, p.Packages = asked, of
		note(sofar)
	})
	if ok {
		r.Warnings = append(r.Warnings, notAll(failure))
	}
	withArchives(waiting, in, enrich, r.Servers, known)
	return r, nil
}

// checkPackages is the maximum number of packages whose services a check queries.
const checkPackages = 6

// enriched adds facts of the package services to servers within the deadline, and reports
// progress to tell. It also returns the facts.
func enriched(
	ctx context.Context, in *Ingester, enrich Enricher, scored []registry.Scored, tell func(asked,
		of int),
) ([]registry.Scored, map[registry.PackageKey]registry.PackageFacts, []string) {
	if enrich == nil {
		tell(0, 0)
		return scored, nil, nil
	}
	var keys, ask []registry.PackageKey
	known := map[registry.PackageKey]registry.PackageFacts{}
	for _, s := range scored {
		keys = append(keys, packageKeys(s.Facts)...)
		for _, p := range s.Facts.Packages {
			known[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = p
		}
	}
	stored, err := in.Facts.PackageFacts(ctx, keys) // of the repositories too
	if err != nil {
		in.Log.WarnContext(ctx, "stored facts of packages not read", "err", err)
	}
	maps.Copy(known, stored)
	var warnings []string
	for _, k := range keys {
		if _, ok := known[k]; !ok && k.RegistryType != registry.RemoteType &&
			!slices.Contains(ask, k) && len(ask) < checkPackages {
			ask = append(ask, k)
		}
	}
	tell(0, len(ask))
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for i, k := range ask {
		facts, err := enrich.Facts(ctx,
			registry.PackageFacts{RegistryType: k.RegistryType, Identifier: k.Identifier})
		if err != nil {
			warnings = append(warnings, k.Identifier+": "+reason(err))
		}
		known[k] = facts
		tell(i+1, len(ask))
	}
	for i, s := range scored {
		scored[i] = rescored(s, withPackages(s.Facts, known), in.Now())
	}
	return scored, known, warnings
}

const (
	// checkArchives is the maximum number of archives that a check reads.
	checkArchives = 2
	// checkReserve is the rest of checkAnswer when a check stops reading archives.
	checkReserve = 2 * time.Second
)

// withArchives adds the tools that packages register to servers whose repository does not show
// them, until ctx is done. The packages job reads the rest once the server is listed.
func withArchives(
	ctx context.Context, in *Ingester, enrich Enricher, scored []registry.Scored,
	known map[registry.PackageKey]registry.PackageFacts,
) {
	read := 0
	for i, s := range scored {
		key, of, ok := archiveOf(s.Facts)
		if enrich == nil || !ok || isCurrent(known[key].Archive, key, of.Version, in.Now()) {
			continue
		}
		if read++; read > checkArchives || ctx.Err() != nil {
			return
		}
		found, err := enrich.Archive(ctx, key, of)
		if err != nil {
			in.Log.DebugContext(ctx, "archive not read", "package", key.Identifier, "err", err)
		}
		if found == nil {
			continue
		}
		facts := known[key]
		facts.Archive = found
		known[key] = facts
		scored[i] = rescored(s, withPackages(s.Facts, known), in.Now())
	}
}
