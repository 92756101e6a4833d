// Package pgembed runs a private PostgreSQL server for installations without a
// database: it finds or downloads the programs, initializes the data folder, and
// starts, watches and stops the server.
package pgembed

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/lib/pq"

	"mcpcensus/internal/folder"
	"mcpcensus/internal/registry"
)

// Options configure a server.
type Options struct {
	// DataDir holds everything and is created if missing. The database is in its
	// subfolder "postgres".
	DataDir string
	// Log may be nil.
	Log *slog.Logger
	// Settings are additional settings of the server, such as "fsync": "off".
	Settings map[string]string
	// Restart starts the server again, at the same address, when it exits
	// unexpectedly.
	Restart bool

	noSystemBinaries bool   // for tests of the download
	repositoryURL    string // for tests of the download; "": the default of the library
}

// A Server is a running PostgreSQL owned by this process. It listens on a
// loopback address only and requires a generated password.
type Server struct {
	cluster  *cluster
	settings map[string]string
	restart  bool
	url      string
	exited   chan struct{} // closed when the server has exited and is not restarted
	lock     *os.File
	log      *slog.Logger

	mu   sync.Mutex
	run  process
	stop chan struct{} // closed to end it
}

// A process is a started server.
type process struct {
	cmd    *exec.Cmd
	port   int
	exited chan struct{} // closed when it has exited
}

// The users and the database of the server: the superuser only gives the other its rights.
const superuser, embeddedUser, embeddedDatabase = "census", "registry", "postgres"

// Start starts PostgreSQL on the data folder, and creates the database if it
// does not exist. It uses the machine's PostgreSQL programs if they are version
// 15 or newer, and downloads them otherwise.
//
// Only one process can use a data folder; a second one gets an error of kind
// [registry.ErrUnavailable]. A server left behind by a killed process is stopped
// first. PostgreSQL refuses to run as root: for root it runs as the user
// postgres or nobody, and if that user cannot reach the data folder, the database
// is stored below /var/lib/census.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.DataDir, err = filepath.Abs(o.DataDir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.DataDir, 0o755); err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err,
			"cannot create the data folder; set CENSUS_DATA_DIR to a writable folder")
	}
	lock, err := lockFolder(o.DataDir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	who, err := serverUser(o.DataDir)
	if err != nil {
		return nil, err
	}
	home, err := serverHome(o.DataDir, who)
	if err != nil {
		return nil, err
	}
	if home != o.DataDir {
		o.Log.Warn("the user of the database cannot reach the data folder, so the database is in another folder",
			"user", who.name, "data", o.DataDir, "database", home)
	}
	c := &cluster{home: home, data: filepath.Join(home, "postgres"), who: who, log: o.Log}
	if c.password, err = LoadSecret(filepath.Join(o.DataDir, PasswordFile), rand.Text); err != nil {
		return nil, err
	}
	c.secret, err = LoadSecret(filepath.Join(o.DataDir, "postgres.superuser"), rand.Text)
	if err != nil {
		return nil, err
	}
	if err := c.stopLeftover(ctx); err != nil {
		return nil, err
	}
	if c.bin, err = findBinaries(ctx, o, c); err != nil {
		return nil, err
	}
	if err := c.init(ctx, o.Settings["fsync"] != "off"); err != nil {
		return nil, err
	}
	p, err := c.start(ctx, o.Settings, 0)
	if err != nil {
		return nil, err
	}
	e := &Server{cluster: c, settings: o.Settings, restart: o.Restart, run: p,
		url: serverURL(embeddedUser, p.port, c.password), exited: make(chan struct{}),
		stop: make(chan struct{}), lock: lock, log: o.Log}
	go e.watch(context.WithoutCancel(ctx))
	o.Log.Debug("embedded database started", "port", p.port, "data", c.data,
		"version", c.bin.version, "pid", p.cmd.Process.Pid)
	return e, nil
}

