package cli

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/install"
)

func TestUpdateStateTogether(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	const n = 20
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			err := m.program.updateState(t.Context(), func(s *state) {
				s.put(installed{File: "f", Name: fmt.Sprint(i)})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s, err := m.program.state()
	if err != nil || len(s.Installed) != n {
		t.Errorf("%d of %d entries: %v", len(s.Installed), n, err)
	}
}

func TestStaleLock(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	path := m.program.path(install.Config + "/mcpcensus/installed.json.lock")
	m.write(path, "")
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if err := m.program.updateState(t.Context(), func(s *state) { s.put(installed{Name: "a"}) }); err != nil {
		t.Error(err)
	}
	if exists(path) {
		t.Error("the lock is left")
	}
}
