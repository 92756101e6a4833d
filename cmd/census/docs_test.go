package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the examples of the documentation, and the validated model")

const (
	apiDocs = "../../docs/api.md"
	// documentedAddress is where "make demo" answers, documentedDay when the
	// answers of the documentation were given.
	documentedAddress = "127.0.0.1:8080"
)

var documentedDay = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// documentedExample is a command of docs/api.md and the response that follows it.
var documentedExample = regexp.MustCompile(
	"(?s)```sh\n((?:curl|bin/census) .*?)\n```\n\n```(json|http|text)\n(.*?)```")

// serial are the numbers of keys and webhooks in responses.
var serial = regexp.MustCompile(`("id":\s*|/v1/webhooks/)\d+`)

// TestDemo runs the tests that read one demo. The fixtures come before the examples, which
// depend less on the numbers of keys and webhooks.
func TestDemo(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "sed"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: %s is not installed", program)
		}
	}
	d := startDemo(t)
	d.installCensus()
	t.Run("marks", func(t *testing.T) { demoMarks(d.of(t)) })
	t.Run("fixtures", func(t *testing.T) { compareFixtures(d.of(t)) })
	t.Run("examples", func(t *testing.T) { documentationExamples(d.of(t)) })
}

// awaitPlan waits until requests with a key see the plan of its account.
func (d *demo) awaitPlan(key, plan string) {
	d.t.Helper()
	within(d.t, 10*time.Second, "plan in effect", func() bool {
		return strings.Contains(d.shell("curl -s -H 'Authorization: Bearer "+key+"' http://"+
			documentedAddress+"/v1/account"), `"`+plan+`"`)
	})
}

// of returns the demo for a subtest.
func (d *demo) of(t *testing.T) *demo {
	c := *d
	c.t = t
	return &c
}

// documentationExamples runs every command of docs/api.md with the shell and curl and compares
// the responses with those shown. With -update it writes the responses into the file.
func documentationExamples(d *demo) {
	t := d.t
	text, err := os.ReadFile(apiDocs)
	if err != nil {
		t.Fatal(err)
	}
	all := bytes.Count(text, []byte("```sh\n"))
	if n := len(documentedExample.FindAll(text, -1)); n != all || n < 20 {
		t.Fatalf("%d examples are understood of %d", n, all)
	}
	out := documentedExample.ReplaceAllFunc(text, func(block []byte) []byte {
		m := documentedExample.FindSubmatch(block)
		command, kind, shown := string(m[1]), string(m[2]), m[3]
		got := serial.ReplaceAllString(d.shell(command), "${1}1")
		if strings.HasPrefix(command, "bin/census plan set ") {
			d.awaitPlan(d.key, "enterprise")
		}
		if *update {
			return fmt.Appendf(nil, "```sh\n%s\n```\n\n```%s\n%s\n```", command, kind,
				d.show(kind, got))
		}
		for _, difference := range d.compare(kind, shown, got) {
			t.Errorf("%s\n%s", command, difference)
		}
		return block
	})
	if *update {
		if err := os.WriteFile(apiDocs, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A demo is a running "census serve --demo".
type demo struct {
	t       *testing.T
	address string
	folder  string // that commands run in
	dir     string
	key     string // in the shell's KEY, as the last command left it
	log     *syncBuffer
}

// installCensus puts the program where the documentation has it: at bin/census.
func (d *demo) installCensus() {
	d.t.Helper()
	err := os.Mkdir(filepath.Join(d.folder, "bin"), 0o755)
	if err == nil {
		err = os.Symlink(program(d.t), filepath.Join(d.folder, "bin", "census"))
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// startDemo starts a demo on data of its own in a process of its own, without the
// race detector, and waits until it is filled.
func startDemo(t *testing.T) *demo {
	t.Helper()
	// Not t.TempDir: a Postgres that runs as another user must get there.
	dir, err := os.MkdirTemp("", "census-demo-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d := &demo{t: t, folder: t.TempDir(), dir: dir, log: new(syncBuffer)}
	cmd := exec.Command(program(t), "serve", "--demo")
	cmd.Env = []string{"HOME=/nowhere", "CENSUS_ADDR=127.0.0.1:0", "CENSUS_METRICS_ADDR=off",
		"CENSUS_DATA_DIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.Stderr = d.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the demo ended with: %v", err)
			}
		case <-time.After(30 * time.Second):
			_ = cmd.Process.Kill()
			t.Errorf("the demo did not end:\n%s", d.log)
		}
	})
	d.address = strings.TrimPrefix(addressIn(t, d.log, "listening"), "http://")
	within(t, 2*time.Minute, "filled", func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the demo ended: %v\n%s", err, d.log)
		default:
		}
		return strings.Contains(d.log.String(), "demo: filled")
	})
	// The search index and the catalog follow the database.
	before, same := "", 0
	within(t, time.Minute, "settled", func() bool {
		now := d.shell("curl -s 'http://" + documentedAddress +
			"/api/discover?search=mcp&limit=100'")
		if same++; now != before {
			before, same = now, 0
		}
		time.Sleep(time.Second)
		return same == 2
	})
	return d
}

