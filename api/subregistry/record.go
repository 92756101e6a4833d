package subregistry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/entry"
	"mcpcensus/internal/registry"
)

// A recordKey identifies an encoded entry: a name and the change of the server.
type recordKey struct{ name, tag string }

func keyOf(v *catalog.View, i *catalog.Item) recordKey {
	return recordKey{v.EntryName(i), v.Identity() + strconv.FormatInt(i.Seq(), 36) + " " + i.Slug()}
}

// record returns the encoded entry of a server, without its README.
func (a *API) record(v *catalog.View, i *catalog.Item) (json.RawMessage, error) {
	key := keyOf(v, i)
	if b, ok := a.records.Get(key); ok {
		return b, nil
	}
	r, err := a.response(i, key.name, "")
	if err != nil {
		return nil, err
	}
	b, err := api.JSON(r)
	if err == nil {
		a.records.Put(key, b)
	}
	return b, err
}

func (a *API) response(i *catalog.Item, name, readme string) (entry.Response, error) {
	s, err := i.Record()
	if err != nil {
		return entry.Response{}, err
	}
	return a.encoder.Response(s, name, readme)
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
			return nil, row{}, unfit("include_deleted", "must be true or false")
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
	return nil, row{}, errNoServer
}

// versions handles GET …/servers/{name}/versions.
func (a *API) versions(ctx context.Context, c *gin.Context) error {
	s, r, err := a.named(ctx, c)
	if err != nil {
		return err
	}
	build := func(record json.RawMessage, err error) (any, error) {
		return listBody{Servers: []json.RawMessage{record}, Metadata: metadata{Count: 1}}, err
	}
	if r.gone != nil {
		return a.send(c, func() (any, error) { return build(a.goneRecord(r.gone)) })
	}
	k := keyOf(s.v, r.item)
	return a.respond(c, api.NewKey(k.tag, "v0.1 versions "+k.name),
		func() (any, error) { return build(a.record(s.v, r.item)) })
}

// version handles GET …/servers/{name}/versions/{version}.
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
		return errNoServer
	}
	k := keyOf(s.v, r.item)
	err = a.respond(c, api.NewKey(k.tag, "v0.1 version "+k.name), func() (any, error) {
		readme, err := a.readme(ctx, r.item)
		if err != nil {
			return nil, errNoReadme
		}
		return a.response(r.item, k.name, readme)
	})
	if errors.Is(err, errNoReadme) { // not cached
		return a.send(c, func() (any, error) { return a.response(r.item, k.name, "") })
	}
	return err
}

var errNoReadme = errors.New("the README could not be read")

// readme returns the README of a server, "" if it has none.
func (a *API) readme(ctx context.Context, i *catalog.Item) (string, error) {
	if a.Readmes == nil {
		return "", nil
	}
	text, err := a.Readmes.Readme(ctx, i.Slug())
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

// departedFor is how long lists show servers that have left.
const departedFor = 90 * 24 * time.Hour

// A departed is a server that has left.
type departed struct {
	entry.Gone
	id int64
}

func (d *departed) position() catalog.EntryPosition {
	return catalog.EntryPosition{Name: d.Name, Published: d.Published, ID: d.id}
}

// departures returns the servers that have left, in the order of names. Views have none:
// it is not known which of them were in it.
func (a *API) departures(ctx context.Context, s *scope) ([]departed, error) {
	if a.Departures == nil || s.view != nil {
		return nil, nil
	}
	now := a.API.Now()
	all, err := a.departed.GetContext(ctx, "", now, func(ctx context.Context) ([]departed, time.Duration, error) {
		left, err := a.Departures.Departed(ctx, now.Add(-departedFor))
		if err != nil {
			if old, ok := a.departed.Peek(""); ok {
				return old, time.Second, nil
			}
			return nil, 0, registry.Wrap(registry.ErrUnavailable, err,
				"Deleted servers are temporarily unavailable. Lists without them are available.")
		}
		var out []departed
		for i := range left {
			if head, ok := entry.HeadOf(&left[i].Server); ok {
				out = append(out, departed{Gone: entry.Gone{Head: head, At: left[i].At}, id: left[i].Server.ID})
			}
		}
		slices.SortFunc(out, func(x, y departed) int {
			return cmp.Or(x.position().Compare(y.position()), y.At.Compare(x.At))
		})
		out = slices.CompactFunc(out, func(x, y departed) bool { return x.Name == y.Name })
		return out, time.Minute, nil
	})
	listed := func(d departed) bool {
		i := s.v.FindEntry(d.Name)
		return i != nil && s.v.EntryName(i) == d.Name
	}
	if slices.ContainsFunc(all, listed) {
		all = slices.DeleteFunc(slices.Clone(all), listed)
	}
	return all, err
}

func (a *API) goneRecord(d *departed) (json.RawMessage, error) {
	r, err := a.encoder.Gone(d.Gone)
	if err != nil {
		return nil, err
	}
	return api.JSON(r)
}
