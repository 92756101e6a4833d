package copies

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"mcpcensus/internal/words"
)

const (
	// hashes is the number of hash functions of a signature. The standard error of
	// a similarity of 0.5 is 0.044.
	hashes = 128
	// shingleWords is the number of consecutive words that are compared as one.
	shingleWords = 3
	// minShingles is the minimum number of distinct shingles of a README that is
	// compared: shorter ones are alike by chance.
	minShingles = 60
)

// A Signature is a MinHash signature of a set: the minimum of each hash function over
// its elements. It is nil for a set that is too small to compare.
type Signature []uint32

// Sign returns the signature of the plain text of a README, without code, by its
// shingles of three words. It is nil for a short one.
func Sign(readme string) Signature {
	list := words.Fields(strings.ToLower(readme))
	set := make(map[uint64]struct{}, len(list))
	for i := 0; i+shingleWords <= len(list); i++ {
		set[xxhash.Sum64String(strings.Join(list[i:i+shingleWords], " "))] = struct{}{}
	}
	if len(set) < minShingles {
		return nil
	}
	return sign(func(yield func(uint64)) {
		for h := range set {
			yield(h)
		}
	}, hashes)
}

// coefficients are odd multipliers and summands of the hash functions. They are stored in
// signatures and must not change.
var coefficients = func() (c [hashes][2]uint64) {
	var seed [8]byte
	for i := range c {
		for j := range c[i] {
			binary.LittleEndian.PutUint64(seed[:], uint64(2*i+j+1))
			c[i][j] = xxhash.Sum64(seed[:])
		}
		c[i][0] |= 1
	}
	return c
}()

// sign returns the first n minima of the elements, at most [hashes].
func sign(elements func(yield func(uint64)), n int) Signature {
	out := make(Signature, n)
	for i := range out {
		out[i] = math.MaxUint32
	}
	elements(func(h uint64) {
		for i := range out {
			c := &coefficients[i]
			out[i] = min(out[i], uint32((h*c[0]+c[1])>>32))
		}
	})
	return out
}

// Similarity estimates the Jaccard similarity of two sets by their signatures, from 0
// to 1. It is 0 if one is nil.
func (s Signature) Similarity(t Signature) float64 {
	if len(s) == 0 || len(s) != len(t) {
		return 0
	}
	equal := 0
	for i := range s {
		if s[i] == t[i] {
			equal++
		}
	}
	return float64(equal) / float64(len(s))
}

// Bytes returns the signature in the form that [ParseSignature] reads.
func (s Signature) Bytes() []byte {
	b := make([]byte, 0, 4*len(s))
	for _, v := range s {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// ParseSignature returns a stored signature, nil for an empty one or one of another
// length.
func ParseSignature(b []byte) Signature {
	if len(b) != 4*hashes {
		return nil
	}
	s := make(Signature, 0, hashes)
	for c := range slices.Chunk(b, 4) {
		s = append(s, binary.LittleEndian.Uint32(c))
	}
	return s
}

// band returns a hash of rows consecutive values, starting at the value from.
func (s Signature) band(from, rows int) uint64 {
	h := uint64(from)
	for _, v := range s[from : from+rows] {
		h = (h ^ uint64(v)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}
