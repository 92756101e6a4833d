package feeds_test

import (
	"strings"
	"testing"

	"mcpcensus/web"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

func TestAvatar(t *testing.T) {
	servers := webtest.Generated(3)
	servers[0].Repo.Owner = "Octo-Labs"
	s := sitetest.New(t, servers, func(o *web.Options) { o.Feeds.Avatars = sitetest.Avatars{"github/octo-labs": "\x89PNG"} })
	list := s.Page("/servers", 200)
	if !strings.Contains(list, `src="/avatars/github/octo-labs.png"`) {
		t.Error("the list does not show the owner's avatar")
	}
	res, body := s.Get("/avatars/github/octo-labs.png")
	tag := res.Header.Get("ETag")
	if res.StatusCode != 200 || body != "\x89PNG" || res.Header.Get("Content-Type") != "image/png" ||
		tag == "" || !strings.Contains(res.Header.Get("Cache-Control"), "max-age=86400") {
		t.Errorf("%d %v %q", res.StatusCode, res.Header, body)
	}
	if res, _ := s.Get("/avatars/github/octo-labs.png", "If-None-Match", tag); res.StatusCode != 304 {
		t.Errorf("with the tag: %d, want 304", res.StatusCode)
	}
	res, body = s.Get("/avatars/github/nobody.png")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(body, ">N</text>") {
		t.Errorf("without an avatar: %d %v %q", res.StatusCode, res.Header, body)
	}
	_, body = s.Get("/avatars/github/%3Cscript%3E.png")
	if strings.Contains(body, "<script") || !strings.Contains(body, "&lt;</text>") {
		t.Errorf("a name of markup gives %q", body)
	}
	if res, _ := s.Get("/avatars/github/octo-labs.svg"); res.StatusCode != 404 {
		t.Errorf("not a PNG: %d, want 404", res.StatusCode)
	}
}
