package pgembed

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"

	"mcpcensus/internal/registry"
)

// minPostgres is the oldest supported major version.
const minPostgres = 15

// binaries are a folder with PostgreSQL's programs.
type binaries struct {
	dir     string
	major   int
	version string // full version
}

// findBinaries returns the PostgreSQL programs of the machine, or downloads them. They
// must be of the version that created an existing database.
func findBinaries(ctx context.Context, o Options, c *cluster) (binaries, error) {
	want := 0
	if text, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION")); err == nil {
		want, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	var best binaries
	if !o.noSystemBinaries {
		for _, dir := range candidateDirs(ctx) {
			b, ok := inspect(ctx, dir, c.who)
			if !ok || b.major < minPostgres {
				continue
			}
			if b.major == want {
				return b, nil
			}
			if b.major > best.major {
				best = b
			}
		}
	}
	if want == 0 && best.dir != "" {
		return best, nil
	}
	b, err := download(ctx, o, c, want)
	if err != nil && best.dir != "" {
		return best, nil // init rejects the wrong version
	}
	return b, err
}

// candidateDirs returns the folders that may contain PostgreSQL's programs, those of PATH
// first.
func candidateDirs(ctx context.Context) (dirs []string) {
	add := func(dir string) {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres")); err == nil {
			add(filepath.Dir(real))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		add(strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
		"/usr/pgsql-*/bin",          // Red Hat
		"/usr/libexec/postgresql*",  // Alpine
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, _ := filepath.Glob(pattern) // sorted
		for _, dir := range slices.Backward(found) {
			add(dir)
		}
	}
	return dirs
}

var versionForm = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// inspect returns the version in a folder, and false if the server's user
// cannot run it.
func inspect(ctx context.Context, dir string, who osUser) (binaries, bool) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil || !reaches(dir, who) {
		return binaries{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return binaries{}, false
	}
	m := versionForm.FindStringSubmatch(string(out))
	if m == nil {
		return binaries{}, false
	}
	major, err := strconv.Atoi(m[2])
	return binaries{dir, major, m[1]}, err == nil
}

// downloaded is the release of a new database, the one that docker-compose.yml pins.
const downloaded embeddedpostgres.PostgresVersion = "17.10.0"

// download has embedded-postgres fetch the programs into the folder
// "postgres-programs", once. The library is only used for the download: it
// cannot run the server as another user, or stop a leftover server.
func download(ctx context.Context, o Options, c *cluster, want int) (binaries, error) {
	version, major := downloaded, 17
	switch want {
	case 15:
		version, major = embeddedpostgres.V15, 15
	case 16:
		version, major = embeddedpostgres.V16, 16
	case 18:
		version, major = embeddedpostgres.V18, 18
	}
	home := filepath.Join(c.home, "postgres-programs")
	dir := filepath.Join(home, strconv.Itoa(major))
	if b, ok := inspect(ctx, filepath.Join(dir, "bin"), c.who); ok {
		return b, nil
	}
	o.Log.Info("no PostgreSQL 15 or newer found: downloading it, up to 80 MB", "version", string(version),
		"to", dir)
	// The library only downloads to start a server, which is discarded. As root, the
	// start fails after the download.
	scratch, err := os.MkdirTemp("", "census-postgres-")
	if err != nil {
		return binaries{}, err
	}
	port, err := freePort()
	if err != nil {
		return binaries{}, err
	}
	config := embeddedpostgres.DefaultConfig().Version(version).Port(uint32(port)).
		CachePath(filepath.Join(home, "archives")).BinariesPath(dir).
		RuntimePath(filepath.Join(scratch, "run")).DataPath(filepath.Join(scratch, "data")).
		StartTimeout(30 * time.Second).Logger(io.Discard)
	if o.repositoryURL != "" {
		config = config.BinaryRepositoryURL(o.repositoryURL)
	}
	done := make(chan error, 1)
	go func() { // the library does not accept a context
		defer os.RemoveAll(scratch)
		server := embeddedpostgres.NewDatabase(config)
		err := server.Start()
		if err == nil {
			err = server.Stop()
		}
		done <- err
	}()
	began, tick := time.Now(), time.NewTicker(10*time.Second)
	defer tick.Stop()
	for waits := true; waits; {
		select {
		case <-ctx.Done():
			return binaries{}, registry.Wrap(registry.ErrUnavailable, ctx.Err(),
				"timeout while downloading PostgreSQL; "+installAdvice)
		case <-tick.C:
			o.Log.Info("still downloading PostgreSQL", "for", time.Since(began).Round(time.Second))
		case err = <-done:
			waits = false
		}
	}
	if b, ok := inspect(ctx, filepath.Join(dir, "bin"), c.who); ok {
		return b, nil
	}
	if err == nil {
		err = fmt.Errorf("no working programs in %s", dir)
	}
	return binaries{}, registry.Wrap(registry.ErrUnavailable, err,
		"PostgreSQL 15 or newer was not found and could not be downloaded; "+installAdvice)
}

const installAdvice = "install it (apt-get install postgresql, dnf install postgresql-server, " +
	"brew install postgresql), or set DATABASE_URL to another server"
