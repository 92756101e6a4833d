package jobs

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"mcpcensus/crawler/settings"
	"mcpcensus/internal/install"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
	"mcpcensus/scorer"
)

const (
	// inspectionTTL is the time an inspector has for one lease.
	inspectionTTL = 30 * time.Minute
	maxInspected  = 20 // leased at a time
	// The same version is inspected again after listedEvery, or after unlistedEvery if it did
	// not respond.
	listedEvery, unlistedEvery = 90 * 24 * time.Hour, 7 * 24 * time.Hour
)

// Inspections hands packages to inspectors and stores their results. Its methods are
// safe for concurrent use.
type Inspections struct {
	Store *postgres.DB
	Log   *slog.Logger
	Now   func() time.Time
}

// Lease leases up to n packages that clients start with a command and talk to over
// standard input and output.
func (i *Inspections) Lease(
	ctx context.Context, registryTypes []string, n int,
) ([]registry.InspectionWork, error) {
	types := slices.DeleteFunc(slices.Clone(registryTypes), func(t string) bool {
		return !slices.Contains(registry.InspectedTypes, t)
	})
	leases, err := i.Store.LeaseInspections(ctx, types, min(max(n, 1), maxInspected), inspectionTTL,
		i.Now())
	if err != nil || len(leases) == 0 {
		return nil, err
	}
	declared, err := i.declared(ctx, leases)
	if err != nil {
		return nil, err
	}
	var works []registry.InspectionWork
	for _, l := range leases {
		p, ok := declared[l.PackageKey]
		if !ok {
			if _, err := i.Store.SaveInspection(ctx, l, nil, i.Now().Add(unlistedEvery)); err != nil {
				return nil, err
			}
			continue
		}
		p.Version = l.Version
		works = append(works, registry.InspectionWork{Package: p})
	}
	return works, nil
}

// declared returns the packages that can be started, as declared by the most popular server of
// each.
func (i *Inspections) declared(
	ctx context.Context, leases []registry.InspectionLease,
) (map[registry.PackageKey]registry.Package, error) {
	keys := make([]registry.PackageKey, len(leases))
	for n, l := range leases {
		keys[n] = l.PackageKey
	}
	ids, err := i.Store.ServersWithPackages(ctx, keys)
	if err != nil {
		return nil, err
	}
	found := map[registry.PackageKey]registry.Package{}
	best := map[registry.PackageKey]int{}
	err = i.Store.FactsOf(ctx, ids, func(s registry.Scored) error {
		popularity := 0
		if score := scorer.Popularity(s.Facts).Score; score != nil {
			popularity = *score
		}
		for _, p := range publishedPackages(s.Facts) {
			key := registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}
			if _, known := found[key]; known && popularity <= best[key] || p.Doubt != "" ||
				p.Transport.Type != registry.TransportStdio && p.Transport.Type != "" {
				continue
			}
			if _, ok := install.Of(p); ok {
				p.Inspection = nil
				found[key], best[key] = p, popularity
			}
		}
		return nil
	})
	return found, err
}

// Save stores the results of leased inspections and rescores their servers. Results without a
// lease are ignored.
func (i *Inspections) Save(ctx context.Context, results []registry.InspectionResult) error {
	release, err := alone(ctx, i.Store)
	if err != nil {
		return err
	}
	defer release()
	var stored []registry.PackageKey
	for _, r := range results {
		got := r.Inspection
		if !slices.Contains(registry.InspectionOutcomes, got.Outcome) {
			return registry.Errorf(registry.ErrInvalid, "unknown outcome %q", got.Outcome)
		}
		// The inspector's clock, hashes and verdicts do not count.
		got.At = i.Now().UTC()
		settings.Clean(&got)
		got.Tools, got.Suspicious = tools.Examine(got.Tools)
		got.Hosts = got.Hosts[:min(len(got.Hosts), registry.MaxHosts)]
		next := unlistedEvery
		if got.Outcome == registry.InspectionListed {
			next = listedEvery
		}
		lease := registry.InspectionLease{Version: got.Version, PackageKey: registry.PackageKey{
			RegistryType: r.RegistryType, Identifier: r.Identifier}}
		ok, err := i.Store.SaveInspection(ctx, lease, &got, got.At.Add(jittered(next)))
		if err != nil {
			return err
		}
		if !ok {
			i.Log.Warn("inspection without a lease ignored", "package", r.Identifier)
			continue
		}
		stored = append(stored, lease.PackageKey)
	}
	return settlePackages(ctx, i.Store, stored, i.Now())
}
