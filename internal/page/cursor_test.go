package page

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSealer(t *testing.T) {
	s := NewSealer([]byte("key"))
	for _, c := range []Cursor{
		{Path: "/api/servers", Slug: "a"},
		{Path: "/api/discover", Params: map[string]string{"category": "data", "minScore": "12.5"}, Keys: []any{1.5, "Käse\x00", nil}, Slug: "b-c", Offset: 7},
		{Path: "/api/discover", Slug: "e", Tool: 300},
	} {
		text := s.Seal(&c)
		if url.QueryEscape(text) != text {
			t.Errorf("%q is not URL-safe", text)
		}
		got, err := s.Open(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&c, got); diff != "" {
			t.Error(diff)
		}
		for i := range len(text) {
			b := []byte(text)
			b[i] ^= 1
			if _, err := s.Open(string(b)); err == nil {
				t.Errorf("with character %d altered it opens", i)
			}
		}
		for _, other := range []string{text + "\n", text[:9] + "\r\n" + text[9:], text + "A", text[:len(text)-4]} {
			if _, err := s.Open(other); err == nil {
				t.Errorf("%q opens", other)
			}
		}
		if _, err := NewSealer([]byte("another key")).Open(text); err == nil {
			t.Error("it opens with another key")
		}
	}
}

func TestResume(t *testing.T) {
	s := NewSealer(nil)
	minScore := 20.0
	list := request{Category: "data", MinScore: &minScore, Sort: Sort{Text: "stars:desc"}}
	if err := list.Filters.UnmarshalText([]byte(`{"stars":{"gte":1},"sdk":["go","ts"]}`)); err != nil {
		t.Fatal(err)
	}
	text := s.Seal(&Cursor{Path: "/list", Params: Params(&list), Slug: "x"})
	for _, tt := range []struct {
		raw, want string
	}{
		{"", ""},
		{"limit=50", ""},
		{"category=data&minScore=20.0&sort=-stars", ""},
		{"filters=" + url.QueryEscape(` { "sdk" : [ "go" , "typescript" ] , "stars" : { "gte" : 1.0 } } `), ""},
		{"filters={}&sort=", ""},
		{"category=api", "cursor is of a list with another category; omit category, or start again without cursor"},
		{"search=x&sort=name", "cursor is of a list with another search, sort; omit search, sort, or start again without cursor"},
	} {
		t.Run(tt.raw, func(t *testing.T) {
			var r request
			var faults Faults
			if err := ParseQuery(tt.raw, &r, &faults); err != nil || len(faults) > 0 {
				t.Fatal(err, faults)
			}
			said := ""
			if _, err := s.Resume(text, "/list", &r); err != nil {
				said = err.Error()
			} else if diff := cmp.Diff(list.Filters, r.Filters); diff != "" || r.Category != "data" || *r.MinScore != 20 {
				t.Errorf("%+v, %s", r, diff)
			}
			if said != tt.want {
				t.Errorf("got  %s\nwant %s", said, tt.want)
			}
		})
	}
	if _, err := s.Resume(text, "/other", &request{}); err == nil {
		t.Error("a cursor of another endpoint is accepted")
	}
}

func FuzzOpen(f *testing.F) {
	s := NewSealer(nil)
	f.Add(s.Seal(&Cursor{Path: "/list", Slug: "x"}))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := s.Open(text)
		if err == nil && s.Seal(c) == "" {
			t.Errorf("%q opens to what cannot be sealed: %+v", text, c)
		}
	})
}
