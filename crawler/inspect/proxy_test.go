//go:build linux && (amd64 || arm64)

package inspect

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProxy(t *testing.T) {
	i := newInspector(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "hello")
			c.Close()
		}
	}()
	work, err := i.box.folder()
	if err != nil {
		t.Fatal(err)
	}
	defer i.remove(work)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := copyFile(self, filepath.Join(work, "app", "server"), 0o755); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(work, "proxy.sock")
	p, err := listenProxy(t.Context(), socket, []string{l.Addr().String(), "packages.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := i.box.chown(socket); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	proc, err := i.box.start(t.Context(), command{app: work, limits: installLimits, proxy: socket,
		argv: []string{serverPath, "installer", l.Addr().String(), "localhost:" + port,
			"packages.example:22", "other.example:443"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(proc.stdout)
	if err != nil {
		t.Fatal(err)
	}
	if status := proc.wait(); status != 0 {
		t.Fatalf("exit status %d: %s", status, strings.Join(proc.stderr.lines(), "\n"))
	}
	p.close()
	want := "HTTP/1.1 200 Connection established hello\n" +
		strings.Repeat("HTTP/1.1 403 Forbidden \n", 3)
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func TestNewWithoutBubblewrap(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	i, err := New(context.Background(), Options{})
	if err == nil {
		i.Close()
		t.Fatal("runs without a sandbox")
	}
	if !strings.Contains(err.Error(), "bubblewrap (bwrap)") {
		t.Errorf("got %q", err)
	}
}
