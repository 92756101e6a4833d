package dumps

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/gzip"

	"mcpcensus/internal/registry"
)

// Limits of the input.
const (
	maxLine  = 32 << 20   // bytes of a line; the largest records have some 2 MB
	maxLines = 50_000_000 // of a dump
	maxKind  = 16         // kinds of lines
)

// A Reader reads a dump that may be truncated, altered or malicious. Its errors are of kind
// [registry.ErrInvalid] and name the line.
type Reader struct {
	Header registry.DumpHeader
	// ID is a hash of the first line, which identifies the dump.
	ID string

	in     *bufio.Reader
	buffer []byte
	line   int64 // that was read last
	left   map[string]int
	total  int
}

// NewReader reads the header of a dump.
func NewReader(r io.Reader) (*Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err,
			"not a dump: the file is not compressed with gzip")
	}
	d := &Reader{in: bufio.NewReaderSize(z, 1<<20)}
	text, err := d.next()
	if errors.Is(err, io.EOF) {
		return nil, registry.Errorf(registry.ErrInvalid, "the dump is empty")
	}
	if err != nil {
		return nil, err
	}
	h := &d.Header
	if err := json.Unmarshal(text, h); err != nil || h.Format != format {
		return nil, registry.Errorf(registry.ErrInvalid,
			"line 1: not a dump of Census: the first line must be its header")
	}
	if h.Version != version {
		return nil, registry.Errorf(registry.ErrInvalid,
			"line 1: the dump has version %d of the format; this program reads version %d",
			h.Version, version)
	}
	for kind, n := range h.Lines {
		if d.total += n; n < 0 || n > maxLines || d.total > maxLines || len(h.Lines) > maxKind {
			return nil, registry.Errorf(registry.ErrInvalid,
				"line 1: the dump cannot have %d lines of kind %.20q", n, kind)
		}
	}
	d.left = maps.Clone(h.Lines)
	sum := sha256.Sum256(text)
	d.ID = hex.EncodeToString(sum[:])
	return d, nil
}

// Total returns how many lines follow the header.
func (d *Reader) Total() int { return d.total }

// next returns the next line without its end. It is valid until the next call. The error
// is io.EOF after the last line.
func (d *Reader) next() ([]byte, error) {
	d.buffer = d.buffer[:0]
	for {
		part, err := d.in.ReadSlice('\n')
		if len(d.buffer)+len(part) > maxLine {
			return nil, registry.Errorf(registry.ErrInvalid,
				"line %d is longer than %d MB: the dump is damaged", d.line+1, maxLine>>20)
		}
		d.buffer = append(d.buffer, part...)
		switch {
		case err == nil:
			d.line++
			return bytes.TrimSuffix(d.buffer, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(d.buffer) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, damaged(d.line+1, io.ErrUnexpectedEOF)
		default:
			return nil, damaged(d.line+1, err)
		}
	}
}

// damaged returns the error for a dump that cannot be read from a line on.
func damaged(line int64, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return registry.Wrap(registry.ErrInvalid, err, fmt.Sprintf(
			"the dump is truncated after line %d: get it again", max(line-1, 0)))
	}
	return registry.Wrap(registry.ErrInvalid, err,
		fmt.Sprintf("the dump is damaged at line %d: get it again", line))
}

// A badLine is the error of a rejected line; the reader can continue after it.
type badLine struct{ error }

func (e badLine) Unwrap() error { return e.error }

// Skip reads up to the line with a number, without looking at the lines' content.
func (d *Reader) Skip(line int64) error {
	for d.line < line {
		if _, err := d.counted(); err != nil {
			return err
		}
	}
	return nil
}

// Drain reads to the end. It returns an error unless the dump is complete and its checksum
// is right.
func (d *Reader) Drain(ctx context.Context) error {
	for {
		switch _, err := d.counted(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// counted is next, with an error for lines that the header does not allow or that are
// missing at the end.
func (d *Reader) counted() ([]byte, error) {
	text, err := d.next()
	if err == io.EOF { // others that wrap it are damages
		for _, kind := range slices.Sorted(maps.Keys(d.left)) {
			if n := d.left[kind]; n > 0 {
				return nil, registry.Errorf(registry.ErrInvalid,
					"the dump is truncated after line %d: %d lines of kind %q are missing", d.line, n, kind)
			}
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if kind := kindOf(text); d.left[kind] > 0 {
		d.left[kind]--
	}
	if d.line-1 > int64(d.total) {
		return nil, registry.Errorf(registry.ErrInvalid,
			"line %d: the dump has more lines than its header states", d.line)
	}
	return text, nil
}

// Next returns the next line and its number. The error is io.EOF at the end of a complete
// dump; a badLine if only this line is unusable.
func (d *Reader) Next() (l registry.DumpLine, number int64, err error) {
	text, err := d.counted()
	if err != nil {
		return l, d.line, err
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return registry.DumpLine{}, d.line, badLine{fmt.Errorf("not a valid line: %w", err)}
	}
	set := 0
	for _, is := range []bool{l.Server != nil, l.Gone != nil, l.Departed != nil, l.Repository != nil,
		l.Package != nil, l.Listing != nil, l.Day != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return registry.DumpLine{}, d.line, badLine{errors.New("has not exactly one of the known members")}
	}
	return l, d.line, nil
}

// kindOf returns the first name in a line, "" if there is none.
func kindOf(text []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte(`{"`))
	kind, _, found := bytes.Cut(rest[:min(len(rest), 64)], []byte(`"`))
	if !ok || !found {
		return ""
	}
	return string(kind)
}
