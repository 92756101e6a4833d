package subregistry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/entry"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A recordKey identifies an encoded entry: a name, the change of the server, and whether the
// entry is one of a view, which has more metadata.
type recordKey struct {
	name, tag string
	ofView    bool
}

func keyOf(s *scope, i *catalog.Item) recordKey {
	tag := s.v.Identity() + strconv.FormatInt(i.Seq(), 36) + " " + i.Slug()
	return recordKey{s.v.EntryName(i), tag, s.view != nil}
}

// response returns the key of a response that has the entry.
func (k recordKey) response(what string) api.Key {
	return api.NewKey(k.tag, fmt.Sprintf("v0.1 %s %s %v", what, k.name, k.ofView))
}

// record returns the encoded entry of a server, without its README.
func (a *API) record(s *scope, i *catalog.Item) (json.RawMessage, error) {
	key := keyOf(s, i)
	if b, ok := a.records.Get(key); ok {
		return b, nil
	}
	r, err := a.response(i, key, "")
	if err != nil {
		return nil, err
	}
	b, err := text.JSON(r)
	if err == nil {
		a.records.Put(key, b)
	}
	return b, err
}

func (a *API) response(i *catalog.Item, key recordKey, readme string) (entry.Response, error) {
	s, err := i.Record()
	if err != nil {
		return entry.Response{}, err
	}
	e := a.encoder
	e.Enriched = key.ofView
	return e.Response(s, key.name, readme)
}

// named returns the server that the path names, or one that has left if the request
// includes those.
func (a *API) named(ctx context.Context, c *gin.Context) (*scope, row, error) {
	v, err := a.API.View()
	if err != nil {
		return nil, row{}, err
	}
	s, err := a.scope(ctx, v, c)
	if err != nil {
		return nil, row{}, err
	}
	deleted := false
	if text := c.Query("include_deleted"); text != "" {
		if deleted, err = strconv.ParseBool(text); err != nil {
			return nil, row{}, unprocessable("include_deleted", "must be true or false")
		}
	}
	name := c.Param("name")
	if i := v.FindEntry(name); i != nil && s.has(i) {
		return s, row{item: i}, nil
	}
	if deleted {
		gone, err := a.departures(ctx, s)
		if err != nil {
			return nil, row{}, err
		}
		for n := range gone {
			if gone[n].Name == name {
				return s, row{gone: &gone[n]}, nil
			}
		}
	}
	return nil, row{}, s.unknown(name)
}

// unknown returns the error for the name of an entry that does not exist, with the names of
// entries that may have been meant.
func (s *scope) unknown(name string) error {
	e := *errNoServer
	_, repo, _ := strings.Cut(name, "/")
	for _, text := range []string{strings.TrimPrefix(name, "io.github."), repo} {
		for _, slug := range s.v.Similar(text, 5) {
			i, _ := s.v.Find(slug)
			if _, ok := i.Entry(); ok && s.has(i) {
				e.Candidates = append(e.Candidates, s.v.EntryName(i))
			}
		}
		if len(e.Candidates) > 0 {
			break
		}
	}
	return &e
}

func (a *API) versions(ctx context.Context, c *gin.Context) error {
	s, r, err := a.named(ctx, c)
	if err != nil {
		return err
	}
	build := func(records ...json.RawMessage) any {
		return listBody{Servers: records, Metadata: metadata{Count: len(records)}}
	}
	if r.gone != nil {
		return a.send(c, func() (any, error) {
			record, err := a.goneRecord(r.gone)
			return build(record), err
		})
	}
	k := keyOf(s, r.item)
	return a.respond(c, k.response("versions"), func() (any, error) {
		latest, err := a.record(s, r.item)
		if err != nil {
			return nil, err
		}
		records := []json.RawMessage{latest}
		err = a.eachEarlier(ctx, s.v, r.item, func(_ string, record json.RawMessage) {
			records = append(records, record)
		})
		return build(records...), err
	})
}

func (a *API) version(ctx context.Context, c *gin.Context) error {
	s, r, err := a.named(ctx, c)
	if err != nil {
		return err
	}
	version := c.Param("version")
	if r.gone != nil {
		if version != "latest" && version != r.gone.Version {
			return errNoServer
		}
		return a.send(c, func() (any, error) { return a.goneRecord(r.gone) })
	}
	if head, _ := r.item.Entry(); version != "latest" && version != head.Version {
		return a.earlierVersion(ctx, c, s.v, r.item, version)
	}
	k := keyOf(s, r.item)
	err = a.respond(c, k.response("version"), func() (any, error) {
		readme, err := a.readme(ctx, r.item)
		if err != nil {
			return nil, errNoReadme
		}
		return a.response(r.item, k, readme)
	})
	if errors.Is(err, errNoReadme) { // not cached
		return a.send(c, func() (any, error) { return a.response(r.item, k, "") })
	}
	return err
}

