package web_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/webtest/sitetest"
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
		"/servers?q=weather":                   5,
		"/compare?s=" + first + "&s=" + second: 5,
		"/social/" + first + ".png":            5,
	} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sitetest.New(t, servers, func(o *web.Options) { o.Limiter = unlimited{} })
				for n := range web.PerMinute / points {
					if res, body := s.Get(path); res.StatusCode != 200 {
						t.Fatalf("request %d: %d %.300s", n, res.StatusCode, body)
					}
				}
				res, body := s.Get(path)
				wait, _ := strconv.Atoi(res.Header.Get("Retry-After"))
				if res.StatusCode != 429 || wait < 1 || wait > 60 ||
					!strings.Contains(body, "<title>Rate limit exceeded") ||
					!strings.Contains(body, "Too many requests from this address") {
					t.Fatalf("after %d points: %d, Retry-After %d, %.600s", web.PerMinute, res.StatusCode, wait, body)
				}
				for _, free := range []string{"/", "/static/" + assetOf(s), "/badge/" + first + ".svg", "/robots.txt",
					"/sitemap.xml", "/about", "/categories"} {
					if res, _ := s.Get(free); res.StatusCode != 200 {
						t.Errorf("%s costs nothing: %d", free, res.StatusCode)
					}
				}
				time.Sleep(time.Duration(wait) * time.Second)
				if res, _ := s.Get(path); res.StatusCode != 200 {
					t.Errorf("after Retry-After: %d", res.StatusCode)
				}
			})
		})
	}
	t.Run("a search engine", func(t *testing.T) { // ten pages a second
		synctest.Test(t, func(t *testing.T) {
			s := sitetest.New(t, servers, func(o *web.Options) { o.Limiter = unlimited{} })
			for n := range 700 {
				path := "/servers/" + servers[n%len(servers)].Slug + ".md" // cheaper for the test
				if n%10 == 0 {
					path = "/servers?page=2"
				}
				if res, _ := s.Get(path); res.StatusCode != 200 {
					t.Fatalf("page %d, %s: %d", n, path, res.StatusCode)
				}
				time.Sleep(time.Second / 10)
			}
		})
	})
}

func assetOf(s *sitetest.Site) string {
	_, body := s.Get("/about")
	_, after, _ := strings.Cut(body, "/static/")
	name, _, _ := strings.Cut(after, `"`)
	return name
}
