package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
)

// An installed is a server that this program has added to a client.
type installed struct {
	Client  string    `json:"client"`
	File    string    `json:"file"`
	Folder  string    `json:"folder,omitempty"` // of the local scope
	Name    string    `json:"name"`             // of the entry
	Server  string    `json:"server"`
	Runs    string    `json:"runs,omitempty"` // package with its version, or address
	Version string    `json:"version,omitempty"`
	Tools   string    `json:"tools,omitempty"` // hash of the list of tools
	At      time.Time `json:"at"`
}

func (i installed) same(file, folder, name string) bool {
	return i.File == file && i.Folder == folder && i.Name == name
}

// A state is the list of installed servers, stored between runs.
type state struct {
	Installed []installed `json:"installed"`
	path      string
}

// state reads the state. A broken one is moved aside.
func (p *Program) state() (*state, error) {
	s := &state{path: p.path(install.Config + "/mcpcensus/installed.json")}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, s); err != nil {
		fmt.Fprintf(p.Stderr, "%s: %s cannot be read and is moved to %s.broken\n", p.Name, s.path,
			s.path)
		s.Installed = nil
		return s, os.Rename(s.path, s.path+".broken")
	}
	return s, nil
}

// find returns the installed server of an entry that runs is; nil if there is none, or if the entry
// runs another program now.
func (s *state) find(file, folder, name string, is identity) *installed {
	i := slices.IndexFunc(s.Installed, func(x installed) bool {
		return x.same(file, folder, name) && is.name != "" && strings.HasPrefix(x.Runs+"@", is.name+"@")
	})
	if i < 0 {
		return nil
	}
	return &s.Installed[i]
}

// put adds or replaces an installed server.
func (s *state) put(i installed) {
	s.drop(i.File, i.Folder, i.Name)
	s.Installed = append(s.Installed, i)
}

func (s *state) drop(file, folder, name string) {
	s.Installed = slices.DeleteFunc(s.Installed,
		func(x installed) bool { return x.same(file, folder, name) })
}

const (
	lockTimeout = 15 * time.Second
	lockPoll    = 10 * time.Millisecond
	// staleLock is the age of a lock whose process must have ended: a change takes
	// milliseconds.
	staleLock = 10 * time.Second
)

// updateState changes the state, while no other process of this program does so.
func (p *Program) updateState(ctx context.Context, change func(*state)) error {
	path := p.path(install.Config + "/mcpcensus/installed.json.lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := p.state()
	if err != nil {
		return err
	}
	change(s)
	return s.save()
}

// lock creates a file that must not exist, and waits until it can.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	deadline := time.Now().Add(lockTimeout)
	for {
		h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() { os.Remove(path) }, h.Close()
		}
		removing := runtime.GOOS == "windows" && errors.Is(err, fs.ErrPermission)
		if !errors.Is(err, fs.ErrExist) && !removing {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > staleLock {
			os.Remove(path)
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("another process has locked %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// save replaces the file at once.
func (s *state) save() error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return clientfile.Replace(s.path, append(text, '\n'))
}
