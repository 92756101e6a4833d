package web

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// A lead is where somebody could go instead.
type lead struct{ Name, Address string }

// A misled is an error with links to what may have been meant.
type misled struct {
	error
	Leads []lead
}

func (m misled) Unwrap() error { return m.error }

// refused is an error about a value of a request, said as people say it.
func refused(field, message, sentence string) error {
	return &registry.Error{Kind: registry.ErrInvalid, Msg: sentence, Fields: []registry.FieldError{{Field: field, Message: message}}}
}

// noCategory is the error of a category that there is not.
func noCategory() error {
	m := misled{error: registry.Errorf(registry.ErrNotFound, "There is no such category. These are the ten:")}
	for _, c := range registry.Categories {
		m.Leads = append(m.Leads, lead{categoryName(c), "/categories/" + c})
	}
	return m
}

// noPage is the error of a page behind the end of a list.
func noPage(b browse, last int) error {
	m := misled{error: registry.Errorf(registry.ErrNotFound, "This list ends with page %d.", last), Leads: []lead{{"The first page", b.address(1)}}}
	if last > 1 {
		m.Leads = append(m.Leads, lead{"The last page", b.address(last)})
	}
	return m
}

// noOwner is the error of an owner who has no server, with those who are called
// much the same.
func noOwner(v *catalog.View, name string) error {
	m := misled{error: registry.Errorf(registry.ErrNotFound, "No server in the registry has this owner.")}
	for _, o := range alike(name, owners(v)) {
		m.Leads = append(m.Leads, lead{o, browse{Owner: o}.address(1)})
	}
	m.Leads = append(m.Leads, lead{"All owners", "/owners"}, lead{"Search for “" + shortened(name) + "”", browse{Q: name}.address(1)})
	return m
}

// noTag is the error of a tag that no server has.
func (s *Site) noTag(v *catalog.View, name string) error {
	m := misled{error: registry.Errorf(registry.ErrNotFound, "No server in the registry has this tag.")}
	if words := s.words(v); words != nil {
		for _, t := range alike(name, words.tags) {
			m.Leads = append(m.Leads, lead{t, browse{Tag: t}.address(1)})
		}
	}
	m.Leads = append(m.Leads, lead{"All tags", "/tags"}, lead{"Search for “" + shortened(name) + "”", browse{Q: name}.address(1)})
	return m
}

// alike returns up to five of names that hold one or are held in it, or begin
// the same, the most frequent first.
func alike(name string, names map[string]int) []string {
	name = strings.ToLower(name)
	if len([]rune(name)) < 3 {
		return nil
	}
	begin := string([]rune(name)[:3])
	rank := func(other string) int {
		switch {
		case strings.Contains(other, name) || len(other) >= 4 && strings.Contains(name, other):
			return 2
		case strings.HasPrefix(other, begin):
			return 1
		}
		return 0
	}
	var found []string
	for other := range names {
		if rank(other) > 0 && inPath(other) {
			found = append(found, other)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(rank(b)-rank(a), names[b]-names[a], strings.Compare(a, b))
	})
	return found[:min(len(found), 5)]
}

// owners returns how many servers each owner has.
func owners(v *catalog.View) map[string]int {
	all := map[string]int{}
	l := v.List("", catalog.ByQuality, -1)
	for n := range l.Total() {
		if o := l.At(n).Owner(); o != "" {
			all[o]++
		}
	}
	return all
}
