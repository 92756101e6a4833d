package accounts

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// maxBody is the size of the largest body of the account API.
const maxBody = 16 << 10

// readJSON reads the body of a request, one JSON object, into v. Members that
// v does not have are refused: they would do nothing.
func readJSON(c *gin.Context, v any) error {
	kinds := c.Request.Header.Values("Content-Type")
	if len(kinds) != 1 || !isJSON(kinds[0]) {
		return registry.Errorf(registry.ErrMediaType, "The body must be JSON, with one header Content-Type: application/json.")
	}
	if c.Request.Body == nil {
		return emptyBody()
	}
	b, err := io.ReadAll(io.LimitReader(c.Request.Body, maxBody+1))
	switch {
	case err != nil:
		return err
	case len(b) > maxBody:
		return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", maxBody)
	case len(strings.TrimSpace(string(b))) == 0:
		return emptyBody()
	case !utf8.Valid(b):
		return badBody("is not UTF-8")
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			if e.Field == "" {
				return badBody("must be a JSON object")
			}
			return registry.Invalid(e.Field, "must be a %s", kindName(e.Type))
		}
		if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return registry.Invalid(strings.Trim(field, `"`), "is not a member of this body")
		}
		return badBody("is not JSON that can be read")
	}
	if d.Decode(new(any)) != io.EOF {
		return badBody("has more than one JSON value")
	}
	if name := twice(b); name != "" {
		return registry.Invalid(name, "is given twice")
	}
	return nil
}

// kindName is what JSON calls the values of a type.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "value of another type"
}

func isJSON(kind string) bool {
	t, params, err := mime.ParseMediaType(kind)
	charset, ok := params["charset"]
	return err == nil && t == "application/json" && (!ok || strings.EqualFold(charset, "utf-8"))
}

// twice returns the name of a member that the object b has twice; "": none.
func twice(b []byte) string {
	d := json.NewDecoder(strings.NewReader(string(b)))
	seen := make(map[string]bool)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return ""
		}
		// encoding/json takes a name in any case.
		folded := strings.ToLower(strings.ToUpper(name))
		if seen[folded] {
			return name
		}
		seen[folded] = true
		if d.Decode(new(json.RawMessage)) != nil {
			return ""
		}
	}
	return ""
}

func emptyBody() error {
	return &registry.Error{Kind: registry.ErrMissing, Msg: "The body is empty; it must be a JSON object."}
}

func badBody(what string) error {
	return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_body", Msg: "The body " + what + "."}
}
