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

// maxBody is the maximum size of a request body, in bytes.
const maxBody = 16 << 10

// readJSON decodes the body of a request, one JSON object, into v. It refuses
// members that v does not have.
func readJSON(c *gin.Context, v any) error {
	types := c.Request.Header.Values("Content-Type")
	if len(types) != 1 || !isJSON(types[0]) {
		return registry.Errorf(registry.ErrMediaType,
			"The body must be JSON with the header Content-Type: application/json.")
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
		return badBody("must be UTF-8")
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
			return registry.Invalid(strings.Trim(field, `"`), "is not a known member")
		}
		return badBody("is not valid JSON")
	}
	if d.Decode(new(any)) != io.EOF {
		return badBody("must be a single JSON object")
	}
	if name := duplicate(b); name != "" {
		return registry.Invalid(name, "must not be given twice")
	}
	return nil
}

// kindName returns the name of a type in JSON.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "value of another type"
}

func isJSON(contentType string) bool {
	t, params, err := mime.ParseMediaType(contentType)
	charset, ok := params["charset"]
	return err == nil && t == "application/json" && (!ok || strings.EqualFold(charset, "utf-8"))
}

// duplicate returns the name of a member that the object b has twice, "" if
// there is none.
func duplicate(b []byte) string {
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
		// encoding/json ignores case.
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
	return &registry.Error{Kind: registry.ErrMissing, Msg: "The body is empty. It must be a JSON object."}
}

func badBody(what string) error {
	return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_body", Msg: "The body " + what + "."}
}

// missing is the error for a required member.
func missing(field string) error {
	return &registry.Error{Kind: registry.ErrMissing, Msg: field + " is required",
		Fields: []registry.FieldError{{Field: field, Message: "is required"}}}
}
