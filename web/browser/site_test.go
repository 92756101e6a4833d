package browser

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpcensus/internal/pgembed"
)

// browserVariable turns the tests of this package on: the path of a Chromium
// or Chrome, or "find" to use the machine's.
const browserVariable = "CENSUS_TEST_BROWSER"

// Servers of the demo: one of which much is known, one of which little is, one
// that the operator takes out of the directory, and two repositories that no
// source names. To check one puts it down for the crawl too, so each is for one
// journey.
const (
	richSlug   = "octo-labs-weather-mcp"
	secondSlug = "moss-and-fern-sqlite-shelf"
	poorSlug   = "mkowalska-lowtide-scraper"
	goneSlug   = "sandboxer99-mcp-postgres-navigator"
	unlisted   = "https://github.com/quietcorner/tides-mcp"
	unnamed    = "https://github.com/pierhead/ferry-times-mcp"
)

// A site is a running "census serve --demo".
type site struct {
	url, program, dir string
	cmd               *exec.Cmd
	ended             chan struct{}
	mails             *mailbox
}

var shared struct {
	sync.Mutex
	site   *site
	chrome *chrome
	failed error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.stop()
	}
	if shared.site != nil {
		shared.site.stop()
	}
	os.Exit(code)
}

// started returns the site and the browser that all tests share. It skips the
// test if browser tests are not asked for.
func started(t *testing.T) (*site, *chrome) {
	t.Helper()
	if os.Getenv(browserVariable) == "" {
		t.Skipf("SKIPPED: needs a browser; make test-browser runs it (%s is not set)", browserVariable)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.failed != nil {
		t.Fatal(shared.failed)
	}
	if shared.site == nil {
		shared.site, shared.failed = startSite()
	}
	if shared.failed == nil && shared.chrome == nil {
		shared.chrome, shared.failed = startChrome(shared.site.url)
	}
	if shared.failed != nil {
		t.Fatal(shared.failed)
	}
	return shared.site, shared.chrome
}

// startSite builds the program, starts a demo on data of its own, and returns
// when it is filled.
func startSite() (_ *site, err error) {
	// A Postgres that runs as another user must get there.
	dir, err := os.MkdirTemp("", "census-browser-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	s := &site{program: filepath.Join(dir, "census"), dir: dir, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if s.mails, err = startMailbox(); err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.program, "mcpcensus/cmd/census")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build, which shares its cache
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	var log bytes.Buffer
	s.cmd = exec.Command(s.program, "serve", "--demo")
	s.cmd.Env = append(s.environ(dir), "CENSUS_ADDR=127.0.0.1:0", "CENSUS_METRICS_ADDR=off",
		"CENSUS_SMTP_URL=smtp://"+s.mails.address, "CENSUS_MAIL_FROM=Census <census@census.example>")
	s.cmd.Stdout, s.cmd.Stderr = io.Discard, &log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.cmd.Wait(); close(s.ended) }()
	if s.url, err = s.listens(filepath.Join(dir, "demo")); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, &log)
	}
	// The last server that the demo lists is found by words: all is in. Pages are
	// asked, which have no limit.
	err = s.until(2*time.Minute, "filled", func() bool {
		code, body := s.get("/servers?q=navigator+sandboxer99")
		return code == 200 && bytes.Contains(body, []byte(goneSlug))
	})
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%w\n%s", err, &log)
	}
	// What is known of packages comes last.
	before, same := "", 0
	err = s.until(time.Minute, "settled", func() bool {
		time.Sleep(time.Second)
		_, body := s.get("/servers?sort=downloads")
		if same++; string(body) != before {
			before, same = string(body), 0
		}
		return same == 2
	})
	if err != nil {
		return nil, err
	}
	if err := s.remember(); err != nil {
		return s, err
	}
	return s, s.forget(goneSlug)
}

// listens waits until a process with a data folder listens, and returns its URL.
func (s *site) listens(data string) (url string, err error) {
	err = s.until(time.Minute, "listening", func() bool {
		line, err := os.ReadFile(filepath.Join(data, "address"))
		url = strings.TrimSpace(string(line))
		return err == nil && url != ""
	})
	return url, err
}

