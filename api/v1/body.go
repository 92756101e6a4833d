package v1

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/registry"
)

// The longest bodies, in bytes.
const (
	maxSearchBody = 96 << 10 // filters and a cursor that carries them
	maxBulkBody   = 128 << 10
	maxCustomBody = 64 << 10
)

// An object is a body: the members that an endpoint knows, as they stand
// there. A member that is null is absent.
type object map[string]json.RawMessage

// readObject returns the body of a request, which must be one JSON object.
// Members that are not allowed, or given twice, are added to wrong.
func readObject(c *gin.Context, limit int64, wrong *faults, allowed ...string) (object, error) {
	kind, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || len(c.Request.Header["Content-Type"]) != 1 || kind != "application/json" || params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return nil, registry.Errorf(registry.ErrMediaType, "The body must be JSON in UTF-8, sent with Content-Type: application/json.")
	}
	if e := c.GetHeader("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return nil, registry.Errorf(registry.ErrMediaType, "The body must not be compressed.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", limit)
	}
	if err != nil {
		return nil, err
	}
	return parseObject(body, allowed, wrong)
}

func parseObject(body []byte, allowed []string, wrong *faults) (object, error) {
	if !utf8.Valid(body) {
		return nil, badBody("must be UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, badBody("must be a JSON object")
	}
	m := object{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var v json.RawMessage
		if err == nil && ok {
			err = d.Decode(&v)
		}
		if err != nil || !ok {
			return nil, badBody("is malformed near byte " + strconv.FormatInt(d.InputOffset(), 10))
		}
		if _, again := m[name]; again {
			wrong.add(api.Printable(name), "is given more than once")
			continue
		}
		if !slices.Contains(allowed, name) {
			wrong.add(api.Printable(name), "is not a member here; there are: "+strings.Join(allowed, ", "))
			continue
		}
		m[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, badBody("does not end")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, badBody("must be one JSON object, and something follows it")
	}
	for name, v := range m {
		if string(v) == "null" {
			delete(m, name)
		}
	}
	return m, nil
}

func badBody(msg string) error {
	return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_body", Msg: "The body " + msg + ".",
		Fields: []registry.FieldError{{Field: "body", Message: msg}}}
}

// text returns a string, "" if there is none.
func (m object) text(name string, most int, wrong *faults) (s string) {
	raw, ok := m[name]
	if !ok {
		return ""
	}
	switch {
	case json.Unmarshal(raw, &s) != nil:
		wrong.add(name, "must be a string")
	case len(s) > most:
		wrong.add(name, "is too long")
	default:
		if fault := api.TextFault(name, s); fault != "" {
			wrong.add(name, fault)
			return ""
		}
		return s
	}
	return ""
}

// whole reads a whole number, if there is one.
func (m object) whole(name string, low, high int, to *int, msg string, wrong *faults) {
	if raw, ok := m[name]; ok {
		n, ok := api.Whole(string(raw), low, high)
		if !ok {
			wrong.add(name, msg)
			return
		}
		*to = n
	}
}

// truth reads true or false, if it is there.
func (m object) truth(name string, to *bool, wrong *faults) {
	if raw, ok := m[name]; ok && json.Unmarshal(raw, to) != nil {
		wrong.add(name, "must be true or false")
	}
}

// texts returns a list of strings, nil if there is none.
func (m object) texts(name string, wrong *faults) []string {
	raw, ok := m[name]
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		wrong.add(name, "must be an array of strings")
		return nil
	}
	out := make([]string, len(list))
	for i, v := range list {
		at := name + "[" + strconv.Itoa(i) + "]"
		if json.Unmarshal(v, &out[i]) != nil || v[0] != '"' {
			wrong.add(at, "must be a string")
		} else if !api.CleanText(out[i]) {
			wrong.add(at, "has characters that are not text")
		} else if len(out[i]) > 512 {
			wrong.add(at, "must be at most 512 bytes long")
		}
	}
	return out
}
