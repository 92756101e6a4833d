package accounts

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

func FuzzReadBody(f *testing.F) {
	for _, s := range []string{`{"email":"a","password":"b"}`, `{"email":1}`, `{"x":{}}`, `[]`, `null`, "{\"email\":\"\xff\"}", `{"email":"a","email":"b"}`, `{"email":"\u0000"}`, `{}{}`, `{"a":[[[[]]]]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(s))
		c.Request.Header.Set("Content-Type", "application/json")
		var b struct {
			Email    string `query:"email"`
			Password string `query:"password"`
		}
		err := readBody(c, &b)
		if err != nil {
			if !errors.Is(err, registry.ErrInvalid) && !errors.Is(err, registry.ErrMissing) && !errors.Is(err, registry.ErrTooLarge) {
				t.Errorf("%q: an error of no kind: %v", s, err)
			}
			return
		}
		if !json.Valid([]byte(s)) || !utf8.ValidString(b.Email+b.Password) {
			t.Errorf("%q is read as %+v", s, b)
		}
		var all map[string]json.RawMessage
		if json.Unmarshal([]byte(s), &all) == nil {
			for k := range all {
				if !strings.EqualFold(k, "email") && !strings.EqualFold(k, "password") {
					t.Errorf("%q: %s is ignored", s, k)
				}
			}
		}
	})
}
