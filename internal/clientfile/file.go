package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxFile bounds the files that are read.
const maxFile = 16 << 20

// ErrChanged reports that another program has changed a file since it was read.
var ErrChanged = errors.New("another program has changed the file in the meantime")

// errKept is the ErrChanged of a file whose latest text is beside it.
var errKept = fmt.Errorf("%w", ErrChanged)

// A File is a file as it was read.
type File struct {
	Path string // of the file itself: links are followed
	Text []byte // nil if there is no file
	info fs.FileInfo
}

// Exists reports whether there was a file.
func (f *File) Exists() bool { return f.info != nil }

// Read reads a file of at most 16 MB. A file that does not exist is empty; a link to
// nothing is an error.
func Read(path string) (*File, error) {
	target, err := followed(path)
	if err != nil {
		return nil, err
	}
	if target == "" {
		return &File{Path: path}, nil
	}
	// Opening a pipe would wait for a writer.
	if kind, err := os.Stat(target); err == nil && !kind.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", target)
	}
	h, err := os.Open(target)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	info, err := h.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", target)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than 16 MB", target)
	}
	text, err := io.ReadAll(io.LimitReader(h, maxFile+1))
	if err != nil {
		return nil, err
	}
	return &File{Path: target, Text: text, info: info}, nil
}

// followed returns the file that a path leads to, "" if there is none.
func followed(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	info, linkErr := os.Lstat(path)
	isLink := linkErr == nil && info.Mode()&fs.ModeSymlink != 0
	switch isMissing := errors.Is(err, fs.ErrNotExist); {
	case isMissing && linkErr != nil:
		return "", nil
	case isMissing && isLink:
		return "", fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
	case isMissing: // it was made in the meantime
		return path, nil
	case err != nil && isLink && !errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%s is a symbolic link that leads back to itself", path)
	}
	return target, err
}

// Write replaces the file by text and returns the path of a copy of what it was; ""
// if there was none. The file is whole at every time: text is written beside it and
// takes its place. The mode stays; a new file is readable only by its owner. It fails with
// ErrChanged if the file is not what Read has read. If it fails, it leaves no copy, unless
// another program wrote meanwhile and its text could not be put back.
func (f *File) Write(text []byte, now time.Time) (backup string, err error) {
	mode := fs.FileMode(0o600)
	if f.Exists() {
		mode = f.info.Mode().Perm()
		switch {
		case mode&0o200 == 0:
			return "", fmt.Errorf("%s is read-only", f.Path)
		case isLinked(f.Path):
			return "", fmt.Errorf("%s has other names (hard links), which would keep the old text", f.Path)
		}
	} else if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return "", err
	}
	if err := f.unchanged(); err != nil {
		return "", err
	}
	if f.Exists() {
		if backup, err = f.backup(mode, now); err != nil {
			return "", fmt.Errorf("back up %s: %w", f.Path, err)
		}
		defer func() {
			if err != nil && !errors.Is(err, errKept) && os.Remove(backup) == nil {
				backup = ""
			}
		}()
	}
	temporary, err := create(f.Path, mode, text)
	if err != nil {
		return backup, err
	}
	defer os.Remove(temporary)
	if f.Exists() {
		if err := keepOwner(temporary, f.info); err != nil {
			return backup, fmt.Errorf("keep the owner of %s: %w", f.Path, err)
		}
	}
	if err := f.replace(temporary, text); err != nil {
		return backup, err
	}
	syncDir(filepath.Dir(f.Path))
	return backup, nil
}

// isLinked reports whether a file has other names than the temporary one under which a program has
// just made it.
func isLinked(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !hasOtherNames(path) {
		return false
	}
	dir, base := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Clean(dir)) // without them, there is no temporary name
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		is := strings.HasPrefix(e.Name(), "."+base+".") && strings.HasSuffix(e.Name(), ".tmp")
		other, err := os.Stat(filepath.Join(dir, e.Name()))
		return is && err == nil && os.SameFile(info, other)
	}) && hasOtherNames(path)
}

// replace puts a new file in the place of f, unless another program has put something
// else there. Where the system can exchange two files at once, no moment is left in
// which that could go unnoticed; elsewhere an instant is.
func (f *File) replace(temporary string, text []byte) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	if !f.Exists() {
		switch err := os.Link(temporary, f.Path); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return ErrChanged
		}
		return os.Rename(temporary, f.Path) // no links on this file system
	}
	if swap(temporary, f.Path) != nil {
		return os.Rename(temporary, f.Path) // not supported here
	}
	was, err := os.ReadFile(temporary)
	if err == nil && bytes.Equal(was, f.Text) {
		return nil
	}
	if err := errors.Join(err, swap(temporary, f.Path)); err != nil {
		return keep(temporary, err)
	}
	if back, err := os.ReadFile(temporary); err != nil || !bytes.Equal(back, text) {
		return keep(temporary, err) // a third program
	}
	return ErrChanged
}

// keep saves what another program has written from being removed.
func keep(temporary string, cause error) error {
	path := temporary + ".kept"
	return errors.Join(fmt.Errorf("%w: what it was is in %s", errKept, path), cause,
		os.Rename(temporary, path))
}

// unchanged returns ErrChanged if the file differs from the text that was read.
func (f *File) unchanged() error {
	now, err := Read(f.Path)
	if err != nil {
		return err
	}
	if now.Exists() != f.Exists() || now.Path != f.Path || !bytes.Equal(now.Text, f.Text) {
		return ErrChanged
	}
	return nil
}

// backup writes the text that was read next to the file.
func (f *File) backup(mode fs.FileMode, now time.Time) (string, error) {
	stamp := now.UTC().Format("20060102T150405")
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s.%s.bak", f.Path, stamp)
		if n > 1 {
			path = fmt.Sprintf("%s.%s-%d.bak", f.Path, stamp, n)
		}
		err := writeNew(path, mode, f.Text)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		return path, err
	}
}

// create writes text to a new file next to path and returns its name.
func create(path string, mode fs.FileMode, text []byte) (string, error) {
	h, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return "", err
	}
	name := h.Name()
	if err := finish(h, mode, text); err != nil {
		os.Remove(name)
		return "", err
	}
	return name, nil
}

// Replace puts text in the place of a file, which is readable only by its owner then, or
// creates it with its folder.
func Replace(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := create(path, 0o600, text)
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// writeNew writes a file that must not exist. An incomplete one is removed.
func writeNew(path string, mode fs.FileMode, text []byte) error {
	h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := finish(h, mode, text); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

// finish writes text to h, waits until it is on the disk, and closes it.
func finish(h *os.File, mode fs.FileMode, text []byte) error {
	_, err := h.Write(text)
	return errors.Join(err, h.Chmod(mode), h.Sync(), h.Close())
}

// syncDir makes a rename durable where the system supports that.
func syncDir(dir string) {
	if h, err := os.Open(dir); err == nil {
		_ = h.Sync() // not supported for directories everywhere
		h.Close()
	}
}
