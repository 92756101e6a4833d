package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/read"
	"mcpcensus/internal/registry"
)

const (
	// maxStrikes is how many times files are read that could not be read.
	maxStrikes = 3
	// blockedRetry is how often a repository is visited whose files are no longer read, to see
	// whether they have changed.
	blockedRetry = 7 * 24 * time.Hour
)

// unreadCode is the code of the errors of files that could not be read.
const unreadCode = "not_readable"

// errBlocked is why files are not read.
var errBlocked = &read.Failure{Reason: "several attempts", Detail: "not read until they change"}

// readOnce is detect for a visit. The strike is stored before, so that it remains if this process
// or the machine dies, and is removed afterwards unless the files could not be read. After three
// strikes the files of a commit are not read until the rules change.
func (in *Ingester) readOnce(
	ctx context.Context, w registry.Work, snap *registry.Snapshot,
) ([]registry.Scored, detect.Result, error) {
	of := fmt.Sprintf("%s %d", snap.Repo.Commit, crawler.Selection)
	before, err := in.Results.BeginReading(ctx, w.ID, of)
	if err != nil {
		return nil, detect.Result{}, err
	}
	if before >= maxStrikes {
		return nil, detect.Result{}, errBlocked
	}
	scored, verdict, err := in.detect(ctx, snap, w.Stored)
	if _, ok := errors.AsType[*read.Failure](err); ok {
		in.Log.WarnContext(ctx, "repository could not be read", "repository", w.Ref.String(),
			"strikes", before+1, "err", err)
		return nil, verdict, err
	}
	strikes := 0
	if err != nil { // nothing is known about the files
		strikes = before
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return scored, verdict, errors.Join(err, in.Results.EndReading(ending, w.ID, strikes))
}

// unreadable returns the result of a visit whose files could not be read. What is stored stays.
func (in *Ingester) unreadable(r registry.Result, failure *read.Failure) registry.Result {
	r.Visit.Outcome, r.Visit.Err = registry.Failed, unreadError(failure)
	r.Reason = reason(r.Visit.Err)
	r.NextAt = r.Now.Add(backoff(r.Visit.Work.Attempt))
	if failure == errBlocked {
		r.NextAt = r.Now.Add(blockedRetry)
	}
	return r
}

// unreadError is the error of files that could not be read, for the status and for clients.
func unreadError(failure *read.Failure) *registry.Error {
	e := registry.Errorf(registry.ErrUnavailable,
		"The repository's files could not be read (%s).", failure.Reason)
	e.Code = unreadCode
	return e
}
