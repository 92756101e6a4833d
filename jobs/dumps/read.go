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
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

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

// maxDump is the largest file that is downloaded, in bytes.
const maxDump = 64 << 30

// downloads is the client for dumps. A download may take hours, but the response must begin
// soon.
var downloads = &http.Client{Transport: &http.Transport{
	Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: 30 * time.Second,
}}

var fileForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Download copies the dump at a URL into a folder and returns its path. It reuses a file of an
// earlier call. If the URL's folder has a file SHA256SUMS with the name, the sum is compared.
func Download(ctx context.Context, address, dir string) (file string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", registry.Errorf(registry.ErrInvalid,
			"%q must be a file or a URL such as https://example.com/dumps/latest.jsonl.gz", address)
	}
	name := path.Base(u.Path)
	if !fileForm.MatchString(name) {
		return "", registry.Errorf(registry.ErrInvalid, "the URL must end in the name of a dump")
	}
	file = filepath.Join(dir, name)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	sum, err := sumAt(ctx, u, name)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", registry.Wrap(registry.ErrUnavailable, err, "cannot create the folder "+dir)
	}
	part := file + ".part"
	if err := download(ctx, address, part); err != nil {
		return "", err
	}
	if sum != "" {
		if err := compare(part, name, sum); err != nil {
			return "", errors.Join(err, os.Remove(part))
		}
	}
	return file, os.Rename(part, file)
}

// sumAt returns the sum of a file from SHA256SUMS in the same folder, "" if there is none.
func sumAt(ctx context.Context, u *url.URL, name string) (string, error) {
	res, err := get(ctx, u.ResolveReference(&url.URL{Path: registry.DumpSums}).String())
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxSums))
	return registry.ParseSums(string(text))[name], err
}

func get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := downloads.Do(req)
	if err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err, "cannot download the dump")
	}
	return res, nil
}

func download(ctx context.Context, address, file string) error {
	res, err := get(ctx, address)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return registry.Errorf(registry.ErrUnavailable, "cannot download the dump: %s responded %s",
			address, res.Status)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(res.Body, maxDump+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return registry.Wrap(registry.ErrUnavailable, err, "cannot download the dump")
	}
	if n > maxDump {
		return errors.Join(registry.Errorf(registry.ErrInvalid, "the dump is larger than %d GB",
			maxDump>>30), os.Remove(file))
	}
	return nil
}

// Verify compares a file with its sum in the file SHA256SUMS next to it, if that lists it.
func Verify(file string) error {
	sums, err := readSums(filepath.Join(filepath.Dir(file), registry.DumpSums))
	if err != nil || sums[filepath.Base(file)] == "" {
		return nil //nolint:nilerr // without sums there is nothing to compare
	}
	return compare(file, filepath.Base(file), sums[filepath.Base(file)])
}

func compare(file, name, want string) error {
	got, err := sumOf(file)
	if err != nil {
		return err
	}
	if got != want {
		return registry.Errorf(registry.ErrInvalid,
			"%s is damaged or was altered: its SHA-256 is %s, and %s says %s", name, got, registry.DumpSums, want)
	}
	return nil
}
