package copies

import (
	"cmp"
	"slices"
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
			add(p.key())
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
