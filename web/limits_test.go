package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// unlimited lets all requests pass that package quota counts.
type unlimited struct{}

func (unlimited) Take(context.Context, quota.Subject, int) (quota.Result, error) {
	return quota.Result{Allowed: true}, nil
}

func (unlimited) Peek(context.Context, quota.Subject, int) (quota.Result, error) {
	return quota.Result{Allowed: true}, nil
}

func TestPageLimits(t *testing.T) {
	t.Parallel()
	var servers []registry.Server // with little to show, since pages of them are rendered often
	for n := range 60 {
		name := fmt.Sprint("server-", n)
		servers = append(servers, registry.Server{Slug: name, Name: name, Category: "tools",
			Status: registry.StatusActive,
			Repo:   registry.Repository{Host: registry.GitHub, Owner: "octo", Name: name}})
	}
	first, second := servers[0].Slug, servers[1].Slug
	for path, points := range map[string]int{
		"/servers?q=weather":                   searchCost,
		"/compare?s=" + first + "&s=" + second: heavyCost,
		"/social/" + first + ".png":            heavyCost,
	} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, servers, func(o *Options) { o.Limiter = unlimited{} })
				for n := range PerMinute / points {
					if res, body := s.get(path); res.StatusCode != 200 {
						t.Fatalf("request %d: %d %.300s", n, res.StatusCode, body)
					}
				}
				res, body := s.get(path)
				wait, _ := strconv.Atoi(res.Header.Get("Retry-After"))
				if res.StatusCode != 429 || wait < 1 || wait > 60 ||
					!strings.Contains(body, "<title>Rate limit exceeded") ||
					!strings.Contains(body, "Too many requests from this address") {
					t.Fatalf("after %d points: %d, Retry-After %d, %.600s", PerMinute, res.StatusCode, wait, body)
				}
				for _, free := range []string{"/", "/static/" + assetOf(s), "/badge/" + first + ".svg", "/robots.txt",
					"/sitemap.xml", "/about", "/categories"} {
					if res, _ := s.get(free); res.StatusCode != 200 {
						t.Errorf("%s costs nothing: %d", free, res.StatusCode)
					}
				}
				time.Sleep(time.Duration(wait) * time.Second)
				if res, _ := s.get(path); res.StatusCode != 200 {
					t.Errorf("after Retry-After: %d", res.StatusCode)
				}
			})
		})
	}
	t.Run("a search engine", func(t *testing.T) { // ten pages a second
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, servers, func(o *Options) { o.Limiter = unlimited{} })
			for n := range 700 {
				path := "/servers/" + servers[n%len(servers)].Slug + ".md" // cheaper for the test
				if n%10 == 0 {
					path = "/servers?page=2"
				}
				if res, _ := s.get(path); res.StatusCode != 200 {
					t.Fatalf("page %d, %s: %d", n, path, res.StatusCode)
				}
				time.Sleep(time.Second / 10)
			}
		})
	})
}

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

func assetOf(s testSite) string {
	_, body := s.get("/about")
	_, after, _ := strings.Cut(body, "/static/")
	name, _, _ := strings.Cut(after, `"`)
	return name
}
