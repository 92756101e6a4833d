package main

import (
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// The metrics that alerts and the dashboard name exist.
func TestMetricsOfAlerts(t *testing.T) {
	sources := ""
	for _, file := range []string{"metrics.go", "serve.go", "../../internal/httpd/metrics.go"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources += string(b)
	}
	suffix := regexp.MustCompile(`_(bucket|sum|count)$`)
	for _, file := range []string{"../../deploy/prometheus/alerts.yml", "../../deploy/grafana/census.json"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`census_[a-z_]+`).FindAllString(string(b), -1)
		if len(found) < 5 {
			t.Errorf("%s names only %v", file, found)
		}
		for _, name := range found {
			if !strings.Contains(sources, `"`+suffix.ReplaceAllString(name, "")+`"`) {
				t.Errorf("%s: %s does not exist", file, name)
			}
		}
	}
}

// Prometheus adds a label job to every metric.
func TestMetricsLabels(t *testing.T) {
	m := newMetrics()
	descriptions := make(chan *prometheus.Desc, 1000)
	m.registry.Describe(descriptions)
	close(descriptions)
	reserved := regexp.MustCompile(`variableLabels: \{[^}]*\b(job|instance)\b`)
	for d := range descriptions {
		if reserved.MatchString(d.String()) {
			t.Errorf("the label is overwritten: %s", d)
		}
	}
}

func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED: promtool is not installed (Debian: apt-get install prometheus)")
	}
	cmd := exec.Command(promtool, "test", "rules", "alerts_test.yml")
	cmd.Dir = "../../deploy/prometheus"
	if _, err := os.ReadDir(cmd.Dir); err != nil { // so that the test cache tracks its files
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A page of a browser on this machine, whose name was made to lead here, reads nothing.
func TestLocalOnly(t *testing.T) {
	local, open := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9464}, &net.TCPAddr{IP: net.IPv4zero, Port: 9464}
	for _, test := range []struct {
		addr net.Addr
		host string
		want int
	}{
		{local, "127.0.0.1:9464", 200}, {local, "localhost:9464", 200}, {local, "[::1]:9464", 200},
		{local, "evil.example", 421}, {local, "127.0.0.1.evil.example:9464", 421}, {local, "", 421},
		{open, "census:9464", 200},
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = test.host
		w := httptest.NewRecorder()
		localOnly(test.addr, newMetrics().mux()).ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s at %s: %d, want %d", test.host, test.addr, w.Code, test.want)
		}
	}
}
