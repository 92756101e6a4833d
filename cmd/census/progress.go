package main

import (
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// A progress logs the progress of a long operation every few seconds.
type progress struct {
	what string
	log  *slog.Logger

	mu      sync.Mutex
	done    int
	total   int // -1: unknown
	started time.Time
	printed time.Time
}

// newProgress starts logging the progress of what. total is -1 if unknown.
func newProgress(log *slog.Logger, what string, total int) *progress {
	return &progress{what: what, log: log, total: total, started: time.Now(), printed: time.Now()}
}

// set sets the number of finished items.
func (p *progress) set(n int) { p.change(func() { p.done = n }) }

// of sets the number of finished items and their total.
func (p *progress) of(done, total int) { p.change(func() { p.done, p.total = done, total }) }

// add adds n finished items.
func (p *progress) add(n int) { p.change(func() { p.done += n }) }

func (p *progress) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	if time.Since(p.printed) >= 5*time.Second {
		p.line()
	}
}

func (p *progress) line() {
	p.printed = time.Now()
	rate := float64(p.done) / time.Since(p.started).Seconds()
	attrs := []any{"done", p.done, "per_second", fmt.Sprintf("%.1f", rate)}
	if p.total > 0 {
		attrs = append(attrs, "of", p.total)
		if rate > 0 && p.done < p.total {
			attrs = append(attrs, "left",
				time.Duration(float64(p.total-p.done)/rate*float64(time.Second)).Round(
					time.Second).String())
		}
	}
	p.log.Info(p.what, attrs...)
}

// finish writes a last line.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line()
}
