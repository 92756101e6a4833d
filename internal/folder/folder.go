// Package folder writes a folder of files that are generated repeatedly from
// changing data. Only changed files are written, files that are no longer
// generated are removed, and an interrupted run can be continued.
//
// A journal in the folder has a line for each written file: the digest and size
// of its body, and its name. Files are written under a temporary name and
// renamed, so that readers never see partial files. A line without a size is
// added before a file is written, so that a killed run leaves no file without a
// line. Files without a line belong to others and are kept.
package folder

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"mcpcensus/internal/registry"
)

const (
	ours     = ".census-export" // the private part of the folder
	journal  = ours + "/files"
	packed   = ours + "/files.new"
	lockName = ours + "/lock"
	temp     = ours + "/tmp"
	title    = "census export 1\n"
	end      = "end"
)

// A Folder is a folder locked by one run. Done and Put are safe for concurrent
// use; Finish and Close must be called when no other call is in progress.
type Folder struct {
	dir  string
	root *os.Root
	lock *os.File
	run  string

	mu      sync.Mutex
	journal *os.File
	broken  error           // of a failed write to the journal
	files   map[string]file // by name
	report  Report

	temps atomic.Int64 // number of written files
}

type digest [16]byte

type file struct {
	digest digest
	size   int64
	state  state
}

type state uint8

const (
	former  state = iota // of a run before this one
	current              // of this run, before it was interrupted
	fresh                // of this run since it was opened
)

// A Report is the result of a run.
type Report struct {
	Files     int   // now in the folder
	Bytes     int64 // of them
	Written   int
	Unchanged int // generated again with the same body
	Resumed   int // written before the run was interrupted, and not generated again
	Removed   int
}

// Open locks a folder, and creates it if it does not exist. run, a [Digest], identifies the
// data that the files are generated from: if the last run was interrupted and
// has the same name, its files need not be generated again. The error is of
// kind [registry.ErrInvalid] if the folder is not empty and was not written by
// this package, and of kind [registry.ErrConflict] if another process uses it.
func Open(dir, run string) (_ *Folder, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err, "cannot create the folder "+dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err, "cannot open the folder "+dir)
	}
	f := &Folder{dir: dir, root: root, run: run, files: map[string]file{}}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := f.claim(dir); err != nil {
		return nil, err
	}
	if err := errors.Join(root.RemoveAll(temp), root.Mkdir(temp, 0o755)); err != nil {
		return nil, f.failed(err)
	}
	if err := f.read(); err != nil {
		return nil, err
	}
	if err := f.note("run " + f.run); err != nil {
		return nil, err
	}
	return f, nil
}

// claim locks the folder, and checks that it is empty or was written by this
// package.
func (f *Folder) claim(dir string) error {
	if _, err := f.root.Lstat(ours); errors.Is(err, fs.ErrNotExist) {
		d, err := f.root.Open(".")
		if err != nil {
			return err
		}
		names, err := d.Readdirnames(1)
		d.Close()
		if err != nil && err != io.EOF {
			return err
		}
		if len(names) > 0 {
			return registry.Errorf(registry.ErrInvalid,
				"The folder %s is not empty and does not contain an export of census. Use an "+
					"empty or new folder.", dir)
		}
		if err := f.root.Mkdir(ours, 0o755); err != nil {
			return registry.Wrap(registry.ErrInvalid, err, "cannot write to the folder "+dir)
		}
	} else if err != nil {
		return err
	}
	var err error
	if f.lock, err = f.root.OpenFile(lockName, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return registry.Wrap(registry.ErrInvalid, err, "cannot write to the folder "+dir)
	}
	if !Lock(f.lock) {
		return registry.Errorf(registry.ErrConflict,
			"Another census export is writing to %s. Wait until it has finished.", dir)
	}
	if f.journal, err = f.root.OpenFile(journal, os.O_CREATE|os.O_RDWR|os.O_APPEND,
		0o644); err != nil {
		return registry.Wrap(registry.ErrInvalid, err, "cannot write to the folder "+dir)
	}
	start := make([]byte, len(title))
	switch n, err := io.ReadFull(f.journal, start); {
	case n == 0 && err == io.EOF:
		_, err = f.journal.WriteString(title)
		return err
	case string(start) != title:
		return registry.Errorf(registry.ErrInvalid,
			"The folder %s was not written by this version of census export. Use an empty or "+
				"new folder.", dir)
	}
	return nil
}

// read reads the journal. A line that is incomplete after a power failure is
// skipped, and the next line is added on a new line.
func (f *Folder) read() error {
	if _, err := f.journal.Seek(int64(len(title)), io.SeekStart); err != nil {
		return err
	}
	same := false
	for r := bufio.NewReaderSize(f.journal, 1<<20); ; {
		text, err := r.ReadString('\n')
		switch {
		case err == io.EOF && text != "":
			return f.note("")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		switch kind, rest, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " "); kind {
		case "run":
			same = rest == f.run
		case end:
			same = false // a finished run is not continued
			for name, x := range f.files {
				x.state = former
				f.files[name] = x
			}
		default:
			if x, name, ok := parse(kind, rest); ok {
				if same {
					x.state = current
				}
				f.files[name] = x
			}
		}
	}
}

// parse reads the line of a file: digest, size and name.
func parse(sum, rest string) (x file, name string, ok bool) {
	b, err := hex.DecodeString(sum)
	size, name, cut := strings.Cut(rest, " ")
	n, sizeErr := strconv.ParseInt(size, 10, 64)
	if err != nil || sizeErr != nil || !cut || len(b) != len(x.digest) || check(name) != nil {
		return x, "", false
	}
	copy(x.digest[:], b)
	x.size = n
	return x, name, true
}

