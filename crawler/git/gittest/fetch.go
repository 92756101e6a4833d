package gittest

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// readLines returns the pkt-lines of a request, without their ends, and its body.
func readLines(req *http.Request) (lines []string, body string) {
	data, _ := io.ReadAll(req.Body) // the rest of a broken request is ignored
	body = string(data)
	for rest := body; len(rest) >= 4; {
		n, err := strconv.ParseInt(rest[:4], 16, 32)
		if err != nil || int(n) > len(rest) {
			break
		}
		if n < 4 {
			rest = rest[4:]
			continue
		}
		lines = append(lines, strings.TrimSuffix(rest[4:n], "\n"))
		rest = rest[n:]
	}
	return lines, body
}

// A selection is the objects of a response to fetch.
type selection struct {
	*repository
	depth  int
	since  time.Time
	filter string
	ids    []string
	chosen map[string]bool
	cut    []string // commits whose parents are left out
}

func (r *repository) fetch(lines []string) []byte {
	s := selection{repository: r, chosen: map[string]bool{}}
	var wants []string
	for _, line := range lines {
		key, value, _ := strings.Cut(line, " ")
		n, _ := strconv.Atoi(value)
		switch key {
		case "want":
			if _, ok := r.objects[value]; !ok {
				return []byte(Line("ERR upload-pack: not our ref %s", value))
			}
			wants = append(wants, value)
		case "deepen":
			s.depth = n
		case "deepen-since":
			s.since = time.Unix(int64(n), 0)
		case "filter":
			s.filter = value
		}
	}
	young := s.young(wants)
	if !s.since.IsZero() && len(young) == 0 {
		return []byte(Line("shallow-info\n"))
	}
	for _, id := range wants {
		s.want(id, young)
	}
	var b strings.Builder
	if len(s.cut) > 0 {
		b.WriteString(Line("shallow-info\n"))
		for _, id := range s.cut {
			b.WriteString(Line("shallow %s", id))
		}
		b.WriteString("0001")
	}
	var objects []Object
	for _, id := range s.ids {
		objects = append(objects, r.objects[id])
	}
	return []byte(b.String() + Line("packfile\n") + Band(Pack(objects...)))
}

// young returns the commits since the requested time that are reachable by such commits.
func (s *selection) young(wants []string) map[string]bool {
	young := map[string]bool{}
	for todo := wants; len(todo) > 0; {
		id := todo[0]
		todo = todo[1:]
		if c, ok := s.commits[id]; ok && !young[id] && !c.at.Before(s.since) {
			young[id] = true
			todo = append(todo[:len(todo):len(todo)], c.parents...)
		}
	}
	return young
}

// want adds an object and what it refers to. As git does, it leaves out all parents of a commit
// if one of them is not young.
func (s *selection) want(id string, young map[string]bool) {
	if _, ok := s.commits[id]; !ok {
		s.add(id, true)
		return
	}
	level := []string{id}
	for depth := 1; len(level) > 0; depth++ {
		var next []string
		for _, id := range level {
			if s.chosen[id] {
				continue
			}
			c := s.commits[id]
			s.add(id, false)
			if s.filter != "tree:0" {
				s.add(c.tree, false)
			}
			whole := depth != s.depth
			for _, p := range c.parents {
				whole = whole && young[p]
			}
			switch {
			case whole:
				next = append(next, c.parents...)
			case len(c.parents) > 0:
				s.cut = append(s.cut, id)
			}
		}
		level = next
	}
}

// add adds an object and, for a tree, its entries. Objects that are wanted by their IDs are not
// filtered.
func (s *selection) add(id string, wanted bool) {
	o, ok := s.objects[id]
	if !ok || s.chosen[id] || o.Kind == "blob" && s.filter != "" && !wanted {
		return
	}
	s.chosen[id] = true
	s.ids = append(s.ids, id)
	if o.Kind != "tree" || s.filter == "tree:0" {
		return
	}
	for data := o.Data; len(data) > 0; {
		name := bytes.IndexByte(data, 0)
		if name < 0 || len(data) < name+21 {
			return
		}
		s.add(hex.EncodeToString(data[name+1:name+21]), false)
		data = data[name+21:]
	}
}
