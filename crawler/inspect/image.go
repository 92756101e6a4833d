package inspect

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"mcpcensus/crawler/dockerrun"
	crawl "mcpcensus/crawler/transport"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// Limits of one image.
const (
	maxImage      = 1 << 30 // bytes, both of the download and unpacked
	maxImageFiles = 300_000
)

// An imageError describes why an image cannot be unpacked.
type imageError string

func (e imageError) Error() string { return string(e) }

// A container is a parsed docker run command.
type container struct {
	image string
	env   map[string]string
	args  []string // after the image
	entry string   // --entrypoint; "" for the image's
	dir   string   // --workdir; "" for the image's
}

// parseDocker parses a docker run command of package install. It ignores ports, volumes and
// names, which have no effect in the sandbox.
func parseDocker(l install.Launch) (c container, err error) {
	run := dockerrun.Parse(l.Args[min(1, len(l.Args)):]) // after "run"
	c.env = map[string]string{}
	for _, o := range run.Options {
		switch o.Name {
		case "env":
			if name, text, set := o.Variable(); set {
				c.env[name] = text
			} else if text, ok := l.Env[name]; ok {
				c.env[name] = text
			}
		case "workdir":
			c.dir = o.Value
		case "entrypoint":
			c.entry = o.Value
		}
	}
	if run.Image == "" {
		return c, errors.New("docker has no image argument")
	}
	c.image, c.args = run.Image, run.Args
	return c, nil
}

// pull unpacks an image into dir. The error is an [imageError] for errors of the image.
// Other errors are of this machine, of ctx, or of a registry, and may be temporary.
func (i *Inspector) pull(ctx context.Context, reference, dir string) (*v1.Config, error) {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return nil, imageError("the image reference is malformed")
	}
	img, err := remote.Image(ref, remote.WithContext(ctx), remote.WithTransport(i.opt.images),
		remote.WithUserAgent(i.opt.Client.Name+"/"+i.opt.Client.Version),
		remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		return nil, pullError(ctx, err)
	}
	manifest, err := img.Manifest()
	if err != nil {
		return nil, pullError(ctx, err)
	}
	var size int64
	for _, l := range manifest.Layers {
		size += max(0, l.Size)
	}
	if size > maxImage {
		return nil, errLargeImage
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, pullError(ctx, err)
	}
	layers := mutate.Extract(img)
	defer layers.Close()
	if err := unpackImage(ctx, layers, dir, file.Config.WorkingDir); err != nil {
		return nil, err
	}
	return &file.Config, nil
}

var errLargeImage = imageError(fmt.Sprintf("the image is larger than %d MB", maxImage>>20))

// pullError returns an [imageError], or the wrapped error if it may be temporary.
func pullError(ctx context.Context, err error) error {
	var refused *transport.Error
	var network *net.OpError
	private := errors.Is(err, crawl.ErrPrivateAddress)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused) && refused.Temporary(), errors.As(err, &network) && !private:
		return fmt.Errorf("pull image: %w", err)
	}
	return imageError(cleanLine(err.Error()))
}

// mountPoints are the mount points of the sandbox in an image's root. None may be a symbolic
// link, which could point elsewhere.
var mountPoints = []string{"proc", "dev", "tmp", "home", home[1:], path.Dir(initPath)[1:]}

// unpackImage writes the files of an image into dir and never outside it. Files are readable
// by everyone; devices are skipped. It creates workDir, as container engines do.
func unpackImage(ctx context.Context, layers io.Reader, dir, workDir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var size, files int64
	for r := tar.NewReader(layers); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return pullError(ctx, err)
		}
		size, files = size+max(0, h.Size), files+1
		if size > maxImage || files > maxImageFiles {
			return errLargeImage
		}
		if err := unpackEntry(root, h, r); err != nil {
			return unpackError(ctx, err)
		}
	}
	for _, point := range mountPoints {
		err := root.Mkdir(point, 0o755)
		if errors.Is(err, fs.ErrExist) {
			info, statErr := root.Lstat(point)
			if err = statErr; err == nil && !info.IsDir() {
				return imageError("/" + point + " is not a folder")
			}
		}
		if err != nil {
			return unpackError(ctx, err)
		}
	}
	if err := root.WriteFile(initPath[1:], nil, 0o444); err != nil {
		return unpackError(ctx, err)
	}
	if workDir = inRoot(workDir); workDir != "" {
		return unpackError(ctx, root.MkdirAll(workDir, 0o755))
	}
	return nil
}

