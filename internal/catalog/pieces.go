package catalog

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// A pieceTable packs list entries. Pages are made of twenty or more of them,
// so that unpacking one must cost little more than copying it: an entry is cut
// into its scalar values and what stands between them, pieces that many
// entries share become one byte, and the server's own slug, which stands in
// several places, another.
type pieceTable struct {
	pieces [][]byte
	codes  map[string]byte
}

// Codes from here on are not pieces.
const (
	pieceSlug    = 0xF0
	pieceShort   = 0xF1 // a literal, its length in one byte
	pieceLong    = 0xF2 // in four bytes
	maxPieces    = 0xF0
	minSlugPiece = 4
)

// newPieceTable learns from samples and their slugs which pieces are worth a
// code.
func newPieceTable(samples [][]byte, slugs []string) *pieceTable {
	counts := map[string]int{}
	for i, s := range samples {
		cut(s, slugs[i], func(p []byte, slug bool) {
			if !slug && len(p) > 1 {
				counts[string(p)]++
			}
		})
	}
	words := make([]string, 0, len(counts))
	for w, n := range counts {
		if n > 1 || len(samples) < learnAt {
			words = append(words, w)
		}
	}
	gain := func(w string) int { return counts[w] * len(w) }
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(gain(b), gain(a)), cmp.Compare(a, b))
	})
	t := &pieceTable{codes: map[string]byte{}}
	for i, w := range words[:min(maxPieces, len(words))] {
		t.pieces = append(t.pieces, []byte(w))
		t.codes[w] = byte(i)
	}
	return t
}

// cut calls f with the pieces of a compact JSON text, which are the text when
// put together, and says which of them are the slug.
func cut(b []byte, slug string, f func(p []byte, slug bool)) {
	value := func(v []byte) {
		if len(slug) >= minSlugPiece {
			if before, after, ok := bytes.Cut(v, []byte(slug)); ok {
				f(before, false)
				f(nil, true)
				f(after, false)
				return
			}
		}
		f(v, false)
	}
	start := 0
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			end := i + 1
			for end < len(b) && b[end] != '"' {
				if b[end] == '\\' {
					end++
				}
				end++
			}
			if end+1 < len(b) && b[end+1] == ':' { // the name of a member
				i = end + 2
				continue
			}
			end = min(end, len(b))
			f(b[start:i+1], false)
			value(b[i+1 : end])
			start, i = end, end+1
		case c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			end := i + 1
			for end < len(b) && b[end] != ',' && b[end] != ']' && b[end] != '}' {
				end++
			}
			f(b[start:i], false)
			value(b[i:end])
			start, i = end, end
		default:
			i++
		}
	}
	f(b[min(start, len(b)):], false)
}

// encode appends b packed.
func (t *pieceTable) encode(dst, b []byte, slug string) []byte {
	cut(b, slug, func(p []byte, own bool) {
		if own {
			dst = append(dst, pieceSlug)
			return
		}
		if len(p) == 0 {
			return
		}
		if code, ok := t.codes[string(p)]; ok {
			dst = append(dst, code)
			return
		}
		if len(p) < 256 {
			dst = append(dst, pieceShort, byte(len(p)))
		} else {
			dst = append(dst, pieceLong)
			dst = binary.LittleEndian.AppendUint32(dst, uint32(len(p)))
		}
		dst = append(dst, p...)
	})
	return dst
}

// decode appends what encode was given.
func (t *pieceTable) decode(dst, b []byte, slug string) []byte {
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		default:
			dst = append(dst, t.pieces[c]...)
			i++
		case pieceSlug:
			dst = append(dst, slug...)
			i++
		case pieceShort:
			n := i + 2 + int(b[i+1])
			dst = append(dst, b[i+2:n]...)
			i = n
		case pieceLong:
			n := i + 5 + int(binary.LittleEndian.Uint32(b[i+1:]))
			dst = append(dst, b[i+5:n]...)
			i = n
		}
	}
	return dst
}
