package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lib/pq"

	"mcpcensus/internal/pgembed"
	"mcpcensus/internal/postgres"
)

// keeperEnv, set to a folder, makes a test program a keeper: it runs the shared server in
// the folder instead of tests.
const keeperEnv = "CENSUS_PGTEST_KEEPER"

// idle is how long the shared server runs after the last test that uses it.
const idle = time.Minute

func init() {
	if dir := os.Getenv(keeperEnv); dir != "" {
		if err := keep(dir); err != nil {
			os.WriteFile(filepath.Join(dir, "error"), []byte(err.Error()), 0o600)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// sharedServer returns the address of the embedded server that all tests of the user
// share, and starts it if necessary. It runs at least as long as this process.
func sharedServer() (string, error) {
	dir, err := sharedFolder()
	if err != nil {
		return "", err
	}
	// Test processes share this lock until they exit; the keeper locks it
	// exclusively when there are no others. It is never closed.
	users, err := locked(filepath.Join(dir, "users.lock"), syscall.LOCK_SH)
	if err != nil {
		return "", err
	}
	held = append(held, users)
	// One process at a time checks and starts the server.
	starting, err := locked(filepath.Join(dir, "start.lock"), syscall.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer starting.Close()
	u, ok := running(dir)
	if ok && hasKeeper(dir) {
		return u, nil
	}
	// A server that has lost its keeper gets another one, which stops it when idle.
	if !ok {
		os.Remove(filepath.Join(dir, "url"))
	}
	if err := startKeeper(dir); err != nil {
		return "", err
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(
		20 * time.Millisecond) {
		if u, ok := running(dir); ok && hasKeeper(dir) {
			return u, nil
		}
		if text, err := os.ReadFile(filepath.Join(dir, "error")); err == nil {
			return "", fmt.Errorf("start a database for the tests: %s", text)
		}
	}
	return "", errors.New("the database for the tests does not start; set " +
		"CENSUS_TEST_DATABASE_URL to use another")
}

func sharedFolder() (string, error) {
	dir := filepath.Join(parent(), "census-pgtest-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || ok && int(st.Uid) != os.Getuid() {
		return "", fmt.Errorf("%s belongs to another user: remove it or set CENSUS_TEST_DATABASE_URL", dir)
	}
	return dir, nil
}

func locked(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// startKeeper starts this program as the keeper of a folder.
func startKeeper(dir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	os.Remove(filepath.Join(dir, "error"))
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), keeperEnv+"="+dir)
	// It does not inherit our output, because "go test" waits until all processes have
	// closed it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}

// memory is the file system in memory of Linux. Copying the files of a database there
// takes a sixth of the processor time.
const memory = "/dev/shm"

// parent returns the parent of the shared server's folder: memory if it has room for
// large tests and TMPDIR is not set, otherwise the temporary folder.
func parent() string {
	var st syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &st) != nil ||
		st.Blocks*uint64(st.Bsize) < 4<<30 {
		return os.TempDir()
	}
	return memory
}

// held keeps the shared lock from being garbage collected and released.
var held []*os.File

func running(dir string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(dir, "url"))
	if err != nil {
		return "", false
	}
	u := strings.TrimSpace(string(text))
	db, err := sql.Open("postgres", u)
	if err != nil {
		return "", false
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return u, db.PingContext(ctx) == nil
}

// hasKeeper reports whether a keeper is running, which holds a lock until it exits.
func hasKeeper(dir string) bool {
	lock, err := locked(filepath.Join(dir, "keeper.lock"), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		lock.Close()
	}
	return errors.Is(err, syscall.EWOULDBLOCK)
}

// keep runs the shared server until it has been idle for a while.
func keep(dir string) error {
	ctx := context.Background()
	lock, err := locked(filepath.Join(dir, "keeper.lock"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer lock.Close()
	users, err := os.OpenFile(filepath.Join(dir, "users.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer users.Close()
	path := filepath.Join(dir, "url")
	orphan := false
	if _, ok := running(dir); ok {
		// Its keeper was killed, but tests may use it: wait until they have ended, then
		// restart it to stop it cleanly.
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ok := true; ok; _, ok = running(dir) {
				time.Sleep(5 * time.Second)
			}
		}()
		orphan = whenIdle(users, ended)
		os.Remove(path)
	}
	// Test data need not survive a power failure.
	server, err := pgembed.Start(ctx, pgembed.Options{DataDir: dir, Restart: true, Settings: map[string]string{
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
		"max_connections": "400", "max_wal_size": "1GB", "shared_buffers": "256MB",
		"autovacuum": "off", "wal_level": "minimal", "max_wal_senders": "0",
	}})
	if err != nil {
		return err
	}
	if orphan {
		return server.Stop(ctx)
	}
	if err := sweep(server.SuperuserURL()); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", []byte(server.SuperuserURL()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	whenIdle(users, nil)
	os.Remove(path)
	return server.Stop(ctx)
}

// whenIdle returns true when the server has been idle for a while. It then
// holds the shared lock, so that new users wait until the server has stopped.
// It returns false when the server has exited.
func whenIdle(users *os.File, exited <-chan struct{}) bool {
	for last := time.Now(); ; {
		select {
		case <-exited:
			return false
		case <-time.After(time.Second):
		}
		if syscall.Flock(int(users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			last = time.Now()
			continue
		}
		if time.Since(last) > idle {
			return true
		}
		syscall.Flock(int(users.Fd()), syscall.LOCK_UN)
	}
}

// sweep drops the databases of tests that were killed, and the templates of
// other schemas. The address is not published yet, so none is in use.
func sweep(server string) error {
	db, err := sql.Open("postgres", server)
	if err != nil {
		return err
	}
	defer db.Close()
	var names pq.StringArray
	if err := db.QueryRow(`
		SELECT array_agg(datname) FROM pg_database
		WHERE datname LIKE 'test\_%' OR datname LIKE 'census\_draft\_%'
			OR datname LIKE 'census\_template\_%' AND datname <> $1`,
		"census_template_"+postgres.SchemaHash()).Scan(&names); err != nil {
		return err
	}
	for _, name := range names {
		if err := admin(server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}