// shell runs a command of the documentation against the demo, and returns its
// output as if it had come from the documented address. KEY stays set from one
// command to the next, as in a reader's shell.
func (d *demo) shell(command string) string {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c",
		"set -o pipefail; trap 'printf %s \"$KEY\" >key' EXIT\n"+strings.ReplaceAll(command,
			documentedAddress, d.address))
	cmd.Dir = d.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "NO_PROXY=*", "KEY=" + d.key,
		"CENSUS_DATA_DIR=" + d.dir}
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("%s: %v", command, err)
	}
	key, err := os.ReadFile(filepath.Join(d.folder, "key"))
	if err != nil {
		d.t.Fatal(err)
	}
	d.key = string(key)
	text := strings.ReplaceAll(string(out), "\r\n", "\n")
	return strings.TrimSpace(strings.ReplaceAll(text, d.address, documentedAddress))
}

// What depends on the time at which a response is given.
var (
	aTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	aDate = regexp.MustCompile(`\d{4}-\d\d-\d\d\b`)
	aDay  = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} \d{4}\b`)
	// The ID of a commit depends on its date.
	aCommit = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
)

// movable is text without its times.
func movable(s string) string {
	s = aDate.ReplaceAllString(aTime.ReplaceAllString(s, "(time)"), "(date)")
	s = aCommit.ReplaceAllString(s, "(commit)")
	return aDay.ReplaceAllString(s, "(date)")
}

// volatile are the headers and members that no two responses have in common.
var volatile = map[string]*regexp.Regexp{
	"requestId":             regexp.MustCompile(`^[2-7A-Z]{26}$`),
	"nextCursor":            regexp.MustCompile(`^[A-Za-z0-9_-]{20,}$`),
	"X-Request-Id":          regexp.MustCompile(`^[2-7A-Z]{26}$`),
	"X-Ratelimit-Remaining": regexp.MustCompile(`^\d+$`),
	"X-Ratelimit-Reset":     regexp.MustCompile(`^\d{10}$`),
	"Etag":                  regexp.MustCompile(`^W/"[0-9a-z-]+"$`),
	"Content-Length":        regexp.MustCompile(`^\d+$`), // of times with and without fractions
	"Date":                  regexp.MustCompile(` GMT$`),
	"prefix":                regexp.MustCompile(`^mcp_[0-9A-Za-z]{6}$`),
	"Link":                  regexp.MustCompile(`^<http://127\.0\.0\.1:8080/\S+>; rel="next"$`),
}

// scores may differ by one from day to day: the parts that follow from the age
// of a commit or a release do not move in whole points.
var scores = []string{"qualityScore", "healthScore", "quality_score", "score", "scoreLow",
	"scoreHigh", "popularity", "points", "gain"}

// counted are numbers that depend on what happened before, or on how long it
// took. Some are null until they are stored.
var counted = []string{
	"tookMs", "used", "reset", "percentile", "overall", "views", "apiHits", "searchImpressions",
	"healthChecks", "installClicks", "badgeViews",
}

// compare returns where a response is not as shown.
func (d *demo) compare(kind string, shown []byte, got string) []string {
	switch kind {
	case "text":
		if strings.TrimSpace(string(shown)) != got {
			return []string{fmt.Sprintf("it says %q, shown as %q", got, shown)}
		}
		return nil
	case "http":
		return differentHeaders(inOrder(string(shown)), inOrder(got))
	}
	var want, have any
	if err := json.Unmarshal(shown, &want); err != nil {
		return []string{"what is shown is not JSON: " + err.Error()}
	}
	if err := json.Unmarshal([]byte(got), &have); err != nil {
		return []string{"the response is not JSON: " + err.Error() + "\n" + got}
	}
	return differences("", "", want, have)
}

// inOrder returns a head with its headers sorted: their order means nothing.
func inOrder(head string) string {
	lines := strings.Split(strings.TrimSpace(head), "\n")
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n")
}

