package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// mostNames bounds the names of an index page.
const mostNames = 200

type indexPage struct {
	frame
	Text       string
	Categories []categoryShelf // of the page of categories
	Choices    []choice
	More       int // names that are not shown
}

// A categoryShelf is a category with its best servers.
type categoryShelf struct {
	choice
	Rows []row
}

// bestOfCategory is how many of a category's servers stand beside its name.
const bestOfCategory = 3

// categoriesIndex answers GET /categories.
func (s *Site) categoriesIndex(_ context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	p := indexPage{frame: s.frame("Categories", "servers"), Text: "Every server has one, read from its names, descriptions and tools."}
	p.Canonical = "/categories"
	for _, x := range categories(v) {
		shelf := categoryShelf{choice: choice{Name: categoryName(x.ID), Count: x.Count, Address: "/categories/" + x.ID}}
		if shelf.Rows, err = rowsOf(v.List(x.ID, catalog.ByQuality, -1), 0, bestOfCategory); err != nil {
			return err
		}
		p.Categories = append(p.Categories, shelf)
	}
	return s.showIndex(c, p)
}

// ownersIndex answers GET /owners.
func (s *Site) ownersIndex(_ context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	p := indexPage{frame: s.frame("Owners", "servers"), Text: "Who has the most servers in the registry."}
	p.Canonical = "/owners"
	p.fill(owners(v), func(o string) string { return browse{Owner: o}.address(1) })
	return s.showIndex(c, p)
}

// tagsIndex answers GET /tags.
func (s *Site) tagsIndex(_ context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	words := s.words(v)
	if words == nil {
		return registry.Errorf(registry.ErrUnavailable, "The tags are still being counted. Please try again in a moment.")
	}
	p := indexPage{frame: s.frame("Tags", "servers"), Text: "What most servers are tagged with, by their repositories’ topics and their texts."}
	p.Canonical = "/tags"
	p.fill(words.tags, func(t string) string { return browse{Tag: t}.address(1) })
	return s.showIndex(c, p)
}

// fill puts the most frequent names in.
func (p *indexPage) fill(names map[string]int, address func(string) string) {
	for name, n := range names {
		if inPath(name) {
			p.Choices = append(p.Choices, choice{Name: name, Count: n, Address: address(name)})
		}
	}
	slices.SortFunc(p.Choices, func(a, b choice) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Name, b.Name))
	})
	p.More = max(0, len(p.Choices)-mostNames)
	p.Choices = p.Choices[:min(len(p.Choices), mostNames)]
}

// Lists are the index pages.
func (p indexPage) Lists() (all []choice) {
	for _, name := range []string{"Categories", "Tags", "Owners"} {
		all = append(all, choice{Name: name, Address: "/" + strings.ToLower(name), Chosen: name == p.Title})
	}
	return all
}

func (s *Site) showIndex(c *gin.Context, p indexPage) error {
	p.Description = p.Title + " of MCP servers. " + p.Text
	return s.show(c, http.StatusOK, "index", byContent, p)
}

// named counts what the read model holds packed away: it takes seconds of
// a large registry, so it is done in the background.
type named struct{ tags, languages map[string]int }

// words returns how many servers have each tag and language, nil while that is
// being counted for the first time.
func (s *Site) words(v *catalog.View) *named {
	if s.Static { // what is written must not depend on how long it took
		s.trends.mu.Lock()
		defer s.trends.mu.Unlock()
		if s.trends.static == nil {
			s.trends.static = countNames(v)
		}
		return s.trends.static
	}
	n, _ := s.trends.names.get(s.Now(), func(context.Context) (any, error) { return countNames(v), nil }).(*named)
	return n
}

func countNames(v *catalog.View) *named {
	n := &named{map[string]int{}, map[string]int{}}
	l := v.List("", catalog.ByQuality, -1)
	for k := range l.Total() {
		x := l.At(k).Server()
		if x.Language != "" {
			n.languages[x.Language]++
		}
		for i, t := range x.Tags {
			if t = strings.ToLower(t); !slices.ContainsFunc(x.Tags[:i], func(o string) bool { return strings.EqualFold(o, t) }) {
				n.tags[t]++
			}
		}
	}
	return n
}
