package jobs

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/crawler/source"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// rereadDays is the number of days over which archives are re-read after the source code
// readers change.
const rereadDays = 14

// archiveDelay is the time between the first facts of a package and the reading of its
// archive, so that the facts of all packages arrive first.
const archiveDelay = 10 * time.Minute

// readArchives adds the tools that published packages register to the answers. It reads the
// versions that install commands name if the repository does not show their tools. Packages
// without stored facts become due again soon instead. Failures are stored in answer.err.
func (p *Packager) readArchives(
	ctx context.Context, batch []registry.PackageWork,
	stored map[registry.PackageKey]registry.PackageFacts, answers []answer,
) error {
	fresh := map[registry.PackageKey]registry.PackageFacts{}
	for _, a := range answers {
		if a.facts != nil && slices.Contains(registry.ArchivedTypes, a.key.RegistryType) {
			fresh[a.key] = *a.facts
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	versions := map[registry.PackageKey]registry.ArchiveWork{}
	if err := eachServersWith(ctx, p.Store, slices.Collect(maps.Keys(fresh)), func(
		servers []registry.Scored, known map[registry.PackageKey]registry.PackageFacts,
	) error {
		for key, f := range fresh {
			known[key] = merged(registry.PackageFactsKind, known[key], f)
		}
		for _, s := range servers {
			if key, w, ok := archiveOf(withPackages(s.Facts, known)); ok {
				versions[key] = w
			}
		}
		return nil
	}); err != nil {
		for i := range answers { // incomplete, so that a stopped process requests them again
			answers[i].err = cmp.Or(answers[i].err, err)
		}
		return err
	}
	var reading errgroup.Group
	reading.SetLimit(packagesAtOnce)
	for i := range answers {
		a := &answers[i]
		if _, ok := fresh[a.key]; !ok {
			continue
		}
		of, wanted := versions[a.key]
		switch {
		case !wanted:
			a.facts.Archive = nil // it would hide newer tools of the repository
		case isCurrent(a.facts.Archive, a.key, of.Version, p.Now()):
		case stored[a.key].ObservedAt == nil:
			if soon := p.Now().Add(archiveDelay); soon.Before(a.next) {
				a.next = soon
			}
		default:
			reading.Go(func() error {
				p.readArchive(ctx, batch[i], a, of)
				return nil
			})
		}
	}
	return reading.Wait()
}

// readArchive adds the tools of one package to its answer.
func (p *Packager) readArchive(
	ctx context.Context, w registry.PackageWork, a *answer, of registry.ArchiveWork,
) {
	found, err := p.Enrich.Archive(ctx, a.key, of)
	if err != nil && a.err == nil {
		a.err, a.next = err, p.retryAt(err, w.Attempt)
	}
	if found == nil {
		return
	}
	if old := a.facts.Archive; err != nil && old != nil && old.Version == of.Version &&
		len(old.Tools) > len(found.Tools) { // a limit ended the reading
		found.Tools, found.Suspicious = old.Tools, old.Suspicious
	}
	a.facts.Archive = found
}

// archiveOf returns the package and version named by the install command, if its archive must
// be read:
//   - it has stored facts, and they do not report malware;
//   - no inspection of this version returned tools;
//   - the repository has no complete list of tools of this version, or the package has an
//     archive already.
func archiveOf(f registry.Facts) (key registry.PackageKey, of registry.ArchiveWork, ok bool) {
	p, ok := install.First(publishedPackages(f))
	if !ok || p.Version == "" || !slices.Contains(registry.ArchivedTypes, p.RegistryType) {
		return key, of, false
	}
	facts, ok := factsOf(f.Packages, p)
	if !ok || facts.Malware != "" {
		return key, of, false
	}
	key = registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}
	if i := facts.Inspection; i != nil && i.Version == p.Version && len(i.Tools) > 0 {
		return key, of, false
	}
	d := &f.Detection
	fromFiles := d.ToolsFrom == registry.ToolsFromManifest || d.ToolsFrom == registry.ToolsFromSource
	known := fromFiles && len(d.Tools) > 0 && !d.ToolsPartial &&
		d.Version != "" && version.Same(p.RegistryType, d.Version, p.Version)
	of = registry.ArchiveWork{Version: p.Version, Required: registry.Required(d.Variables)}
	return key, of, !known || facts.Archive != nil
}

// isCurrent reports whether an archive need not be re-read. After a change of the readers, a
// part of all archives is re-read each day.
func isCurrent(a *registry.ArchiveTools, key registry.PackageKey, version string, now time.Time) bool {
	if a == nil || a.Version != version || a.Ended {
		return false
	}
	if a.Reader >= source.Version {
		return true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key.RegistryType + " " + key.Identifier))
	day := now.Unix() / int64((24 * time.Hour).Seconds())
	return (int64(h.Sum32())+day)%rereadDays != 0
}
