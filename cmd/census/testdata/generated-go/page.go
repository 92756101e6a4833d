// Command generated reads all pages of the lists by cursor with the generated client.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"generated/registry"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	key := os.Getenv("CENSUS_SDK_TEST_KEY")
	client, err := registry.NewClientWithResponses(os.Getenv("CENSUS_SDK_TEST_URL"),
		registry.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	if err != nil {
		return err
	}
	limit := 3
	err = readAll("/api/servers", func(cursor *string) (page, error) {
		r, err := client.ListDirectoryWithResponse(ctx,
			&registry.ListDirectoryParams{Limit: &limit, Cursor: cursor})
		if err != nil || r.JSON200 == nil {
			return page{}, fmt.Errorf("%v: %v", r, err)
		}
		p := r.JSON200.Pagination
		return page{r.JSON200.Servers, p.Total, p.NextCursor}, nil
	})
	if err != nil {
		return err
	}
	err = readAll("/v1/servers", func(cursor *string) (page, error) {
		r, err := client.ListServersWithResponse(ctx,
			&registry.ListServersParams{Limit: &limit, Cursor: cursor})
		if err != nil || r.JSON200 == nil {
			return page{}, fmt.Errorf("%v: %v", r, err)
		}
		p := r.JSON200.Pagination
		return page{r.JSON200.Servers, p.Total, p.NextCursor}, nil
	})
	if err != nil {
		return err
	}
	key = "mcp_wrong"
	r, err := client.ListServersWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	if p := r.ApplicationproblemJSON401; p == nil || p.Code != "invalid_api_key" {
		return fmt.Errorf("with a wrong key: %s", r.Body)
	}
	return nil
}

// A page is a page of a list.
type page struct {
	servers []registry.Server
	total   int
	next    *string
}

func readAll(name string, read func(cursor *string) (page, error)) error {
	seen := map[string]bool{}
	n, pages := 0, 0
	var cursor *string
	for {
		p, err := read(cursor)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		pages++
		for _, s := range p.servers {
			seen[s.Slug] = true
			n++
		}
		if cursor = p.next; cursor != nil {
			continue
		}
		fmt.Printf("%s: %d of %d on %d pages\n", name, n, p.total, pages)
		if pages < 2 || n != p.total || len(seen) != n {
			return fmt.Errorf("%s: not all entries, or some twice", name)
		}
		return nil
	}
}
