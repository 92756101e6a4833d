package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// News has the events and READMEs of servers; postgres.DB describes the methods.
type News interface {
	News(ctx context.Context, slugs []string, since, until time.Time, limit int) ([]registry.News, error)
	Retired(ctx context.Context, since time.Time, limit int) ([]registry.News, error)
	Readme(ctx context.Context, slug string) (registry.Readme, error)
}

// A source answers calls of tools with the read model of this process, as /api does. Texts of
// [registry.Error] are shown to the client.
type source struct {
	api  *api.API
	news News
}

// Limits of texts in results, in bytes.
const (
	maxName        = 80
	maxDescription = 300
	maxSentence    = 160
	maxToolText    = 1500
)

// find returns a server by its slug, a former slug, its name in the official registry or the
// URL of its repository, with warnings about the choice.
func (s *source) find(ctx context.Context, id string) (*registry.Server, []string, error) {
	v, err := s.api.View()
	if err != nil {
		return nil, nil, err
	}
	id = strings.TrimSpace(id)
	warnings := []string{}
	i, gone := v.Lookup(id)
	if i == nil && !gone && strings.Contains(id, "/") {
		if items, err := v.ByAddress(id); err == nil && len(items) > 0 {
			if i = items[0]; len(items) > 1 {
				warnings = append(warnings, "The repository has "+text.Count(len(items), "server")+
					"; this is the best one. Others: "+slugs(items[1:])+".")
			}
		}
	}
	if i == nil {
		if i, err = s.api.FindServer(ctx, v, id); err != nil {
			return nil, nil, err
		}
	}
	r, err := i.Record()
	return r, warnings, err
}

// slugs lists the slugs of at most five items.
func slugs(items []*catalog.Item) string {
	var all []string
	for _, i := range items[:min(5, len(items))] {
		all = append(all, i.Slug())
	}
	return strings.Join(all, ", ")
}

func (s *source) pageURL(slug string) string { return s.api.BaseURL + "/servers/" + slug }

// seal returns the cursor after n items of what a tool lists.
func (s *source) seal(tool string, input any, n int) *string {
	return new(s.api.Sealer.Seal(&page.Cursor{Path: tool, Params: params(input), Offset: n}))
}

// resume returns the offset of a cursor that seal made for the same tool and input, 0 for
// an empty one.
func (s *source) resume(cursor, tool string, input any) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	c, err := s.api.Sealer.Open(cursor)
	if err != nil || c.Path != tool || c.Params["of"] != params(input)["of"] || c.Offset < 0 {
		return 0, registry.Invalid("cursor",
			"must be the next cursor of %s with the same arguments; start again without it", tool)
	}
	return c.Offset, nil
}

func params(input any) map[string]string {
	b, err := json.Marshal(input)
	if err != nil {
		panic("mcp: " + err.Error()) // inputs always encode
	}
	return map[string]string{"of": string(b)}
}

// Readme returns the README of a server, and why there is none if the server is harmful.
func (s *source) readme(ctx context.Context, slug string) (string, error) {
	r, _, err := s.find(ctx, slug)
	if err != nil {
		return "", err
	}
	if r.Severity() == registry.SeverityHarmful {
		return "No README is shown, because the server is harmful.", nil
	}
	readme, err := s.news.Readme(ctx, r.Slug)
	return readme.Text, err
}

// Slugs returns slugs that contain a text, those that begin with it first, by quality.
func (s *source) slugs(_ context.Context, typed string, n int) ([]string, int, error) {
	v, err := s.api.View()
	if err != nil {
		return nil, 0, err
	}
	typed = strings.ToLower(typed)
	var first, rest []string
	total := 0
	l := v.List("", catalog.ByRecommended, -1)
	for i := range l.Total() {
		slug := l.At(i).Slug()
		switch at := strings.Index(slug, typed); {
		case at < 0:
			continue
		case at == 0 && len(first) < n:
			first = append(first, slug)
		case len(rest) < n:
			rest = append(rest, slug)
		}
		total++
	}
	all := append(first, rest...)
	return all[:min(n, len(all))], total, nil
}

// brief returns a text on one line, of at most n bytes.
func brief(s string, n int) string { return text.Shorten(text.OneLine(clean(s)), n) }
