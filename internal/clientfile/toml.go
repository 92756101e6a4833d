package clientfile

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

type tomlEditor struct{}

func (tomlEditor) decode(text []byte) (map[string]any, error) {
	var doc map[string]any
	if err := toml.Unmarshal(text, &doc); err != nil {
		return nil, plain(err)
	}
	return doc, nil
}

// A table is a header of a document and what follows it, up to the next header.
type table struct {
	key   []string
	start int // of the line of the header
	end   int // of the lines of its last member
}

// tables returns the tables of a document. What comes before the first header is not
// one.
func tables(text []byte) (all []table, err error) {
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			t := table{}
			at := 0
			for k := e.Key(); k.Next(); {
				t.key = append(t.key, string(k.Node().Data))
				at = int(k.Node().Raw.Offset)
			}
			t.start, t.end = lineStart(text, at), lineEnd(text, at)
			all = append(all, t)
		case unstable.KeyValue:
			if len(all) > 0 {
				last := int(e.Raw.Offset+e.Raw.Length) - 1
				all[len(all)-1].end = lineEnd(text, last)
			}
		}
	}
	return all, p.Error()
}

// entry returns the offsets of the tables of an entry. It is false if there are
// none.
func entry(text []byte, section, name string) (start, end int, ok bool, err error) {
	all, err := tables(text)
	if err != nil {
		return 0, 0, false, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	closed := false
	for _, t := range all {
		if len(t.key) < 2 || !slices.Equal(t.key[:2], []string{section, name}) {
			closed = ok
			continue
		}
		if closed {
			return 0, 0, false, fmt.Errorf("%w: other tables are between those of %s", ErrForm, name)
		}
		if !ok {
			start, ok = t.start, true
		}
		end = t.end
	}
	return start, end, ok, nil
}

// put implements editor. doc is written verbatim.
func (e tomlEditor) put(text []byte, section string, doc []byte) ([]byte, error) {
	headers, err := tables(doc)
	if err != nil || len(headers) == 0 || len(headers[0].key) < 2 {
		return nil, fmt.Errorf("%w: the new entry is not a table", ErrForm)
	}
	name := headers[0].key[1]
	start, end, ok, err := entry(text, section, name)
	if err != nil {
		return nil, err
	}
	if ok {
		return replace(text, start, end, string(doc)), nil
	}
	before, err := e.decode(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if entries, _ := before[section].(map[string]any); entries[name] != nil {
		return nil, fmt.Errorf("%w: %s.%s is not written as a table of its own", ErrForm, section, name)
	}
	gap := "\n"
	if !bytes.HasSuffix(text, []byte("\n")) {
		gap = "\n\n"
	}
	return replace(text, len(text), len(text), gap+string(doc)), nil
}

// remove implements editor. It removes one empty line before the entry, too.
func (tomlEditor) remove(text []byte, section, name string) ([]byte, error) {
	start, end, ok, err := entry(text, section, name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s.%s is not written as a table of its own", ErrForm, section, name)
	}
	if start > 0 {
		previous := lineStart(text, start-1)
		if len(bytes.TrimSpace(text[previous:start])) == 0 {
			start = previous
		}
	}
	return replace(text, start, end, ""), nil
}
