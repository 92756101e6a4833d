package jobs

import (
	"context"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/read"
	"mcpcensus/internal/registry"
)

// blockedRetry is how often a repository is visited whose files are no longer read, to see
// whether they have changed.
const blockedRetry = 7 * 24 * time.Hour

// unreadCode is the code of the errors of files that could not be read.
const unreadCode = "not_readable"

// readOnce is detect if strikes allow it. The error is a [read.Failure] if the files could not be
// read; an incomplete one has a result.
func (in *Ingester) readOnce(
	ctx context.Context, w *registry.Work, snap *registry.Snapshot,
) (scored []registry.Scored, verdict detect.Result, err error) {
	what, of := crawler.Reading(&snap.Repo)
	err = in.Strikes.Guard(ctx, what, of, func() (err error) {
		scored, verdict, err = in.detect(ctx, snap, w)
		switch {
		case err != nil:
		case verdict.Ended():
			err = &read.Failure{Reason: read.Steps}
		case snap.Failures[crawler.FilesPart] != "":
			err = &read.Failure{Reason: read.Unfetched}
		}
		return err
	})
	return scored, verdict, err
}

// keepLonger replaces lists of tools that a limit of steps ended by longer stored ones of the
// same commit.
func (in *Ingester) keepLonger(
	ctx context.Context, snap *registry.Snapshot, w *registry.Work, verdict detect.Result,
) error {
	if w.ID == 0 || !verdict.Ended() {
		return nil
	}
	stored, err := in.Results.ScoredOfRepo(ctx, w.ID)
	if err != nil {
		return err
	}
	for i := range verdict.Servers {
		d := &verdict.Servers[i].Detection
		for _, s := range stored {
			old := &s.Facts.Detection
			if verdict.Servers[i].Ended && s.Facts.Repo.Commit == snap.Repo.Commit &&
				old.Subfolder == d.Subfolder && len(old.Tools) > len(d.Tools) {
				d.Tools, d.ToolsFrom, d.ToolsPartial = old.Tools, old.ToolsFrom, old.ToolsPartial
				d.Suspicious = old.Suspicious
			}
		}
	}
	return nil
}

// unfinished returns the result of a visit that read a part of the files. The repository is read
// again until it has too many strikes, as one that was read under earlier rules.
func unfinished(r registry.Result, failure *read.Failure) registry.Result {
	r.Visit.Err = registry.Errorf(registry.ErrUnavailable, "%s", notAll(failure))
	if failure.Strikes >= read.MaxStrikes {
		return r
	}
	r.Visit.Snapshot.Selection = 0
	if soon := r.Now.Add(backoff(failure.Strikes)); r.NextAt.After(soon) {
		r.NextAt = soon
	}
	return r
}

// notAll says why not all files could be read.
func notAll(failure *read.Failure) string {
	return "Not all of the repository's files could be read (" + failure.Reason + ")."
}

// unreadable returns the result of a visit whose files could not be read. What is stored stays.
func (in *Ingester) unreadable(r registry.Result, failure *read.Failure) registry.Result {
	r.Visit.Outcome, r.Visit.Err = registry.Failed, unreadError(failure)
	r.Reason = reason(r.Visit.Err)
	r.NextAt = r.Now.Add(backoff(r.Visit.Work.Attempt))
	if failure == read.ErrBlocked {
		r.NextAt = r.Now.Add(blockedRetry)
	}
	return r
}

// unreadError is the error of files that could not be read, for the status and for clients.
func unreadError(failure *read.Failure) *registry.Error {
	e := registry.Errorf(registry.ErrUnavailable,
		"The repository's files could not be read (%s).", failure.Reason)
	e.Code, e.Cause = unreadCode, failure
	return e
}