// withoutMail starts a second process on the demo's database, which sends no mail, and
// returns its URL.
func (s *site) withoutMail(t *testing.T) string {
	t.Helper()
	database, ok := pgembed.Running(t.Context(), filepath.Join(s.dir, "demo"))
	if !ok {
		t.Fatal("no database")
	}
	data := t.TempDir()
	cmd := exec.Command(s.program, "serve", "--roles", "api,pages")
	cmd.Env = append(s.environ(data), "DATABASE_URL="+database, "CENSUS_ADDR=127.0.0.1:0",
		"CENSUS_METRICS_ADDR=off", "CENSUS_SECRET_KEY_FILE="+filepath.Join(s.dir, "demo", "secret.key"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // ended by the signal
	})
	other := &site{ended: s.ended}
	var err error
	if other.url, err = other.listens(data); err != nil {
		t.Fatal(err)
	}
	if err := other.until(time.Minute, "ready without mail", func() bool {
		code, _ := other.get("/readyz")
		return code == http.StatusOK
	}); err != nil {
		t.Fatal(err)
	}
	return other.url
}

// remember gives the demo, which is as old as the test, 60 days of history, as
// the jobs of each day would have noted it. A week is missing.
func (s *site) remember() error {
	db, err := s.database()
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range []string{`
		INSERT INTO day_stats (server_id, date, score, stars, forks, downloads)
		SELECT v.id, current_date - d, greatest(0, (v.record->'health'->>'score')::integer - d / 6 - (v.id + d) % 3),
			((v.record->>'stars')::bigint * (100 - d) / 100)::integer, NULL, (v.record->>'downloads')::bigint * (110 - d) / 110
		FROM servers v CROSS JOIN generate_series(1, 60) AS d
		WHERE v.listed AND d NOT BETWEEN 20 AND 26 ON CONFLICT DO NOTHING`, `
		INSERT INTO day_totals (date, servers, score)
		SELECT date, count(*) - (current_date - date) / 4, avg(score) FROM day_stats GROUP BY date ON CONFLICT DO NOTHING`} {
		if _, err := db.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// database is the demo's.
func (s *site) database() (*sql.DB, error) {
	address, ok := pgembed.Running(context.Background(), filepath.Join(s.dir, "demo"))
	if !ok {
		return nil, errors.New("the demo's database cannot be found")
	}
	return sql.Open("postgres", address)
}

// forget makes a server one whose repository was deleted, which takes the
// crawl three days to find out.
func (s *site) forget(slug string) error {
	db, err := s.database()
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE servers SET listed = false, gone_at = now() WHERE slug = $1`, slug); err != nil {
		return err
	}
	for _, args := range [][]string{{"hide", slug, "--reason", "so that all hear of the change"}, {"unhide", slug}} {
		if out, err := s.census(args...); err != nil {
			return fmt.Errorf("census %s: %w\n%s", args[0], err, out)
		}
	}
	return s.until(10*time.Second, "without a server", func() bool {
		code, _ := s.get("/servers/" + slug)
		return code == http.StatusGone
	})
}

// ageSessions makes the sessions of an account an hour older.
func (s *site) ageSessions(email string) error {
	db, err := s.database()
	if err != nil {
		return err
	}
	defer db.Close()
	hourAgo := strconv.Quote(strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10))
	res, err := db.Exec(`UPDATE sessions SET data = convert_to(jsonb_set(convert_from(data, 'UTF8')::jsonb, '{values,signedIn}', $2)::text, 'UTF8')
		WHERE account = (SELECT id FROM accounts WHERE email = $1)`, email, hourAgo)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); n == 0 {
		return fmt.Errorf("%s has no session (%v)", email, err)
	}
	return nil
}

// environ is what the program sees of the environment.
func (s *site) environ(data string) []string {
	return []string{"HOME=/nowhere", "PATH=" + os.Getenv("PATH"), "NO_PROXY=*", "CENSUS_DATA_DIR=" + data}
}

// census runs a command of the program on the demo's data.
func (s *site) census(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Env = s.environ(filepath.Join(s.dir, "demo"))
	return cmd.CombinedOutput()
}

var client = &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// get returns the status and body at a path, 0 if nothing answers.
func (s *site) get(path string) (int, []byte) {
	res, err := client.Get(s.url + path)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, body
}

func (s *site) until(limit time.Duration, what string, ok func() bool) error {
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(100 * time.Millisecond) {
		select {
		case <-s.ended:
			return errors.New("the demo ended")
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the demo is not %s within %s", what, limit)
		}
	}
	return nil
}

func (s *site) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.ended:
		case <-time.After(30 * time.Second):
			_ = s.cmd.Process.Kill()
			<-s.ended
		}
	}
	if s.mails != nil {
		s.mails.server.Close()
	}
	os.RemoveAll(s.dir)
}
