//go:build amd64 || arm64

package inspect

import (
	"cmp"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// nobody is the user and group that commands run as.
const nobody = 65534

// A sandbox runs commands with bubblewrap.
type sandbox struct {
	bwrap string
	dir   string // temporary files, with a copy of this program and /etc
	// static reports that this program needs no shared libraries and can be the first
	// process in an image.
	static bool
}

// newSandbox returns a sandbox after checking that it isolates a command.
func newSandbox(ctx context.Context, parent, program string) (_ *sandbox, err error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errWeak(nil, "bwrap is not installed")
	}
	dir, err := os.MkdirTemp(parent, "census-inspect-")
	if err != nil {
		return nil, err
	}
	s := &sandbox{bwrap: bwrap, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err := s.prepare(program); err != nil {
		return nil, err
	}
	work, err := s.folder()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	p, err := s.start(ctx, command{app: work, argv: []string{initPath, "check"}, limits: runLimits})
	if err != nil {
		return nil, errWeak(err, "bwrap does not start")
	}
	_, _ = io.Copy(io.Discard, p.stdout) // it writes nothing
	if status := p.wait(); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if status != 0 {
		return nil, errWeak(nil, lastLine(p.stderr.lines()))
	}
	return s, nil
}

// prepare fills the folder of the sandbox. It copies this program because commands run as
// a user that may not have access to the original.
func (s *sandbox) prepare(self string) error {
	if err := os.Chmod(s.dir, 0o755); err != nil {
		return err
	}
	if self == "" {
		var err error
		if self, err = os.Executable(); err != nil {
			return err
		}
	}
	program := filepath.Join(s.dir, "init")
	if err := copyFile(self, program, 0o755); err != nil {
		return err
	}
	var err error
	if s.static, err = isStatic(program); err != nil {
		return err
	}
	files := map[string]string{
		"passwd":        "nobody:x:65534:65534:nobody:" + home + ":/usr/sbin/nologin\n",
		"group":         "nogroup:x:65534:\n",
		"hosts":         "127.0.0.1 localhost\n::1 localhost\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	}
	for _, dir := range []string{"etc/ssl/certs", "etc/alternatives"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, "etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, name := range []string{"ld.so.cache", certificates} {
		err := copyFile("/etc/"+name, filepath.Join(s.dir, "etc", name), 0o644)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// isStatic reports whether a program has no dynamic linker.
func isStatic(path string) (bool, error) {
	f, err := elf.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }), nil
}

func copyFile(from, to string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close())
	}
	return errors.Join(out.Close(), os.Chmod(to, mode)) // regardless of the umask
}

func (s *sandbox) close() error { return os.RemoveAll(s.dir) }

// chown changes the owner of host files to the user that commands run as.
func (s *sandbox) chown(paths ...string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, p := range paths {
		if err := os.Lchown(p, nobody, nobody); err != nil {
			return err
		}
	}
	return nil
}

// start starts a command. It and all its processes are killed when ctx ends. Callers read all of
// stdout and call wait.
func (s *sandbox) start(ctx context.Context, c command) (*process, error) {
	args, err := s.arguments(c)
	if err != nil {
		return nil, err
	}
	filter, err := seccompFile()
	if err != nil {
		return nil, err
	}
	defer filter.Close()
	cmd := exec.CommandContext(ctx, s.bwrap, args...)
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.ExtraFiles = []*os.File{filter} // descriptor 3
	cmd.WaitDelay = time.Second
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	stderr := new(tail)
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait, which must not wait for the reader, would close that.
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout = out
	started, ended := make(chan error), make(chan int, 1)
	go func() {
		// Bubblewrap ends with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // ProcessState has the status
		_ = stdout.SetReadDeadline(time.Now().Add(readDelay))
		ended <- cmd.ProcessState.ExitCode()
	}()
	if err := <-started; err != nil {
		stdout.Close()
		return nil, err
	}
	return &process{stdin: stdin, stdout: stdout, stderr: stderr,
		wait: func() int {
			defer stdout.Close()
			return <-ended
		}}, nil
}

// readDelay is the time to read the output of a command after its end.
const readDelay = 10 * time.Second

func (s *sandbox) arguments(c command) ([]string, error) {
	text, err := json.Marshal(job{Argv: c.argv, Proxy: c.proxy != "", Limits: c.limits})
	if err != nil {
		return nil, err
	}
	size := strconv.Itoa(tmpfsSize)
	args := []string{
		"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
		"--unshare-cgroup-try", "--disable-userns", "--assert-userns-disabled",
		"--uid", strconv.Itoa(nobody), "--gid", strconv.Itoa(nobody), "--cap-drop", "ALL",
		"--hostname", "sandbox", "--die-with-parent", "--new-session", "--as-pid-1",
		"--seccomp", "3", "--clearenv",
	}
	app := filepath.Join(c.app, "app")
	if c.image {
		args = append(args, "--ro-bind", app, "/")
	} else {
		args = append(args, s.system()...)
	}
	args = append(args,
		"--ro-bind", filepath.Join(s.dir, "init"), initPath,
		"--proc", "/proc", "--dev", "/dev",
		"--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
		"--perms", "1777", "--size", size, "--tmpfs", "/tmp",
		"--perms", "0700", "--size", size, "--tmpfs", home)
	if c.lookups != "" {
		args = append(args, "--ro-bind", c.lookups, lookupsPath)
	}
	switch {
	case c.image:
	case c.proxy == "":
		args = append(args, "--ro-bind", app, installed)
	default:
		args = append(args, "--bind", app, installed, "--bind", c.proxy, proxyPath)
	}
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		value := c.env[name]
		if strings.ContainsRune(name+value, 0) {
			return nil, fmt.Errorf("variable %q contains a NUL byte", name)
		}
		args = append(args, "--setenv", name, value)
	}
	return append(args, "--chdir", cmp.Or(c.dir, installed), "--remount-ro", "/", "--", initPath, "run",
		string(text)), nil
}

// system returns the arguments that mount the programs of this machine.
func (s *sandbox) system() []string {
	args := []string{"--ro-bind", "/usr", "/usr"}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64"} {
		if to, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", to, dir)
		} else {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	return append(args, "--ro-bind", filepath.Join(s.dir, "etc"), "/etc",
		"--ro-bind-try", "/etc/alternatives", "/etc/alternatives")
}
