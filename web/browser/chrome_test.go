package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A chrome is a running browser without a window. It reaches nothing but the
// site.
type chrome struct {
	ctx  context.Context
	stop func()
	site string
}

// findChrome returns the path of the browser that [browserVariable] names.
func findChrome() (string, error) {
	name := os.Getenv(browserVariable)
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no browser: install one (Debian: apt-get install chromium), or set %s to the path of a Chromium", browserVariable)
}

func startChrome(site string) (*chrome, error) {
	path, err := findChrome()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "census-chrome-")
	if err != nil {
		return nil, err
	}
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck, chromedp.WSURLReadTimeout(time.Minute), chromedp.Flag("hide-scrollbars", true),
	}
	for _, f := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-default-apps", "disable-extensions",
		"disable-dev-shm-usage", "no-proxy-server", "mute-audio",
		"disable-renderer-backgrounding", "disable-backgrounding-occluded-windows", "disable-background-timer-throttling",
	} {
		flags = append(flags, chromedp.Flag(f, true))
	}
	// What should not be asked is seen by the tests, and gets nowhere.
	flags = append(flags, chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"))
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, cancel := chromedp.NewContext(alloc)
	b := &chrome{ctx: ctx, site: site, stop: func() { cancel(); cancelAlloc(); os.RemoveAll(dir) }}
	if err := chromedp.Do(ctx); err != nil {
		b.stop()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return b, nil
}

// A tab is a page in the browser, with what it said and asked for since it
// was opened.
type tab struct {
	t     *testing.T
	ctx   context.Context
	site  string
	plain bool // without script

	mu      sync.Mutex
	said    []string                     // errors on the console
	asked   []string                     // requests to other hosts
	pending map[network.RequestID]string // addresses that are being loaded
	moved   time.Time                    // when requests last changed
	status  int64                        // of the latest document
}

// open opens a tab without cookies of others, 1280 by 800, light, with
// nothing moving.
func (b *chrome) open(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	ctx, cancelTimeout := context.WithTimeout(ctx, 6*time.Minute)
	t.Cleanup(func() { cancelTimeout(); cancel() })
	w := &tab{t: t, ctx: ctx, site: b.site, pending: map[network.RequestID]string{}}
	w.do(chromedp.Do(ctx))
	w.do(chromedp.Listen(ctx, w.heard))
	for _, enable := range []cdp.Command[cdp.Empty, cdp.Empty]{cdplog.Enable, runtime.Enable} {
		_, err := chromedp.Call(ctx, enable, cdp.Empty{})
		w.do(err)
	}
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	w.do(err)
	w.size(1280, 800, false)
	w.media("", "light")
	return w
}

func (w *tab) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("browser: %v", err)
	}
}

// heard keeps what tests look at of what the browser tells.
func (w *tab) heard(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			text := "console:"
			for _, a := range e.Args {
				text += " " + string(a.Value) + a.Description
			}
			w.said = append(w.said, text)
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		w.said = append(w.said, "exception: "+text)
	case *cdplog.EventEntryAdded:
		// The status of a page is looked at elsewhere.
		document := strings.HasPrefix(e.Entry.Text, "Failed to load resource: the server responded with a status of") && w.status >= 400
		if e.Entry.Level == cdplog.EntryLevelError && !document {
			w.said = append(w.said, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || (u.Scheme != "data" && u.Scheme != "blob" && u.Scheme != "about" && "http://"+u.Host != w.site) {
			w.asked = append(w.asked, e.Request.URL)
		}
		if e.Type == network.ResourceTypeDocument {
			clear(w.pending) // the end of what the page before asked for may not be told
		}
		if strings.Contains(e.Request.URL, "/favicon.") { // the page does not need it, and its end may not be told
			return
		}
		w.pending[e.RequestID] = e.Request.URL
		w.moved = time.Now()
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			w.status = e.Response.Status
		}
	case *network.EventLoadingFinished:
		delete(w.pending, e.RequestID)
		w.moved = time.Now()
	case *network.EventLoadingFailed:
		delete(w.pending, e.RequestID)
		w.moved = time.Now()
	}
}