// watch waits for the server to exit and restarts it if configured, unless it was
// stopped: immediately, and after failures with a delay that doubles from one second to
// half a minute.
func (e *Server) watch(ctx context.Context) {
	defer close(e.exited)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-e.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for wait := time.Second; ; {
		<-e.run.exited
		if !e.restart || e.stopping() {
			return
		}
		if wait == time.Second {
			e.log.Error("the embedded database has exited unexpectedly; restarting it")
		}
		err := e.cluster.stopLeftover(ctx)
		var p process
		if err == nil {
			p, err = e.cluster.start(ctx, e.settings, e.run.port)
		}
		if err == nil {
			e.log.Info("the embedded database runs again")
			wait = time.Second
			e.mu.Lock()
			e.run = p
			if e.stopping() {
				p.cmd.Process.Signal(syscall.SIGINT)
			}
			e.mu.Unlock()
			continue
		}
		if e.stopping() {
			return
		}
		if wait == time.Second {
			e.log.Error("cannot restart the embedded database, trying again", "err", err)
		}
		select {
		case <-e.stop:
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, 30*time.Second)
	}
}

func (e *Server) stopping() bool {
	select {
	case <-e.stop:
		return true
	default:
		return false
	}
}

// signal sends a signal to the server, and prevents its restart.
func (e *Server) signal(s os.Signal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopping() {
		close(e.stop)
	}
	e.run.cmd.Process.Signal(s)
}

// URL returns the address of the database, with its password.
func (e *Server) URL() string { return e.url }

// SuperuserURL is [Server.URL] for the superuser.
func (e *Server) SuperuserURL() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return serverURL(superuser, e.run.port, e.cluster.secret)
}

// Stop stops the server: open transactions are rolled back, and committed data
// is on disk when it returns. If ctx ends first, the server is shut down immediately
// and recovers at the next start. Further calls do nothing.
func (e *Server) Stop(ctx context.Context) error {
	defer e.lock.Close()
	select {
	case <-e.exited:
		return nil
	default:
	}
	e.signal(syscall.SIGINT) // a "fast" shutdown
	select {
	case <-e.exited:
		return nil
	case <-ctx.Done():
	}
	e.signal(syscall.SIGQUIT) // an "immediate" one
	select {
	case <-e.exited:
		e.log.Warn("the embedded database did not stop in time and was shut down immediately")
		return nil
	case <-time.After(5 * time.Second):
		return errors.New("the embedded database does not stop")
	}
}

// Exists reports whether a data folder has an embedded database, which
// may not be running.
func Exists(dataDir string) bool {
	dataDir, err := filepath.Abs(dataDir)
	if err != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(fallbackHome(dataDir), "postgres", "PG_VERSION")); err == nil {
		return true
	}
	_, err = os.Stat(filepath.Join(dataDir, "postgres", "PG_VERSION"))
	return !errors.Is(err, os.ErrNotExist) // an unreadable folder exists
}

// Running returns the address of the embedded server that another process, such
// as "census serve", is running on a data folder. ok is false if no server is
// running.
func Running(ctx context.Context, dataDir string) (url string, ok bool) {
	dataDir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", false
	}
	password, err := os.ReadFile(filepath.Join(dataDir, PasswordFile))
	if err != nil {
		return "", false
	}
	for _, home := range []string{dataDir, fallbackHome(dataDir)} {
		data := filepath.Join(home, "postgres")
		pm, err := readPostmaster(data)
		if err != nil || !pm.runs(data) {
			continue
		}
		url := serverURL(embeddedUser, pm.port, strings.TrimSpace(string(password)))
		if err := ping(ctx, url); err != nil {
			continue
		}
		return url, true
	}
	return "", false
}

// ping connects to the server at url once.
func ping(ctx context.Context, url string) error {
	db, err := sql.Open("postgres", url)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.PingContext(ctx)
}

