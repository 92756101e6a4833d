package pages

import (
	"testing"

	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
)

func TestServerPage_OwnSite(t *testing.T) {
	s := registry.Server{Repo: registry.Repository{Owner: "Octo", Name: "Weather"}}
	for home, want := range map[string]string{
		"https://github.com/octo/weather#readme":      "",
		"https://github.com/octo/weather/tree/main/a": "",
		"https://weather.example":                     "https://weather.example",
		"":                                            "",
	} {
		s.Homepage = home
		if got := (serverPage{Record: record.New(&s)}).OwnSite(); got != want {
			t.Errorf("%s: %q, want %q", home, got, want)
		}
	}
}
