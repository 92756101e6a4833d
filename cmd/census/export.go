package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/install"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/export"
	"mcpcensus/web/feeds"
	"mcpcensus/web/pages"
	"mcpcensus/web/site"
)

// exportMemory is the soft memory limit of an export in bytes, unless
// GOMEMLIMIT is set. 100,000 servers use two thirds of it.
const exportMemory = 640 << 20

func (a *app) exportCommand() *cobra.Command {
	var address, logo string
	var pictures, demo bool
	var workers int
	cmd := &cobra.Command{
		Use: "export DIR", Short: "Export the public directory as static files", Args: exactly(
			1, "the folder to write to"),
		Long: "Writes the public directory as files for any static host: pages, search in the " +
			"browser, " +
			"feeds, site map, badges and JSON. " +
			"Links are relative, so the folder can be served from any path. A second export " +
			"writes only changed files, and an interrupted export can be continued.",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			address = cmp.Or(address, a.config.BaseURL)
			address = strings.TrimSuffix(address, "/")
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
				u.RawQuery != "" || u.Fragment != "" || u.User != nil {
				return usageError{fmt.Errorf(
					"--url must be an address such as https://example.com/census, got %q", address)}
			}
			if hosts.KindOf(u.Host) == hosts.Loopback {
				a.log.Warn("feeds, site map and canonical links contain a local address: set the "+
					"public one with --url", "url", address)
			}
			if workers < 0 {
				return usageError{errors.New(
					"--workers must be 1 or more, or 0 for the number of processors")}
			}
			if demo {
				stop, err := a.startDemo(ctx)
				if err != nil {
					return err
				}
				defer stop()
			}
			if os.Getenv("GOMEMLIMIT") == "" {
				defer debug.SetMemoryLimit(debug.SetMemoryLimit(exportMemory))
			}
			return a.withExisting(ctx, func(db *postgres.DB) error {
				return a.export(ctx, db, args[0], address, logo, pictures, workers)
			})
		},
	}
	cmd.Flags().StringVar(&address, "url", "",
		"public address of the export, for feeds, site map and canonical links (default "+
			"CENSUS_BASE_URL)")
	cmd.Flags().StringVar(&logo, "logo", "",
		"logo file (default: download CENSUS_LOGO_URL)")
	cmd.Flags().BoolVar(&pictures, "pictures", false,
		"also draw a social image for each server, which takes about 30 ms of CPU time and 40 "+
			"kB each")
	cmd.Flags().IntVar(&workers, "workers", 0,
		"number of pages rendered concurrently (default: the number of processors)")
	cmd.Flags().BoolVar(&demo, "demo", false, "export the registry of 'census serve --demo'")
	return cmd
}

var _ export.Figures = (*postgres.DB)(nil)

// export writes the public directory of the database to a folder.
func (a *app) export(
	ctx context.Context, db *postgres.DB, dir, address, logo string, pictures bool, workers int,
) error {
	started := time.Now()
	brand, err := a.config.Brand()
	if err != nil {
		return err
	}
	shown, err := logoFile(ctx, logo, brand.Logo, a.config.BaseURL)
	if err != nil {
		return err
	}
	identity, err := db.Identity(ctx)
	if err != nil {
		return err
	}
	cat := catalog.New()
	cat.Identify(identity + " " + version)
	if err := cat.Load(ctx, db); err != nil {
		return err
	}
	site, err := web.New(web.Options{
		Site: site.Options{
			Brand: brand, Logo: shown, Catalog: cat, BaseURL: address, Notice: a.config.Notice,
			Static: true, Pictures: pictures,
		},
		Pages: pages.Options{Figures: db, Offer: a.config.Offer},
		Feeds: feeds.Options{News: db, Avatars: db},
	})
	if err != nil {
		return err
	}
	p := newProgress(a.log, "exported", -1)
	report, err := site.Export(ctx,
		export.Options{Dir: dir, Workers: workers, Version: version,
			Documents: api.NewEncoder(a.config.Namespace, install.JSON),
			Progress:  func() { p.add(1) }, Start: func(total int) { p.of(0, total) }})
	p.finish()
	if err != nil {
		if errors.Is(err, registry.ErrUnavailable) {
			err = fmt.Errorf("%w. Fix this and run the same command again to continue", err)
		}
		return err
	}
	fmt.Fprintf(a.stdout, "%d servers in %d files of %.1f MB in %s: %d written, %d unchanged, %d "+
		"from an interrupted run, %d removed.\n",
		cat.View().Len(), report.Files, float64(report.Bytes)/1e6, time.Since(started).Round(
			100*time.Millisecond),
		report.Written, report.Unchanged, report.Resumed, report.Removed)
	if report.Files > 0 {
		fmt.Fprintf(a.stdout, "To view it, serve %s with any static file server.\n", dir)
	}
	return nil
}

// largestLogo is the maximum size of a logo in bytes.
const largestLogo = 1 << 20

// logoFile returns the logo in an export: a file, or a download of the brand's logo; nil if
// there is no logo. An included file works on any host, even if its URL is unreachable there
// or other origins are blocked.
func logoFile(ctx context.Context, file, address, base string) (*site.Logo, error) {
	if file == "" && address == "" {
		return nil, nil
	}
	var logo site.Logo
	var err error
	from := file
	if file != "" {
		logo.Type = mime.TypeByExtension(filepath.Ext(file))
		logo.Body, err = os.ReadFile(file)
	} else if u, parseErr := url.Parse(base); parseErr != nil {
		err = parseErr
	} else if u, err = u.Parse(address); err == nil {
		from = u.String()
		logo.Type, logo.Body, err = download(ctx, from)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
	case len(logo.Body) > largestLogo:
		err = fmt.Errorf("it is larger than %d kB", largestLogo>>10)
	case !logo.Known():
		err = fmt.Errorf("%q is not an image type that browsers support", logo.Type)
	}
	if err != nil {
		return nil, registry.Errorf(registry.ErrInvalid,
			"The logo cannot be read from %s: %v. Use --logo FILE instead.", from, err)
	}
	return &logo, nil
}

// logoClient reads the operator's own URL, which may have a private address, so it is
// unguarded.
var logoClient = &http.Client{Timeout: 20 * time.Second}

// download reads a file from the web.
func download(ctx context.Context, address string) (kind string, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", nil, err
	}
	resp, err := logoClient.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", nil, fmt.Errorf("the response is %s", resp.Status)
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, largestLogo+1))
	return resp.Header.Get("Content-Type"), body, err
}
