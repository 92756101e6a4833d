package search

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"mcpcensus/internal/folder"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
)

// layout is part of the names of indexes, together with a hash of the mapping: an index of
// another layout is rebuilt. It changes whenever documents are built differently.
const layout = "19"

// Bleve is an [Index] in a separate directory.
type Bleve struct {
	dir  string // of this process
	lock *os.File
	log  *slog.Logger
	most int // matches of a text

	mu      sync.RWMutex // held for reading while index is used
	index   bleve.Index
	closed  bool
	build   sync.Mutex // held during a rebuild
	writing sync.Mutex // held during a write
}

// OpenBleve opens the index under dir. It creates an empty one if there is
// none, if it is damaged, or if it was made by another version. Several
// processes may share dir: each has its own subfolder.
func OpenBleve(dir string, log *slog.Logger) (*Bleve, error) {
	b := &Bleve{log: log, most: query.MaxMatches}
	var err error
	for slot := 0; ; slot++ {
		b.dir = filepath.Join(dir, strconv.Itoa(slot))
		if err = os.MkdirAll(b.dir, 0o700); err != nil {
			return nil, fmt.Errorf("search index: %w", err)
		}
		b.lock, err = lockFile(filepath.Join(b.dir, "lock"))
		if err == nil {
			break
		}
		if !errors.Is(err, errLocked) || slot == 63 {
			return nil, fmt.Errorf("search index: %s: %w", b.dir, err)
		}
	}
	name := b.current()
	if name != "" {
		b.index, err = openIndex(filepath.Join(b.dir, name))
		if err != nil {
			log.Warn("search: the index cannot be read and is rebuilt", "dir", b.dir, "err", err)
			name = ""
		}
	}
	if name == "" {
		if name, b.index, err = b.create(); err == nil {
			err = b.setCurrent(name)
		}
		if err != nil {
			b.lock.Close()
			return nil, fmt.Errorf("search index: %w", err)
		}
	}
	b.sweep(name)
	return b, nil
}

var errLocked = errors.New("another process uses it")

// lockFile opens and locks a file. It fails with errLocked if another process holds it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil && !folder.Lock(f) {
		f.Close()
		return nil, errLocked
	}
	return f, err
}

// InUse reports whether a process has an index under dir open.
func InUse(dir string) bool {
	locks, _ := filepath.Glob(filepath.Join(dir, "*", "lock")) // fails for a wrong pattern only
	for _, path := range locks {
		f, err := lockFile(path)
		if errors.Is(err, errLocked) {
			return true
		}
		if err == nil {
			f.Close()
		}
	}
	return false
}

// openIndex opens an index and reads from it. It fails if the index is damaged,
// also where Bleve panics.
func openIndex(path string) (_ bleve.Index, err error) {
	var idx bleve.Index
	// Reading a truncated memory-mapped file is a fault.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	if err := dropDamaged(path); err != nil {
		return nil, err
	}
	idx, err = bleve.OpenUsing(path, map[string]any{"bolt_timeout": "1s"})
	if err != nil {
		return nil, err
	}
	if _, err = idx.DocCount(); err == nil {
		_, err = pointOf(idx)
	}
	if err == nil {
		_, err = idx.Search(bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1, 0, false))
	}
	if err != nil {
		idx.Close()
		return nil, err
	}
	return idx, nil
}