// inRoot returns a path of an image relative to its root, "" for the root.
func inRoot(name string) string { return path.Clean("/" + name)[1:] }

// unpackEntry writes an entry of an archive. Existing files remain.
func unpackEntry(root *os.Root, h *tar.Header, content io.Reader) error {
	file := inRoot(h.Name)
	if file == "" {
		return nil
	}
	if h.Typeflag == tar.TypeDir {
		return ignoreExisting(root.MkdirAll(file, 0o755))
	}
	if err := root.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		mode := fs.FileMode(0o644)
		if h.Mode&0o111 != 0 {
			mode = 0o755
		}
		f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return ignoreExisting(err)
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	case tar.TypeSymlink:
		return ignoreExisting(root.Symlink(h.Linkname, file))
	case tar.TypeLink:
		return ignoreExisting(root.Link(inRoot(h.Linkname), file))
	}
	return nil
}

func ignoreExisting(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// unpackError returns errors of this machine wrapped, and others as [imageError].
func unpackError(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EIO),
		errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("unpack image: %w", err)
	}
	return imageError("the image cannot be unpacked: " + cleanLine(err.Error()))
}

// runImage pulls and starts the image of a docker command.
func (i *Inspector) runImage(
	ctx context.Context, work string, p registry.Package, how install.Launch,
	result *registry.Inspection,
) error {
	base, how, err := i.unpack(ctx, work, how)
	if failed, ok := errors.AsType[imageError](err); ok {
		result.Outcome, result.Detail = registry.InspectionInstallFailed, failed.Error()
		return nil
	}
	if err != nil {
		return err
	}
	return i.run(ctx, work, p, base, how, result)
}

// unpack pulls the image of a docker command below work and returns its command. The errors
// are those of [Inspector.pull].
func (i *Inspector) unpack(
	ctx context.Context, work string, l install.Launch,
) (base command, _ install.Launch, err error) {
	if !i.box.static {
		return base, l, errors.New("images require a statically linked program: build census with CGO_ENABLED=0")
	}
	c, err := parseDocker(l)
	if err != nil {
		return base, l, imageError(err.Error())
	}
	ctx, cancel := context.WithTimeoutCause(ctx, installTimeout,
		imageError("the download took longer than "+installTimeout.String()))
	defer cancel()
	config, err := i.pull(ctx, c.image, filepath.Join(work, "app"))
	if late, ok := errors.AsType[imageError](context.Cause(ctx)); ok && err != nil {
		err = late
	}
	if err != nil {
		return base, l, err
	}
	base = command{image: true, dir: "/" + inRoot(cmp.Or(c.dir, config.WorkingDir)),
		env: map[string]string{"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}}
	for _, e := range config.Env {
		if name, text, ok := strings.Cut(e, "="); ok {
			base.env[name] = text
		}
	}
	base.env["HOME"], base.env["TMPDIR"] = home, "/tmp"
	if c.entry != "" {
		config.Entrypoint, config.Cmd = []string{c.entry}, nil
	}
	if len(c.args) == 0 {
		c.args = config.Cmd
	}
	argv := slices.Concat(config.Entrypoint, c.args)
	if len(argv) == 0 {
		return base, l, imageError("the image has no command")
	}
	return base, install.Launch{Command: argv[0], Args: argv[1:], Env: c.env}, nil
}