// differences walks two JSON values. A list of objects is shown by its first.
func differences(at, member string, want, got any) (found []string) {
	bad := func() []string {
		return []string{fmt.Sprintf("%s is %#v, shown as %#v", at, got,
			want)}
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return bad()
		}
		a, b := slices.Sorted(maps.Keys(w)), slices.Sorted(maps.Keys(g))
		if !slices.Equal(a, b) {
			return []string{fmt.Sprintf("%s has %v, shown with %v", at, b, a)}
		}
		for _, k := range a {
			found = append(found, differences(at+"."+k, k, w[k], g[k])...)
		}
		return found
	case []any:
		g, ok := got.([]any)
		if !ok {
			return bad()
		}
		if len(w) == 1 && len(g) > 1 {
			if _, ok := w[0].(map[string]any); ok {
				g = g[:1]
			}
		}
		if len(w) != len(g) {
			return bad()
		}
		for i := range w {
			found = append(found, differences(at+"["+strconv.Itoa(i)+"]", member, w[i], g[i])...)
		}
		return found
	case float64:
		if got == nil && slices.Contains(counted, member) {
			return nil
		}
		g, ok := got.(float64)
		if ok && slices.Contains(counted, member) {
			return nil
		}
		if !ok || w != g && !(slices.Contains(scores, member) && max(w-g, g-w) <= 1) {
			return bad()
		}
		return nil
	case string:
		g, ok := got.(string)
		if form := volatile[member]; ok && form != nil && form.MatchString(g) &&
			form.MatchString(w) {
			return nil
		}
		if !ok || movable(w) != movable(g) {
			return bad()
		}
		return nil
	}
	if want != got && !(want == nil && slices.Contains(counted, member)) {
		return bad()
	}
	return nil
}

func differentHeaders(shown, got string) (found []string) {
	want, have := strings.Split(shown, "\n"), strings.Split(got, "\n")
	if len(want) != len(have) {
		return []string{"the answer is\n" + got}
	}
	for i := range want {
		name, w, _ := strings.Cut(want[i], ": ")
		_, g, _ := strings.Cut(have[i], ": ")
		if form := volatile[name]; form != nil && strings.HasPrefix(have[i], name+": ") &&
			form.MatchString(w) && form.MatchString(g) {
			continue
		}
		if want[i] != have[i] {
			found = append(found, fmt.Sprintf("%q, shown as %q", have[i], want[i]))
		}
	}
	return found
}

// show returns a response as the documentation has it: indented, lists of
// objects cut to their first entry, and given on the documented day.
func (d *demo) show(kind, got string) string {
	d.t.Helper()
	switch kind {
	case "text":
		return got
	case "json":
		var b bytes.Buffer
		if err := json.Indent(&b, d.firsts(json.RawMessage(got)), "", "  "); err != nil {
			d.t.Fatalf("%v: %s", err, got)
		}
		got = regexp.MustCompile(`"requestId": "[^"]*"`).ReplaceAllString(b.String(),
			`"requestId": "LEQF7GI5VR4GRC2ZD3YIFZBEWN"`)
	default:
		for name, value := range map[string]string{
			"X-Request-Id": "LEQF7GI5VR4GRC2ZD3YIFZBEWN", "X-Ratelimit-Remaining": "91",
			"Etag":              `W/"2x"`,
			"X-Ratelimit-Reset": strconv.FormatInt(documentedDay.Add(time.Hour).Unix(), 10),
			"Date":              documentedDay.Format("Mon, 02 Jan 2006 15:04:05 GMT"),
		} {
			got = regexp.MustCompile("(?m)^"+name+": .*$").ReplaceAllLiteralString(got,
				name+": "+value)
		}
	}
	now := time.Now().UTC()
	got = aTime.ReplaceAllStringFunc(got, func(s string) string {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return s
		}
		return at.Add(documentedDay.Sub(now)).Round(10 * time.Minute).Format(time.RFC3339)
	})
	days := int(documentedDay.Truncate(24*time.Hour).Sub(now.Truncate(24*time.Hour)) / (24 * time.Hour))
	for layout, form := range map[string]*regexp.Regexp{time.DateOnly: aDate, "2 Jan 2006": aDay} {
		got = form.ReplaceAllStringFunc(got, func(s string) string {
			at, err := time.Parse(layout, s)
			if err != nil {
				return s
			}
			return at.AddDate(0, 0, days).Format(layout)
		})
	}
	return got
}

// firsts cuts lists of objects to their first entry, and keeps the order of
// members, which a map would not.
func (d *demo) firsts(raw json.RawMessage) json.RawMessage {
	d.t.Helper()
	check := func(err error) {
		d.t.Helper()
		if err != nil {
			d.t.Fatalf("%v: %s", err, raw)
		}
	}
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
		return raw
	}
	var out bytes.Buffer
	if raw[0] == '[' {
		var items []json.RawMessage
		check(json.Unmarshal(raw, &items))
		if len(items) == 0 || items[0][0] != '{' {
			return raw
		}
		fmt.Fprintf(&out, "[%s]", d.firsts(items[0]))
		return out.Bytes()
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	_, err := in.Token()
	check(err)
	for separator := "{"; in.More(); separator = "," {
		k, err := in.Token()
		check(err)
		var v json.RawMessage
		check(in.Decode(&v))
		fmt.Fprintf(&out, "%s%q:%s", separator, k, d.firsts(v))
	}
	if out.Len() == 0 {
		return raw
	}
	out.WriteByte('}')
	return out.Bytes()
}
