package subregistry

import (
	"bytes"
	"encoding/json"
	"slices"

	"mcpcensus/internal/jsonobject"
	"mcpcensus/internal/text"
)

// documents returns the server.json of each server of a scope, so that the official
// registry can be seeded with them: there a remote belongs to one server. Of servers with
// the same one, those whose owners published it come first, then the first by name. The
// others lose it; those with nothing else are left out. Documents are not enriched: the official
// registry limits publisher-provided metadata.
func (a *API) documents(s *scope) (any, error) {
	n, plain := s.entries.Len(), &scope{v: s.v}
	docs, owner := make([]json.RawMessage, n), map[string]int{}
	for _, published := range []bool{true, false} {
		for i := range n {
			item := s.entries.At(i)
			if head, _ := item.Entry(); head.Published != published {
				continue
			}
			raw, err := a.record(plain, item)
			if err != nil {
				return nil, err
			}
			var r struct{ Server json.RawMessage }
			if err := json.Unmarshal(raw, &r); err != nil {
				return nil, err
			}
			if docs[i], err = withOwnRemotes(r.Server, i, owner); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(docs, func(d json.RawMessage) bool { return d == nil }), nil
}

// withOwnRemotes returns a server.json without the remotes of others, nil if it has then
// neither packages nor remotes. owner has the server of each URL.
func withOwnRemotes(doc json.RawMessage, server int, owner map[string]int) (json.RawMessage, error) {
	var d struct {
		Packages []json.RawMessage
		Remotes  []json.RawMessage
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, err
	}
	own := []json.RawMessage{}
	for _, raw := range d.Remotes {
		var r struct{ URL string }
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		if first, taken := owner[r.URL]; !taken || first == server {
			owner[r.URL] = server
			own = append(own, raw)
		}
	}
	switch {
	case len(own) == len(d.Remotes):
		return doc, nil
	case len(own)+len(d.Packages) == 0:
		return nil, nil
	}
	members, err := jsonobject.Members(doc)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBufferString("{")
	for _, m := range members {
		if m.Name == "remotes" {
			if len(own) == 0 {
				continue
			}
			if m.Value, err = text.JSON(own); err != nil {
				return nil, err
			}
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		name, err := text.JSON(m.Name)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(m.Value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
