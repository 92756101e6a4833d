package scorer

import (
	"math"
	"time"

	"mcpcensus/internal/registry"
)

// Inputs of popularity.
const (
	downloadsInput = iota
	starsInput
	dependentsInput
	forksInput
	growthInput
	numInputs
)

// downloadNoise is how many downloads a month a package gets that nobody
// uses: mirrors and scanners fetch every version.
const downloadNoise = 1500

var popularityInputs = [numInputs]PopularitySpec{
	downloadsInput:  {"downloads", 40, "ln((d + 1500) / 1500) / ln((2,000,000 + 1500) / 1500), d = downloads of the last 30 days over all package services that count them. 1,500 a month is the noise that every package sees."},
	starsInput:      {"stars", 30, "ln(1 + s) / ln(1 + 50,000). More than 1,000 stars on a repository younger than 180 days with fewer than 1,500 downloads a month and less than one fork for 60 stars count as 1,000 and are flagged."},
	dependentsInput: {"dependents", 10, "ln(1 + n) / ln(1 + 1,000), n = packages that depend on the newest version of its packages, directly or not, as deps.dev counts them for npm, PyPI, Cargo and Maven."},
	forksInput:      {"forks", 10, "ln(1 + n) / ln(1 + 5,000), n = forks and watchers."},
	growthInput:     {"growth", 10, "(g + 1) / 3, g = log2((d + 500) / (p + 500)) between -1 and 2, p = downloads of the 30 days before."},
}

// Popularity returns how widely a server is used, 0 to 100: the weighted mean
// over the inputs that are known. It gates nothing and is no part of health.
func Popularity(f registry.Facts) registry.Popularity {
	p := registry.Popularity{Inputs: []string{}}
	var known [numInputs]bool
	var value [numInputs]float64

	var downloads, earlier, before float64
	var measured, growth, dependents bool
	var depending float64
	for i := range f.Packages {
		pf := &f.Packages[i]
		if pf.Dependents != nil {
			dependents = true
			depending += count0(float64(*pf.Dependents))
		}
		if pf.Downloads == nil || tooOldFor(&f, pf.DownloadsObservedAt) {
			continue
		}
		measured = true
		downloads += count0(float64(*pf.Downloads))
		if pf.DownloadsPrev != nil {
			growth = true
			earlier += count0(float64(*pf.DownloadsPrev))
			before += count0(float64(*pf.Downloads))
		}
	}
	if measured {
		known[downloadsInput] = true
		value[downloadsInput] = math.Log((downloads+downloadNoise)/downloadNoise) / math.Log((2e6+downloadNoise)/downloadNoise)
	}
	if growth {
		known[growthInput] = true
		g := math.Log2((before + 500) / (earlier + 500))
		value[growthInput] = (min(max(g, -1), 2) + 1) / 3
	}
	if dependents {
		known[dependentsInput] = true
		value[dependentsInput] = logShare(depending, 1000)
	}
	r := &f.Repo
	if r.Stars != nil {
		stars := count0(float64(*r.Stars))
		unused := measured && downloads < downloadNoise || len(f.Packages) == 0 && len(f.Detection.Packages) == 0
		if stars > 1000 && unused && r.Forks != nil && float64(*r.Forks) < stars/60 &&
			!r.CreatedAt.IsZero() && r.ObservedAt.Sub(r.CreatedAt) < 180*24*time.Hour && r.ObservedAt.After(r.CreatedAt) {
			p.Flags = append(p.Flags, FlagUnusualStars)
			stars = 1000
		}
		known[starsInput] = true
		value[starsInput] = logShare(stars, 50_000)
	}
	if r.Forks != nil {
		n := count0(float64(*r.Forks))
		if r.Watchers != nil {
			n += count0(float64(*r.Watchers))
		}
		known[forksInput] = true
		value[forksInput] = logShare(n, 5000)
	}

	var sum, weight float64
	for i := range popularityInputs {
		if known[i] {
			sum += popularityInputs[i].Weight * unit(value[i])
			weight += popularityInputs[i].Weight
			p.Inputs = append(p.Inputs, popularityInputs[i].ID)
		}
	}
	p.Coverage = weight / 100
	if weight > 0 {
		score := whole(100 * sum / weight)
		p.Score = &score
	}
	return p
}

func count0(n float64) float64 { return max(0, n) }

// logShare returns ln(1+x)/ln(1+top), at most 1.
func logShare(x, top float64) float64 { return unit(math.Log1p(x) / math.Log1p(top)) }

// tooOldFor says that downloads were counted too long before the repository
// was last seen. An unknown time counts as the repository's.
func tooOldFor(f *registry.Facts, at *time.Time) bool {
	return at != nil && !f.Repo.ObservedAt.IsZero() && day(f.Repo.ObservedAt)-day(*at) > maxAgeDownloads
}
