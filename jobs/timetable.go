package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// Tasks are the functions of a worker's scheduled jobs.
type Tasks struct {
	Crawler  *Crawler
	Packager *Packager
	Prober   *Prober // nil: endpoints are not probed
	Store    *postgres.DB
	People   *people.Store
	Now      func() time.Time
	Avatars  AvatarSources // empty: avatars are not fetched
	// Dump writes the dump of the day, unless it exists, and returns the number of
	// servers; nil: no dumps are written.
	Dump func(ctx context.Context) (int, error)
}

const (
	// keepMonths is for how many months before this one the daily figures of servers are
	// stored, so that two years can be compared.
	keepMonths = 24
	// keepCalls is how long the calls of accounts are stored: more than a year,
	// so that two years can be compared.
	keepCalls = 400 * 24 * time.Hour
	// keepChecks is how long results of checks on demand are stored.
	keepChecks = 7 * 24 * time.Hour
)

// Timetable returns the jobs of a worker with their times.
func Timetable(t Tasks) []Job {
	var list []Job
	for _, s := range t.Crawler.Sources {
		list = append(list, Job{
			Name: "discover-" + s.Name(), Spec: discoverySpec(
				s.Name()), Timeout: 6 * time.Hour, AtStart: true,
			Run: counting("candidates",
				func(ctx context.Context) (int, error) { return t.Crawler.Discover(ctx, s, 0) }),
		})
	}
	if len(t.Avatars) > 0 {
		list = append(list, Job{Name: "avatars", Spec: "@every 1m", Timeout: time.Hour, Quiet: true,
			Run: counting("avatars", func(ctx context.Context) (int, error) {
				return Avatars(ctx, t.Store, t.Avatars, t.Now())
			})})
	}
	if t.Dump != nil {
		list = append(list, Job{Name: "dump", Spec: "31 3 * * *", Timeout: 3 * time.Hour, AtStart: true,
			Run: counting("servers", t.Dump)})
	}
	if t.Prober != nil {
		list = append(list, Probes(t.Prober))
	}
	return append(list,
		Job{Name: "packages", Spec: "@every 5s", Timeout: time.Hour, Quiet: true,
			Run: counting("packages", t.Packager.Facts)},
		Job{Name: "downloads", Spec: "@every 20s", Timeout: 12 * time.Hour, Quiet: true,
			Run: counting("packages", t.Packager.Downloads)},
		Job{Name: "rescore", Spec: "13 0 * * *", Timeout: time.Hour,
			Run: func(ctx context.Context) (int, string, error) {
				seen, changed, err := Rescore(ctx, t.Store, t.Now(), nil)
				return seen, fmt.Sprintf("scored, %d changed", changed), err
			}},
		Job{Name: "copies", Spec: "43 1 * * *", Timeout: time.Hour, AtStart: true,
			Run: func(ctx context.Context) (int, string, error) {
				seen, changed, err := Copies(ctx, t.Store, t.Now(), 0)
				return seen, fmt.Sprintf("compared, %d changed", changed), err
			}},
		Job{Name: "copies-new", Spec: "@every 15m", Timeout: time.Hour, Quiet: true,
			Run: func(ctx context.Context) (int, string, error) {
				seen, changed, err := Copies(ctx, t.Store, t.Now(), manyReadmes)
				return seen, fmt.Sprintf("compared, %d changed", changed), err
			}},
		Job{Name: "snapshot", Spec: "47 */6 * * *", Timeout: time.Hour, AtStart: true,
			Run: counting("servers", func(ctx context.Context) (int, error) {
				return t.Store.SnapshotDay(ctx, t.Now().UTC().Truncate(24*time.Hour))
			})},
		Job{Name: "forget-days", Spec: "17 5 * * *", Timeout: time.Hour,
			Run: counting("months of daily figures", func(ctx context.Context) (int, error) {
				y, m, _ := t.Now().UTC().Date()
				return t.Store.ForgetDays(ctx, time.Date(y, m-keepMonths, 1, 0, 0, 0, 0, time.UTC))
			})},
		Job{Name: "sum-events", Spec: "29 * * * *", Timeout: time.Hour, AtStart: true,
			Run: counting("days of events", func(ctx context.Context) (int, error) {
				return 0, errors.Join(t.Store.SumTallies(ctx), t.People.ForgetCalls(ctx, t.Now(), keepCalls))
			})},
		Job{Name: "forget-counts", Spec: "29 * * * *", Timeout: time.Minute, Quiet: true,
			AtStart: true,
			Run: counting("expired counts", func(ctx context.Context) (int, error) {
				return t.People.ForgetQuota(ctx, t.Now())
			})},
		Job{Name: "forget-accounts", Spec: "37 * * * *", Timeout: time.Minute,
			Run: counting("expired sessions, links and attempts",
				func(ctx context.Context) (int, error) { return t.People.ForgetAccounts(ctx, t.Now()) })},
		Job{Name: "forget-probes", Spec: "19 5 * * *", Timeout: 10 * time.Minute,
			Run: counting("days and endpoints", func(ctx context.Context) (int, error) {
				return t.Store.ForgetProbes(ctx, t.Now().AddDate(0, 0, -keepProbeDays),
					t.Now().Add(-keepUnnamed))
			})},
		Job{Name: "forget-checks", Spec: "7 5 * * *", Timeout: time.Minute,
			Run: counting("checks", func(ctx context.Context) (int, error) {
				return t.Store.ForgetChecks(ctx, t.Now().Add(-keepChecks))
			})},
		Job{Name: "forget-events", Spec: "11 * * * *", Timeout: 10 * time.Minute, Quiet: true,
			Run: counting("events", func(ctx context.Context) (int, error) {
				return t.Store.ForgetEvents(ctx, t.Now().Add(-webhook.KeepFor))
			})},
		Job{Name: "forget-entries", Spec: "3 6 * * *", Timeout: 10 * time.Minute, Quiet: true,
			Run: counting("former entries", func(ctx context.Context) (int, error) {
				return t.Store.ForgetEntries(ctx, t.Now().Add(-registry.EntriesLeftFor))
			})},
	)
}

