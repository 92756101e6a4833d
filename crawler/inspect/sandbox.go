package inspect

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// Paths in the sandbox.
const (
	initPath  = "/.census/init" // this program
	proxyPath = "/.census/proxy.sock"
	home      = "/home/sandbox"
)

// proxyAddress is the address of the proxy to the package registries in the sandbox's
// network namespace.
const proxyAddress = "127.0.0.1:3128"

// certificates is the bundle of certificates below /etc.
const certificates = "ssl/certs/ca-certificates.crt"

// limits are the limits of a command.
type limits struct {
	Memory    int64         `json:"memory"`    // bytes of all processes, without mapped files
	Data      int64         `json:"data"`      // bytes of memory of one process
	Processes uint64        `json:"processes"` // with threads
	CPU       time.Duration `json:"cpu"`       // of one process
	File      int64         `json:"file"`      // bytes of one file
	Files     uint64        `json:"files"`     // open files of one process
	Disk      int64         `json:"disk"`      // bytes of the package with its dependencies
}

var (
	runLimits = limits{Memory: 512 << 20, Data: 2 << 30, Processes: 128, CPU: 20 * time.Second,
		File: 64 << 20, Files: 1024}
	installLimits = limits{Memory: 2 << 30, Data: 4 << 30, Processes: 256, CPU: installTimeout,
		File: 512 << 20, Files: 4096, Disk: 1 << 30}
)

// tmpfsSize is the size of each file system in memory that a command can write to.
const tmpfsSize = 64 << 20

// A command is a command to run in the sandbox.
type command struct {
	app     string // folder of the host; its subfolder "app" is /app
	image   bool   // app is the root of the file system instead
	dir     string // working folder; "" for /app
	argv    []string
	env     map[string]string
	limits  limits
	lookups string // Unix socket of [lookups]; "" for none
	proxy   string // Unix socket of the proxy; "" for no network and a read-only package
}

// A job is the input of the first process in the sandbox.
type job struct {
	Argv   []string `json:"argv"`
	Proxy  bool     `json:"proxy"`
	Limits limits   `json:"limits"`
}

// Exit statuses of the first process in the sandbox, in addition to those of the command.
const (
	exitMemory = 250
	exitDisk   = 251
	exitInit   = 252
)

// A process is a running command.
type process struct {
	stdin  io.WriteCloser
	stdout io.Reader
	stderr *tail
	// wait waits for the end of all processes and returns the exit status, -1 if the
	// command was killed.
	wait func() int
}

// maxTail is the size of a [tail] in bytes.
const maxTail = 64 << 10

// A tail stores the last bytes written to it. It is safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-maxTail):]...)
	if n := len(t.buf) - maxTail; n > 0 {
		t.buf = bytes.Clone(t.buf[n:])
	}
	return len(p), nil
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Split(string(t.buf), "\n")
}

// errWeak is the error of a machine that cannot isolate packages.
func errWeak(cause error, why string) error {
	return registry.Wrap(registry.ErrUnavailable, cause, "this machine cannot isolate packages: "+why+
		". The inspector requires Linux with bubblewrap (bwrap) and user namespaces")
}
