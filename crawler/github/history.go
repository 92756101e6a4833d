package github

import (
	"context"
	"encoding/json"
	"fmt"
)

// history reads older commits of repositories with more than 100 in the window.
func (v *visitor) history(ctx context.Context, list []*target) error {
	for range maxHistoryPages {
		var batch []*target
		for _, t := range list {
			if t.activity != nil && t.activity.needsMore(t.storedActivity()) {
				batch = append(batch, t)
			}
		}
		if len(batch) == 0 {
			return nil
		}
		err := inBatches(ctx, v.g, v.g.others, batch, func(batch []*target) ([]*target, error) {
			return v.historyPage(ctx, batch)
		}, func(t *target, err error) {
			t.endHistory(reasonOf(err))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// endHistory stops reading a history.
func (t *target) endHistory(why string) {
	t.activity.pages, t.activity.failed = maxHistoryPages, true
	t.fail("activity", "older commits could not be read: "+why)
}

// historyPage reads the next page of commits of each repository. It returns those without a
// reliable response.
func (v *visitor) historyPage(ctx context.Context, batch []*target) (retry []*target, err error) {
	q := newQuery("History")
	q.param("since", "GitTimestamp!", timestamp(v.g.opt.Now().Add(-humanWindow)))
	for i, t := range batch {
		q.param(fmt.Sprintf("i%d", i), "ID!", t.repo.NodeID)
		q.param(fmt.Sprintf("c%d", i), "String!", t.activity.cursor)
		q.field("  r%d: node(id: $i%d) { ... on Repository { id ", i, i)
		q.field("object(oid: %q) { ... on Commit { ", t.repo.Commit)
		q.field("history(first: 100, since: $since, after: $c%d) { ...History } } } } }\n", i)
	}
	r, err := q.send(ctx, v.g, historyFields)
	if err != nil {
		return nil, err
	}
	items, err := r.aliases(len(batch))
	if err != nil {
		return nil, err
	}
	for i, t := range batch {
		var n struct {
			Object *struct{ History *historyPage }
		}
		switch it := items[i]; {
		case it.limited():
			retry = append(retry, t)
		case json.Unmarshal(it.raw, &n) != nil || n.Object == nil || n.Object.History == nil:
			t.endHistory("no response")
		default:
			t.activity.add(n.Object.History)
		}
	}
	return retry, nil
}
