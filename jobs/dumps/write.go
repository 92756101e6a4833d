// Package dumps writes a registry into a file, keeps the files of the last days in a
// folder, and fills an empty registry from such a file.
//
// A dump is JSON Lines, compressed with gzip: a [registry.DumpHeader], then lines of
// [registry.DumpLine]. It has what the registry shows and what the crawl needs to
// continue, without accounts, keys, usage, reports and what the operator has hidden.
package dumps

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"mcpcensus/internal/registry"
)

const (
	format  = "census-dump"
	version = 1
	// license of the data. The project's own license is for its source code.
	licence = "CC0-1.0 for Census's own figures; texts of third parties under their own licenses"
)

// A Source is a registry that is dumped.
type Source interface {
	// Dump calls start with the data of the header, and then line with each line. It stops at
	// the first error of either.
	Dump(ctx context.Context, start func(registry.DumpHeader) error,
		line func(*registry.DumpLine) error) error
}

// Documents encodes servers as the API does.
type Documents interface {
	Detail(s *registry.Server) ([]byte, error)
	Health(s *registry.Server) ([]byte, error)
}

// A Writer writes dumps.
type Writer struct {
	Source     Source
	Documents  Documents
	Name, URL  string // of the registry
	Program    string // version of the program
	ScoreModel string
	Progress   func(done, total int) // nil: none
}

// Write writes a dump to w and returns its header.
func (d *Writer) Write(ctx context.Context, w io.Writer) (registry.DumpHeader, error) {
	z := gzip.NewWriter(w)
	out := json.NewEncoder(z)
	out.SetEscapeHTML(false)
	var header registry.DumpHeader
	done, total := 0, 0
	err := d.Source.Dump(ctx, func(h registry.DumpHeader) error {
		h.Format, h.Version, h.Licence = format, version, licence
		h.Registry.Name, h.Registry.URL = d.Name, d.URL
		h.Registry.Program, h.Registry.ScoreModel = d.Program, d.ScoreModel
		for _, n := range h.Lines {
			total += n
		}
		header = h
		return out.Encode(h)
	}, func(l *registry.DumpLine) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s := l.Server; s != nil {
			var err error
			if s.Record, err = d.Documents.Detail(&s.Server); err != nil {
				return fmt.Errorf("record of %s: %w", s.Slug, err)
			}
			if s.Health, err = d.Documents.Health(&s.Server); err != nil {
				return fmt.Errorf("health of %s: %w", s.Slug, err)
			}
		}
		if done++; d.Progress != nil {
			d.Progress(done, total)
		}
		return out.Encode(l)
	})
	if err == nil {
		err = z.Close()
	}
	return header, err
}
