package export

import (
	"fmt"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// recordFiles writes the record and the health report of a server as JSON.
func (e *exporter) recordFiles(s *registry.Server) error {
	for _, file := range []struct {
		ending string
		encode func(*registry.Server, func(path string) string) ([]byte, error)
	}{{".json", e.DetailFile}, {".health.json", e.HealthFile}} {
		name := "servers/" + s.Slug + file.ending
		body, err := file.encode(s, e.linkFrom(name))
		if err != nil {
			return err
		}
		if err := e.folder.Put(name, append(body, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// jsonList writes a page of the directory as JSON, counted from 0.
func (e *exporter) jsonList(page int) error {
	l := e.View.List("", catalog.ByQuality, -1)
	from := page * jsonPage
	to := min(from+jsonPage, l.Total())
	servers := make([]*registry.Server, 0, jsonPage)
	for n := from; n < to; n++ {
		servers = append(servers, l.At(n).Summary())
	}
	next := ""
	if to < l.Total() {
		next = fmt.Sprintf("%d.json", page+2)
	}
	name := fmt.Sprintf("api/servers/%d.json", page+1)
	body, err := e.ServersFile(servers, from, jsonPage, l.Total(), next, e.linkFrom(name))
	if err != nil {
		return err
	}
	return e.folder.Put(name, append(body, '\n'))
}
