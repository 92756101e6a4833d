package dumps

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"

	"mcpcensus/internal/registry"
)

// maxDump is the largest file that is downloaded, in bytes.
const maxDump = 64 << 30

// downloads is the client for dumps. A download may take hours, but the response must begin
// soon.
var downloads = &http.Client{Transport: &http.Transport{
	Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: 30 * time.Second,
}}

var fileForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Download copies the dump at a URL into a folder and returns its path. It reuses a file of an
// earlier call. If the URL's folder has a file SHA256SUMS with the name, the sum is compared.
func Download(ctx context.Context, address, dir string) (file string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", registry.Errorf(registry.ErrInvalid,
			"%q must be a file or a URL such as https://example.com/dumps/latest.jsonl.gz", address)
	}
	name := path.Base(u.Path)
	if !fileForm.MatchString(name) {
		return "", registry.Errorf(registry.ErrInvalid, "the URL must end in the name of a dump")
	}
	file = filepath.Join(dir, name)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	sum, err := sumAt(ctx, u, name)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", registry.Wrap(registry.ErrUnavailable, err, "cannot create the folder "+dir)
	}
	part := file + ".part"
	if err := download(ctx, address, part); err != nil {
		return "", err
	}
	if sum != "" {
		if err := compare(part, name, sum); err != nil {
			return "", errors.Join(err, os.Remove(part))
		}
	}
	return file, os.Rename(part, file)
}

// sumAt returns the sum of a file from SHA256SUMS in the same folder, "" if there is none.
func sumAt(ctx context.Context, u *url.URL, name string) (string, error) {
	res, err := get(ctx, u.ResolveReference(&url.URL{Path: registry.DumpSums}).String())
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxSums))
	return registry.ParseSums(string(text))[name], err
}

func get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := downloads.Do(req)
	if err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err, "cannot download the dump")
	}
	return res, nil
}

func download(ctx context.Context, address, file string) error {
	res, err := get(ctx, address)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return registry.Errorf(registry.ErrUnavailable, "cannot download the dump: %s responded %s",
			address, res.Status)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(res.Body, maxDump+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return registry.Wrap(registry.ErrUnavailable, err, "cannot download the dump")
	}
	if n > maxDump {
		return errors.Join(registry.Errorf(registry.ErrInvalid, "the dump is larger than %d GB",
			maxDump>>30), os.Remove(file))
	}
	return nil
}

// Verify compares a file with its sum in the file SHA256SUMS next to it, if that lists it.
func Verify(file string) error {
	sums, err := readSums(filepath.Join(filepath.Dir(file), registry.DumpSums))
	if err != nil || sums[filepath.Base(file)] == "" {
		return nil //nolint:nilerr // without sums there is nothing to compare
	}
	return compare(file, filepath.Base(file), sums[filepath.Base(file)])
}

func compare(file, name, want string) error {
	got, err := sumOf(file)
	if err != nil {
		return err
	}
	if got != want {
		return registry.Errorf(registry.ErrInvalid,
			"%s is damaged or was altered: its SHA-256 is %s, and %s says %s", name, got, registry.DumpSums, want)
	}
	return nil
}
