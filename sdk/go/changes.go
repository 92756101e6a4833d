package census

import (
	"context"
	"iter"
	"strings"
)

// statusDeleted is the status of servers that are no longer listed.
const statusDeleted = "deleted"

// ChangesParams are the parameters of [DirectoryService.Changes]. Zero values are omitted.
type ChangesParams struct {
	After int64 `json:"after,omitempty"` // Next of the last page; 0 for everything
	Limit int   `json:"limit,omitempty"` // 1 to 50
}

// Changes returns a page of the change feed: servers in order of their last change, as list
// entries.
func (s *DirectoryService) Changes(
	ctx context.Context, p ChangesParams, options ...CallOption,
) (*ChangePage, error) {
	return get[ChangePage](ctx, s.c, "/api/changes", values("after", p.After, "limit", p.Limit), options)
}

// AllChanges iterates over the pages of the change feed up to the latest change. Continue later
// from Next of the last page.
func (s *DirectoryService) AllChanges(
	ctx context.Context, p ChangesParams, options ...CallOption,
) iter.Seq2[*ChangePage, error] {
	return feed(p.After, func(after int64) (*ChangePage, int64, bool, error) {
		p.After = after
		page, err := s.Changes(ctx, p, options...)
		if err != nil {
			return nil, 0, false, err
		}
		return page, page.Next, page.HasMore, nil
	})
}

// Dumps returns the daily dumps of the whole registry, newest first.
func (s *DirectoryService) Dumps(ctx context.Context, options ...CallOption) (*Dumps, error) {
	return get[Dumps](ctx, s.c, "/dumps", nil, options)
}

// RecordChangesParams are the parameters of [ServersService.Changes]. Zero values are omitted.
type RecordChangesParams struct {
	After int64 `json:"after,omitempty"` // Next of the last page; 0 for everything
	Limit int   `json:"limit,omitempty"` // 1 to 100
	// Fields lists the members to return; empty means all. ID and Status are always included.
	Fields []DetailMember `json:"fields,omitempty"`
}

// Changes returns a page of the change feed: servers in order of their last change, as full records
// or with the members in Fields.
func (s *ServersService) Changes(
	ctx context.Context, p RecordChangesParams, options ...CallOption,
) (*RecordChangePage, error) {
	return get[RecordChangePage](ctx, s.c, "/v1/changes",
		values("after", p.After, "limit", p.Limit, "fields", strings.Join(p.Fields, ",")), options)
}

// AllChanges iterates over the pages of the change feed up to the latest change. Continue later
// from Next of the last page.
func (s *ServersService) AllChanges(
	ctx context.Context, p RecordChangesParams, options ...CallOption,
) iter.Seq2[*RecordChangePage, error] {
	if p.Limit == 0 {
		p.Limit = pageSize
	}
	return feed(p.After, func(after int64) (*RecordChangePage, int64, bool, error) {
		p.After = after
		page, err := s.Changes(ctx, p, options...)
		if err != nil {
			return nil, 0, false, err
		}
		return page, page.Next, page.HasMore, nil
	})
}

// IsDeleted reports whether the server is no longer listed. In that case, only ID, Status and
// ChangedAt are set.
func (c *ServerChange) IsDeleted() bool { return c.Status == statusDeleted }

// IsDeleted reports whether the server is no longer listed. In that case, only ID, Status and
// ChangedAt are set.
func (c *RecordChange) IsDeleted() bool { return c.Status == statusDeleted }

// feed iterates over the pages that fetch returns, until there are no more or the number does not
// change. An error ends the iteration. It is yielded with a nil page.
func feed[P any](
	after int64, fetch func(after int64) (page *P, next int64, more bool, err error),
) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		for after := after; ; {
			page, next, more, err := fetch(after)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(page, nil) || !more || next == after {
				return
			}
			after = next
		}
	}
}