// note appends a line to the journal, unbuffered, so that the journal of a
// killed run is complete. After a failed write nothing more is written.
func (f *Folder) note(s string) error {
	if f.broken == nil {
		if _, err := f.journal.WriteString(s + "\n"); err != nil {
			f.broken = f.failed(err)
		}
	}
	return f.broken
}

func (f *Folder) noteFile(name string, x file) error {
	return f.note(fmt.Sprintf("%x %d %s", x.digest, x.size, name))
}

// failed returns the error for a folder that cannot be written.
func (f *Folder) failed(err error) error {
	return registry.Wrap(registry.ErrUnavailable, err, "cannot write to the folder "+f.dir)
}

// check returns an error unless name is a valid file name: a clean path with slashes, inside
// the folder, outside its private part, and without line breaks.
func check(name string) error {
	if !fs.ValidPath(name) || name == "." || name == ours || strings.HasPrefix(name, ours+"/") ||
		strings.ContainsAny(name, "\n\r\\:") || len(name) > 1000 {
		return fmt.Errorf("%q cannot be the name of a file", name)
	}
	return nil
}

// there reports whether the file exists with the size in the journal.
func (f *Folder) there(name string, size int64) bool {
	info, err := f.root.Lstat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// Done reports whether a file was written by this run before it was
// interrupted, so that it need not be generated again.
func (f *Folder) Done(name string) bool {
	f.mu.Lock()
	x, ok := f.files[name]
	f.mu.Unlock()
	if !ok || x.state != current && x.state != fresh || !f.there(name, x.size) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if x.state == current {
		x.state = fresh
		f.files[name] = x
		f.report.Resumed++
	}
	return true
}

// Put writes a file, unless it already has that body.
func (f *Folder) Put(name string, body []byte) error {
	if err := check(name); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	x := file{digest: digest(sum[:16]), size: int64(len(body)), state: fresh}
	f.mu.Lock()
	old, ok := f.files[name]
	f.mu.Unlock()
	same := ok && old.digest == x.digest && old.size == x.size && f.there(name, x.size)
	if !same {
		f.mu.Lock()
		err := f.noteFile(name, file{size: -1})
		f.mu.Unlock()
		if err != nil {
			return err
		}
		if err := f.write(name, body); err != nil {
			return registry.Wrap(registry.ErrUnavailable, err,
				"cannot write "+name+" in the folder "+f.dir)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[name] = x
	if same {
		f.report.Unchanged++
	} else {
		f.report.Written++
	}
	return f.noteFile(name, x)
}

// write writes a file under a temporary name and renames it.
func (f *Folder) write(name string, body []byte) error {
	tmp, name := temp+"/"+strconv.FormatInt(f.temps.Add(1), 10), filepath.FromSlash(name)
	err := f.root.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = f.root.WriteFile(tmp, body, 0o644)
	}
	if err == nil {
		err = f.root.Rename(tmp, name)
	}
	if err != nil {
		_ = f.root.Remove(tmp)
	}
	return err
}

// Finish removes files that this run did not generate, and folders that become
// empty, and ends the run.
func (f *Folder) Finish(ctx context.Context) (Report, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out, err := f.root.OpenFile(packed, os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return f.report, f.failed(err)
	}
	defer out.Close()
	w := bufio.NewWriterSize(out, 1<<20)
	_, _ = w.WriteString(title) // Flush returns the error
	if err := f.sweep(ctx, w); err != nil {
		return f.report, err
	}
	_, _ = w.WriteString(end + "\n")
	for _, step := range []func() error{
		w.Flush, out.Sync, func() error { return f.root.Rename(packed, journal) },
		func() error { return f.root.RemoveAll(temp) },
	} {
		if err := step(); err != nil {
			return f.report, f.failed(err)
		}
	}
	return f.report, nil
}

// sweep removes files that this run did not generate, and folders that become
// empty. It writes the journal lines of the others to w.
func (f *Folder) sweep(ctx context.Context, w io.Writer) error {
	emptied := map[string]bool{}
	var err error
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if x := f.files[name]; x.state == fresh {
			f.report.Files++
			f.report.Bytes += x.size
			fmt.Fprintf(w, "%x %d %s\n", x.digest, x.size, name)
			continue
		}
		if err = ctx.Err(); err != nil {
			break
		}
		if err = f.remove(name); err != nil {
			break
		}
		delete(f.files, name)
		emptied[path.Dir(name)] = true
	}
	for dir := range emptied {
		// fails if it is not empty
		for dir != "." && f.root.Remove(filepath.FromSlash(dir)) == nil {
			dir = path.Dir(dir)
		}
	}
	return err
}

// remove removes a file, which may not exist.
func (f *Folder) remove(name string) error {
	switch err := f.root.Remove(filepath.FromSlash(name)); {
	case err == nil:
		f.report.Removed++
	case !errors.Is(err, fs.ErrNotExist):
		return registry.Wrap(registry.ErrUnavailable, err, "cannot remove "+name)
	}
	return nil
}

func (f *Folder) Close() error {
	var errs []error
	for _, c := range []*os.File{f.journal, f.lock} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(append(errs, f.root.Close())...)
}

// Digest returns a name for data that consists of parts.
func Digest(parts ...string) string {
	var b bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&b, "%q\n", p)
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:16])
}