func (a *API) earlierVersion(
	ctx context.Context, c *gin.Context, v *catalog.View, i *catalog.Item, version string,
) error {
	var found json.RawMessage
	if err := a.eachEarlier(ctx, v, i, func(of string, record json.RawMessage) {
		if of == version {
			found = record
		}
	}); err != nil {
		return err
	}
	if found == nil {
		return errNoServer
	}
	return a.send(c, func() (any, error) { return found, nil })
}

// eachEarlier calls f with the earlier versions of a server that its owner published, the
// newest first. Others have none: only their latest command is known.
func (a *API) eachEarlier(
	ctx context.Context, v *catalog.View, i *catalog.Item, f func(version string, record json.RawMessage),
) error {
	head, _ := i.Entry()
	if !head.Published || v.EntryName(i) != head.Name {
		return nil
	}
	listings, err := a.Store.EarlierListings(ctx, head.Name)
	if err != nil {
		return registry.Wrap(registry.ErrUnavailable, err,
			"Earlier versions are temporarily unavailable. The latest version is available.")
	}
	for _, l := range listings {
		r, ok := a.encoder.Earlier(&l, i.Status())
		if !ok || l.Version == head.Version {
			continue
		}
		record, err := text.JSON(r)
		if err != nil {
			return err
		}
		f(l.Version, record)
	}
	return nil
}

var errNoReadme = errors.New("the README could not be read")

// readme returns the README of a server, "" if it has none.
func (a *API) readme(ctx context.Context, i *catalog.Item) (string, error) {
	text, err := a.Store.Readme(ctx, i.Slug())
	if errors.Is(err, registry.ErrNotFound) {
		err = nil
	}
	return text.Text, err
}

func (a *API) send(c *gin.Context, v func() (any, error)) error {
	r, err := responseOf(v)
	if err == nil {
		r.Send(c)
	}
	return err
}

// A departed is a name that left.
type departed struct {
	entry.Gone
	id int64
}

func (d *departed) position() catalog.EntryPosition {
	return catalog.EntryPosition{Name: d.Name, Published: d.Published, ID: d.id}
}

// departures returns the names that left a scope and are not in it now, in their order.
func (a *API) departures(ctx context.Context, s *scope) ([]departed, error) {
	now := a.API.Now()
	return a.departed.GetContext(ctx, s.key, now, func(ctx context.Context) ([]departed, time.Duration, error) {
		left, err := a.left(ctx, s, now)
		if err != nil {
			return nil, 0, registry.Wrap(registry.ErrUnavailable, err,
				"Deleted servers are temporarily unavailable. Lists without them are available.")
		}
		var out []departed
		for _, l := range left {
			if i := s.v.FindEntry(l.Name); i != nil && s.has(i) && s.v.EntryName(i) == l.Name {
				continue
			}
			head := entry.Head{Name: l.Name, Version: l.Version, Published: l.Published}
			out = append(out, departed{Gone: entry.Gone{Head: head, At: l.At}, id: l.ServerID})
		}
		slices.SortFunc(out, func(x, y departed) int {
			return cmp.Or(x.position().Compare(y.position()), y.At.Compare(x.At))
		})
		out = slices.CompactFunc(out, func(x, y departed) bool { return x.Name == y.Name })
		return out, time.Minute, nil
	})
}

// left returns the names that left a scope. Of a view, it stores those that it has now.
func (a *API) left(ctx context.Context, s *scope, now time.Time) ([]registry.Departed, error) {
	since := now.Add(-registry.EntriesLeftFor)
	if s.view == nil {
		return a.Store.Departed(ctx, since)
	}
	members := make(map[string]string, s.entries.Len())
	for n := range s.entries.Len() {
		i := s.entries.At(n)
		head, _ := i.Entry()
		members[s.v.EntryName(i)] = head.Version
	}
	return a.Store.SaveMembers(ctx, s.view.name, members, now, since)
}

// remember stores the names of a view, at most once a minute, so that later losses are
// noticed. Errors do not fail the request.
func (a *API) remember(ctx context.Context, s *scope) {
	now := a.API.Now()
	_, _ = a.recentlyStored.GetContext(ctx, s.view.name, now,
		func(ctx context.Context) (struct{}, time.Duration, error) {
			_, _ = a.left(ctx, s, now)
			return struct{}{}, time.Minute, nil
		})
}

func (a *API) goneRecord(d *departed) (json.RawMessage, error) {
	r, err := a.encoder.Gone(d.Gone)
	if err != nil {
		return nil, err
	}
	return text.JSON(r)
}
