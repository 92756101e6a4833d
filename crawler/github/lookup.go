package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

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

var errUnlisted = errors.New("GitHub's search does not list it; " +
	"it is requested when the limit of 60 requests an hour allows")

// bySearch visits repositories without a token, in order. Metadata come from searches for several
// names at once. Repositories that the search does not list, such as renamed ones, are requested
// one by one while the limit lasts.
func (v *visitor) bySearch(ctx context.Context, works []registry.Work) error {
	for len(works) > 0 {
		n := len(namesQuery(works))
		batch := make([]*target, n)
		for i, w := range works[:n] {
			batch[i] = &target{work: w}
		}
		works = works[n:]
		if err := v.lookUp(ctx, batch); err != nil {
			return err
		}
		if v.ended {
			return nil
		}
	}
	return nil
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

// lookUp visits a batch of repositories that fits into a search. Errors end the visit.
func (v *visitor) lookUp(ctx context.Context, batch []*target) error {
	byName, err := v.search(ctx, batch)
	if byName == nil {
		return err
	}
	var list, others []*target
	var found []*gh.Repository
	for _, t := range batch {
		r := byName[strings.ToLower(t.work.Ref.Owner+"/"+t.work.Ref.Name)]
		if r == nil || t.work.HostID != 0 && t.work.HostID != r.GetID() {
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

// unlisted visits a repository that the search does not list.
func (v *visitor) unlisted(ctx context.Context, t *target) error {
	if v.g.api.Ready(coreLimit) == nil {
		v.restVisit(ctx, t, v.g.connection, "GitHub's search does not list it")
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case t.done:
	case t.work.Stored == nil && t.work.Misses == 0:
		v.emit(t, registry.Visit{Outcome: registry.ListedOnly, Err: errUnlisted})
	default:
		v.failed(t, errUnlisted)
	}
	return nil
}