// dropDamaged removes segments with a wrong checksum, including those that were being written
// when the program was killed. Bleve reports a missing segment as an error, but does not
// compare checksums and crashes.
func dropDamaged(path string) error {
	files, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
	if err != nil {
		return err
	}
	for _, file := range files {
		ok, err := sound(file)
		if err == nil && !ok {
			err = os.Remove(file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sound reports whether a segment ends with the checksum of its content.
func sound(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < 4 {
		return false, err
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyBuffer(sum, io.LimitReader(f, info.Size()-4), make([]byte, 1<<20)); err != nil {
		return false, err
	}
	var end [4]byte
	if _, err := io.ReadFull(f, end[:]); err != nil {
		return false, err
	}
	return binary.BigEndian.Uint32(end[:]) == sum.Sum32(), nil
}

// bleveLayout returns the prefix of the names of indexes of this version.
var bleveLayout = sync.OnceValue(func() string {
	m, err := newMapping()
	if err != nil {
		panic(fmt.Sprintf("search: %v", err))
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("search: %v", err))
	}
	return hash(layout, string(data), synonyms.File)
})

// hash returns a short name for texts.
func hash(of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// current returns the folder of the index in use, "" if there is none of this
// layout.
func (b *Bleve) current() string {
	data, err := os.ReadFile(filepath.Join(b.dir, "current"))
	name := strings.TrimSpace(string(data))
	if err != nil || !strings.HasPrefix(name, bleveLayout()+"-") || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

func (b *Bleve) setCurrent(name string) error {
	path := filepath.Join(b.dir, "current")
	if err := os.WriteFile(path+".new", []byte(name+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// sweep removes all indexes except one.
func (b *Bleve) sweep(keep string) {
	entries, _ := os.ReadDir(b.dir)
	for _, e := range entries {
		if e.IsDir() && e.Name() != keep {
			if err := os.RemoveAll(filepath.Join(b.dir, e.Name())); err != nil {
				b.log.Warn("search: an old index cannot be removed", "err", err)
			}
		}
	}
}

// unused returns a new name for an index.
func (b *Bleve) unused() string {
	for n := 0; ; n++ {
		name := bleveLayout() + "-" + strconv.Itoa(n)
		if _, err := os.Stat(filepath.Join(b.dir, name)); errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
}

func (b *Bleve) create() (name string, _ bleve.Index, err error) {
	name = b.unused()
	idx, err := newIndex(filepath.Join(b.dir, name))
	return name, idx, err
}

func newIndex(path string) (bleve.Index, error) {
	m, err := newMapping()
	if err != nil {
		return nil, err
	}
	idx, err := bleve.NewUsing(path, m, scorch.Name, scorch.Name, map[string]any{"bolt_timeout": "1s"})
	if err != nil {
		return nil, err
	}
	if err := idx.SetInternal(buildKey, []byte(rand.Text())); err != nil {
		idx.Close()
		return nil, err
	}
	return idx, nil
}

// built reports whether an index was ever filled.
func built(idx bleve.Index) (bool, error) {
	data, err := idx.GetInternal(seqKey)
	return data != nil, err
}

var seqKey, sourceKey, buildKey = []byte("seq"), []byte("source"), []byte("build")

func pointOf(idx bleve.Index) (p Point, err error) {
	internal := func(key []byte) string {
		data, e := idx.GetInternal(key)
		if err == nil {
			err = e
		}
		return string(data)
	}
	p.Source, p.Build = internal(sourceKey), internal(buildKey)
	if seq := internal(seqKey); seq != "" && err == nil {
		p.Seq, err = strconv.ParseInt(seq, 10, 64)
	}
	return p, err
}

// use calls f with the current index, which stays open until f returns.
func (b *Bleve) use(f func(bleve.Index) error) (err error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return registry.Errorf(registry.ErrUnavailable, "the search index is closed")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		// Bleve panics if its files are changed.
		if p := recover(); p != nil {
			err = registry.Wrap(registry.ErrUnavailable, fmt.Errorf("bleve: %v", p), "the search index cannot be read")
		}
	}()
	return f(b.index)
}

// At implements [Index].
func (b *Bleve) At(context.Context) (p Point, err error) {
	err = b.use(func(idx bleve.Index) error {
		p, err = pointOf(idx)
		return err
	})
	return p, err
}

// Put implements [Index].
func (b *Bleve) Put(ctx context.Context, servers []registry.Server, removed []string, at Point, seq int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.use(func(idx bleve.Index) error {
		if now, err := pointOf(idx); err != nil || now.Build != at.Build {
			return cmp.Or(err, ErrReplaced)
		}
		return put(idx, servers, removed, at.Source, seq)
	})
}

func put(idx bleve.Index, servers []registry.Server, removed []string, source string, seq int64) error {
	batch := idx.NewBatch()
	for _, slug := range removed {
		batch.Delete(slug)
	}
	for i := range servers {
		if err := batch.Index(servers[i].Slug, toBleve(&servers[i])); err != nil {
			return fmt.Errorf("search index: %s: %w", servers[i].Slug, err)
		}
	}
	batch.SetInternal(seqKey, strconv.AppendInt(nil, seq, 10))
	batch.SetInternal(sourceKey, []byte(source))
	if err := idx.Batch(batch); err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return nil
}

// Rebuild implements [Index].
func (b *Bleve) Rebuild(ctx context.Context, feed Feed) error {
	b.build.Lock()
	defer b.build.Unlock()
	name, fresh, err := b.create()
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	if err := fillIndex(ctx, fresh, feed); err != nil {
		fresh.Close()
		os.RemoveAll(filepath.Join(b.dir, name))
		return err
	}
	return b.replace(name, fresh)
}

// fillIndex puts the whole feed into an empty index.
func fillIndex(ctx context.Context, idx bleve.Index, feed Feed) error {
	source, err := feed.Identity(ctx)
	if err != nil {
		return err
	}
	if err := put(idx, nil, nil, source, 0); err != nil {
		return err
	}
	return fill(ctx, feed, func(servers []registry.Server, removed []string, seq int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return put(idx, servers, removed, source, seq)
	})
}

// Clear implements [Index].
func (b *Bleve) Clear(context.Context) error {
	b.build.Lock()
	defer b.build.Unlock()
	name, fresh, err := b.create()
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return b.replace(name, fresh)
}

// replace makes an index the current one and removes the old one.
func (b *Bleve) replace(name string, fresh bleve.Index) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		fresh.Close()
		return registry.Errorf(registry.ErrUnavailable, "the search index is closed")
	}
	if err := b.setCurrent(name); err != nil {
		fresh.Close()
		return fmt.Errorf("search index: %w", err)
	}
	old := b.index
	b.index = fresh
	if err := old.Close(); err != nil {
		b.log.Warn("search: closing the old index", "err", err)
	}
	b.sweep(name)
	return nil
}

// Stats implements [Index].
func (b *Bleve) Stats(context.Context) (Stats, error) {
	st := Stats{Engine: "bleve"}
	err := b.use(func(idx bleve.Index) error {
		n, err := idx.DocCount()
		if err != nil {
			return err
		}
		st.Servers = int(n)
		if st.Built, err = built(idx); err != nil {
			return err
		}
		p, err := pointOf(idx)
		st.Seq = p.Seq
		return err
	})
	if err == nil {
		err = filepath.WalkDir(b.dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if info, err := d.Info(); err == nil {
					st.Bytes += info.Size()
				}
			}
			return nil
		})
	}
	return st, err
}

// Close implements [Index].
func (b *Bleve) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	err := b.index.Close()
	return errors.Join(err, b.lock.Close())
}
