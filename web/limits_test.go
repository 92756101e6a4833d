package web

import (
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
)

func TestPageCost(t *testing.T) {
	for _, tt := range []struct {
		method, route, query string
		want                 int
	}{
		{"GET", "/servers", "", listCost},
		{"GET", "/servers", "?page=3", listCost},
		{"GET", "/servers", "?q=", filterCost},
		{"GET", "/servers", "?grade=A&page=2", filterCost},
		{"GET", "/tags/:tag", "?q=x", searchCost},
		{"GET", "/servers/:slug", "", serverCost},
		{"HEAD", "/owners/:owner", "?q=x", searchCost},
		{"GET", "/feed.atom", "", feedCost},
		{"GET", "/check", "?url=github.com/o/r", heavyCost},
		{"GET", "/check", "", listCost},
		{"POST", "/lint", "", heavyCost},
		{"POST", "/servers/:slug/check", "", heavyCost},
		{"GET", "/categories", "?q=x", 0},
		{"GET", "/static/:file", "", 0},
		{"GET", "/avatars/:host/:file", "", 0},
		{"GET", "/api/servers", "?search=x", 0},
	} {
		got := -1
		e := gin.New()
		e.Handle(tt.method, tt.route, func(c *gin.Context) { got = cost(c) })
		e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(tt.method, tt.route+tt.query, nil))
		if got != tt.want {
			t.Errorf("%s %s%s costs %d, want %d", tt.method, tt.route, tt.query, got, tt.want)
		}
	}
}
