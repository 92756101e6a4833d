//go:build unix

package read

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// confine sets the limits that last for the life of a child: of memory, and none at all of files,
// so that it can open neither a file nor a connection. It exits when the processor time of a
// reading is over.
func confine(l limits) error {
	prepare()
	resources := []resource{{unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, 0}}
	if l.Memory > 0 {
		resources = append(resources, memoryLimits(l.Memory)...)
	}
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGXCPU)
	go func() {
		<-over
		os.Exit(exitCPU)
	}()
	time.Sleep(time.Nanosecond) // opens the descriptors of Go's timers
	for _, r := range resources {
		if err := syscall.Setrlimit(r.id, rlimit(r.value)); err != nil {
			return fmt.Errorf("limit %d: %w", r.id, err)
		}
	}
	return nil
}

// A resource is a limit of the operating system.
type resource struct {
	id    int
	value int64
}

// allow allows another d of processor time.
func allow(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	var l syscall.Rlimit
	if err := syscall.Getrlimit(unix.RLIMIT_CPU, &l); err != nil {
		return err
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	limit := cpuTime(&used) + d
	l.Cur = min(l.Max, rlimit(int64((limit+time.Second-1)/time.Second)).Cur)
	return syscall.Setrlimit(unix.RLIMIT_CPU, &l)
}

func cpuTime(r *syscall.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// separate puts a child into a process group of its own, without network where that is allowed.
func separate(cmd *exec.Cmd, isolated bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if isolated {
		isolate(cmd.SysProcAttr)
	}
}

// kill ends the process group of a child.
func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	}
}
