//go:build linux && (amd64 || arm64)

package inspect

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	imageregistry "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	crawl "mcpcensus/crawler/transport"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

func TestParseDocker(t *testing.T) {
	for _, c := range []struct {
		name, args string
		want       container
		wantErr    bool
	}{
		{name: "plain", args: "run -i --rm octo/weather:1.0.0",
			want: container{image: "octo/weather:1.0.0", args: []string{}}},
		{name: "variables", args: "run -i --rm -e KEY -e MODE=stdio --env=A=b -e UNSET octo/weather",
			want: container{image: "octo/weather", args: []string{},
				env: map[string]string{"KEY": "x", "MODE": "stdio", "A": "b"}}},
		{name: "options and arguments",
			args: "run -i --rm -v /a:/b -p 80:80 --workdir /srv --entrypoint node octo/weather index.js -v",
			want: container{image: "octo/weather", dir: "/srv", entry: "node",
				args: []string{"index.js", "-v"}}},
		{name: "no image", args: "run -i --rm -e", wantErr: true},
		{name: "nothing", wantErr: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseDocker(install.Launch{Command: "docker", Args: strings.Fields(c.args),
				Env: map[string]string{"KEY": "x"}})
			if c.want.env == nil {
				c.want.env = map[string]string{}
			}
			if (err != nil) != c.wantErr {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(container{})); !c.wantErr && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// archive returns an archive of entries. Those without a type are files.
func archive(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		text := h.Uname // used for the content
		h.Uname = ""
		if h.Typeflag == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(text))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPullError(t *testing.T) {
	network := &net.OpError{Op: "dial", Err: errors.New("no route to host")}
	for _, c := range []struct {
		name    string
		err     error
		ofImage bool
	}{
		{"network", fmt.Errorf("get: %w", network), false},
		{"private address", &net.OpError{Op: "dial", Err: crawl.ErrPrivateAddress}, true},
		{"unknown image", &transport.Error{StatusCode: http.StatusNotFound}, true},
		{"limit of pulls", &transport.Error{StatusCode: http.StatusTooManyRequests}, false},
		{"malformed", errors.New("manifest has no layers"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := errors.AsType[imageError](pullError(t.Context(), c.err))
			if got != c.ofImage {
				t.Errorf("error of the image: %v", got)
			}
		})
	}
}

func TestUnpackImage(t *testing.T) {
	link := func(name, to string) tar.Header {
		return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to}
	}
	for _, c := range []struct {
		name    string
		entries []tar.Header
		want    map[string]string // files with their mode and text
		wantErr string
	}{
		{name: "files", entries: []tar.Header{
			{Typeflag: tar.TypeDir, Name: "srv/", Mode: 0},
			{Name: "srv/a", Mode: 0o4711, Uname: "text"}, {Name: "./b", Mode: 0o600, Uname: "b"},
			{Typeflag: tar.TypeLink, Name: "c", Linkname: "srv/a"}, link("d", "/srv/a"),
			{Typeflag: tar.TypeChar, Name: "null", Devmajor: 1, Devminor: 3}},
			want: map[string]string{"srv/a": "-rwxr-xr-x text", "b": "-rw-r--r-- b",
				"c": "-rwxr-xr-x text", ".census/init": "-r--r--r-- "}},
		{name: "higher layer first", entries: []tar.Header{{Name: "a", Uname: "new"}, {Name: "a", Uname: "old"}},
			want: map[string]string{"a": "-rw-r--r-- new", ".census/init": "-r--r--r-- "}},
		{name: "names with ..", entries: []tar.Header{{Name: "../../a", Uname: "x"}},
			want: map[string]string{"a": "-rw-r--r-- x", ".census/init": "-r--r--r-- "}},
		{name: "through a link", entries: []tar.Header{link("out", "../.."), {Name: "out/a", Uname: "x"}},
			wantErr: "the image cannot be unpacked: "},
		{name: "hard link to a link", entries: []tar.Header{link("out", "../../secret"),
			{Typeflag: tar.TypeLink, Name: "a", Linkname: "out/x"}}, wantErr: "the image cannot be unpacked: "},
		{name: "home is a link", entries: []tar.Header{link("home", "tmp")}, wantErr: "/home is not a folder"},
		{name: "proc is a file", entries: []tar.Header{{Name: "proc"}}, wantErr: "/proc is not a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			err := unpackImage(t.Context(), bytes.NewReader(archive(t, c.entries...)), dir, "/srv/work")
			if text, _ := errors.AsType[imageError](err); !strings.HasPrefix(string(text), c.wantErr) ||
				(err == nil) != (c.wantErr == "") {
				t.Fatalf("error %v, want %q", err, c.wantErr)
			}
			got := map[string]string{}
			err = filepath.Walk(filepath.Dir(dir), func(path string, info os.FileInfo, err error) error {
				if err == nil && info.Mode().IsRegular() {
					text, _ := os.ReadFile(path)
					rel, _ := filepath.Rel(dir, path)
					got[rel] = info.Mode().String() + " " + string(text)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); c.want != nil && diff != "" {
				t.Error(diff)
			}
			for name := range got {
				if strings.HasPrefix(name, "..") {
					t.Errorf("%s is outside of the image", name)
				}
			}
		})
	}
}

// TestImages pulls images from a registry and starts them. The first process of an image
// needs a program without shared libraries, which tests with the race detector are not.
func TestImages(t *testing.T) {
	program := filepath.Join(t.TempDir(), "server")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-ldflags", "-s -w",
		"-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the server in the images cannot be built: %v: %s", err, out)
	}
	i, err := New(t.Context(), Options{Dir: os.Getenv("CENSUS_TEST_INSPECT_DIR"), program: program,
		images: http.DefaultTransport})
	if errors.Is(err, registry.ErrUnavailable) {
		t.Skipf("SKIPPED: the sandbox cannot run here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	images := httptest.NewServer(imageregistry.New(imageregistry.Logger(log.New(io.Discard, "", 0))))
	defer images.Close()
	host := strings.TrimPrefix(images.URL, "http://")
	server, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	base := layer(t, archive(t, tar.Header{Name: serverPath[1:], Mode: 0o700, Uname: string(server)}))
	push := func(name string, config v1.Config, more ...v1.Layer) {
		pushImage(t, host+"/octo/"+name, config, append([]v1.Layer{base}, more...)...)
	}
	entry := func(words ...string) v1.Config {
		return v1.Config{Entrypoint: append([]string{serverPath}, words...), WorkingDir: "/srv"}
	}
	push("good:1", entry("good"))
	push("default:1", v1.Config{Entrypoint: []string{serverPath}, Cmd: []string{"crashes"}})
	push("keyed:1", entry("needs key"))
	push("configured:1", v1.Config{Cmd: []string{serverPath, "needs key"},
		Env: []string{"WEATHER_API_KEY=xxxx"}})
	push("network:1", entry("tries network"))
	push("secrets:1", entry("reads secrets"))
	push("writes:1", entry("writes 10 GB"))
	push("empty:1", v1.Config{})
	push("link:1", entry("good"), layer(t, archive(t,
		tar.Header{Typeflag: tar.TypeSymlink, Name: "dev", Linkname: "/tmp"})))
	listed := registry.InspectionListed
	for _, c := range []struct {
		name, image, args, env string
		want, detail           string
	}{
		{name: "good", image: "good:1", want: listed},
		{name: "argument", image: "default:1", args: "good", want: listed},
		{name: "command of the image", image: "default:1", want: registry.InspectionCrashed,
			detail: "TypeError: x is not a function"},
		{name: "variable", image: "keyed:1", env: "WEATHER_API_KEY", want: listed},
		{name: "no variable", image: "keyed:1", want: registry.InspectionNeedsCredentials,
			detail: "Error: WEATHER_API_KEY environment variable is required"},
		{name: "variable of the image", image: "configured:1", want: listed},
		{name: "tries network", image: "network:1", want: listed},
		{name: "reads secrets", image: "secrets:1", want: listed},
		{name: "writes", image: "writes:1", want: listed},
		{name: "no command", image: "empty:1", want: registry.InspectionInstallFailed,
			detail: "the image has no command"},
		{name: "link in place of a folder", image: "link:1", want: registry.InspectionInstallFailed,
			detail: "/dev is not a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inspectImage(t, i, host+"/octo/"+c.image, c.args, c.env)
			if got.Outcome != c.want || got.Detail != c.detail {
				t.Errorf("%s: %s", got.Outcome, got.Detail)
			}
			if c.name == "writes" && (len(got.Tools) != 1 ||
				got.Tools[0].Description != "/tmp\n/home/sandbox\n/dev/shm") {
				t.Errorf("could write to %+v", got.Tools)
			}
			if (c.name == "tries network" || c.name == "reads secrets") && got.Tools[0].Description != "" {
				t.Errorf("found %s", got.Tools[0].Description)
			}
		})
	}
	t.Run("unknown image", func(t *testing.T) {
		got := inspectImage(t, i, host+"/octo/unknown:1", "", "")
		if got.Outcome != registry.InspectionInstallFailed || !strings.Contains(got.Detail, "NAME_UNKNOWN") {
			t.Errorf("%s: %s", got.Outcome, got.Detail)
		}
	})
	t.Run("registry that is not public", func(t *testing.T) {
		public, err := New(t.Context(), Options{Dir: os.Getenv("CENSUS_TEST_INSPECT_DIR"), program: program})
		if err != nil {
			t.Fatal(err)
		}
		defer public.Close()
		if got := inspectImage(t, public, host+"/octo/good:1", "", ""); got.Outcome != registry.InspectionInstallFailed {
			t.Errorf("%s: %s", got.Outcome, got.Detail)
		}
	})
}

// inspectImage unpacks and runs an image with a docker command. The images of the test
// are not on a public host, which package install refuses.
func inspectImage(t *testing.T, i *Inspector, image, args, variable string) (got registry.Inspection) {
	t.Helper()
	work, err := i.box.folder()
	if err != nil {
		t.Fatal(err)
	}
	defer i.remove(work)
	l := install.Launch{Command: "docker", Args: []string{"run", "-i", "--rm"}}
	if variable != "" {
		l.Args = append(l.Args, "-e", variable)
		l.Env = map[string]string{variable: "xxxx"}
	}
	l.Args = append(append(l.Args, image), strings.Fields(args)...)
	if err := i.runImage(t.Context(), work, registry.Package{}, l, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func layer(t *testing.T, content []byte) v1.Layer {
	t.Helper()
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithCompressionLevel(gzip.NoCompression), tarball.WithCompressedCaching)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func pushImage(t *testing.T, reference string, config v1.Config, layers ...v1.Layer) {
	t.Helper()
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		t.Fatal(err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	file.Config, file.OS, file.Architecture = config, "linux", runtime.GOARCH
	if img, err = mutate.ConfigFile(img, file); err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, img); err != nil {
		t.Fatal(err)
	}
}
