package api

import (
	"cmp"
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

// A ChangeLog lists changes in order, as postgres.DB does.
type ChangeLog interface {
	ChangesBetween(ctx context.Context, after, until int64, limit int) ([]registry.Change, error)
	LastSeq(ctx context.Context) (int64, error)
}

const changesPath = "/api/changes"

type changesParams struct {
	After int `query:"after,min=0,default=0"`
	Limit int `query:"limit,min=1,max=50,default=50"`
}

// Changes is a page of the change feed.
type Changes struct {
	Changes []any `json:"changes"` // records and removals
	Next    int64 `json:"next"`    // "after" of the next page
	HasMore bool  `json:"hasMore"`
}

// A removalBody is a server that is no longer listed.
type removalBody struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"`
	ChangedAt time.Time `json:"changedAt"`
}

func (a *API) changes(ctx context.Context, c *gin.Context) error {
	var p changesParams
	if err := page.Read(c.Request, &p); err != nil {
		return err
	}
	return a.SendChanges(ctx, c, int64(p.After), p.Limit,
		func(i *catalog.Item) (any, error) { return basicOf(i.Summary()), nil })
}

// SendChanges responds with the servers that changed after the change with the number
// after, at most limit, each as record returns it.
func (a *API) SendChanges(
	ctx context.Context, c *gin.Context, after int64, limit int,
	record func(*catalog.Item) (any, error),
) error {
	v, err := a.View()
	if err != nil || httpd.NotModified(c, v.Tag(), sharedCache) {
		return err
	}
	body, err := a.changesAfter(ctx, v, after, limit, record)
	if err != nil {
		return err
	}
	r, err := NewResponse(body, v.Tag())
	if err != nil {
		return err
	}
	r.Send(c)
	return nil
}

// changesAfter returns a page of the feed up to the last change of v. Order comes from
// the store, records from v. v contains every change up to v.Seq(). The store is not read if
// after is v.Seq().
func (a *API) changesAfter(
	ctx context.Context, v *catalog.View, after int64, limit int,
	record func(*catalog.Item) (any, error),
) (*Changes, error) {
	p := &Changes{Changes: []any{}, Next: v.Seq()}
	if after == v.Seq() {
		return p, nil
	}
	const unavailable = "The change feed is temporarily unavailable. Please try again."
	if after > v.Seq() { // of a process that is ahead, or of another registry
		last, err := a.Options.Changes.LastSeq(ctx)
		if err != nil {
			return nil, registry.Wrap(registry.ErrUnavailable, err, unavailable)
		}
		if after > last {
			return nil, registry.Invalid("after", "is not a change of this registry, whose last "+
				"one is %d; read everything again with after=0", last)
		}
		p.Next = after
		return p, nil
	}
	changes, err := a.Options.Changes.ChangesBetween(ctx, after, v.Seq(), limit+1)
	if err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err, unavailable)
	}
	if len(changes) > limit {
		changes, p.HasMore, p.Next = changes[:limit], true, changes[limit-1].Seq
	}
	for _, change := range changes {
		if change.Deleted {
			p.Changes = append(p.Changes, removalBody{change.Slug, registry.StatusDeleted, change.At})
			continue
		}
		i, _ := v.Find(change.Slug)
		if i == nil || i.Slug() != change.Slug {
			continue // its record cannot be read
		}
		b, err := record(i)
		if err != nil {
			return nil, err
		}
		p.Changes = append(p.Changes, b)
	}
	return p, nil
}

// ToolHistory has the tool lists that servers have had, as postgres.DB does.
type ToolHistory interface {
	ToolLists(ctx context.Context, slug string, limit int) ([]registry.ToolList, error)
}

const toolChangesPath = "/api/servers/:id/tools/changes"

// maxRevisions is the number of changes in a response.
const maxRevisions = 20

type (
	// ToolChanges lists the changes of a server's tools.
	ToolChanges struct {
		Server  string         `json:"server"`
		Changes []revisionBody `json:"changes"`
	}

	revisionBody struct {
		At                time.Time            `json:"at"`
		Source            string               `json:"source"`
		Package           *registry.PackageKey `json:"package"`
		Version           *string              `json:"version"`
		FormerSource      *string              `json:"formerSource"`
		FormerVersion     *string              `json:"formerVersion"`
		WithoutNewVersion bool                 `json:"withoutNewVersion"`
		ToolCount         int                  `json:"toolCount"`
		Hash              *string              `json:"hash"`
		Tools             []toolChangeBody     `json:"tools"`
	}

	toolChangeBody struct {
		Name   string          `json:"name"`
		Kind   string          `json:"kind"`
		Fields []string        `json:"fields"`
		Before *definitionBody `json:"before"`
		After  *definitionBody `json:"after"`
	}

	definitionBody struct {
		Description *string                   `json:"description"`
		Annotations *registry.ToolAnnotations `json:"annotations"`
		Hash        *string                   `json:"hash"`
	}
)

func (a *API) toolChanges(ctx context.Context, c *gin.Context) error {
	body, err := a.ToolChangesOf(ctx, c)
	if err != nil {
		return err
	}
	return Send(c, body)
}

// ToolChangesOf returns the changes of the tools of the server that the path of a
// request names, the newest first.
func (a *API) ToolChangesOf(ctx context.Context, c *gin.Context) (*ToolChanges, error) {
	if err := page.NoParams(c.Request); err != nil {
		return nil, err
	}
	v, err := a.View()
	if err != nil {
		return nil, err
	}
	i, err := a.FindServer(ctx, v, c.Param("id"))
	if err != nil {
		return nil, err
	}
	lists, err := a.Tools.ToolLists(ctx, i.Slug(), maxRevisions+1)
	if err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err,
			"Tool changes are temporarily unavailable. Please try again.")
	}
	body := &ToolChanges{Server: i.Slug(), Changes: []revisionBody{}}
	for _, r := range tools.History(lists) {
		if len(body.Changes) < maxRevisions && !r.First() && (r.Moved != nil || len(r.Changes) > 0) {
			body.Changes = append(body.Changes, revisionOf(r))
		}
	}
	return body, nil
}

func revisionOf(r tools.Revision) revisionBody {
	b := revisionBody{At: r.At, Source: r.From, Package: toolPackageOf(r.Package), Version: Known(r.Version),
		WithoutNewVersion: r.SameVersion, ToolCount: len(r.Tools), Hash: Known(tools.ListHash(r.Tools)),
		Tools: []toolChangeBody{}}
	if r.Moved != nil {
		b.FormerSource = &r.Moved.From
	}
	if former := cmp.Or(r.Before, r.Moved); former != nil {
		b.FormerVersion = Known(cmp.Or(former.LastVersion, former.Version))
	}
	for _, c := range r.Changes {
		b.Tools = append(b.Tools, toolChangeBody{Name: c.Name, Kind: c.Kind,
			Fields: EmptyList(c.Fields), Before: definitionOf(c.Before), After: definitionOf(c.After)})
	}
	return b
}

func definitionOf(t *registry.Tool) *definitionBody {
	if t == nil {
		return nil
	}
	return &definitionBody{Description: Known(t.Description), Annotations: t.Annotations,
		Hash: Known(tools.Hash(*t))}
}
