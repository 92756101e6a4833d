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

// downloadNoise is how many downloads a month a package gets without
// users: mirrors and scanners fetch every version.
const downloadNoise = 1500

var popularityInputs = [numInputs]PopularitySpec{
	downloadsInput: {"downloads", 40,
		"ln((d + 1500) / 1500) / ln((2,000,000 + 1500) / 1500), d = downloads of the last 30 days in " +
			"all package " +
			"registries that count them. Every package gets about 1,500 a month from mirrors and scanners."},
	starsInput: {"stars", 30,
		"ln(1 + s) / ln(1 + 50,000). More than 1,000 stars on a repository younger than 180 days " +
			"with fewer than 1,500 downloads a month and fewer than one fork per 60 stars count " +
			"as 1,000 and are flagged. Of a repository with several servers: left out if the " +
			"server's downloads are known, else divided by the number of servers."},
	dependentsInput: {"dependents", 10,
		"ln(1 + n) / ln(1 + 1,000), n = packages that depend on the latest version of its " +
			"packages, directly or not, as deps.dev counts them for npm, PyPI, Cargo and Maven."},
	forksInput: {"forks", 10,
		"ln(1 + n) / ln(1 + 5,000), n = forks and watchers. Of a repository with several servers as stars."},
	growthInput: {"growth", 10,
		"(g + 1) / 3, g = log2((d + 500) / (p + 500)) between -1 and 2, p = downloads of the preceding " +
			"30 days."},
}

// Popularity returns how widely a server is used, 0 to 100: the weighted mean
// over the inputs that are known. It does not affect health.
func Popularity(f registry.Facts) registry.Popularity {
	p := registry.Popularity{Inputs: []string{}}
	d := downloadsOf(&f)
	value := [numInputs]float64{
		downloadsInput:  d.value(),
		growthInput:     d.growth(),
		dependentsInput: dependents(&f),
		forksInput:      unmeasured,
		starsInput:      unmeasured,
	}
	// Downloads and stars of the whole repository are weak evidence for one of many servers.
	members := float64(max(1, f.Detection.Members))
	shared := members > 1 && d.isKnown
	if !shared {
		value[forksInput] = forks(&f, members)
	}
	if n, _, _ := f.Counts(); n != nil && !shared {
		stars := count0(float64(*n)) / members
		if stars > manyStars && unusual(&f, d, stars) {
			p.Flags = append(p.Flags, FlagUnusualStars)
			stars = manyStars
		}
		value[starsInput] = logShare(stars, 50_000)
	}
	var sum, weight float64
	for i, in := range popularityInputs {
		if value[i] != unmeasured {
			sum += in.Weight * unit(value[i])
			weight += in.Weight
			p.Inputs = append(p.Inputs, in.ID)
		}
	}
	p.Coverage = weight / 100
	if weight > 0 {
		p.Score = new(whole(100 * sum / weight))
	}
	return p
}

// unmeasured is the value of an input that is not known.
const unmeasured = -1

// manyStars is the minimum number of stars that may be unusual.
const manyStars = 1000

// A downloadCount is the downloads of 30 days over all packages.
type downloadCount struct {
	isKnown bool
	all     float64
	// Of packages whose previous 30 days are known too.
	isCompared   bool
	now, earlier float64
}

func downloadsOf(f *registry.Facts) downloadCount {
	var d downloadCount
	for i := range f.Packages {
		p := &f.Packages[i]
		if p.Downloads == nil || tooOldFor(f, p.DownloadsObservedAt) {
			continue
		}
		n := count0(float64(*p.Downloads))
		d.isKnown = true
		d.all += n
		if p.DownloadsPrev != nil {
			d.isCompared = true
			d.now += n
			d.earlier += count0(float64(*p.DownloadsPrev))
		}
	}
	return d
}

func (d downloadCount) value() float64 {
	if !d.isKnown {
		return unmeasured
	}
	return unit(math.Log((d.all+downloadNoise)/downloadNoise) / math.Log((2e6+downloadNoise)/downloadNoise))
}

func (d downloadCount) growth() float64 {
	if !d.isCompared {
		return unmeasured
	}
	g := math.Log2((d.now + 500) / (d.earlier + 500))
	return (min(max(g, -1), 2) + 1) / 3
}

func dependents(f *registry.Facts) float64 {
	isKnown, n := false, 0.0
	for i := range f.Packages {
		if d := f.Packages[i].Dependents; d != nil {
			isKnown = true
			n += count0(float64(*d))
		}
	}
	if !isKnown {
		return unmeasured
	}
	return logShare(n, 1000)
}

// forks returns the value of the forks and watchers of a repository with a number of
// servers.
func forks(f *registry.Facts, members float64) float64 {
	_, forks, _ := f.Counts()
	if forks == nil {
		return unmeasured
	}
	n := count0(float64(*forks))
	if w := f.Repo.Watchers; w != nil {
		n += count0(float64(*w))
	}
	return logShare(n/members, 5000)
}

// unusual reports whether a young repository has many stars, but few forks and
// downloads.
func unusual(f *registry.Facts, d downloadCount, stars float64) bool {
	r := &f.Repo
	isUnused := d.isKnown && d.all < downloadNoise || len(f.Packages) == 0 && len(f.Detection.Packages) == 0
	if !isUnused || r.Forks == nil || float64(*r.Forks) >= stars/60 {
		return false
	}
	age := r.ObservedAt.Sub(r.CreatedAt)
	return !r.CreatedAt.IsZero() && age > 0 && age < 180*24*time.Hour
}

func count0(n float64) float64 { return max(0, n) }

// logShare returns ln(1+x)/ln(1+top), at most 1.
func logShare(x, top float64) float64 { return unit(math.Log1p(x) / math.Log1p(top)) }

// tooOldFor reports whether downloads were counted too long before the last visit of the
// repository. An unknown time counts as the visit's.
func tooOldFor(f *registry.Facts, at *time.Time) bool {
	return at != nil && !f.Repo.ObservedAt.IsZero() && day(f.Repo.ObservedAt)-day(*at) > maxAgeDownloads
}
