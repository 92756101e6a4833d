package read

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// rlimit returns a limit that cannot be raised again.
func rlimit(n int64) *syscall.Rlimit { return &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)} }

// prepare makes the kernel end this process first if the machine has no memory left, and closes
// what other programs left open. Where it is not allowed, the limits remain.
func prepare() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	open, _ := os.ReadDir("/proc/self/fd")
	for _, e := range open {
		fd, err := strconv.Atoi(e.Name())
		to, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && fd > 2 && !isRuntime(to) {
			_ = syscall.Close(fd)
		}
	}
}

// isRuntime reports whether a descriptor may be of Go's runtime.
func isRuntime(to string) bool {
	return to == "" || strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/proc/") ||
		strings.HasPrefix(to, "/sys/fs/cgroup/")
}

// memoryLimits limits the memory that is used, and the addresses in addition to those that Go
// reserves at the start.
func memoryLimits(memory int64) []resource {
	limits := []resource{{unix.RLIMIT_DATA, memory}}
	if reserved := addresses(); reserved > 0 {
		limits = append(limits, resource{unix.RLIMIT_AS, reserved + memory})
	}
	return limits
}

// addresses returns the size of the address space of this process, 0 if it is unknown.
func addresses() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseInt(pages, 10, 64)
	return n * int64(os.Getpagesize())
}

// nobody is the user and group of children in a user namespace.
const nobody = 65534

// isolate puts a child into namespaces of its own, without network.
func isolate(a *syscall.SysProcAttr) {
	a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC |
		syscall.CLONE_NEWUTS
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
}
