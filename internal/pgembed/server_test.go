//go:build unix

package pgembed

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// childEnv, set to a data folder, makes this test program a census that starts
// the embedded server there, says its address and stays until it is killed.
const childEnv = "CENSUS_POSTGRES_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		e, err := Start(context.Background(),
			Options{DataDir: dir, Settings: map[string]string{"fsync": "off"}})
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(e.URL())
		select {}
	}
	os.Exit(m.Run())
}

// dataDir returns a folder that the server's user can reach, unlike
// t.TempDir for root.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "census-embedded-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func startServer(t *testing.T, dir string) *Server {
	t.Helper()
	e, err := Start(t.Context(), Options{DataDir: dir, Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Stop(context.Background()) })
	return e
}

func count(t *testing.T, url string) (n int) {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS kept (n integer); INSERT INTO kept VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(`SELECT count(*) FROM kept`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEmbeddedKeepsData(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	e := startServer(t, dir)
	if n := count(t, e.URL()); n != 1 {
		t.Errorf("%d rows in a new database", n)
	}
	db, err := sql.Open("postgres", e.SuperuserURL())
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Encoding, Collate, Addresses, Sockets, Method string }
	if err := db.QueryRow(`SELECT pg_encoding_to_char(encoding) AS encoding, datcollate AS collate,
		current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets,
		(SELECT string_agg(DISTINCT auth_method, ' ') FROM pg_hba_file_rules) AS method
		FROM pg_database WHERE datname = current_database()`).Scan(
		&got.Encoding, &got.Collate, &got.Addresses, &got.Sockets, &got.Method); err != nil {
		t.Fatal(err)
	}
	if got.Encoding != "UTF8" || got.Collate != "C" || got.Addresses != "127.0.0.1" ||
		got.Sockets != "" || got.Method != "scram-sha-256" {
		t.Errorf("the server is set up as %+v", got)
	}
	db.Close()
	if url, ok := Running(t.Context(), dir); !ok || url != e.URL() {
		t.Errorf("running: %q %v", url, ok)
	}
	info, err := os.Stat(filepath.Join(dir, PasswordFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the password's file: %v %v", info.Mode(), err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Errorf("stopped again: %v", err)
	}
	if _, ok := Running(t.Context(), dir); ok {
		t.Error("running after Stop")
	}
	e = startServer(t, dir)
	if n := count(t, e.URL()); n != 2 {
		t.Errorf("%d rows after a restart, want 2", n)
	}
}

func TestApplicationIsNoSuperuser(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	run := func(url, statements string) (out string, err error) {
		t.Helper()
		db, err := sql.Open("postgres", url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if !strings.HasPrefix(statements, "SELECT") {
			_, err = db.Exec(statements)
			return "", err
		}
		return out, db.QueryRow(statements).Scan(&out)
	}
	e := startServer(t, dir)
	password, err := os.ReadFile(filepath.Join(dir, PasswordFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		e = startServer(t, dir)
		for query, want := range map[string]string{
			`SELECT current_user || rolsuper::text FROM pg_roles WHERE rolname = current_user`: "registryfalse",
		} {
			if got, err := run(e.URL(), query); err != nil || got != want {
				t.Errorf("%s: %q, %v", query, got, err)
			}
		}
		if _, err := run(e.URL(), `CREATE TABLE fresh (); DROP TABLE fresh`); err != nil {
			t.Error(err)
		}
		old := serverURL(superuser, e.run.port, strings.TrimSpace(string(password)))
		if _, err := run(old, `SELECT '1'`); err == nil {
			t.Error("the superuser has the application's password")
		}
		if err := e.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	e = startServer(t, dir) // the application leaves code for the superuser
	if _, err := run(e.URL(), `CREATE SCHEMA trap;
		CREATE FUNCTION trap.same(a name, b name) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
			ALTER ROLE registry SUPERUSER; RETURN a::text OPERATOR(pg_catalog.=) b::text; END $$;
		CREATE OPERATOR trap.= (LEFTARG = name, RIGHTARG = name, FUNCTION = trap.same);
		ALTER DATABASE postgres SET search_path = trap, pg_catalog, public`); err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := run(startServer(t, dir).URL(), `SELECT rolsuper::text FROM pg_roles WHERE rolname LIKE 'registry'`)
	if err != nil || got != "false" {
		t.Errorf("the application is the superuser: %s, %v", got, err)
	}
}

// child starts a census of its own on the folder and returns it with the
// address of its server.
func child(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "postgres://") {
		cmd.Process.Kill()
		t.Fatalf("the child says %q", line)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, line
}

func TestEmbeddedSurvivesKill(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	t.Parallel()
	dir := dataDir(t)
	rows := 0
	for range 2 {
		cmd, url := child(t, dir)
		rows++
		if n := count(t, url); n != rows {
			t.Errorf("%d rows, want %d", n, rows)
		}
		// A second census on the same folder gets an error.
		if _, err := Start(t.Context(), Options{DataDir: dir}); !errors.Is(err,
			registry.ErrUnavailable) ||
			!strings.Contains(err.Error(), "process "+strconv.Itoa(cmd.Process.Pid)) ||
			!strings.Contains(err.Error(), "CENSUS_DATA_DIR") {
			t.Errorf("second census: %v", err)
		}
		cmd.Process.Kill()
		cmd.Wait()
		// The server is an orphan now, and still runs.
		if _, ok := Running(t.Context(), dir); !ok {
			t.Error("the server died with its census: the test tests nothing")
		}
	}
	e := startServer(t, dir)
	if n := count(t, e.URL()); n != rows+1 {
		t.Errorf("%d rows after kill -9, want %d", n, rows+1)
	}
	// Server and census are both killed.
	pm, err := readPostmaster(clusterFolder(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pm.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-e.exited
	e.Stop(t.Context()) // gives the folder back
	e = startServer(t, dir)
	if n := count(t, e.URL()); n != rows+2 {
		t.Errorf("%d rows after the server was killed, want %d", n, rows+2)
	}
}

func TestRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	t.Parallel()
	dir := dataDir(t)
	e, err := Start(t.Context(),
		Options{DataDir: dir, Settings: map[string]string{"fsync": "off"}, Restart: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Stop(context.Background()) })
	for rows := 1; rows <= 3; rows++ {
		if n := count(t, e.URL()); n != rows {
			t.Fatalf("%d rows, want %d", n, rows)
		}
		pm, err := readPostmaster(clusterFolder(t, dir))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pm.pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			if now, err := readPostmaster(clusterFolder(t, dir)); err == nil && now.pid != pm.pid {
				if ping(t.Context(), e.URL()) == nil {
					break
				}
			}
			if time.Now().After(deadline) {
				t.Fatal("it does not come back")
			}
		}
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-e.exited:
	default:
		t.Error("it is stopped, and has not ended")
	}
	if _, ok := Running(t.Context(), dir); ok {
		t.Error("it was started again after Stop")
	}
}

func clusterFolder(t *testing.T, dir string) string {
	t.Helper()
	for _, home := range []string{dir, fallbackHome(dir)} {
		if _, err := os.Stat(filepath.Join(home, "postgres", "PG_VERSION")); err == nil {
			return filepath.Join(home, "postgres")
		}
	}
	t.Fatal("no database")
	return ""
}

func TestStalePostmasterFile(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	t.Parallel()
	dir := dataDir(t)
	e := startServer(t, dir)
	count(t, e.URL())
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	// After a reboot the number in the file can be that of any process of the
	// same user, which must not be harmed.
	data := clusterFolder(t, dir)
	who, err := serverUser(dir)
	if err != nil {
		t.Fatal(err)
	}
	bystander := exec.Command("sleep", "60")
	bystander.SysProcAttr = &syscall.SysProcAttr{Credential: who.attributes().Credential}
	bystander.Dir = "/"
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { bystander.Wait(); close(exited) }()
	defer bystander.Process.Kill()
	text := fmt.Sprintf("%d\n%s\n1700000000\n5432\n\n127.0.0.1\n  123456    0\nready   \n",
		bystander.Process.Pid, data)
	path := filepath.Join(data, "postmaster.pid")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := who.own(path); err != nil {
		t.Fatal(err)
	}
	e = startServer(t, dir)
	if n := count(t, e.URL()); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
	select {
	case <-exited:
		t.Error("the bystander was killed")
	default:
	}
}

func TestPartialDatabase(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "postgres.new", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	if n := count(t, startServer(t, dir).URL()); n != 1 {
		t.Errorf("%d rows", n)
	}
}

func TestForeignFolder(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	file := filepath.Join(dir, "postgres", "letters.txt")
	os.MkdirAll(filepath.Dir(file), 0o755)
	if err := os.WriteFile(file, []byte("dear"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{DataDir: dir}); !errors.Is(err,
		registry.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "dear" {
		t.Errorf("the file: %q %v", text, err)
	}
}

func TestDatabaseOfOtherVersion(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	os.MkdirAll(filepath.Join(dir, "postgres"), 0o755)
	if err := os.WriteFile(filepath.Join(dir, "postgres", "PG_VERSION"), []byte("12\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{DataDir: dir, repositoryURL: closedServer(t)})
	if !errors.Is(err, registry.ErrUnavailable) || !strings.Contains(err.Error(), "version 12") {
		t.Errorf("got %v", err)
	}
}

// closedServer returns the address of a server that does not answer.
func closedServer(t *testing.T) string {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	return s.URL
}

func TestDownloadFails(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(),
		Options{DataDir: dataDir(t), noSystemBinaries: true, repositoryURL: closedServer(t)})
	var shown *registry.Error
	if !errors.As(err, &shown) || !strings.Contains(shown.Msg, "apt-get install postgresql") ||
		!strings.Contains(shown.Msg, "DATABASE_URL") {
		t.Errorf("got %v, want what to install", err)
	}
}

func TestUnreachableFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root runs the server as another user")
	}
	parent := dataDir(t)
	if err := os.Chmod(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "census")
	t.Cleanup(func() { os.RemoveAll(fallbackHome(dir)) })
	e := startServer(t, dir)
	if n := count(t, e.URL()); n != 1 {
		t.Errorf("%d rows", n)
	}
	if !strings.HasPrefix(clusterFolder(t, dir), "/var/lib/census/") {
		t.Errorf("the database is in %s", clusterFolder(t, dir))
	}
	if url, ok := Running(t.Context(), dir); !ok || url != e.URL() {
		t.Errorf("running: %q %v", url, ok)
	}
}

func TestStopTimeout(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	e := startServer(t, dir)
	count(t, e.URL())
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if n := count(t, startServer(t, dir).URL()); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}
