package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"mcpcensus/internal/text"
)

// An object is an object of a pack.
type object struct {
	kind plumbing.ObjectType
	data []byte
	size int64 // of the content; data is nil if it exceeds packLimits.object
}

type packLimits struct {
	objects  int
	object   int64 // bytes of one object; larger ones are discarded
	inflated int64 // bytes of all objects and deltas together
	depth    int   // of deltas
}

// An entry is an object or a delta at its place in a pack.
type entry struct {
	kind    plumbing.ObjectType // of the object; 0 of a delta that is not resolved
	data    []byte              // the content, or the delta
	size    int64
	depth   int
	waiting []*entry // deltas with this base
}

// A packReader resolves the objects of a pack while it arrives.
type packReader struct {
	lim      packLimits
	scanner  *packfile.Scanner
	offsets  map[int64]*entry
	bases    map[plumbing.Hash]*entry // objects by ID, and entries that wait for them
	objects  map[string]object
	inflated int64
	dropped  bool // an object was larger than the limit
	deltas   int  // that are not resolved
}

// A pack is what was read of a pack.
type pack struct {
	objects map[string]object // by ID, which is computed from the content
	lost    int               // deltas that depend on an object larger than packLimits.object
}

// readPack reads a pack. With an error it returns the objects that arrived before it. The error
// is a [limitError], errCorrupt, or that of r; io.EOF of r before the end of the pack is errCut.
func readPack(r io.Reader, lim packLimits) (pack, error) {
	source := &sticky{r: r}
	p := &packReader{
		lim: lim, scanner: packfile.NewScanner(source), objects: map[string]object{},
		offsets: map[int64]*entry{}, bases: map[plumbing.Hash]*entry{},
	}
	err := p.read()
	switch {
	case err == nil:
	case errors.Is(err, errLimit) || errors.Is(err, errCorrupt):
	case source.err == io.EOF:
		err = errCut
	case source.err != nil:
		err = source.err
	default:
		err = corruptf("%s", text.Clean(err.Error(), maxMessage))
	}
	return pack{p.objects, p.deltas}, err
}

// A sticky reader notes its first error, which the scanner may replace by its own.
type sticky struct {
	r   io.Reader
	err error
}

func (s *sticky) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.err = err
	return n, err
}

func (p *packReader) read() error {
	_, n, err := p.scanner.Header()
	if err != nil {
		return err
	}
	for i := range n {
		if int(i) >= p.lim.objects {
			return &limitError{"more than " + text.Count(p.lim.objects, "object")}
		}
		if err := p.readEntry(); err != nil {
			return err
		}
	}
	if _, err := p.scanner.Checksum(); err != nil {
		return err
	}
	if p.deltas > 0 && !p.dropped {
		return corruptf("%d deltas have no base", p.deltas)
	}
	return nil
}

// readEntry reads the next entry and resolves the deltas for which it is the base.
func (p *packReader) readEntry() error {
	h, err := p.scanner.NextObjectHeader()
	if err != nil {
		return err
	}
	e := &entry{size: h.Length}
	p.offsets[h.Offset] = e
	if err := p.spend(h.Length); err != nil {
		return err
	}
	hasher := plumbing.NewHasher(h.Type, h.Length)
	isDelta := h.Type == plumbing.OFSDeltaObject || h.Type == plumbing.REFDeltaObject
	if !isDelta {
		e.kind = h.Type
		if e.kind < plumbing.CommitObject || e.kind > plumbing.TagObject {
			return corruptf("an object has the type %d", h.Type)
		}
	}
	if h.Length > p.lim.object {
		p.dropped = true
		if _, _, err := p.scanner.NextObject(hasher); err != nil || isDelta {
			return err
		}
		p.objects[hasher.Sum().String()] = object{kind: e.kind, size: e.size}
		return nil
	}
	var content bytes.Buffer
	if _, _, err := p.scanner.NextObject(&content); err != nil {
		return err
	}
	e.data = content.Bytes()
	if int64(len(e.data)) != h.Length {
		return corruptf("an object has %d bytes instead of %d", len(e.data), h.Length)
	}
	if !isDelta {
		return p.add(e)
	}
	return p.addDelta(e, h)
}

// spend counts bytes of inflated data.
func (p *packReader) spend(n int64) error {
	if n < 0 || n > p.lim.inflated-p.inflated {
		return &limitError{"more than " + megabytes(p.lim.inflated) + " of uncompressed data"}
	}
	p.inflated += n
	return nil
}

// addDelta resolves a delta, or lets it wait for its base.
func (p *packReader) addDelta(e *entry, h *packfile.ObjectHeader) error {
	var base *entry
	if h.Type == plumbing.OFSDeltaObject {
		if base = p.offsets[h.OffsetReference]; base == nil {
			return corruptf("a delta has no base")
		}
	} else if base = p.bases[h.Reference]; base == nil {
		base = &entry{}
		p.bases[h.Reference] = base
	}
	p.deltas++
	base.waiting = append(base.waiting, e)
	if base.kind == 0 || base.data == nil && base.size > 0 {
		return nil
	}
	return p.resolve(base)
}

// add adds an object, and resolves the deltas that wait for it.
func (p *packReader) add(e *entry) error {
	p.store(e)
	return p.resolve(e)
}

// store stores an object under its ID. Deltas that wait for the ID wait for the object.
func (p *packReader) store(e *entry) {
	id := plumbing.ComputeHash(e.kind, e.data)
	p.objects[id.String()] = object{kind: e.kind, data: e.data, size: e.size}
	if other := p.bases[id]; other != nil && other != e {
		e.waiting = append(e.waiting, other.waiting...)
		other.waiting = nil
	}
	p.bases[id] = e
}

// resolve resolves the deltas that wait for an object, and those that wait for them.
func (p *packReader) resolve(base *entry) error {
	todo := []*entry{base}
	for len(todo) > 0 {
		base := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		waiting := base.waiting
		base.waiting = nil
		for _, e := range waiting {
			ok, err := p.apply(base, e)
			if err != nil {
				return err
			}
			if ok {
				todo = append(todo, e)
			}
		}
	}
	return nil
}

// apply turns a delta into the object that it describes. It reports false if that is larger than
// the limit.
func (p *packReader) apply(base, e *entry) (ok bool, err error) {
	_, n := binary.Uvarint(e.data)
	if n <= 0 {
		return false, corruptf("a delta is invalid")
	}
	size, m := binary.Uvarint(e.data[n:])
	switch {
	case m <= 0:
		return false, corruptf("a delta is invalid")
	case base.depth >= p.lim.depth:
		return false, &limitError{fmt.Sprintf("a chain of more than %d deltas", p.lim.depth)}
	case size > uint64(p.lim.object):
		p.dropped = true
		return false, nil
	}
	if err := p.spend(int64(size)); err != nil {
		return false, err
	}
	data, err := packfile.PatchDelta(base.data, e.data)
	if err != nil {
		return false, corruptf("a delta is invalid")
	}
	e.kind, e.depth, e.size, e.data = base.kind, base.depth+1, int64(len(data)), data
	p.deltas--
	p.store(e)
	return true, nil
}
