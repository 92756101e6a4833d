package read

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source"
	"mcpcensus/crawler/source/python"
)

// Limits of one archive. Files beyond them are not read.
const (
	MaxArchive      = 40 << 20  // bytes, compressed
	maxUnpacked     = 150 << 20 // bytes of all files
	maxArchiveFiles = 5000
	maxArchiveText  = 8 << 20  // bytes of a file
	maxArchiveTexts = 16 << 20 // bytes of the files that are returned
)

// An archive collects the source files and JSON files of an archive.
type archive struct {
	files   source.Files
	partial bool // a source file or the rest of the archive was skipped
	entries int
	bytes   int64 // unpacked
	texts   int64 // bytes of files
}

// errArchiveLimit stops reading an archive. The files read so far are used.
var errArchiveLimit = errors.New("limit of an archive")

// unpack returns the source files and JSON files of a gzip-compressed tar archive or a ZIP
// archive. It skips links, special files, dependencies and paths that lead out of the archive.
// The archive is untrusted.
func unpack(name string, content []byte) (files source.Files, partial bool, err error) {
	a := &archive{files: source.Files{}}
	switch {
	case strings.HasSuffix(name, ".tgz"), strings.HasSuffix(name, ".tar.gz"):
		err = a.tar(content)
	case strings.HasSuffix(name, ".whl"), strings.HasSuffix(name, ".zip"):
		err = a.zip(content, strings.HasSuffix(name, ".zip"))
	default:
		return nil, false, errors.New("format is not supported")
	}
	if errors.Is(err, errArchiveLimit) {
		a.partial, err = true, nil
	}
	if err != nil {
		return nil, false, err
	}
	return a.files, a.partial, nil
}

// tar reads an archive whose files are in one folder.
func (a *archive) tar(content []byte) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return errors.New("not a gzip archive")
	}
	// Skipped bytes count, too.
	limited := &io.LimitedReader{R: unzipped, N: maxUnpacked}
	entries := tar.NewReader(limited)
	for {
		h, err := entries.Next()
		switch {
		case limited.N <= 0:
			return errArchiveLimit
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errors.New("not a tar archive, or damaged")
		}
		if err := a.entry(); err != nil {
			return err
		}
		_, name, inFolder := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
		if !inFolder || h.Typeflag != tar.TypeReg || !isArchived(name) {
			continue
		}
		if err := a.add(name, h.Size, entries); err != nil {
			if limited.N <= 0 {
				return errArchiveLimit
			}
			return err
		}
	}
}

// zip reads an archive. inFolder reports that its files are in one folder.
func (a *archive) zip(content []byte, inFolder bool) error {
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return errors.New("not a ZIP archive, or damaged")
	}
	for _, f := range r.File {
		if err := a.entry(); err != nil {
			return err
		}
		name, ok := f.Name, true
		if inFolder {
			_, name, ok = strings.Cut(name, "/")
		}
		if !ok || !f.Mode().IsRegular() || !isArchived(name) {
			continue
		}
		opened, err := f.Open()
		if err != nil {
			return errors.New("a file is damaged")
		}
		err = a.add(name, int64(min(f.UncompressedSize64, maxUnpacked+1)), opened)
		_ = opened.Close() // nothing is written
		if err != nil {
			return err
		}
	}
	return nil
}

// entry counts an entry of the archive.
func (a *archive) entry() error {
	if a.entries++; a.entries > maxArchiveFiles {
		return errArchiveLimit
	}
	return nil
}

// add reads a file of at most the given size.
func (a *archive) add(name string, size int64, r io.Reader) error {
	if size > maxArchiveText {
		a.partial = a.partial || source.IsSource(name)
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(r, maxArchiveText+1))
	a.bytes += int64(len(text))
	switch {
	case a.bytes > maxUnpacked:
		return errArchiveLimit
	case err != nil:
		return errors.New("a file is damaged")
	case len(text) > maxArchiveText || a.texts+int64(len(text)) > maxArchiveTexts:
		a.partial = a.partial || source.IsSource(name)
		return nil
	}
	a.texts += int64(len(text)) - int64(len(a.files[name]))
	a.files[name] = strings.ToValidUTF8(string(text), "\uFFFD")
	return nil
}

// isArchived reports whether to read the file with a path.
func isArchived(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsAny(name, "\\\x00") &&
		paths.File(name) != paths.Foreign &&
		(path.Ext(name) == ".json" || source.IsSource(name) || python.IsManifest(name))
}
