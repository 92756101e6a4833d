package read

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/read/readtest"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

func TestMain(m *testing.M) {
	Init()
	os.Exit(m.Run())
}

func newPool(t *testing.T, o Options) *Pool {
	p := NewPool(o)
	t.Cleanup(p.Close)
	return p
}

// snapshotOf returns a repository of files.
func snapshotOf(files map[string]string) *registry.Snapshot {
	s := &registry.Snapshot{Repo: registry.Repository{Owner: "harbour", Name: "tides-mcp",
		Commit: "1", DefaultBranch: "main"}, Texts: files}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(len(files[p]))})
	}
	return s
}

// TestHostile reads hostile repositories within less than a child's limits.
func TestHostile(t *testing.T) {
	p := newPool(t, Options{CPU: 15 * time.Second})
	for name, files := range readtest.Hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := p.Servers(t.Context(), snapshotOf(files), nil)
			if err != nil || found.State != detect.StateServer {
				t.Errorf("state %q, %v", found.State, err)
			}
		})
	}
}

// TestUnknown checks that what a limit cuts is unknown.
func TestUnknown(t *testing.T) {
	p := newPool(t, Options{Children: 1})
	all := readtest.Hostile()
	for _, name := range []string{"script: arrows", "script: arguments of types",
		"script: calls in a row", "functions: each other", "script: expressions in a row",
		"script: declared twice", "script: exports of each other"} {
		found, err := p.Servers(t.Context(), snapshotOf(all[name]), nil)
		if err != nil || len(found.Servers) != 1 {
			t.Fatalf("%s: %d servers, %v", name, len(found.Servers), err)
		}
		if d := found.Servers[0].Detection; d.Tools != nil && !d.ToolsPartial {
			t.Errorf("%s: tools %v are said to be all", name, d.Tools)
		}
	}
	for _, name := range []string{"shell: brackets", "scripts: calls of 350",
		"YAML: 9^30 aliases"} {
		found, err := p.Servers(t.Context(), snapshotOf(all[name]), nil)
		if err != nil || len(found.Servers) != 1 {
			t.Fatalf("%s: %d servers, %v", name, len(found.Servers), err)
		}
		if tree := found.Servers[0].Tree; tree.CIRead {
			t.Errorf("%s: its CI %q is said to be read", name, tree.CI)
		}
	}
}

