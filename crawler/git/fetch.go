package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// isID reports whether s is an object ID of SHA-1.
func isID(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// Filters of objects that the server leaves out.
const (
	noBlobs = "blob:none"
	noTrees = "tree:0"
)

// A fetch is a request for objects.
type fetch struct {
	wants  []string
	depth  int       // of the history; 0: not limited
	since  time.Time // start of the history; zero: not limited
	filter string    // "" for none
	// object is the limit of bytes of an object that is kept, inflated that of all objects; 0:
	// those of [Limits].
	object, inflated int64
}

// A fetched response. It may be incomplete.
type fetched struct {
	pack
	shallow map[string]bool // commits whose parents are left out
	size    int64           // bytes of the response
}

// fetch sends a request for objects. With an error, it returns what arrived before it.
func (r *Repository) fetch(ctx context.Context, f fetch) (fetched, error) {
	got := fetched{pack: pack{objects: map[string]object{}}, shallow: map[string]bool{}}
	resp, err := r.post(ctx, f.message())
	if err != nil {
		return got, r.fail(ctx, err)
	}
	defer resp.Body.Close()
	lim := r.client.lim
	body := &boundedReader{resp.Body, lim.Response, lim.Response}
	err = got.read(newPacketReader(body), packLimits{
		objects: lim.Objects, object: cmp.Or(f.object, lim.Object),
		inflated: cmp.Or(f.inflated, lim.Inflated), depth: maxDeltas,
	})
	got.size = lim.Response - body.left
	if err != nil {
		return got, r.fail(ctx, err)
	}
	return got, nil
}

func (f *fetch) message() *message {
	var m message
	m.line("command=fetch")
	m.line("object-format=sha1")
	m.delim()
	m.line("ofs-delta")
	m.line("no-progress")
	for _, id := range f.wants {
		m.line("want %s", id)
	}
	if f.depth > 0 {
		m.line("deepen %d", f.depth)
	}
	if !f.since.IsZero() {
		m.line("deepen-since %d", max(1, f.since.Unix()))
	}
	if f.filter != "" {
		m.line("filter %s", f.filter)
	}
	m.line("done")
	m.flush()
	return &m
}

// read reads the sections of a response. A response without a pack has no objects: there is no
// commit since the requested time.
func (got *fetched) read(p *packetReader, lim packLimits) error {
	section := ""
	for {
		kind, line, err := p.line()
		switch {
		case errors.Is(err, errCut) && section == "shallow-info":
			return nil // how git ends a response without commits
		case err != nil:
			return err
		case kind == packetFlush, kind == packetEnd:
			return nil
		case kind == packetDelim:
			section = ""
		case section == "" && line == "packfile":
			got.pack, err = readPack(&bandReader{packets: p}, lim)
			return err
		case section == "":
			section = line
		case section == "shallow-info":
			if id, ok := strings.CutPrefix(line, "shallow "); ok && isID(id) {
				got.shallow[id] = true
			}
		}
	}
}

// data returns the content of an object of a kind; false if it did not arrive.
func (got *fetched) data(id string, kind plumbing.ObjectType) ([]byte, bool) {
	o, ok := got.objects[id]
	return o.data, ok && o.kind == kind && int64(len(o.data)) == o.size
}

// commit returns a commit; false if it did not arrive or is invalid.
func (got *fetched) commit(id string) (Commit, bool) {
	data, ok := got.data(id, plumbing.CommitObject)
	if !ok {
		return Commit{}, false
	}
	c, ok := parseCommit(id, data)
	c.Boundary = got.shallow[id]
	return c, ok
}

// Blobs are the contents of files, by ID. Each requested ID is in one of the maps.
type Blobs struct {
	Content map[string][]byte
	NotRead map[string]string // displayable reasons
	// Cut is why files are missing that another reading may get, "" if none are.
	Cut string
}

// Blobs reads files by their IDs, the most important first. If a response exceeds the limits,
// the files that it lacks are requested in smaller groups, so that a large file does not prevent
// the reading of others. It returns an error if the host does not respond; then the files that
// arrived before are in the result, too.
func (r *Repository) Blobs(ctx context.Context, ids []string) (Blobs, error) {
	b := blobReader{r: r, left: r.client.lim.Requests, out: Blobs{
		Content: map[string][]byte{}, NotRead: map[string]string{}}}
	var wanted []string
	seen := map[string]bool{}
	for _, id := range ids {
		switch {
		case !isID(id):
			b.out.NotRead[id] = "its object ID is invalid"
		case !seen[id]:
			wanted = append(wanted, id)
		}
		seen[id] = true
	}
	var err error
	for chunk := range slices.Chunk(wanted, r.client.lim.Blobs) {
		if err == nil {
			err = b.read(ctx, chunk)
		}
	}
	for _, id := range wanted {
		if _, ok := b.out.Content[id]; !ok && b.out.NotRead[id] == "" {
			b.out.NotRead[id] = Reason(err)
		}
	}
	return b.out, err
}

const limitReached = "the limit of requests or bytes for the repository's files was reached"

// A blobReader is a call of [Repository.Blobs].
type blobReader struct {
	r        *Repository
	left     int   // requests
	received int64 // bytes of responses
	size     int64 // bytes of files
	out      Blobs
}

// read reads a group of files. Those that a limit kept from arriving are requested again, in
// smaller groups.
func (b *blobReader) read(ctx context.Context, ids []string) error {
	lim := b.r.client.lim
	if b.left == 0 || b.size >= lim.Files || b.received >= 2*lim.Response {
		b.refuse(ids, limitReached)
		return nil
	}
	b.left--
	got, err := b.r.fetch(ctx, fetch{wants: ids, object: lim.Blob, inflated: lim.Files - b.size})
	b.received += got.size
	missing := b.take(ids, got)
	switch {
	case IsKind(err, Gone):
		missing = b.gone(missing, err)
	case len(ids) > 1 && (IsKind(err, TooLarge) || err == nil && got.lost > 0):
	case IsKind(err, TooLarge):
		b.refuse(missing, limitReached)
		return nil
	case err == nil, IsKind(err, Corrupt):
		b.refuse(missing, cmp.Or(Reason(err), b.r.client.host.Name+" did not send it"))
		return nil
	default:
		return err
	}
	size := len(missing)
	if size == len(ids) {
		size = (size + 1) / 2
	}
	for chunk := range slices.Chunk(missing, max(1, size)) {
		if err := b.read(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// take moves the files of a response to the result and returns the IDs of the others.
func (b *blobReader) take(ids []string, got fetched) (missing []string) {
	for _, id := range ids {
		o, ok := got.objects[id]
		switch {
		case !ok:
			missing = append(missing, id)
		case o.kind != plumbing.BlobObject:
			b.out.NotRead[id] = "it is not a file"
		case int64(len(o.data)) < o.size:
			b.out.NotRead[id] = "it is larger than " + megabytes(b.r.client.lim.Blob)
		default:
			b.out.Content[id] = bytes.Clone(o.data)
			b.size += o.size
		}
	}
	return missing
}

// gone removes the ID that the host's error names; all if it names none.
func (b *blobReader) gone(ids []string, err error) (rest []string) {
	message := ""
	if remote, ok := errors.AsType[*remoteError](err); ok {
		message = remote.message
	}
	rest = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return strings.Contains(message, id)
	})
	if len(rest) == len(ids) {
		rest = nil
	}
	for _, id := range ids {
		if !slices.Contains(rest, id) {
			b.out.NotRead[id] = Reason(err)
		}
	}
	return rest
}

func (b *blobReader) refuse(ids []string, why string) {
	if len(ids) > 0 {
		b.out.Cut = why
	}
	for _, id := range ids {
		b.out.NotRead[id] = why
	}
}

// Heads returns the given commits, such as those of tags, without their history, in a request for
// each [Limits.Blobs] of them. Commits that the host does not send are missing.
func (r *Repository) Heads(ctx context.Context, ids []string) (map[string]Commit, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	ids = slices.DeleteFunc(ids, func(id string) bool { return !isID(id) })
	heads := map[string]Commit{}
	for chunk := range slices.Chunk(ids, r.client.lim.Blobs) {
		got, err := r.fetch(ctx, fetch{wants: chunk, depth: 1, filter: noTrees})
		for _, id := range chunk {
			if c, ok := got.commit(id); ok {
				heads[id] = c
			}
		}
		if err != nil {
			return heads, err
		}
	}
	return heads, nil
}
