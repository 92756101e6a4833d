package httpd

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpcensus/internal/quota"
)

func TestAddressOf(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	for _, tc := range []struct {
		remote string
		xff    []string
		want   string
	}{
		{"192.0.2.1:99", nil, "192.0.2.1"},
		{"192.0.2.1:99", []string{"203.0.113.5"}, "192.0.2.1"}, // not a trusted proxy
		{"127.0.0.1:99", []string{"203.0.113.5"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7, 203.0.113.5"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7, 203.0.113.5, 10.1.2.3"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7", "203.0.113.5,10.1.2.3"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:99", []string{"evil, 10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:99", []string{""}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"203.0.113.5:4711"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"[2001:db8:1:2:3:4:5:6]:4711"}, "2001:db8:1:2::"},
		{"[2001:db8:1:2:3:4:5:6]:99", nil, "2001:db8:1:2::"},
		{"[2001:db8:ffff::1]:99", []string{"2001:db8:9:9::1"}, "2001:db8:9:9::"},
		{"[::ffff:192.0.2.1]:99", nil, "192.0.2.1"},
		{"[::ffff:10.0.0.1]:99", []string{"::ffff:203.0.113.5"}, "203.0.113.5"},
		{"[fe80::1%eth0]:99", nil, "fe80::"},
		{"nonsense", nil, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tc.remote
		for _, x := range tc.xff {
			r.Header.Add("X-Forwarded-For", x)
		}
		if got := networkOf(addressOf(r, trusted)).String(); got != tc.want {
			t.Errorf("%s %q: %s, want %s", tc.remote, tc.xff, got, tc.want)
		}
	}
}

// Without a configured proxy nobody is trusted, also not on this machine.
func TestAddressOf_noProxies(t *testing.T) {
	for remote, want := range map[string]string{
		"127.0.0.1:99": "127.0.0.1", "[::1]:99": "::", "192.0.2.1:99": "192.0.2.1",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = remote
		r.Header.Set("X-Forwarded-For", "198.51.100.7, 203.0.113.5")
		if got := networkOf(addressOf(r, nil)).String(); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}

func TestWarnForwarded(t *testing.T) {
	proxy := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, tt := range map[string]struct {
		remote, forwarded string
		trusted           []netip.Prefix
		want              string
	}{
		"trusted":       {"10.1.2.3:99", "203.0.113.5", proxy, ""},
		"no header":     {"192.0.2.1:99", "", proxy, ""},
		"untrusted":     {"192.0.2.1:99", "203.0.113.5", proxy, "ignored"},
		"unconfigured":  {"172.17.0.1:99", "203.0.113.5", nil, "ignored"},
		"this machine":  {"127.0.0.1:99", "203.0.113.5", nil, "ignored"},
		"loopback left": {"127.0.0.1:99", "203.0.113.5", proxy, "ignored"},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			warn := warnForwarded(slog.New(slog.NewTextHandler(&log, nil)), tt.trusted)
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = tt.remote
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-For", tt.forwarded)
			}
			for range 3 {
				warn(r)
			}
			got := log.String()
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Count(got, "\n") > 1 {
				t.Errorf("logged %q", got)
			}
		})
	}
}

// TestWarnForwarded_others tests that strangers do not use up the warning about a proxy.
func TestWarnForwarded_others(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		warn := warnForwarded(slog.New(slog.NewTextHandler(&log, nil)), nil)
		warned := func(remote string) bool {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = remote
			r.Header.Set("X-Forwarded-For", "203.0.113.5")
			log.Reset()
			warn(r)
			return log.Len() > 0
		}
		for i, want := range []struct {
			remote string
			warned bool
		}{
			{"192.0.2.1:99", true}, {"172.17.0.1:99", true}, {"172.17.0.1:98", false},
			{"[2001:db8::1]:99", true}, {"[2001:db8::2]:99", false},
		} {
			if got := warned(want.remote); got != want.warned {
				t.Errorf("%d: %s: warned is %t", i, want.remote, got)
			}
		}
		for i := range 2 * maxForwarders {
			if got := warned(fmt.Sprintf("198.51.100.%d:99", i)); got != (i < maxForwarders-3) {
				t.Errorf("stranger %d: warned is %t", i, got)
			}
		}
		time.Sleep(time.Hour)
		if !warned("172.17.0.1:99") || warned("172.17.0.1:99") {
			t.Error("the proxy is not reported once in the next hour")
		}
	})
}

func FuzzAddressOf(f *testing.F) {
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	f.Add("203.0.113.5, 10.0.0.1")
	f.Add(",,,[::1]:x")
	f.Fuzz(func(t *testing.T, s string) {
		r := &http.Request{RemoteAddr: "127.0.0.1:1", Header: http.Header{"X-Forwarded-For": {s}}}
		if !networkOf(addressOf(r, trusted)).IsValid() {
			t.Errorf("%q gives no client", s)
		}
	})
}

func TestClientSubject(t *testing.T) {
	subject := func(addr string) quota.Subject {
		r := &http.Request{RemoteAddr: netip.AddrPortFrom(netip.MustParseAddr(addr), 1).String()}
		return networkOf(addressOf(r, nil)).Subject()
	}
	seen := map[quota.Subject]string{}
	for addr, same := range map[string]string{
		"192.0.2.1": "", "192.0.2.2": "", "0.0.0.1": "", "::1": "",
		"2001:db8::1": "2001:db8::2", "2001:db8:0:1::1": "", "2001:db9::": "",
	} {
		s := subject(addr)
		if was, ok := seen[s]; ok {
			t.Errorf("%s and %s have one subject", addr, was)
		}
		seen[s] = addr
		if same != "" && subject(same) != s {
			t.Errorf("%s and %s have two subjects", addr, same)
		}
	}
}
