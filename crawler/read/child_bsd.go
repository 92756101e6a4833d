//go:build unix && !linux

package read

import "syscall"

// rlimit returns a limit that cannot be raised again.
func rlimit(n int64) *syscall.Rlimit {
	var l syscall.Rlimit
	setLimit(&l.Cur, n)
	setLimit(&l.Max, n)
	return &l
}

// setLimit sets a limit, whose type differs between systems.
func setLimit[N int64 | uint64](to *N, n int64) { *to = N(n) }

func prepare() {}

// memoryLimits returns no limits: these systems do not count what Go reserves separately.
func memoryLimits(int64) []resource { return nil }

func isolate(*syscall.SysProcAttr) {}
