package main

import (
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows how far a long piece of work is: a bar with rate and time
// left on a terminal, a log line every few seconds elsewhere.
type progress struct {
	what string
	log  *slog.Logger

	mu      sync.Mutex
	bar     *progressbar.ProgressBar // nil where there is no terminal
	done    int
	total   int // -1: not known
	started time.Time
	printed time.Time
}

// logEvery is how often progress is logged where there is no terminal.
const logEvery = 5 * time.Second

// newProgress starts showing progress of what. total is -1 if it is not known.
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

// set says that n of the work is done.
func (p *progress) set(n int) { p.add(n - p.count()) }

// count returns how much is done.
func (p *progress) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// add says that n more is done.
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
