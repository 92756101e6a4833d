// Package dumps writes a registry into a file, keeps the files of the last days in a
// folder, and fills an empty registry from such a file.
//
// A dump is JSON Lines, compressed with gzip: a [registry.DumpHeader], then lines of
// [registry.DumpLine]. It has what the registry shows and what the crawl needs to
// continue, without accounts, keys, usage, reports and what the operator has hidden.
package dumps

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"mcpcensus/internal/registry"
)

// keep is the number of dumps in a folder.
const keep = 7

// Daily writes the dump of the day into a folder, unless it is there, and removes all but
// the newest seven. It returns how many servers it wrote. Readers never see a partial
// file. Only one process may call it at a time.
func (d *Writer) Daily(ctx context.Context, dir string, now time.Time) (servers int, err error) {
	name := "servers-" + now.UTC().Format(time.DateOnly) + ".jsonl.gz"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, registry.Wrap(registry.ErrUnavailable, err, "cannot create the folder of dumps")
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
		return 0, tidy(dir)
	}
	servers, err = d.File(ctx, filepath.Join(dir, name))
	if err != nil {
		return 0, err
	}
	return servers, tidy(dir)
}

var errEmpty = registry.Errorf(registry.ErrNotFound, "the registry has no servers yet: there is nothing to dump")

// IsEmpty reports whether an error means that there was nothing to dump.
func IsEmpty(err error) bool { return errors.Is(err, errEmpty) }

// File writes a dump to a file and returns the number of servers. The file appears, or
// replaces an existing one, when it is complete.
func (d *Writer) File(ctx context.Context, path string) (servers int, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".dump-*")
	if err != nil {
		return 0, registry.Wrap(registry.ErrUnavailable, err, "cannot write the dump")
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<20)
	header, err := d.Write(ctx, buffered)
	if err == nil && header.Lines["server"] == 0 {
		err = errEmpty
	}
	if err == nil {
		err = errors.Join(buffered.Flush(), f.Chmod(0o644), f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return header.Lines["server"], err
}

// tidy removes old dumps and files of interrupted runs, links the newest dump as latest, and
// writes the sums.
func tidy(dir string) error {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		switch {
		case registry.DumpDate(e.Name()) != "":
			names = append(names, e.Name())
		case strings.HasPrefix(e.Name(), ".dump-"):
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	old := names[:max(0, len(names)-keep)]
	names = names[len(old):]
	sums, err := readSums(filepath.Join(dir, registry.DumpSums))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lines strings.Builder
	newest := names[len(names)-1]
	for _, name := range names {
		// The sum of the newest may be of a file that was replaced.
		if sums[name] == "" || name == newest {
			if sums[name], err = sumOf(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		fmt.Fprintf(&lines, "%s  %s\n", sums[name], name)
	}
	fmt.Fprintf(&lines, "%s  %s\n", sums[newest], registry.LatestDump)
	err = replace(dir, registry.LatestDump, func(temp string) error { return os.Symlink(newest, temp) })
	if err == nil {
		err = replace(dir, registry.DumpSums, func(temp string) error {
			return os.WriteFile(temp, []byte(lines.String()), 0o644)
		})
	}
	for _, name := range old {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// replace replaces a file by one that make creates under a temporary name.
func replace(dir, name string, make func(temp string) error) error {
	temp := filepath.Join(dir, ".dump-"+name)
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := make(temp); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, name))
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// maxSums bounds the size of a file of sums that is read.
const maxSums = 64 << 10

// readSums returns the sums in a file in the format of sha256sum, by name. The map is never
// nil.
func readSums(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return map[string]string{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSums))
	return registry.ParseSums(string(text)), err
}

const (
	format  = "census-dump"
	version = 1
	// license of the data. The project's own license is for its source code.
	licence = "CC0-1.0 for Census's own figures; texts of third parties under their own licenses"
)

// A Source is a registry that is dumped, see postgres.DB.
type Source interface {
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
