package dumps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcpcensus/internal/registry"
)

// A Store is a registry that is filled; postgres.DB describes the methods.
type Store interface {
	StartImport(ctx context.Context, id string, now time.Time) (registry.ImportState, error)
	ImportLines(ctx context.Context, lines []registry.ImportLine, state *registry.ImportState,
		now time.Time, reject func(number int64, err error)) error
	FinishImport(ctx context.Context, now time.Time) error
}

// An Importer fills an empty registry from a dump. Lines that are not valid are rejected
// and counted; a dump that is damaged ends the import with an error.
type Importer struct {
	Store Store
	// Score makes the record of facts, as after a visit.
	Score    func(f registry.Facts, now time.Time) registry.Scored
	Now      func() time.Time
	Progress func(lines, total int)                                 // nil: none
	Rejected func(line int64, err error)                            // nil: none
	Started  func(h registry.DumpHeader, from registry.ImportState) // nil: none
}

// batch is how many lines are stored in one transaction.
const batch = 100

// Import stores a dump after reading it to its end: nothing of a damaged dump is stored. If
// ctx ends or an error occurs, the stored part remains, and another call with the same dump
// continues.
func (im *Importer) Import(
	ctx context.Context, in io.ReadSeeker,
) (state registry.ImportState, err error) {
	r, err := NewReader(in)
	if err != nil {
		return state, err
	}
	if err := r.Drain(ctx); err != nil {
		return state, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return state, err
	}
	if r, err = NewReader(in); err != nil {
		return state, err
	}
	if state, err = im.Store.StartImport(ctx, r.ID, im.Now()); err != nil {
		return state, err
	}
	if im.Started != nil {
		im.Started(r.Header, state)
	}
	if state.FinishedAt != nil {
		return state, nil
	}
	if err := r.Skip(state.Line); err != nil {
		return state, err
	}
	im.progress(r)
	for {
		end, err := im.batch(ctx, r, &state)
		if err != nil {
			return state, err
		}
		im.progress(r)
		if end {
			return state, im.Store.FinishImport(ctx, im.Now())
		}
	}
}

func (im *Importer) progress(r *Reader) {
	if im.Progress != nil {
		im.Progress(int(max(r.line-1, 0)), r.Total())
	}
}

// batch reads and stores lines, and reports whether they were the last ones.
func (im *Importer) batch(
	ctx context.Context, r *Reader, state *registry.ImportState,
) (end bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	now := im.Now()
	reject := func(number int64, err error) {
		if im.Rejected != nil {
			im.Rejected(number, err)
		}
	}
	var lines []registry.ImportLine
	for len(lines) < batch && !end {
		l, number, err := r.Next()
		var bad badLine
		switch {
		case err == io.EOF: // others that wrap it are damages
			end = true
			continue
		case errors.As(err, &bad):
		case err != nil:
			return false, err // the file was changed after it was read first
		default:
			err = check(&l, now)
		}
		state.Line = number
		if err != nil {
			state.Rejected++
			reject(number, err)
			continue
		}
		line := registry.ImportLine{Number: number, DumpLine: l}
		if l.Server != nil {
			if line.Scored, err = im.score(l.Server); err != nil {
				state.Rejected++
				reject(number, err)
				continue
			}
		}
		lines = append(lines, line)
	}
	if err := im.Store.ImportLines(ctx, lines, state, now, reject); err != nil {
		return false, err
	}
	return end, nil
}

// score makes the record of a server at the time at which it was scored. Facts that make
// the scorer panic are an error.
func (im *Importer) score(s *registry.DumpServer) (scored *registry.Scored, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the facts cannot be scored: %v", v)
		}
	}()
	return new(im.Score(s.Facts, s.ScoredAt)), nil
}
