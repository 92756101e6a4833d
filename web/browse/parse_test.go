package browse

import (
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func FuzzParse(f *testing.F) {
	for _, q := range []string{"q=a&page=2", "category=data&sdk=ts", "%zz", "q=%ff&sort=x"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		b, err := Parse(raw)
		if err != nil {
			if !errors.Is(err, registry.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		u, err := url.Parse(b.URL(b.Page))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(u.RawQuery)
		switch kind, name, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); kind {
		case "categories":
			again.Categories = append(again.Categories, name)
		case "tags":
			again.Tag = name
		case "owners":
			again.Owner = name
		}
		if err != nil || !reflect.DeepEqual(again, b) {
			t.Fatalf("%+v became %+v by %s, %v", b, again, u, err)
		}
	})
}
