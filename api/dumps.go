package api

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"slices"
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

func (a *API) dumps(_ context.Context, c *gin.Context) error {
	body := dumpsBody{Dumps: []dumpBody{}}
	if err := a.inDumps(func(root *os.Root) error {
		sums := dumpSumsOf(root)
		entries, err := fs.ReadDir(root.FS(), ".")
		for _, e := range slices.Backward(entries) {
			date := registry.DumpDate(e.Name())
			info, err := e.Info()
			if date == "" || err != nil || sums[e.Name()] == "" {
				continue
			}
			body.Dumps = append(body.Dumps, dumpBody{Date: date, Bytes: info.Size(), SHA256: sums[e.Name()],
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
	text, err := root.ReadFile(registry.DumpSums)
	if err != nil {
		return nil
	}
	return registry.ParseSums(string(text))
}

func (a *API) dumpFile(_ context.Context, c *gin.Context) error {
	name := c.Param("file")
	err := fs.ErrNotExist
	if registry.DumpDate(name) != "" || name == registry.LatestDump || name == registry.DumpSums {
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
	case name == registry.DumpSums:
		header.Set("Content-Type", "text/plain; charset=utf-8")
	case sums[name] != "":
		header.Set("Etag", `"`+sums[name][:dumpTagLength]+`"`)
	}
	if registry.DumpDate(name) != "" {
		header.Set("Cache-Control", dayCache)
	}
	// The default write timeout suits small responses. Test writers do not support deadlines.
	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(dumpTime))
	http.ServeContent(c.Writer, c.Request, "", info.ModTime(), f)
	return nil
}
