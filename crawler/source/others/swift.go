package others

import "mcpcensus/internal/registry"

// swift adds Tool(name: ..., description: ..., inputSchema: ...).
func (s *source) swift() {
	for i := range s.tokens {
		if !s.is(i, "Tool") || !s.is(i+1, "(") || s.is(i-1, "func", "class", "struct") {
			continue
		}
		args := s.arguments(i + 1)
		if named(args, "name") == nil ||
			named(args, "inputSchema") == nil && named(args, "description") == nil {
			continue
		}
		t := registry.Tool{
			Name:        s.textOf(named(args, "name")),
			Description: s.textOf(named(args, "description")),
			Title:       s.textOf(named(args, "title")),
			InputSchema: s.schemaOf(named(args, "inputSchema")),
		}
		if a := named(args, "annotations"); a != nil {
			if open := s.find(a.from, "("); open > 0 && open < a.to {
				inner := s.arguments(open)
				t.Annotations = s.hints(inner)
				if t.Title == "" {
					t.Title = s.textOf(named(inner, "title"))
				}
			}
		}
		s.note(t)
	}
}
