package python

import "mcpcensus/crawler/source/listing"

// Candidates returns the paths of the Python files that may register tools,
// most promising first.
func Candidates(paths []string) []string {
	return listing.Choose(paths, listing.Score, ".py")
}