func serverURL(name string, port int, password string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(name, password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/" + embeddedDatabase,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// lockFolder locks the data folder for this process. The kernel releases the
// lock when the process ends.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "postgres.lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err, "cannot write to the data folder")
	}
	// A child process that is being started holds a copy of a released lock
	// until it executes its program.
	locked := folder.Lock(f)
	for end := time.Now().Add(time.Second); !locked && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		locked = folder.Lock(f)
	}
	if !locked {
		pid, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		who := "another census"
		if p := strings.TrimSpace(string(pid)); p != "" {
			who += " (process " + p + ")"
		}
		return nil, registry.Errorf(registry.ErrUnavailable,
			"%s is using the data folder %s: stop it, use another CENSUS_DATA_DIR, or use one "+
				"DATABASE_URL for both", who, dir)
	}
	f.Truncate(0)
	f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return f, nil
}

// PasswordFile is the file of a data folder that holds the password of its
// embedded database.
const PasswordFile = "postgres.password"

// LoadSecret returns the secret in a file of the data folder, and creates it if missing.
// Others than the file's user and group cannot read it.
func LoadSecret(path string, create func() string) (string, error) {
	if text, err := os.ReadFile(path); err == nil && len(bytes.TrimSpace(text)) > 0 {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o007 != 0 {
			_ = os.Chmod(path, info.Mode()&^0o007)
		}
		return string(bytes.TrimSpace(text)), nil
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", registry.Wrap(registry.ErrUnavailable, err,
			"cannot read a secret in the data folder")
	}
	secret := create()
	tmp := path + ".new"
	os.Remove(tmp)
	if err := os.WriteFile(tmp, []byte(secret+"\n"), 0o600); err != nil {
		return "", err
	}
	return secret, os.Rename(tmp, path)
}

// fallbackHome returns the folder for a database whose user cannot reach the data
// folder.
func fallbackHome(dataDir string) string {
	sum := sha256.Sum256([]byte(dataDir))
	return filepath.Join("/var/lib/census", hex.EncodeToString(sum[:6]))
}

// serverHome returns the folder of the database: the data folder, or fallbackHome if the
// server's user cannot reach it.
func serverHome(dataDir string, who osUser) (string, error) {
	if !who.other {
		return dataDir, nil
	}
	// The permissions of the folder may change, those of its parents not.
	if reaches(filepath.Dir(dataDir), who) {
		if !reaches(dataDir, who) {
			info, err := os.Stat(dataDir)
			if err == nil {
				err = os.Chmod(dataDir, info.Mode().Perm()|0o011)
			}
			if err != nil {
				return "", err
			}
		}
		return dataDir, nil
	}
	home := fallbackHome(dataDir)
	if err := os.MkdirAll(home, 0o755); err != nil || !reaches(home, who) {
		return "", registry.Wrap(registry.ErrUnavailable, err, fmt.Sprintf(
			"PostgreSQL does not run as root, and the user %s cannot reach %s: set "+
				"CENSUS_DATA_DIR to a folder that everyone can enter, such as /var/lib/census, "+
				"or run census as another user",
			who.name, dataDir))
	}
	return home, nil
}

// A cluster is a folder with databases, and the programs to run it.
type cluster struct {
	home     string
	data     string
	who      osUser
	password string
	secret   string // of the superuser
	bin      binaries
	log      *slog.Logger
}

// command returns a command that runs as the server's user, outside our process
// group, so that Ctrl-C is sent to this process only, which stops the server.
func (c *cluster) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin.dir, program), args...)
	cmd.Dir = c.home
	cmd.SysProcAttr = c.who.attributes()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=" + c.home}
	if v := os.Getenv("LD_LIBRARY_PATH"); v != "" {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+v)
	}
	return cmd
}

