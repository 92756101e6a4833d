package catalog

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"mcpcensus/internal/registry"
)

// documents are those of an item, but its list entry, compressed.
//
// Making them is most of the work of a process that starts, and few are asked
// for at once. So an item that comes from the store by then keeps the record
// that it was read from, and its documents are made of that: when they are
// asked for, or by [Catalog.settle] when all else is ready. They follow from the
// record alone, so that they are the same bytes whenever they are made.
type documents struct {
	codecs *codecs
	packed []byte    // the tool entry, the detail record and the health report
	ends   [2]uint32 // of the first two
	later  bool      // they are made of the record when they are asked for
}

func (d *documents) entry(dst []byte) []byte {
	return d.codecs.entry.decode(dst, d.packed[:d.ends[0]])
}

func (d *documents) detail(dst []byte) []byte {
	return d.codecs.detail.decode(dst, d.packed[d.ends[0]:d.ends[1]])
}

func (d *documents) health(dst []byte) []byte {
	return d.codecs.health.decode(dst, d.packed[d.ends[1]:])
}

// workrooms are for what is made on the way to documents.
var workrooms = sync.Pool{New: func() any { b := make([]byte, 0, 32<<10); return &b }}

func newDocuments(cs *codecs, r Record) *documents {
	room := workrooms.Get().(*[]byte)
	defer workrooms.Put(room)
	d := &documents{codecs: cs}
	p := cs.entry.encode((*room)[:0], r.Entry)
	d.ends[0] = uint32(len(p))
	p = cs.detail.encode(p, r.Detail)
	d.ends[1] = uint32(len(p))
	p = cs.health.encode(p, r.Health)
	d.packed, *room = append(make([]byte, 0, len(p)), p...), p
	return d
}

// made returns the documents of i, which it makes if that is still to be done.
func (i *Item) made() *documents {
	d := i.documents.Load()
	if !d.later {
		return d
	}
	d, err := i.make(d)
	if err != nil {
		panic("catalog: " + err.Error()) // the record was encoded in brief
	}
	return d
}

// make makes documents of a record. Whoever is second to do so for an item has
// made the same.
func (i *Item) make(d *documents) (*documents, error) {
	s, err := i.Record()
	if err != nil {
		return nil, err
	}
	r, err := d.codecs.encodes(s, false)
	if err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err, "server "+i.slug+" cannot be shown")
	}
	d = newDocuments(d.codecs, r)
	i.documents.Store(d)
	return d, nil
}

// settle makes the documents of a version that are not made yet, best servers
// first, one at a time: requests need the other processors.
func (c *Catalog) settle(ctx context.Context, v *View, log *slog.Logger) {
	for slot := range slices.Values(v.orders[ByQuality][0]) {
		if ctx.Err() != nil {
			return
		}
		i := v.items[slot]
		if d := i.documents.Load(); d.later {
			if _, err := i.make(d); err != nil {
				log.Error("catalog: documents not made", "err", err)
			}
		}
	}
	log.Info("catalog settled", "servers", v.Len())
}
