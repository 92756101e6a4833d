package api

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// dumpTime is the timeout of a download. Clients resume with range requests.
const dumpTime = time.Hour

// dayCache is the Cache-Control of a day's dump, which never changes.
const dayCache = "public, max-age=86400, immutable"

// dumpTagLength is the number of characters of the sum in an entity tag.
const dumpTagLength = 16

var (
	dumpName = regexp.MustCompile(`^servers-(\d{4}-\d{2}-\d{2})\.jsonl\.gz$`)
	sumForm  = regexp.MustCompile(`^([0-9a-f]{64})  (\S+)$`)
)

const (
	dumpSums   = "SHA256SUMS"
	dumpLatest = "latest.jsonl.gz"
)

type (
	dumpsBody struct {
		Dumps []dumpBody `json:"dumps"`
	}

	dumpBody struct {
		Date   string `json:"date"`
		Bytes  int64  `json:"bytes"`
		SHA256 string `json:"sha256"`
		URL    string `json:"url"`
	}
)

// dumps handles GET /dumps.
func (a *API) dumps(_ context.Context, c *gin.Context) error {
	body := dumpsBody{Dumps: []dumpBody{}}
	if err := a.inDumps(func(root *os.Root) error {
		sums := dumpSumsOf(root)
		entries, err := fs.ReadDir(root.FS(), ".")
		for _, e := range slices.Backward(entries) {
			m := dumpName.FindStringSubmatch(e.Name())
			info, err := e.Info()
			if m == nil || err != nil || sums[e.Name()] == "" {
				continue
			}
			body.Dumps = append(body.Dumps, dumpBody{Date: m[1], Bytes: info.Size(), SHA256: sums[e.Name()],
				URL: a.BaseURL + "/dumps/" + e.Name()})
		}
		return err
	}); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Send(c, body)
}

// inDumps calls f with the folder of dumps. The error is fs.ErrNotExist if this process
// has none.
func (a *API) inDumps(f func(*os.Root) error) error {
	if a.Dumps == "" {
		return fs.ErrNotExist
	}
	root, err := os.OpenRoot(a.Dumps)
	if err != nil {
		return err
	}
	defer root.Close()
	return f(root)
}

// dumpSumsOf returns the SHA-256 of dumps by name.
func dumpSumsOf(root *os.Root) map[string]string {
	sums := map[string]string{}
	f, err := root.Open(dumpSums)
	if err != nil {
		return sums
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if m := sumForm.FindStringSubmatch(lines.Text()); m != nil {
			sums[m[2]] = m[1]
		}
	}
	return sums
}

// dumpFile handles GET /dumps/{file}.
func (a *API) dumpFile(_ context.Context, c *gin.Context) error {
	name := c.Param("file")
	err := fs.ErrNotExist
	if dumpName.MatchString(name) || name == dumpLatest || name == dumpSums {
		err = a.inDumps(func(root *os.Root) error { return sendDump(c, root, name) })
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &registry.Error{Kind: registry.ErrNotFound, Code: "dump_not_found",
			Msg: "No such dump. GET /dumps lists the available dumps."}
	}
	return err
}

func sendDump(c *gin.Context, root *os.Root, name string) error {
	sums := dumpSumsOf(root)
	f, err := root.Open(name)
	if err != nil {
		return fs.ErrNotExist
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	header := c.Writer.Header()
	header.Set("Content-Type", "application/gzip")
	header.Set("Cache-Control", sharedCache)
	switch {
	case name == dumpSums:
		header.Set("Content-Type", "text/plain; charset=utf-8")
	case sums[name] != "":
		header.Set("Etag", `"`+sums[name][:dumpTagLength]+`"`)
	}
	if strings.HasPrefix(name, "servers-") {
		header.Set("Cache-Control", dayCache)
	}
	// The default write timeout suits small responses. Test writers do not support deadlines.
	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(dumpTime))
	http.ServeContent(c.Writer, c.Request, "", info.ModTime(), f)
	return nil
}
