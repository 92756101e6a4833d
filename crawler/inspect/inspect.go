// Package inspect runs published packages in a sandbox and requests their lists of tools,
// resources and prompts.
//
// It installs a package with network access to package registries only and without running
// its scripts, and then starts it without network access. It calls no tools. Packages are
// untrusted. The inspector must run in a process without database access and credentials.
package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcpcensus/crawler/mcp"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// Limits of one inspection.
const (
	installTimeout = 4 * time.Minute
	attemptTimeout = 20 * time.Second // of one start
	runTimeout     = 28 * time.Second // of all starts
	maxOutput      = 5 << 20          // bytes of standard output of one start
)

// Options configure an [Inspector].
type Options struct {
	// Hosts are the only hosts, as "host" or "host:port", that installations may connect to.
	Hosts  []string
	Dir    string             // for temporary files; default: the system's
	Client mcp.Implementation // sent to servers
	Exact  bool               // no arguments that the command does not have
	Log    *slog.Logger
	Now    func() time.Time // default: time.Now

	// For tests.
	program string            // with [Init]; default: this program
	images  http.RoundTripper // to image registries; default: public addresses only
}

// An Inspector inspects packages. Its methods are safe for concurrent use.
type Inspector struct {
	opt  Options
	box  *sandbox
	tool tools

	attemptTimeout, runTimeout time.Duration
}

// New returns an Inspector. The error is [registry.ErrUnavailable] if this machine cannot
// isolate packages. Callers must call Close.
func New(ctx context.Context, opt Options) (*Inspector, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	opt.Client.Name = cmp.Or(opt.Client.Name, "census-inspect")
	opt.Client.Version = cmp.Or(opt.Client.Version, "1")
	if opt.images == nil {
		opt.images = transport.Dialer(true)
	}
	box, err := newSandbox(ctx, opt.Dir, opt.program)
	if err != nil {
		return nil, err
	}
	return &Inspector{opt: opt, box: box, tool: findTools(),
		attemptTimeout: attemptTimeout, runTimeout: runTimeout}, nil
}

// Close deletes the temporary files.
func (i *Inspector) Close() error { return i.box.close() }

// Types returns the registry types of the packages that this machine can install.
func (i *Inspector) Types() []string {
	types := i.tool.types()
	if i.box.static {
		types = append(types, "oci")
	}
	return types
}

// Inspect installs and starts a package with exactly the command that pages show, and
// returns the outcome. The error is an error of this machine or of ctx, never of the package.
func (i *Inspector) Inspect(ctx context.Context, p registry.Package) (registry.Inspection, error) {
	result := registry.Inspection{Version: p.Version, At: i.opt.Now().UTC()}
	work, err := i.box.folder()
	if err != nil {
		return result, err
	}
	defer i.remove(work)
	how, ok := install.Filled(p, dummy)
	if !ok {
		result.Outcome, result.Detail = registry.InspectionInstallFailed, "no install command"
		return result, nil
	}
	if p.RegistryType == "oci" {
		err := i.runImage(ctx, work, p, how, &result)
		return result, err
	}
	failed, err := i.install(ctx, work, p)
	if err != nil {
		return result, err
	}
	if failed != "" {
		result.Outcome, result.Detail = registry.InspectionInstallFailed, failed
		return result, nil
	}
	how, err = runnable(how)
	if err != nil {
		result.Outcome, result.Detail = registry.InspectionNoStdio, err.Error()
		return result, nil
	}
	err = i.run(ctx, work, p, command{env: i.tool.environment()}, how, &result)
	return result, err
}

// remove deletes the folder of a package. It retries while processes in it are ending.
func (i *Inspector) remove(dir string) {
	var err error
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	i.opt.Log.Warn("temporary files not deleted", "dir", dir, "err", err)
}

// run starts the installed package until it responds: without variables, with dummy values,
// and with arguments that commonly select the stdio transport. base is the part that all
// starts have in common.
func (i *Inspector) run(
	ctx context.Context, work string, p registry.Package, base command, how install.Launch,
	result *registry.Inspection,
) error {
	running, cancel := context.WithTimeout(ctx, i.runTimeout)
	defer cancel()
	if !base.image { // an image may lack glibc and the folder for the socket
		base.lookups = filepath.Join(work, "nscd.sock")
		l, err := listenForLookups(base.lookups)
		if err != nil {
			return err
		}
		defer func() { result.Hosts = l.close() }()
	}
	var last attempt
	for n, l := range launches(how) {
		if n > 0 && running.Err() != nil || l.guess && i.opt.Exact {
			break
		}
		a, err := i.start(running, work, base, l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if a.err == nil {
			result.Outcome, result.Protocol = registry.InspectionListed, a.about.Version
			result.Tools, result.Resources, result.Prompts = a.tools, a.resources, a.prompts
			return nil
		}
		if n == 0 || !l.guess { // a guessed argument may cause the error
			last = a
		}
		if a.status == exitMemory || errors.Is(a.err, mcp.ErrTooLarge) {
			break
		}
	}
	result.Outcome, result.Detail = last.outcome(p), last.detail()
	result.OwnFault = last.ownFault(result.Outcome, p)
	return nil
}

// A start is one way to start a package.
type start struct {
	install.Launch
	guess bool // with arguments that are not declared
}

// modes are arguments that commonly select the stdio transport.
var modes = []string{"--stdio", "stdio", "mcp", "serve"}

// launches returns the ways to start a package, in the order of attempts.
func launches(how install.Launch) []start {
	bare := how
	bare.Env = nil
	out := []start{{Launch: bare}}
	if len(how.Env) > 0 {
		out = append(out, start{Launch: how})
	}
	for _, mode := range modes {
		if !slices.Contains(how.Args, mode) {
			with := how
			with.Args = append(slices.Clone(how.Args), mode)
			out = append(out, start{with, true})
		}
	}
	return out
}

// start starts an installed package once and requests its lists. The error is an error of
// this machine.
func (i *Inspector) start(
	ctx context.Context, work string, c command, l start,
) (attempt, error) {
	ctx, cancel := context.WithTimeout(ctx, i.attemptTimeout)
	defer cancel()
	c.app, c.argv, c.limits = work, append([]string{l.Command}, l.Args...), runLimits
	c.env = maps.Clone(c.env)
	maps.Copy(c.env, l.Env)
	proc, err := i.box.start(ctx, c)
	if err != nil {
		return attempt{}, fmt.Errorf("start sandbox: %w", err)
	}
	a := query(ctx, proc, i.opt.Client)
	cancel()
	a.status = proc.wait()
	a.stderr = proc.stderr.lines()
	return a, nil
}

// installed is the path of the package in the sandbox.
const installed = "/app"

// folder creates a folder for a package that the sandbox can write to.
func (s *sandbox) folder() (string, error) {
	dir, err := os.MkdirTemp(s.dir, "package-")
	if err != nil {
		return "", err
	}
	app := filepath.Join(dir, "app")
	if err := os.Mkdir(app, 0o755); err != nil {
		return "", err
	}
	return dir, s.chown(dir, app)
}
