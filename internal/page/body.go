package page

import (
	"encoding"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/jsonobject"
	"mcpcensus/internal/registry"
)

// maxElement is the maximum length of an element of a list of strings, in characters, unless
// its tag sets another.
const maxElement = 512

// ReadBody reads the body of an HTTP request, which must be JSON of at most limit
// bytes, as [ParseBody] does.
func ReadBody(
	w http.ResponseWriter, r *http.Request, limit int64, request any, faults *Faults,
) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, given := params["charset"]
	if err != nil || len(r.Header["Content-Type"]) != 1 || kind != "application/json" ||
		given && !strings.EqualFold(charset, "utf-8") {
		return registry.Errorf(registry.ErrMediaType,
			"The body must be JSON in UTF-8, sent with Content-Type: application/json.")
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return registry.Errorf(registry.ErrMediaType, "The body must not be compressed.")
	}
	body, err := io.ReadAll(httpd.LimitBody(w, r, limit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", limit)
	}
	if err != nil {
		return err
	}
	return ParseBody(body, request, faults)
}

// ParseBody reads a JSON object into a request, and adds errors in its members to faults. Null
// members are absent. It returns an error if the body is not one JSON object.
func ParseBody(body []byte, request any, faults *Faults) error {
	members, err := decodeObject(body, faults)
	if err != nil {
		return err
	}
	fields := fieldsOf(request)
	for name := range members {
		if fields.named(name) == nil {
			faults.Add(Printable(name), "is not a member of this request%s", listed(fields.names()))
		}
	}
	target := reflect.ValueOf(request).Elem()
	for _, f := range fields {
		if raw, ok := members[f.name]; ok {
			f.setJSON(target, raw, faults)
		} else if f.fallback != "" {
			f.set(target, f.fallback, faults)
		}
	}
	return nil
}

// decodeObject returns the non-null members of a JSON object. Duplicate members are faults.
func decodeObject(body []byte, faults *Faults) (map[string]json.RawMessage, error) {
	if !utf8.Valid(body) {
		return nil, invalidBody("must be UTF-8")
	}
	list, err := jsonobject.Members(body)
	if err != nil {
		return nil, invalidBody("must be a JSON object: " + err.Error())
	}
	members := map[string]json.RawMessage{}
	for _, m := range list {
		if _, repeated := members[m.Name]; repeated {
			faults.Add(Printable(m.Name), "must be given once")
			continue
		}
		members[m.Name] = m.Value
	}
	for name, v := range members {
		if string(v) == "null" {
			delete(members, name)
		}
	}
	return members, nil
}

func invalidBody(msg string) error {
	return &registry.Error{
		Kind: registry.ErrInvalid, Code: "invalid_body", Msg: "The body " + msg + ".",
		Fields: []registry.FieldError{{Field: "body", Message: msg}},
	}
}

// setJSON parses a member into the request, or adds a fault.
func (f *field) setJSON(request reflect.Value, raw json.RawMessage, faults *Faults) {
	to := request.FieldByIndex(f.index)
	if u, ok := to.Addr().Interface().(json.Unmarshaler); ok {
		if err := u.UnmarshalJSON(raw); err != nil {
			faults.Take(f.name, err)
		}
		return
	}
	_, isText := to.Addr().Interface().(encoding.TextUnmarshaler)
	switch {
	case f.isList():
		f.setList(request, f.strings(raw, faults), faults)
	case to.Kind() == reflect.String || isText:
		var s string
		if json.Unmarshal(raw, &s) != nil {
			faults.Add(f.name, "must be a string")
		} else if s != "" {
			f.set(request, s, faults)
		}
	default:
		f.set(request, string(raw), faults)
	}
}

// strings returns a list of strings. Elements of other types are faults and "".
func (f *field) strings(raw json.RawMessage, faults *Faults) []string {
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		faults.Add(f.name, "must be an array of strings")
		return nil
	}
	out := make([]string, len(list))
	for i, v := range list {
		if v[0] != '"' || json.Unmarshal(v, &out[i]) != nil {
			faults.Add(f.name+"["+strconv.Itoa(i)+"]", "must be a string")
		}
	}
	return out
}
