package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthcheck(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	check := func(environ []string, args ...string) int {
		var errs strings.Builder
		return exitStatus(run(context.Background(), append([]string{"healthcheck"}, args...),
			append(environ, "HOME=/nowhere"), &errs, &errs), &errs)
	}
	for _, addr := range []string{"127.0.0.1" + port, "0.0.0.0" + port, port} {
		if got := check([]string{"CENSUS_ADDR=" + addr}); got != 0 {
			t.Errorf("ready on %s: %d", addr, got)
		}
		if got := check([]string{"CENSUS_ADDR=127.0.0.1:1", "CENSUS_METRICS_ADDR=" + addr},
			"--worker"); got != 0 {
			t.Errorf("a worker on %s: %d", addr, got)
		}
	}
	status = http.StatusServiceUnavailable
	if got := check([]string{"CENSUS_ADDR=127.0.0.1" + port}); got != 1 {
		t.Errorf("not ready: %d", got)
	}
	if got := check([]string{"CENSUS_ADDR=127.0.0.1:1"}); got != 1 {
		t.Errorf("nobody there: %d", got)
	}
	if got := check([]string{"CENSUS_METRICS_ADDR=off"}, "--worker"); got != 1 {
		t.Errorf("without metrics: %d", got)
	}
}
