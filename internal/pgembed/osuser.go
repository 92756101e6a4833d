//go:build unix

package pgembed

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"mcpcensus/internal/registry"
)

// osUser is the user that the embedded server runs as.
type osUser struct {
	name     string
	uid, gid uint32
	other    bool // not the user of this process
}

// serverUser returns the user to run the server as: this one, or, for root, the
// owner of an existing database, postgres, or nobody.
func serverUser(dataDir string) (osUser, error) {
	if os.Geteuid() != 0 {
		return osUser{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil
	}
	for _, home := range []string{dataDir, fallbackHome(dataDir)} {
		info, err := os.Stat(filepath.Join(home, "postgres", "PG_VERSION"))
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			return osUser{name: "user " + strconv.Itoa(int(st.Uid)), uid: st.Uid, gid: st.Gid,
				other: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil || uid == 0 {
			continue
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			continue
		}
		return osUser{name: name, uid: uint32(uid), gid: uint32(gid), other: true}, nil
	}
	return osUser{}, registry.Errorf(registry.ErrUnavailable,
		"PostgreSQL does not run as root, and neither the user postgres nor nobody exists: run "+
			"census as another user, or set DATABASE_URL")
}

// attributes returns those of a process of the user, outside our process group.
func (a osUser) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.other {
		attr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return attr
}

// own changes the owner of a file or folder to the user.
func (a osUser) own(path string) error {
	if !a.other {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// reaches reports whether the user may enter a folder and all its parents.
func reaches(dir string, who osUser) bool {
	if !who.other {
		return true
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return false
		}
		bit := os.FileMode(0o001)
		switch {
		case st.Uid == who.uid:
			bit = 0o100
		case st.Gid == who.gid:
			bit = 0o010
		}
		if info.Mode().Perm()&bit == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
