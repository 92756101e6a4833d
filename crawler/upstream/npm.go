package upstream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// PublicNPMDownloads is the URL of npm's download counts.
const PublicNPMDownloads = "https://api.npmjs.org"

const (
	npmBatch       = 128 // names in one request
	downloadPeriod = 30  // days
	maxDownloads   = 1e12
)

// downloadLimits are the limits for the services that count downloads. Theirs are low and
// undocumented: after each 429 response they get no requests for 15 minutes or longer.
var downloadLimits = transport.Options{
	Interval: 3 * time.Second, MaxWait: time.Minute, Timeout: 30 * time.Second,
	Pause: 15 * time.Minute, MaxPause: 8 * time.Hour, Strict: true,
}

// A Count is the number of downloads of a package.
type Count struct {
	Last30     int64            // in the last 30 counted days
	Prev30     *int64           // in the 30 days before; nil if unknown
	Days       map[string]int64 // of single days, by UTC date; nil if unknown
	ObservedAt time.Time
}

// An NPMDownloads counts the downloads of npm packages.
type NPMDownloads struct{ *service }

// NewNPMDownloads returns the counts at o.Base, by default the public ones, at one request every
// three seconds.
func NewNPMDownloads(o Options) (*NPMDownloads, error) {
	limits := downloadLimits
	limits.Upstream = "npm-downloads"
	s, err := newService(PublicNPMDownloads, nil, o, limits)
	if err != nil {
		return nil, err
	}
	return &NPMDownloads{s}, nil
}

// npmPath returns the path of an npm package, whose name may have a scope.
func npmPath(name string) string {
	if scope, rest, ok := strings.Cut(name, "/"); ok {
		return escape(scope) + "/" + escape(rest)
	}
	return escape(name)
}

// Counts returns the counts of the names that the service has. A missing name is unknown; it does
// not have zero downloads. On an error, the counts received before it are returned, too.
func (n *NPMDownloads) Counts(ctx context.Context, names []string) (map[string]Count, error) {
	var batched, scoped []string // the service does not accept batches of scoped names
	for _, name := range names {
		switch {
		case !registry.IsPackageName("npm", name):
		case strings.HasPrefix(name, "@"):
			scoped = append(scoped, name)
		default:
			batched = append(batched, name)
		}
	}
	slices.Sort(batched)
	slices.Sort(scoped)
	batches := slices.Collect(slices.Chunk(slices.Compact(batched), npmBatch))
	batches = slices.AppendSeq(batches, slices.Chunk(slices.Compact(scoped), 1))
	out := map[string]Count{}
	for _, batch := range batches {
		if err := n.count(ctx, batch, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

type npmRange struct {
	Package   string `json:"package"`
	Downloads []struct {
		Downloads *int64 `json:"downloads"`
		Day       string `json:"day"`
	} `json:"downloads"`
}

// count adds the counts of one package, or of several without a scope, to out.
func (n *NPMDownloads) count(ctx context.Context, names []string, out map[string]Count) error {
	// Counts are published hours after the end of a day, so the day before yesterday is
	// the last complete one.
	end := n.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -2)
	start := end.AddDate(0, 0, 1-2*downloadPeriod)
	responses, err := n.ranges(ctx, names, start, end)
	if e, ok := errors.AsType[*transport.ResponseError](err); ok && e.Status == 400 {
		if len(names) == 1 {
			return nil
		}
		// One invalid name fails the batch: bisect it.
		if err := n.count(ctx, names[:len(names)/2], out); err != nil {
			return err
		}
		return n.count(ctx, names[len(names)/2:], out)
	}
	if errors.Is(err, errNoEntry) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		r := responses[name]
		if r == nil {
			continue
		}
		if r.Package != "" && r.Package != name {
			return n.unusable("response is about another package")
		}
		if c, ok := r.count(start, end); ok {
			c.ObservedAt = n.now().UTC()
			out[name] = c
		}
	}
	return nil
}

// ranges requests the days from start to end of each name.
func (n *NPMDownloads) ranges(
	ctx context.Context, names []string, start, end time.Time,
) (map[string]*npmRange, error) {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = npmPath(name)
	}
	path := "/downloads/range/" + start.Format(time.DateOnly) + ":" + end.Format(time.DateOnly) +
		"/" + strings.Join(escaped, ",")
	if len(names) == 1 {
		var one npmRange
		err := n.get(ctx, path, nil, &one)
		return map[string]*npmRange{names[0]: &one}, err
	}
	all := map[string]*npmRange{}
	err := n.get(ctx, path, nil, &all)
	return all, err
}

// count adds up the days of a response. It reports false if one of the last 30 is missing.
func (r *npmRange) count(start, end time.Time) (Count, bool) {
	days := map[string]int64{}
	for _, d := range r.Downloads {
		if d.Downloads == nil || *d.Downloads < 0 || *d.Downloads > maxDownloads {
			return Count{}, false
		}
		days[d.Day] = *d.Downloads
	}
	sum := func(from time.Time) (int64, bool) {
		var total int64
		for i := range downloadPeriod {
			n, ok := days[from.AddDate(0, 0, i).Format(time.DateOnly)]
			if !ok {
				return 0, false
			}
			total += n
		}
		return total, true
	}
	last, ok := sum(end.AddDate(0, 0, 1-downloadPeriod))
	if !ok {
		return Count{}, false
	}
	c := Count{Last30: last, Days: map[string]int64{}}
	for day := start; !day.After(end); day = day.AddDate(0, 0, 1) {
		date := day.Format(time.DateOnly)
		if n, ok := days[date]; ok { // skips days outside the range
			c.Days[date] = n
		}
	}
	if prev, ok := sum(start); ok {
		c.Prev30 = &prev
	}
	return c, true
}
