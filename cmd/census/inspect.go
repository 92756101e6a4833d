package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mcpcensus/api/inspections"
	"mcpcensus/crawler/inspect"
	"mcpcensus/crawler/mcp"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/config"
	"mcpcensus/internal/registry"
)

const (
	// idleInspector is the delay after a lease of nothing, or a failed request.
	idleInspector = time.Minute
	// maxResult is the size of a result that is sent, in bytes; larger ones lose their
	// schemas.
	maxResult = inspections.MaxBody - 1<<20
)

func (a *app) inspectCommand() *cobra.Command {
	var location string
	var parallel int
	var once bool
	cmd := &cobra.Command{
		Use: "inspect", Short: "Run published packages in a sandbox and list their tools",
		Args: none,
		Long: "Leases packages from the registry at --registry, installs and starts each one in a " +
			"sandbox without a network, and returns its tools.\n" +
			"Needs Linux, bubblewrap, npm and pip for their packages, the same CENSUS_INSPECT_KEY as the registry, and " +
			"CENSUS_INSPECT_HOSTS. Runs without a database and without tokens.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if u, err := url.Parse(location); err != nil || u.Host == "" ||
				u.Scheme != "http" && u.Scheme != "https" {
				return usageError{fmt.Errorf(
					"--registry must be an http or https URL of a registry, got %q", location)}
			}
			if parallel < 1 {
				return usageError{fmt.Errorf("--parallel must be at least 1, got %d", parallel)}
			}
			if err := a.checkInspector(memoryLimit("/")); err != nil {
				return err
			}
			ctx := cmd.Context()
			inspector, err := inspect.New(ctx, inspect.Options{
				Hosts: config.Hosts(a.config.InspectHosts), Log: a.log,
				Client: mcp.Implementation{Name: "census-inspect", Version: version},
			})
			if err != nil {
				return err
			}
			if len(inspector.Types()) == 0 {
				err = registry.Errorf(registry.ErrUnavailable,
					"neither npm nor pip is installed below /usr, and census was built with CGO_ENABLED=1, which "+
						"images need to be 0, so that no package can be installed")
				return errors.Join(err, inspector.Close())
			}
			r := &remoteQueue{url: strings.TrimRight(location, "/"), key: a.config.InspectKey}
			a.log.Info("inspecting", "registry", r.url, "types", inspector.Types())
			group, working := errgroup.WithContext(ctx)
			for range parallel {
				group.Go(func() error { return a.inspectAll(working, inspector, r, once) })
			}
			err = group.Wait()
			if ctx.Err() != nil {
				err = nil // stopped
			}
			return errors.Join(err, inspector.Close())
		},
	}
	cmd.Flags().StringVar(&location, "registry", "", "URL of the registry")
	cmd.Flags().IntVar(&parallel, "parallel", 1, "packages at a time")
	cmd.Flags().BoolVar(&once, "once", false, "end when no package is due")
	return cmd
}

// checkInspector returns an error unless the process fits an inspector: with a key, without secrets
// that a package could steal, and with a limit of its memory, in bytes.
func (a *app) checkInspector(memory int64) error {
	others := a.config
	others.InspectKey = ""
	if names := others.Secrets(); len(names) > 0 {
		return registry.Errorf(registry.ErrInvalid, "unset %s: census inspect runs the code of "+
			"others, which must not reach these secrets", strings.Join(names, ", "))
	}
	if a.config.InspectKey == "" || len(config.Hosts(a.config.InspectHosts)) == 0 {
		return registry.Errorf(registry.ErrInvalid, "CENSUS_INSPECT_KEY and CENSUS_INSPECT_HOSTS "+
			"must be set; see docs/operations.md")
	}
	if memory == 0 {
		return registry.Errorf(registry.ErrInvalid, "census inspect runs only with a memory limit, since "+
			"packages can use more than the sandbox measures: start it in a container with one, or with "+
			"systemd-run --scope -p MemoryMax=4G")
	}
	return nil
}

// inspectAll inspects packages until ctx is done or, once, until none is due.
func (a *app) inspectAll(
	ctx context.Context, inspector *inspect.Inspector, queue *remoteQueue, once bool,
) error {
	var failed error
	for {
		works, err := queue.lease(ctx, inspector.Types())
		if err == nil {
			for _, w := range works {
				if err = a.inspectOne(ctx, inspector, queue, w.Package); err != nil {
					break
				}
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case once && len(works) == 0:
			return cmp.Or(err, failed)
		case err != nil:
			a.log.Error("inspection failed", "err", err)
			if failed = err; once {
				continue // not due again while leased
			}
		case len(works) > 0:
			continue
		}
		if err := transport.Sleep(ctx, idleInspector); err != nil {
			return err
		}
	}
}

func (a *app) inspectOne(
	ctx context.Context, inspector *inspect.Inspector, queue *remoteQueue, p registry.Package,
) error {
	start := time.Now()
	got, err := inspector.Inspect(ctx, p)
	if err != nil {
		return err
	}
	a.log.Info("inspected", "package", p.Identifier, "version", p.Version, "outcome", got.Outcome,
		"detail", got.Detail, "tools", len(got.Tools), "took", time.Since(start))
	return queue.save(ctx, registry.InspectionResult{RegistryType: p.RegistryType,
		Identifier: p.Identifier, Inspection: got})
}

type remoteQueue struct{ url, key string }

func (q *remoteQueue) lease(
	ctx context.Context, types []string,
) ([]registry.InspectionWork, error) {
	var resp inspections.LeaseResponse
	err := q.post(ctx, inspections.LeasePath,
		inspections.LeaseRequest{RegistryTypes: types, Max: 1}, &resp)
	return resp.Packages, err
}

func (q *remoteQueue) save(ctx context.Context, result registry.InspectionResult) error {
	if text, err := json.Marshal(result); err == nil && len(text) > maxResult {
		for i := range result.Inspection.Tools {
			result.Inspection.Tools[i].InputSchema = nil
		}
	}
	return q.post(ctx, inspections.ResultsPath,
		inspections.ResultsRequest{Results: []registry.InspectionResult{result}}, &struct{}{})
}

// maxQueueBody bounds the response of the registry that an inspector works for, in bytes.
const maxQueueBody = 16 << 20

// post sends a request and decodes the response into v.
func (q *remoteQueue) post(ctx context.Context, path string, body, v any) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+q.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		message, _ := io.ReadAll(io.LimitReader(resp.Body, 200)) // for the error only
		switch resp.StatusCode {
		case http.StatusNotFound:
			return fmt.Errorf("%s takes no inspections: its CENSUS_INSPECT_KEY is not set", q.url)
		case http.StatusUnauthorized:
			return fmt.Errorf("%s has another CENSUS_INSPECT_KEY", q.url)
		}
		return fmt.Errorf("%s: %s: %s", q.url, resp.Status, bytes.TrimSpace(message))
	}
	return json.NewDecoder(io.LimitReader(resp.Body, maxQueueBody)).Decode(v)
}

// withInspections adds the endpoints for inspectors to a handler, if the configuration
// has a key for them.
func (a *app) withInspections(h http.Handler, queue inspections.Queue) http.Handler {
	if a.config.InspectKey == "" {
		return h
	}
	inspectors := inspections.Handler(queue, a.config.InspectKey, a.log)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, inspections.Prefix) {
			inspectors.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}