func Probes(p *Prober) Job {
	return Job{Name: "probes", Spec: "@every 20s", Timeout: 6 * time.Hour, Quiet: true,
		Run: counting("endpoints", p.Run)}
}

// discoverySpec returns when a source is read.
func discoverySpec(source string) string {
	switch {
	case source == OfficialRegistry:
		return "17 * * * *"
	case registry.FindHost(source) != nil: // the search of a code host
		return "41 2 * * *"
	}
	return "23 4 * * *"
}

// counting returns a Run that reports the number of items from f, called what.
func counting(
	what string, f func(ctx context.Context) (int, error),
) func(context.Context) (int, string, error) {
	return func(ctx context.Context) (int, string, error) {
		n, err := f(ctx)
		return n, what, err
	}
}

// An AvatarStore holds the avatars of owners.
type AvatarStore interface {
	DueAvatars(ctx context.Context, now time.Time, limit int) ([]registry.OwnerAvatar, error)
	SaveAvatar(ctx context.Context, a registry.OwnerAvatar, image []byte, dueAt time.Time) error
}

// An AvatarSource fetches avatars as PNG. Its errors are of kind
// [registry.ErrNotFound] or [registry.ErrInvalid] if repeating them is useless.
type AvatarSource interface {
	Fetch(ctx context.Context, address string) ([]byte, error)
}

// AvatarSources are sources by the ID of their code host.
type AvatarSources map[string]AvatarSource

func (s AvatarSources) fetch(ctx context.Context, a registry.OwnerAvatar) ([]byte, error) {
	source := s[cmp.Or(a.Host, registry.Hosts[0].ID)]
	if source == nil {
		return nil, registry.Errorf(registry.ErrNotFound, "avatars of %s are not read", a.Host)
	}
	return source.Fetch(ctx, a.URL)
}

const (
	avatarBatch = 200 // per run
	// avatarsLast is the age at which an avatar is fetched again, noAvatarLasts the age for a
	// missing or refused one.
	avatarsLast   = 30 * 24 * time.Hour
	noAvatarLasts = 7 * 24 * time.Hour
)

// Avatars fetches and stores the avatars that are due, and returns how many. It
// stops at the first failure that may pass.
func Avatars(
	ctx context.Context, s AvatarStore, from AvatarSources, now time.Time,
) (int, error) {
	due, err := s.DueAvatars(ctx, now, avatarBatch)
	if err != nil {
		return 0, err
	}
	for n, a := range due {
		image, err := from.fetch(ctx, a)
		last := avatarsLast
		switch {
		case errors.Is(err, registry.ErrNotFound), errors.Is(err, registry.ErrInvalid):
			image, last = nil, noAvatarLasts
		case err != nil:
			return n, err
		}
		if err := s.SaveAvatar(ctx, a, image, now.Add(last)); err != nil {
			return n, err
		}
	}
	return len(due), nil
}
