package search

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/registry"
)

const (
	buildBatch = 2000 // servers of a segment, before they are merged
	buildMerge = 64   // segments that are merged into one at a time
)

// made gives a builder documents that were made before: what it is given to
// index is a [document.Document].
type made struct{ *mapping.IndexMappingImpl }

// MapDocument implements [mapping.IndexMapping].
func (made) MapDocument(to *document.Document, from any) error {
	to.Fields = from.(*document.Document).Fields
	return nil
}

// build makes an index of a whole feed, in one segment. Bleve's own way of
// adding documents keeps the index searchable all the while, which takes
// three times as long.
func build(ctx context.Context, path string, feed Feed) (*stored, error) {
	source, err := feed.Identity(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	builder, err := bleve.NewBuilder(path, made{newMapping()}, map[string]any{
		"batchSize": buildBatch, "mergeMax": buildMerge, "buildPathPrefix": path,
	})
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	// A builder takes each server once: those that change while the feed is
	// read are put into the finished index.
	type change struct {
		server  *registry.Server
		removed string
	}
	var late []change
	seen := map[string]bool{}
	last := int64(0)
	batches := make(chan []registry.Server, 1)
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(batches)
		return fill(gctx, feed, func(servers []registry.Server, removed []string, seq int64) error {
			for _, slug := range removed {
				if seen[slug] {
					late = append(late, change{removed: slug})
				}
			}
			fresh := servers[:0:0]
			for i := range servers {
				if s := &servers[i]; seen[s.Slug] {
					late = append(late, change{server: s})
				} else {
					seen[s.Slug] = true
					fresh = append(fresh, *s)
				}
			}
			last = seq
			select {
			case batches <- fresh:
				return nil
			case <-gctx.Done():
				return gctx.Err()
			}
		})
	})
	documents := make(chan *document.Document, 256)
	group.Go(func() error {
		defer close(documents)
		makers, mctx := errgroup.WithContext(gctx)
		makers.SetLimit(max(1, runtime.GOMAXPROCS(0)-1))
		for servers := range batches {
			makers.Go(func() error {
				for i := range servers {
					doc := toDocument(&servers[i])
					for _, f := range doc.Fields {
						if f, ok := f.(*textOnce); ok {
							f.Analyze()
						}
					}
					select {
					case documents <- doc:
					case <-mctx.Done():
						return mctx.Err()
					}
				}
				return nil
			})
		}
		return makers.Wait()
	})
	group.Go(func() error {
		for doc := range documents {
			if err := builder.Index(doc.ID(), doc); err != nil {
				return fmt.Errorf("search index: %s: %w", doc.ID(), err)
			}
			if gctx.Err() != nil {
				return gctx.Err()
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if len(seen) > 0 {
		// Of nothing, a builder makes nothing that can be opened.
		if err := builder.Close(); err != nil {
			return nil, fmt.Errorf("search index: %w", err)
		}
	}
	var idx *stored
	if len(seen) > 0 {
		if idx, err = openIndex(path); err == nil {
			err = idx.SetInternal(buildKey, []byte(rand.Text()))
		}
	} else if err = os.RemoveAll(path); err == nil {
		idx, err = newIndex(path)
	}
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	for len(late) > 0 && err == nil {
		// One by one, as a server may have changed several times.
		var servers []registry.Server
		var removed []string
		if c := late[0]; c.server != nil {
			servers = append(servers, *c.server)
		} else {
			removed = append(removed, c.removed)
		}
		err = put(idx, servers, removed, source, 0)
		late = late[1:]
	}
	if err == nil {
		err = put(idx, nil, nil, source, last)
	}
	if err == nil {
		err = idx.warm()
	}
	if err != nil {
		idx.Close()
		return nil, fmt.Errorf("search index: %w", err)
	}
	return idx, nil
}

// warm reads what is kept in memory.
func (s *stored) warm() error {
	v, err := s.open()
	if err != nil {
		return err
	}
	v.close()
	return nil
}
