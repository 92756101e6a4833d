package read

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

// childName is the first argument of child processes, instead of the program's name.
const childName = "census-read"

// Exit statuses of children.
const (
	exitCPU   = 250
	exitSetup = 252
)

// Limits of a child. A zero limit does not apply.
type limits struct {
	Memory int64         `json:"memory"` // bytes
	Stack  int           `json:"stack"`  // bytes of one goroutine
	CPU    time.Duration `json:"cpu"`    // of one reading
}

// Init must be called first in the main function of a program with a [Pool]. In a child process
// of a pool it reads what it is given and does not return; elsewhere it does nothing.
func Init() {
	if os.Args[0] != childName || len(os.Args) != 2 {
		return
	}
	if err := serve(os.Args[1], os.Stdin, os.Stdout); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitSetup)
	}
	os.Exit(0)
}

// serve answers requests until the end of in.
func serve(arg string, in io.Reader, out io.Writer) error {
	var l limits
	if err := json.Unmarshal([]byte(arg), &l); err != nil {
		return err
	}
	runtime.GOMAXPROCS(2) // the pool has a child for each processor
	debug.SetTraceback("single")
	if l.Stack > 0 {
		debug.SetMaxStack(l.Stack)
	}
	if l.Memory > 0 {
		debug.SetMemoryLimit(l.Memory / 10 * 7)
	}
	if err := confine(l); err != nil {
		return err
	}
	r, w := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	for {
		q, files, err := readMessage[request](r)
		if err != nil {
			return err
		}
		if err := allow(l.CPU); err != nil {
			return err
		}
		a, answered := answer(q, files)
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		a.Last = l.Memory > 0 && m.Sys-m.HeapReleased > uint64(l.Memory)/2
		if err := errors.Join(writeMessage(w, a, answered), w.Flush()); err != nil || a.Last {
			return err
		}
	}
}

func answer(q request, files map[string]string) (a response, out map[string]string) {
	switch {
	case q.Servers != nil:
		s := q.Servers.Snapshot
		s.Texts, out = files, publicTexts(files)
		maps.Copy(s.Texts, out)
		if q.Servers.Listed && s.Files == nil {
			s.Files = []registry.File{}
		}
		found := detect.Servers(&s, q.Servers.Listings)
		settings.Clean(&found)
		for i := range found.Servers {
			d := &found.Servers[i].Detection
			d.Tools = tools.Weigh(d.Tools)
		}
		a.Servers = &found
	case q.Imports != nil:
		a.Imports = source.Imports(files, q.Imports.Paths)
	case q.Unpack != nil:
		unpacked, partial, err := unpack(q.Unpack.Name, []byte(files[archiveFile]))
		if err != nil {
			a.Problem = err.Error()
		}
		a.Partial, out = partial, unpacked
	case q.Tools != nil:
		found := source.Tools(files, nil, q.Tools.Required, nil)
		settings.Clean(&found)
		found.Tools, a.Suspicious = tools.Examine(found.Tools)
		a.Tools = &found
	}
	return a, out
}

// publicTexts returns the files that are changed: READMEs, which others see, by [settings.Public],
// and the others without the secrets that services mark, because they are stored.
func publicTexts(files map[string]string) map[string]string {
	changed := map[string]string{}
	for p, text := range files {
		public := settings.WithoutMarked(text)
		if crawler.IsReadme(p) {
			public = settings.Public(text)
		}
		if public != text {
			changed[p] = public
		}
	}
	return changed
}