// init creates the database if it does not exist, under another name that it then
// changes, so that a partial one is never used. sync flushes it to disk.
func (c *cluster) init(ctx context.Context, sync bool) error {
	if have, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION")); err == nil {
		major := strings.TrimSpace(string(have))
		if major != strconv.Itoa(c.bin.major) {
			return registry.Errorf(registry.ErrUnavailable,
				"the database in %s was created by PostgreSQL %s, but PostgreSQL %d was found: "+
					"install version %s, or move the folder away to start with an empty database",
				c.data, major, c.bin.major, major)
		}
		return nil
	}
	if entries, err := os.ReadDir(c.data); err == nil && len(entries) > 0 {
		return registry.Errorf(registry.ErrUnavailable,
			"%s is not a PostgreSQL database: move it away, or set another CENSUS_DATA_DIR",
			c.data)
	}
	draft := c.data + ".new"
	if err := os.RemoveAll(draft); err != nil {
		return err
	}
	if err := os.Mkdir(draft, 0o700); err != nil {
		return err
	}
	secret := filepath.Join(c.home, "postgres.secret")
	os.Remove(secret)
	defer os.Remove(secret)
	if err := os.WriteFile(secret, []byte(c.secret+"\n"), 0o600); err != nil {
		return err
	}
	for _, path := range []string{draft, secret} {
		if err := c.who.own(path); err != nil {
			return err
		}
	}
	args := []string{"--pgdata=" + draft, "--username=" + superuser, "--pwfile=" + secret,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions"}
	if !sync {
		args = append(args, "--no-sync")
	}
	cmd := c.command(ctx, "initdb", args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return registry.Wrap(registry.ErrUnavailable,
			fmt.Errorf("initdb: %w: %s", err, tail(out.Bytes())),
			"cannot create the embedded database; set DATABASE_URL to use another PostgreSQL")
	}
	os.Remove(c.data) // an empty folder
	return os.Rename(draft, c.data)
}

