//go:build amd64 || arm64

package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// denied are system calls that no server needs: they change the system, inspect other
// processes, or allocate memory that the limits do not count.
var denied = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV,
	unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_KEXEC_LOAD,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_USERFAULTFD, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL,
	unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_CLOCK_SETTIME,
	unix.SYS_SETTIMEOFDAY, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_VHANGUP,
	unix.SYS_FANOTIFY_INIT, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET,
	unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MBIND, unix.SYS_SET_MEMPOLICY,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
}

// families are the allowed address families of sockets. Others, such as AF_VSOCK, are not
// confined by a network namespace.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// Offsets in the input of a filter, and its results.
const (
	dataNumber, dataArch, dataArgument = 0, 4, 16

	retAllow = 0x7fff0000
	retErrno = 0x00050000
	retKill  = 0x80000000
)

// firstX32 is the number of the first system call of x86-64's second calling convention.
const firstX32 = 0x40000000

// filter returns the filter program for system calls.
func filter() []bpf.Instruction {
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	deny := bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: dataNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: firstX32, SkipFalse: 1},
		bpf.RetConstant{Val: retErrno | uint32(unix.ENOSYS)},
	}
	for _, number := range denied {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: 1}, deny)
	}
	program = append(program,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipTrue: 1},
		bpf.RetConstant{Val: retAllow},
		bpf.LoadAbsolute{Off: dataArgument, Size: 4})
	for _, family := range families {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: family, SkipFalse: 1},
			bpf.RetConstant{Val: retAllow})
	}
	return append(program, bpf.RetConstant{Val: retErrno | uint32(unix.EAFNOSUPPORT)})
}

// seccompFile returns a file with the filter for bubblewrap. The caller closes it.
func seccompFile() (*os.File, error) {
	raw, err := bpf.Assemble(filter())
	if err != nil {
		return nil, fmt.Errorf("assemble filter of system calls: %w", err)
	}
	var text []byte
	for _, i := range raw { // struct sock_filter
		text = binary.NativeEndian.AppendUint16(text, i.Op)
		text = append(text, i.Jt, i.Jf)
		text = binary.NativeEndian.AppendUint32(text, i.K)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text) // it fits into the pipe's buffer
	if err := errors.Join(err, w.Close()); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}
