package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler/git"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

const (
	// maxQuery is the maximum length of a search's text in bytes.
	maxQuery = 256
	// searchWait is how long a search waits for its turn: without a token, GitHub allows ten a
	// minute.
	searchWait = 90 * time.Second
	// everyFork makes a search include forks.
	everyFork = "fork:true"
)

// namedAge is how long a repository without an id waits for a search before it is read again with
// git alone.
const namedAge = 24 * time.Hour

var errUnlisted = errors.New("GitHub's search does not list it; " +
	"it is requested when the limit of 60 requests an hour allows")

// bySearch visits repositories without a token, in order. Metadata come from searches for several
// names at once. Repositories that the search does not list, such as renamed ones, are looked for
// with git. While GitHub allows no search, new repositories are read with git alone.
func (v *visitor) bySearch(ctx context.Context, works []registry.Work) error {
	var refused error
	for len(works) > 0 && !v.ended {
		n := len(namesQuery(works))
		batch := make([]*target, n)
		for i, w := range works[:n] {
			batch[i] = &target{work: w}
		}
		works = works[n:]
		var byName map[string]*gh.Repository
		if refused == nil {
			byName, refused = v.search(ctx, batch)
		}
		visit := v.byGit
		if byName != nil {
			visit = func(ctx context.Context, batch []*target) error {
				return v.lookedUp(ctx, batch, byName)
			}
		}
		if err := visit(ctx, batch); err != nil {
			return err
		}
	}
	return refused
}

// namesQuery returns the terms of a search for as many works as fit, at least one.
func namesQuery(works []registry.Work) (terms []string) {
	left := maxQuery - len(everyFork)
	for _, w := range works {
		term := "repo:" + w.Ref.Owner + "/" + w.Ref.Name
		if left -= len(term) + 1; left < 0 && len(terms) > 0 {
			break
		}
		terms = append(terms, term)
	}
	return terms
}

// lookedUp visits a batch of repositories for which was searched. Errors end the visit.
func (v *visitor) lookedUp(
	ctx context.Context, batch []*target, byName map[string]*gh.Repository,
) error {
	var list, others []*target
	var found []*gh.Repository
	for _, t := range batch {
		r := byName[strings.ToLower(t.work.Ref.Owner+"/"+t.work.Ref.Name)]
		if r == nil || !t.mayBe(r.GetID()) {
			others = append(others, t)
			continue
		}
		list, found = append(list, t), append(found, r)
	}
	if err := v.readREST(ctx, list, found); err != nil {
		return err
	}
	for _, t := range others {
		if err := v.unlisted(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// mayBe reports whether the host's id of a repository may be id. An id that only a source named
// does not count once the repository was read by its name.
func (t *target) mayBe(id int64) bool {
	s := t.work.Stored
	return t.work.HostID == 0 || t.work.HostID == id || s != nil && !s.Repo.Identified()
}

// byGit reads repositories without metadata, so that their id stays unknown until a later visit.
// Repositories that have an id, or were read this way lately, wait for that visit. Errors end the
// visit.
func (v *visitor) byGit(ctx context.Context, batch []*target) error {
	now := v.g.opt.Now().UTC()
	var read []*target
	for _, t := range batch {
		w := &t.work
		lately := w.FetchedAt != nil && now.Sub(*w.FetchedAt) < namedAge && !w.Forced
		if t.done || w.Stored != nil && (lately || w.Stored.Repo.Identified()) {
			continue
		}
		t.draft(registry.Repository{Host: host.ID, Owner: w.Ref.Owner, Name: w.Ref.Name,
			ObservedAt: now})
		read = append(read, t)
	}
	return v.details(ctx, read)
}

// search searches for the repositories of a batch and returns those that it finds, by lowercase
// name; nil if GitHub did not respond. Errors end the visit.
func (v *visitor) search(ctx context.Context, batch []*target) (map[string]*gh.Repository, error) {
	var works []registry.Work
	for _, t := range batch {
		if validName(t.work.Ref.Owner, t.work.Ref.Name) {
			works = append(works, t.work)
		}
	}
	byName := map[string]*gh.Repository{}
	if len(works) == 0 {
		return byName, nil
	}
	query := strings.Join(append(namesQuery(works), everyFork), " ")
	page, _, err := v.g.rest.Search.Repositories(transport.WithMaxWait(ctx, searchWait), query,
		&gh.SearchOptions{ListOptions: gh.ListOptions{PerPage: 100}})
	switch {
	case err == nil:
		for _, r := range page.Repositories {
			byName[strings.ToLower(r.GetFullName())] = r
		}
		return byName, nil
	case statusOf(err) == http.StatusUnprocessableEntity: // none of them exists by this name
		return byName, nil
	case ctx.Err() != nil || stops(err):
		return nil, err
	case refusesCaller(err):
		return nil, v.g.api.NoteRefusal(searchLimit)
	default:
		return nil, errors.Join(errDown, err)
	}
}

// unlisted visits a repository that the search does not list under its name. Git tells whether it
// exists, and its present name. Errors end the visit.
func (v *visitor) unlisted(ctx context.Context, t *target) error {
	if !validName(t.work.Ref.Owner, t.work.Ref.Name) {
		v.failed(t, invalidName(t.work.Ref))
		return nil
	}
	found, err := v.g.Contents.Git.Open(ctx, t.work.Ref, false)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case stops(err):
		return err
	case git.IsKind(err, git.Missing):
		v.notFound(t)
		return nil
	case err == nil && found.Ref.Key() != t.work.Ref.Key():
		v.renamed(ctx, t, found.Ref)
	}
	if v.g.api.Ready(coreLimit) == nil {
		v.restVisit(ctx, t, v.g.connection, "GitHub's search does not list it")
	}
	if err := v.byGit(ctx, []*target{t}); err != nil || t.done {
		return err
	}
	v.failed(t, errUnlisted)
	return nil
}

// renamed visits a repository under the name that it has now, if the search lists it.
func (v *visitor) renamed(ctx context.Context, t *target, now registry.RepoRef) {
	byName, err := v.search(ctx, []*target{{work: registry.Work{Ref: now}}})
	r := byName[strings.ToLower(now.Owner+"/"+now.Name)]
	if r != nil && t.mayBe(r.GetID()) {
		err = v.readREST(ctx, []*target{t}, []*gh.Repository{r})
	}
	if err != nil && ctx.Err() == nil {
		v.g.opt.Log.Info("not visited under its new name", "repository", now.String(), "err", err)
	}
}
