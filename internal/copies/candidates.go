package copies

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"mcpcensus/internal/words"
)

// Bands of signatures. Two READMEs with a similarity of 0.5 share a band with a probability of
// 0.87, with a similarity of 0.8 of nearly 1; two lists of tools with a similarity of 0.75 of
// nearly 1.
const (
	readmeRows = 4
	toolHashes = 32
	toolRows   = 2
	// maxBucket is how many servers with the same band, package or name are compared with each
	// other. The content of larger buckets is common to the whole field; each server is
	// compared with the oldest of them.
	maxBucket = 500
)

// An entry is a server in a bucket.
type entry struct {
	key   uint64
	index int32
}

func byKey(a, b entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.index, b.index))
}

// pairs calls compare for the pairs of servers that may be alike, the older one first. It may
// call it several times for a pair.
func (f *finder) pairs(compare func(old, young int)) {
	bucketed := func(keys func(s *Server, add func(key uint64))) {
		var entries []entry
		for i, s := range f.servers {
			keys(s, func(key uint64) { entries = append(entries, entry{key, int32(i)}) })
		}
		slices.SortFunc(entries, byKey)
		for len(entries) > 0 {
			n := 1
			for n < len(entries) && entries[n].key == entries[0].key {
				n++
			}
			inBucket(entries[:n], compare)
			entries = entries[n:]
		}
	}
	for from := 0; from < hashes; from += readmeRows {
		bucketed(func(s *Server, add func(uint64)) {
			if s.Readme != nil {
				add(s.Readme.band(from, readmeRows))
			}
		})
	}
	for from := 0; from < toolHashes; from += toolRows {
		bucketed(func(s *Server, add func(uint64)) {
			if s.toolNames != nil {
				add(s.toolNames.band(from, toolRows))
			}
		})
	}
	bucketed(func(s *Server, add func(uint64)) {
		for _, p := range s.Packages {
			add(xxhash.Sum64String(p.Type + "\x00" + p.Identifier))
		}
		for _, n := range s.names {
			add(n.hash)
		}
	})
}

// inBucket calls compare for all pairs of the first servers of a bucket, and for each other
// one with these.
func inBucket(bucket []entry, compare func(old, young int)) {
	for y := range bucket {
		for o := range min(y, maxBucket) {
			if bucket[o].index != bucket[y].index {
				compare(int(bucket[o].index), int(bucket[y].index))
			}
		}
	}
}

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
