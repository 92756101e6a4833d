//go:build amd64 || arm64

package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Init must be called first in the main function of a program with an [Inspector]. In a
// sandbox, where the same program is the first process, it supervises the command and does
// not return; elsewhere it does nothing.
func Init() {
	if os.Args[0] != initPath || len(os.Args) < 2 {
		return
	}
	var err error
	switch {
	case os.Args[1] == "check":
		err = check()
	case len(os.Args) != 3:
		return
	case os.Args[1] == "run" && os.Getpid() == 1:
		err = supervise(os.Args[2])
	case os.Args[1] == "exec":
		err = replace(os.Args[2])
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitInit)
	}
	os.Exit(0)
}

// supervise runs a command and exits with its status, which ends all processes of the
// sandbox. It returns only errors.
func supervise(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	// Commands run as the same user and could otherwise trace this process.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	if err := os.Mkdir(emptyFolder, 0o755); err != nil {
		return err
	}
	if j.Proxy {
		if err := forward(); err != nil {
			return err
		}
	}
	child, err := os.StartProcess(initPath, []string{initPath, "exec", text}, &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return err
	}
	go watch(j.Limits)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return err
		case pid == child.Pid && status.Signaled():
			os.Exit(128 + int(status.Signal()))
		case pid == child.Pid && status.Exited():
			os.Exit(status.ExitStatus())
		}
	}
}

// forward forwards connections to the proxy, which is outside the network namespace.
func forward() error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", proxyAddress)
	if err != nil {
		return err
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				continue
			}
			go func() {
				defer in.Close()
				out, err := new(net.Dialer).Dial("unix", proxyPath)
				if err != nil {
					return
				}
				defer out.Close()
				go func() {
					_, _ = io.Copy(out, in)
					_ = out.(*net.UnixConn).CloseWrite() // ends the copy below
				}()
				_, _ = io.Copy(in, out)
			}()
		}
	}()
	return nil
}

// watch ends the sandbox when its processes exceed the limit of memory, or the package the
// limit of disk space.
func watch(l limits) {
	for n := 0; ; n++ {
		if l.Memory > 0 && memory() > l.Memory {
			fmt.Fprintf(os.Stderr, "\nkilled: used more than %d MB of memory\n", l.Memory>>20)
			os.Exit(exitMemory)
		}
		if l.Disk > 0 && n%20 == 0 && size(installed, l.Disk) > l.Disk {
			fmt.Fprintf(os.Stderr, "\nkilled: used more than %d MB of disk space\n", l.Disk>>20)
			os.Exit(exitDisk)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// memory returns the bytes of memory of all other processes, without mapped files, and a page for
// each file in memory, which the kernel needs however small it is.
func memory() int64 {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	var sum int64
	for _, dir := range []string{"/tmp", "/dev/shm", home} {
		var s unix.Statfs_t
		if unix.Statfs(dir, &s) == nil {
			sum += int64(s.Files-s.Ffree) << 12
		}
	}
	for _, d := range dirs {
		if pid, err := strconv.Atoi(d.Name()); err != nil || pid == 1 {
			continue
		}
		text, err := os.ReadFile("/proc/" + d.Name() + "/status")
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			if name == "RssAnon" || name == "RssShmem" {
				kB, _, _ := strings.Cut(strings.TrimSpace(value), " ")
				n, _ := strconv.ParseInt(kB, 10, 64)
				sum += n << 10
			}
		}
	}
	return sum
}

// size returns the disk space of the files in a folder in bytes. It stops counting above
// enough.
func size(dir string, enough int64) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was deleted
		}
		if info, err := d.Info(); err == nil {
			sum += info.Sys().(*syscall.Stat_t).Blocks*512 + 512
		}
		if sum > enough {
			return fs.SkipAll
		}
		return nil
	})
	return sum
}

// replace sets the limits and executes the command. It returns only errors.
func replace(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	if len(j.Argv) == 0 {
		return errors.New("no command")
	}
	path, err := exec.LookPath(j.Argv[0])
	if err != nil {
		return err
	}
	// Under memory pressure, the kernel ends the package before the inspector.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	l := j.Limits
	for resource, value := range map[int]uint64{
		unix.RLIMIT_DATA: uint64(l.Data), unix.RLIMIT_CPU: uint64(l.CPU / time.Second),
		unix.RLIMIT_FSIZE: uint64(l.File), unix.RLIMIT_NOFILE: l.Files, unix.RLIMIT_CORE: 0,
		unix.RLIMIT_NPROC: l.Processes, unix.RLIMIT_MEMLOCK: 1 << 20,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return syscall.Exec(path, j.Argv, os.Environ())
}

// check returns an error unless this process is isolated.
func check() error {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for _, want := range []string{
		"Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534",
		"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapBnd:\t0000000000000000",
		"NoNewPrivs:\t1", "Seccomp:\t2",
	} {
		if !strings.Contains(string(text), want+"\n") {
			return fmt.Errorf("the process status in bwrap does not contain %q", want)
		}
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 {
			return fmt.Errorf("commands in bwrap can access the network interface %s", i.Name)
		}
	}
	for _, dir := range []string{"/", "/usr", "/etc", "/dev", installed, "/.census"} {
		if unix.Access(dir, unix.W_OK) == nil {
			return fmt.Errorf("commands in bwrap can write to %s", dir)
		}
	}
	var l syscall.Rlimit
	if err := syscall.Getrlimit(unix.RLIMIT_NPROC, &l); err != nil || l.Max != runLimits.Processes {
		return errors.New("commands in bwrap do not have the limit of processes")
	}
	if err := unix.Unshare(unix.CLONE_NEWUSER); err == nil {
		return errors.New("commands in bwrap can create user namespaces")
	}
	return nil
}
