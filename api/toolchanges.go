package api

import (
	"cmp"
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

// ToolHistory has the tool lists that servers have had.
type ToolHistory interface {
	// ToolLists returns the lists of a server, newest first.
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

// toolChanges handles GET /api/servers/{id}/tools/changes.
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
	const unavailable = "Tool changes are temporarily unavailable. Please try again."
	if a.Tools == nil {
		return nil, registry.Errorf(registry.ErrUnavailable, unavailable)
	}
	lists, err := a.Tools.ToolLists(ctx, i.Slug(), maxRevisions+1)
	if err != nil {
		return nil, registry.Wrap(registry.ErrUnavailable, err, unavailable)
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
			Fields: emptyList(c.Fields), Before: definitionOf(c.Before), After: definitionOf(c.After)})
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
