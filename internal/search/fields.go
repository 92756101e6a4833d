package search

import "mcpcensus/internal/registry"

type textField struct {
	name   string
	weight float64
	short  bool
	joined bool // neighbours are also one word: file-system is filesystem
	text   func(*registry.Server, func(string))
}

// maxFieldWords is how many words of a field are read.
const maxFieldWords = 5000

// words calls f with the words of the field.
func (t *textField) words(s *registry.Server, f func(word string)) {
	n := 0
	give := func(w string) {
		if n++; n <= maxFieldWords {
			f(w)
		}
	}
	t.text(s, func(text string) {
		if n >= maxFieldWords {
			return
		}
		eachWord(text, true, give)
		if t.joined {
			for _, w := range joined(text) {
				give(w)
			}
		}
	})
}

// The fields that text is searched in, best first, with their weights in a
// ranking.
var textFields = [...]textField{
	{"name", 8, true, true, func(s *registry.Server, f func(string)) {
		f(s.Name)
		if s.Title != s.Name {
			f(s.Title)
		}
		f(s.Repo.Name)
		f(s.Subfolder)
	}},
	{"tags", 5, true, false, func(s *registry.Server, f func(string)) {
		for _, t := range s.Tags {
			f(t)
		}
		f(s.Repo.Owner)
	}},
	{"tools", 4, true, false, func(s *registry.Server, f func(string)) {
		for i := range s.Tools {
			f(s.Tools[i].Name)
		}
		for i := range s.Tools {
			f(s.Tools[i].Description)
		}
	}},
	{"description", 3, true, false, func(s *registry.Server, f func(string)) { f(s.Description) }},
	{"readme", 1, false, false, func(s *registry.Server, f func(string)) { f(s.Readme) }},
}
