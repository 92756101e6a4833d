package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/web"
	"mcpcensus/web/export"
	"mcpcensus/web/site"
	"mcpcensus/web/webtest/sitetest"
)

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// BenchmarkExport writes CENSUS_BENCH_SERVERS generated servers to a folder,
// each with a README and a history, and again without a change. It reports
// files, their size, the processor's seconds, and the peak of the process's
// resident memory.
func BenchmarkExport(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS"))
	if n == 0 {
		n = 1000
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(640 << 20)) // as the command does
	dir := filepath.Join(b.TempDir(), "export")
	for _, name := range []string{"first", "again"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				cat := catalog.New()
				if err := cat.Load(b.Context(), generatedFeed(n)); err != nil {
					b.Fatal(err)
				}
				o := sitetest.Options()
				o.Site = site.Options{Catalog: cat, BaseURL: "https://copy.example/mirror/census", Static: true}
				o.Pages.Figures = &sitetest.Figures{Days: sitetest.Year(), Text: benchReadme}
				s, err := web.New(o)
				if err != nil {
					b.Fatal(err)
				}
				before := processor()
				b.StartTimer()
				r, err := s.Export(b.Context(), export.Options{Documents: api.NewEncoder("io.test", nil),
					Dir: dir, Version: "test", Start: func(int) {}, Progress: func() {}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric((processor() - before).Seconds(), "cpu-s")
				b.ReportMetric(float64(r.Files), "files")
				b.ReportMetric(float64(r.Written), "written")
				b.ReportMetric(float64(r.Bytes)/1e6, "MB")
				if status, err := os.ReadFile("/proc/self/status"); err == nil {
					if m := peak.FindSubmatch(status); m != nil {
						kB, _ := strconv.ParseFloat(string(m[1]), 64)
						b.ReportMetric(kB/1e3, "MB-peak")
					}
				}
			}
		})
	}
}

// processor is how long the process has had a processor, on all of them
// together; 0 where that cannot be told.
func processor() time.Duration {
	status, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	var ticks int64
	for _, f := range fields[11:13] { // of user and system, in hundredths of a second
		n, _ := strconv.ParseInt(f, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
