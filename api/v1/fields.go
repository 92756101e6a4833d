package v1

import (
	"slices"
	"strconv"
	"strings"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
)

var detailMembers, basicMembers = api.Members(), api.BasicMembers()

// fields reads a list of members of the detail record. None given is nil.
func fields(m object, wrong *faults) []string {
	list := m.texts("fields", wrong)
	if list == nil {
		return nil
	}
	if len(list) == 0 {
		wrong.add("fields", "must name at least one member, or be left out")
	}
	var out []string
	for i, f := range list {
		if !slices.Contains(detailMembers, f) {
			wrong.add("fields["+strconv.Itoa(i)+"]", api.Printable(f)+" is no member of a record; there are: "+strings.Join(detailMembers, ", "))
			if len(*wrong) > 3 { // the list is long
				break
			}
			continue
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// A cutter takes members out of records.
type cutter struct {
	want  map[string]bool
	basic bool // list entries have them all
	buf   []byte
}

func newCutter(fields []string) *cutter {
	c := &cutter{want: map[string]bool{}, basic: true}
	for _, f := range fields {
		c.want[f] = true
		// A list entry has a repository with fewer members than a record's.
		c.basic = c.basic && f != "repository" && slices.Contains(basicMembers, f)
	}
	return c
}

// append appends the wanted members of a server's record, in the order of the
// record.
func (c *cutter) append(dst []byte, i *catalog.Item) []byte {
	if c.basic {
		c.buf = i.AppendBasic(c.buf[:0])
	} else {
		c.buf = i.AppendDetail(c.buf[:0])
	}
	return cut(dst, c.buf, c.want)
}

// cut appends an object with the wanted members of another, which must be
// compact JSON with plain names.
func cut(dst, record []byte, want map[string]bool) []byte {
	dst = append(dst, '{')
	first := true
	for at := 1; at < len(record) && record[at] == '"'; {
		end := at + 1 // of the name
		for record[end] != '"' {
			end++
		}
		next := skip(record, end+2)
		if want[string(record[at+1:end])] {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, record[at:next]...)
		}
		at = next + 1 // behind a comma, or the last brace
	}
	return append(dst, '}')
}

// skip returns the index behind the JSON value that begins at i.
func skip(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}
