package main

import (
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows the progress of a long operation: a bar with rate and
// remaining time on a terminal, otherwise a log line every few seconds.
type progress struct {
	what string
	log  *slog.Logger

	mu      sync.Mutex
	bar     *progressbar.ProgressBar // nil if the output is not a terminal
	done    int
	total   int // -1: unknown
	started time.Time
	printed time.Time
}

// logEvery is the interval of log lines if the output is not a terminal.
const logEvery = 5 * time.Second

// newProgress starts showing the progress of what. total is -1 if unknown.
func newProgress(w io.Writer, log *slog.Logger, what string, total int) *progress {
	p := &progress{what: what, log: log, total: total, started: time.Now(), printed: time.Now()}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(
				what), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(
				true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetRenderBlankState(true), progressbar.OptionUseANSICodes(true))
	}
	return p
}

// set sets the number of finished items.
func (p *progress) set(n int) {
	p.mu.Lock()
	more := n - p.done
	p.mu.Unlock()
	p.add(more)
}

// of sets the number of finished items and their total.
func (p *progress) of(done, total int) {
	p.mu.Lock()
	if p.total != total && p.bar != nil {
		p.bar.ChangeMax(total)
	}
	p.total = total
	p.mu.Unlock()
	p.set(done)
}

// add adds n finished items.
func (p *progress) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if p.bar != nil {
		_ = p.bar.Add(n)
		return
	}
	if now := time.Now(); now.Sub(p.printed) >= logEvery {
		p.printed = now
		p.line(now)
	}
}

func (p *progress) line(now time.Time) {
	took := now.Sub(p.started)
	rate := float64(p.done) / took.Seconds()
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

// finish ends the bar or writes a last line.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Exit()
		return
	}
	p.line(time.Now())
}