// complaints returns what was wrong since the last call: errors on the console
// and requests to other hosts.
func (w *tab) complaints() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.said
	for _, u := range w.asked {
		all = append(all, "asks another host: "+u)
	}
	w.said, w.asked = nil, nil
	return all
}

// visit opens a path of the site, waits until nothing more is loaded, and
// returns the status.
func (w *tab) visit(path string) int64 {
	w.t.Helper()
	w.do(chromedp.Do(w.ctx, chromedp.Navigate(w.site+path)))
	w.settle()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

// settle waits until nothing has been asked for or loaded for a moment.
func (w *tab) settle() {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		w.mu.Lock()
		quiet := len(w.pending) == 0 && time.Since(w.moved) > 150*time.Millisecond
		w.mu.Unlock()
		if quiet {
			return
		}
		if time.Now().After(deadline) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.t.Fatalf("the page goes on loading %v", slices.Collect(maps.Values(w.pending)))
		}
	}
}

// size sets the window's size in CSS pixels; phone has touch, two pixels for
// one, and a layout like a phone's.
func (w *tab) size(width, height int64, phone bool) {
	w.t.Helper()
	scale := 1.0
	if phone {
		scale = 2
	}
	_, err := chromedp.Call(w.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: scale, Mobile: phone})
	w.do(err)
}

// media sets the medium, "" for the screen, and the colours.
func (w *tab) media(medium, scheme string) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	w.do(err)
}

// withoutScript switches scripts off for the pages to come.
func (w *tab) withoutScript() {
	w.t.Helper()
	w.plain = true
	_, err := chromedp.Call(w.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	w.do(err)
}

// mayCopy lets the page write to the clipboard and the test read it.
func (w *tab) mayCopy() {
	w.t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.Call(w.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, Origin: w.site,
			BrowserContextID: chromedp.FromContext(w.ctx).BrowserContextID,
		})
		w.do(err)
	}
}

// run evaluates an expression in the page, awaits it if it is a promise, and
// puts its value into out, if that is not nil.
func (w *tab) run(expression string, out any) {
	w.t.Helper()
	res, err := chromedp.Call(w.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, AwaitPromise: yes, ReturnByValue: yes, UserGesture: yes})
	w.do(err)
	if x := res.ExceptionDetails; x != nil {
		text := x.Text
		if x.Exception != nil {
			text += " " + x.Exception.Description
		}
		w.t.Fatalf("in the page: %s\n%.300s", text, expression)
	}
	if out != nil {
		if err := json.Unmarshal(res.Result.Value, out); err != nil {
			w.t.Fatalf("in the page: %v: %s\n%.300s", err, res.Result.Value, expression)
		}
	}
}

var isTrue = true
var yes = &isTrue

// call runs a function of the page's side with arguments.
func (w *tab) call(function string, out any, args ...any) {
	w.t.Helper()
	list := make([]string, len(args))
	for i, a := range args {
		b, err := json.Marshal(a)
		w.do(err)
		list[i] = string(b)
	}
	w.run("("+function+")("+strings.Join(list, ",")+")", out)
}

// key presses a key, such as Tab.
func (w *tab) key(name string, code int64) {
	w.t.Helper()
	text := ""
	switch name {
	case "Enter":
		text = "\r"
	case " ", "/":
		text = name
	}
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		_, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: name, Code: strings.ReplaceAll(name, " ", "Space"), WindowsVirtualKeyCode: code, NativeVirtualKeyCode: code, Text: text})
		w.do(err)
		text = ""
	}
}

// picture returns the visible part of the page, or all of it, as PNG.
func (w *tab) picture(whole bool) []byte {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, page.BringToFront, cdp.Empty{}) // a tab behind others may never be drawn
	w.do(err)
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}
	if whole {
		p.CaptureBeyondViewport = yes
	}
	res, err := chromedp.Call(w.ctx, page.CaptureScreenshot, p)
	w.do(err)
	return res.Data
}
