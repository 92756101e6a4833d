package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// maxFolderFiles is the maximum number of files of a folder that are listed.
const maxFolderFiles = 100_000

// unknownOfFolder are the parts of a report that only a code host or a package service knows.
const unknownOfFolder = "Read from a folder: commits, issues, releases, stars and package services are " +
	"unknown here, so there may be no score. The checks marked with ✗ can be fixed before pushing."

// isFolder reports whether an argument of check names a local folder: it begins with ".", is an
// absolute path, or a folder is there.
func isFolder(arg string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(arg), "/")
	info, err := os.Stat(arg)
	return first == "." || first == ".." || filepath.IsAbs(arg) || err == nil && info.IsDir()
}

// checkFolder detects and scores the servers in a local folder as a crawl would. It sends no
// request.
func checkFolder(ctx context.Context, a *app, dir string) (registry.CheckResult, error) {
	snap, err := a.snapshotOf(ctx, dir)
	if err != nil {
		return registry.CheckResult{}, err
	}
	in := jobs.Ingester{Facts: jobs.NoFacts{}, Hosts: jobs.Hosts{}, Reader: a.reader, Log: a.log,
		Now: time.Now}
	scored, verdict, err := in.Detect(ctx, snap)
	if err != nil {
		return registry.CheckResult{}, err
	}
	r := registry.CheckResult{Ref: snap.Repo.Ref(), Status: registry.CheckDone, At: time.Now(),
		Reason: verdict.Reason, Kind: verdict.Kind, Servers: scored, Warnings: []string{unknownOfFolder}}
	if verdict.Ended() || snap.Failures["sources"] != "" {
		r.Warnings = append(r.Warnings, "Some files take too long to read, so tools may be missing.")
	}
	return r, nil
}

// snapshotOf reads a folder as a crawl reads a repository. Links that lead out of it are not read.
func (a *app) snapshotOf(ctx context.Context, dir string) (*registry.Snapshot, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usageError{errors.New("check expects a repository or a folder: " + err.Error())}
	}
	defer root.Close()
	paths, err := listFolder(ctx, root.FS(), dir)
	if err != nil {
		return nil, err
	}
	s := &registry.Snapshot{Repo: repositoryOf(root.FS(), dir), Texts: map[string]string{},
		FilesTruncated: len(paths) > maxFolderFiles, Selection: crawler.Selection}
	for _, p := range paths[:min(len(paths), maxFolderFiles)] {
		if info, err := root.Lstat(p); err == nil && info.Mode().IsRegular() {
			s.Files = append(s.Files, registry.File{Path: p, Size: info.Size(), Mode: "100644",
				OID: "local"})
		}
	}
	a.readTexts(ctx, root, s)
	return s, nil
}

// readTexts reads the files that a crawl reads.
func (a *app) readTexts(ctx context.Context, root *os.Root, s *registry.Snapshot) {
	add := func(files []registry.File) {
		for _, f := range files {
			b, err := root.ReadFile(f.Path)
			if err != nil {
				continue // it is not read, as in a repository
			}
			prepare := crawler.Text
			if crawler.IsReadme(f.Path) {
				prepare = crawler.Prose
			}
			if text, ok := prepare(string(b)); ok {
				s.Texts[f.Path] = text
			}
		}
	}
	add(crawler.SelectFiles(registry.HostOf(s.Repo.Host), s.Files, true))
	imports := func(files map[string]string, paths []string) []string {
		found, err := a.reader.Imports(ctx, files, paths)
		if err != nil {
			s.Failures = map[string]string{"sources": err.Error()}
		}
		return found
	}
	for before := -1; before < len(s.Texts); {
		before = len(s.Texts)
		add(crawler.SelectImports(s.Files, s.Texts, imports))
	}
}

// listFolder returns the paths of the files in a folder, sorted: those that git does not ignore if
// it is installed and the folder is its working tree, all otherwise.
func listFolder(ctx context.Context, folder fs.FS, dir string) (paths []string, err error) {
	if _, err := fs.Stat(folder, ".git"); err == nil {
		git := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "ls-files", "-z",
			"--cached", "--others", "--exclude-standard")
		git.Dir = dir
		if out, err := git.Output(); err == nil {
			paths = strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
			slices.Sort(paths)
			return slices.Compact(paths), nil
		}
	}
	err = fs.WalkDir(folder, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil // a folder that cannot be read
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case len(paths) > maxFolderFiles:
			return fs.SkipAll
		case d.Type().IsRegular():
			paths = append(paths, p)
		}
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

// repositoryOf returns the repository that a folder is a copy of, by its remote; otherwise only
// the folder's name is known.
func repositoryOf(folder fs.FS, dir string) registry.Repository {
	now := time.Now().UTC()
	repo := registry.Repository{Host: registry.GitHub, Name: filepath.Base(dir), ObservedAt: now}
	config, err := fs.ReadFile(folder, ".git/config")
	if err != nil {
		return repo
	}
	for line := range strings.Lines(string(config)) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "url" {
			continue
		}
		if ref, ok := registry.FindRepoRef(strings.TrimSpace(value)); ok {
			repo.Host, repo.Owner, repo.Name = ref.Host, ref.Owner, ref.Name
			return repo
		}
	}
	return repo
}