// start runs the server on a port, or on a free one for 0, and waits until it
// accepts connections.
func (c *cluster) start(
	ctx context.Context, settings map[string]string, at int,
) (p process, err error) {
	logPath := filepath.Join(c.home, "postgres.log")
	if info, err := os.Stat(logPath); err == nil && info.Size() > 10<<20 {
		os.Rename(logPath, logPath+".old")
	}
	deadline := time.Now().Add(time.Minute)
	for {
		port := at
		if port == 0 {
			if port, err = freePort(); err != nil {
				return p, err
			}
		}
		log, err := os.OpenFile(logPath, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return p, err
		}
		from, _ := log.Seek(0, io.SeekEnd)
		if p, err = c.run(ctx, settings, port, log); err != nil {
			log.Close()
			return p, err
		}
		if err = c.await(ctx, p, deadline); err == nil {
			err = c.admit(ctx, p.port)
		}
		output := make([]byte, 64<<10)
		n, _ := log.ReadAt(output, from)
		output = output[:n]
		log.Close()
		if err == nil {
			return p, nil
		}
		p.cmd.Process.Signal(syscall.SIGQUIT)
		select {
		case <-p.exited:
		case <-time.After(5 * time.Second):
			p.cmd.Process.Kill()
		}
		// The port is in use, or processes of a killed server have not exited yet.
		retry := bytes.Contains(output, []byte("could not bind")) ||
			bytes.Contains(output, []byte("is still in use"))
		if !retry || time.Now().After(deadline) || ctx.Err() != nil {
			return p, registry.Wrap(registry.ErrUnavailable,
				fmt.Errorf("%w: %s", err, tail(output)),
				"the embedded database does not start; its log is "+logPath)
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// run runs the server on a port. The server outlives ctx.
func (c *cluster) run(
	ctx context.Context, settings map[string]string, port int, log *os.File,
) (process, error) {
	args := []string{"-D", c.data,
		"-c", "listen_addresses=127.0.0.1", "-c", "port=" + strconv.Itoa(port),
		"-c", "unix_socket_directories=", "-c", "timezone=UTC", "-c", "log_timezone=UTC",
		"-c", "jit=off", "-c", "logging_collector=off", "-c", "log_destination=stderr",
	}
	for name, value := range settings {
		args = append(args, "-c", name+"="+value)
	}
	p := process{port: port, exited: make(chan struct{}),
		cmd: c.command(context.WithoutCancel(ctx), "postgres", args...)}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return p, registry.Wrap(registry.ErrUnavailable, err, "cannot run "+p.cmd.Path)
	}
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// await waits until the server accepts connections.
func (c *cluster) await(ctx context.Context, p process, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for {
		err := ping(ctx, serverURL(superuser, p.port, c.secret))
		if pqErr, ok := errors.AsType[*pq.Error](err); err == nil || ok && pqErr.Code == "28P01" {
			return nil
		}
		select {
		case <-p.exited:
			return errors.New("it exited immediately")
		case <-ctx.Done():
			return fmt.Errorf("it does not respond: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// admit gives the application's user its password, and the database. The superuser uses no
// function of the application, which may set the database's search_path.
func (c *cluster) admit(ctx context.Context, port int) error {
	db, err := sql.Open("postgres", serverURL(superuser, port, c.secret)+"&search_path=pg_catalog")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `
		DO $$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '`+embeddedUser+`') THEN
				CREATE ROLE `+embeddedUser+` LOGIN;
			END IF;
			ALTER DATABASE `+embeddedDatabase+` OWNER TO `+embeddedUser+`;
		END $$;
		ALTER ROLE `+embeddedUser+` PASSWORD `+pq.QuoteLiteral(c.password))
	if pqErr, ok := errors.AsType[*pq.Error](err); ok && pqErr.Code == "28P01" {
		return fmt.Errorf("the passwords in the data folder are not those of the database: %w", err)
	}
	return err
}

// stopLeftover stops a server that a killed process left running. The caller holds the
// lock of the folder.
func (c *cluster) stopLeftover(ctx context.Context) error {
	pm, err := readPostmaster(c.data)
	if err != nil {
		return nil // missing or unreadable; PostgreSQL checks it
	}
	if !pm.runs(c.data) {
		if signal(pm.pid, syscall.Signal(0)) == nil {
			// The process ID now belongs to another process, which PostgreSQL
			// would mistake for a server.
			c.log.Info("removing a stale postmaster.pid", "pid", pm.pid)
			return os.Remove(filepath.Join(c.data, "postmaster.pid"))
		}
		return nil
	}
	c.log.Info("stopping the database server of a killed process", "pid", pm.pid)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		if err := signal(pm.pid, sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return registry.Wrap(registry.ErrUnavailable, err,
				fmt.Sprintf("a database server (process %d) uses the data folder and cannot be "+
					"stopped: stop it manually", pm.pid))
		}
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
			if !pm.runs(c.data) {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return registry.Errorf(registry.ErrUnavailable,
		"a database server (process %d) uses the data folder and does not stop: stop it manually",
		pm.pid)
}

// A postmaster holds the contents of postmaster.pid, which a running server
// writes to its folder.
type postmaster struct {
	pid, port int
}

func readPostmaster(data string) (postmaster, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return postmaster{}, err
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 4 {
		return postmaster{}, errors.New("postmaster.pid is truncated")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 1 {
		return postmaster{}, errors.New("postmaster.pid has no process ID")
	}
	port, err := strconv.Atoi(strings.TrimSpace(lines[3]))
	return postmaster{pid, port}, err
}

// runs reports whether the process is a running server on this data. After a
// reboot, or in a container, the ID may belong to another process.
func (pm postmaster) runs(data string) bool {
	if err := signal(pm.pid, syscall.Signal(0)); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pm.pid)); err == nil {
		// A server's working folder is its data.
		want, err := filepath.EvalSymlinks(data)
		return err == nil && cwd == want && !zombie(pm.pid)
	} else if _, err := os.Stat("/proc/self/cwd"); err == nil {
		return false // exited, or another user's
	}
	out, err := exec.Command("ps", "-p", strconv.Itoa(pm.pid), "-o", "command=").Output()
	return err == nil && strings.Contains(string(out), "postgres") &&
		strings.Contains(string(out), data)
}

// signal sends a signal to a process. 0 only asks whether it runs.
func signal(pid int, s syscall.Signal) error {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(s)
	}
	return err
}

// zombie reports whether a process has exited but its parent has not waited for it.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(rest, "Z")
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// tail returns the last lines of a program's output.
func tail(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > 800 {
		text = text[len(text)-800:]
	}
	return string(text)
}