// TestSame checks that a child returns what detection in this process returns.
func TestSame(t *testing.T) {
	p := newPool(t, Options{Children: 1})
	server := "import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';\n" +
		"new McpServer({}).tool('tides','Reads <the> & tides',{a:z.string().describe('<a>')},f)"
	for name, s := range map[string]*registry.Snapshot{
		"server": snapshotOf(map[string]string{"index.js": server, "README.md": "# Tides MCP",
			"package.json": `{"name":"a","dependencies":{"@modelcontextprotocol/sdk":"1"}}`}),
		"none":      snapshotOf(map[string]string{"README.md": "# A list"}),
		"no files":  {Repo: registry.Repository{Name: "tides-mcp"}, Files: []registry.File{}},
		"not known": {Repo: registry.Repository{Name: "tides-mcp"}},
		"not UTF-8": snapshotOf(map[string]string{"README.md": "# MCP \xff", "package.json": "{}"}),
	} {
		want := detect.Servers(s, nil)
		got, err := p.Servers(t.Context(), s, nil)
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

// TestPublicTexts checks that READMEs are masked where they are read, and that other files lose only
// the secrets that services mark.
func TestPublicTexts(t *testing.T) {
	p := newPool(t, Options{Children: 1})
	s := snapshotOf(map[string]string{"README.md": "# Tides MCP\nby ann@tides.dev\n",
		"docs/readme.rst": "Tides", "package.json": `{"name":"tides-mcp","author":"ann@tides.dev"}`,
		".env.example": "TIDES_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a"})
	want := maps.Clone(s.Texts)
	want[".env.example"] = "TIDES_TOKEN=YOUR_TOKEN"
	want["README.md"] = "# Tides MCP\nby YOUR_EMAIL\n"
	if _, err := p.Servers(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, s.Texts); d != "" {
		t.Error(d)
	}
}

// TestSlowed checks that a reader that hardly gets processor time returns the same.
func TestSlowed(t *testing.T) {
	p := newPool(t, Options{Children: 1})
	s := snapshotOf(readtest.Hostile()["functions: each other"])
	want, err := p.Servers(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := <-p.slots
	pid := c.cmd.Process.Pid
	p.slots <- c
	go func() {
		for range 20 { // stopped for seven seconds in all
			_ = syscall.Kill(pid, syscall.SIGSTOP)
			time.Sleep(350 * time.Millisecond)
			_ = syscall.Kill(pid, syscall.SIGCONT)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	start := time.Now()
	got, err := p.Servers(t.Context(), s, nil)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("after %v: %v\n%s", time.Since(start), err, d)
	}
}

// waitFor calls done until it is true.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal(what)
}

// reading returns the child of a pool of one that is reading.
func reading(t *testing.T, p *Pool, s *registry.Snapshot) (pid int, result chan error) {
	t.Helper()
	if _, err := p.Servers(t.Context(), snapshotOf(nil), nil); err != nil { // starts it
		t.Fatal(err)
	}
	c := <-p.slots
	pid = c.cmd.Process.Pid
	p.slots <- c
	result = make(chan error, 1)
	go func() {
		_, err := p.Servers(context.Background(), s, nil)
		result <- err
	}()
	waitFor(t, "the child is not used", func() bool { return len(p.slots) == 0 })
	return pid, result
}

func TestFailures(t *testing.T) {
	files := maps.Clone(readtest.Hostile()["functions: each other"])
	maps.Copy(files, readtest.Hostile()["Python: brackets"]) // which take steps of their own
	slow := snapshotOf(files)
	large := snapshotOf(readtest.Hostile()["script: do"])
	var mu sync.Mutex
	var counted []string
	count := func(reason string) {
		mu.Lock()
		defer mu.Unlock()
		counted = append(counted, reason)
	}
	for name, tt := range map[string]struct {
		options Options
		snap    *registry.Snapshot
		during  func(pid int)
		want    string
	}{
		"processor time": {Options{CPU: time.Second}, slow, nil, Processor},
		"memory":         {Options{Memory: 300 << 20}, large, nil, Memory},
		"deadline":       {Options{Deadline: 2 * time.Second}, slow, nil, Time},
		"killed": {Options{}, slow, func(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) },
			Crash},
	} {
		t.Run(name, func(t *testing.T) {
			tt.options.Children, tt.options.Failed = 1, count
			counted = nil
			p := newPool(t, tt.options)
			pid, result := reading(t, p, tt.snap)
			if tt.during != nil {
				tt.during(pid)
			}
			err := <-result
			failure, ok := errors.AsType[*Failure](err)
			if !ok || failure.Reason != tt.want || !slices.Equal(counted, []string{tt.want}) {
				t.Errorf("got %#v, counted %v", err, counted)
			}
			if _, err := p.Servers(t.Context(), snapshotOf(nil), nil); err != nil {
				t.Errorf("the next reading: %v", err)
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	p := newPool(t, Options{Children: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := p.Servers(ctx, snapshotOf(readtest.Hostile()["functions: each other"]), nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestChild checks what a child has of this process and of the machine.
func TestChild(t *testing.T) {
	t.Setenv("SECRET", "s3cret")
	p := newPool(t, Options{Children: 1})
	if _, err := p.Servers(t.Context(), snapshotOf(nil), nil); err != nil {
		t.Fatal(err)
	}
	c := <-p.slots
	defer func() { p.slots <- c }()
	dir := "/proc/" + strconv.Itoa(c.cmd.Process.Pid)
	if env, err := os.ReadFile(dir + "/environ"); err != nil || len(env) > 0 {
		t.Errorf("environment %q, %v", env, err)
	}
	limits, err := os.ReadFile(dir + "/limits")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	for _, want := range []string{"Max file size 0 0", "Max open files 0 0",
		"Max core file size 0 0", "Max data size 1073741824 1073741824"} {
		if !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), want) {
			t.Errorf("no limit %q in\n%s", want, limits)
		}
	}
	descriptors, err := os.ReadDir(dir + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range descriptors {
		to, _ := os.Readlink(dir + "/fd/" + d.Name())
		if !strings.HasPrefix(to, "pipe:") && !isRuntime(to) {
			t.Errorf("descriptor %s is %s", d.Name(), to)
		}
	}
	own, _ := os.Readlink("/proc/self/ns/net")
	if its, _ := os.Readlink(dir + "/ns/net"); !p.open && its == own {
		t.Error("it has the network of this process")
	}
}

func TestArchives(t *testing.T) {
	p := newPool(t, Options{Children: 1})
	packed := readtest.Tgz(t, readtest.File("package/index.js",
		"import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';\n"+
			"new McpServer({}).tool('tides','Tides',{},f)"))
	files, partial, err := p.Unpack(t.Context(), "a.tgz", packed)
	if err != nil || partial || len(files) != 1 {
		t.Fatalf("%d files, partial %v, %v", len(files), partial, err)
	}
	found, _, err := p.Tools(t.Context(), files, nil)
	if err != nil || len(found.Tools) != 1 || found.Tools[0].Name != "tides" {
		t.Errorf("%+v, %v", found, err)
	}
	imports, err := p.Imports(t.Context(), source.Files{"a.js": "import './b.js'"},
		[]string{"a.js", "b.js"})
	if err != nil || !slices.Equal(imports, []string{"b.js"}) {
		t.Errorf("imports %v, %v", imports, err)
	}
	_, _, err = p.Unpack(t.Context(), "a.tgz", packed[:20])
	if _, ok := errors.AsType[Problem](err); !ok {
		t.Errorf("a damaged archive: %v", err)
	}
}

// TestCheckResult checks that invalid responses are refused.
func TestCheckResult(t *testing.T) {
	server := func(d registry.Detection) detect.Result {
		return detect.Result{State: detect.StateServer, Servers: []detect.Server{{Detection: d}}}
	}
	for name, r := range map[string]detect.Result{
		"state":      {State: "new"},
		"no servers": {State: detect.StateServer},
		"servers": {State: detect.StateServer,
			Servers: make([]detect.Server, detect.MaxServers+1)},
		"not one":   {State: detect.StateNotServer, Servers: make([]detect.Server, 1)},
		"folder":    server(registry.Detection{Subfolder: "../a"}),
		"tools":     server(registry.Detection{Tools: make([]registry.Tool, 501)}),
		"long name": server(registry.Detection{Name: strings.Repeat("a", maxText+1)}),
		"NUL":       server(registry.Detection{Description: "a\x00"}),
	} {
		if check(&r) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	ok := server(registry.Detection{Name: "Tides", Subfolder: "a/b"})
	if err := check(&ok); err != nil {
		t.Error(err)
	}
}

func TestMessage(t *testing.T) {
	for name, text := range map[string]string{
		"length":   "\xff\xff\xff\xff\xff\xff\xff\xff",
		"not JSON": "\x00\x00\x00\x00\x00\x00\x00\x01a",
		"cut":      "\x00\x00\x00\x00\x00\x00\x00\x09{}",
		"files": "\x00\x00\x00\x00\x00\x00\x00\x37" +
			`{"body":{},"files":[{"path":"a","size":99999999999999}]}`,
	} {
		if _, _, err := readMessage[response](strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A stoppedStore is a store whose caller is stopped while a strike is stored.
type stoppedStore struct {
	stop    func()
	strikes int
}

func (s *stoppedStore) BeginReading(ctx context.Context, _, _ string) (int, error) {
	s.strikes++
	s.stop()
	return s.strikes - 1, ctx.Err()
}

func (s *stoppedStore) EndReading(_ context.Context, _ string, strikes int) error {
	s.strikes = strikes
	return nil
}

// TestNoStrikeOfOthers checks that a deadline that ends before the reading leaves no strike.
func TestNoStrikeOfOthers(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	store := &stoppedStore{stop: stop}
	s := &Strikes{Store: store, Log: slog.New(slog.DiscardHandler)}
	if err := s.Guard(ctx, "a", "1", ctx.Err); !errors.Is(err, context.Canceled) || store.strikes != 0 {
		t.Errorf("%v, %d strikes", err, store.strikes)
	}
}
