package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/api"
	"mcpcensus/internal/install"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/jobs"
	"mcpcensus/jobs/dumps"
)

// dumpsDir is the folder of the daily dumps.
func (a *app) dumpsDir() string { return filepath.Join(a.config.DataDir, "dumps") }

func (a *app) newDumpWriter(db *postgres.DB) (*dumps.Writer, error) {
	brand, err := a.config.Brand()
	if err != nil {
		return nil, err
	}
	return &dumps.Writer{
		Source:    db,
		Documents: api.NewEncoder(a.config.Namespace, install.JSON).WithAvatars(a.config.BaseURL),
		Name:      brand.Name(), URL: a.config.BaseURL, Program: version, ScoreModel: scoreVersion,
	}, nil
}

// dailyDump returns the job that writes the dump of the day, nil if dumps are off.
func (a *app) dailyDump(db *postgres.DB) func(context.Context) (int, error) {
	if a.config.Dumps != "on" {
		return nil
	}
	return func(ctx context.Context) (int, error) {
		w, err := a.newDumpWriter(db)
		if err != nil {
			return 0, err
		}
		n, err := w.Daily(ctx, a.dumpsDir(), time.Now())
		if dumps.IsEmpty(err) {
			return 0, nil
		}
		return n, err
	}
}

func (a *app) dumpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "dump FILE", Short: "Write the whole registry into a file for 'census import'",
		Args: exactly(1, "the file to write, such as census.jsonl.gz"),
		Long: "Writes all servers with their scores, facts and history, and the state of the crawl, as\n" +
			"gzip-compressed JSON Lines. Accounts, keys, usage, reports and hidden servers are left out.\n" +
			"The file appears when it is complete. A worker writes one every day, see /dumps.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withExisting(cmd.Context(), func(db *postgres.DB) error {
				w, err := a.newDumpWriter(db)
				if err != nil {
					return err
				}
				p := newProgress(a.log, "dumped", -1)
				w.Progress = p.of
				n, err := w.File(cmd.Context(), args[0])
				p.finish()
				if err != nil {
					return err
				}
				info, err := os.Stat(args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%s in %s (%.1f MB).\n", text.Count(n, "server"), args[0],
					float64(info.Size())/1e6)
				return nil
			})
		},
	}
	return a.demoFlag(cmd)
}

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE|URL", Short: "Fill an empty registry from a dump of another one",
		Args: exactly(1, "a dump, as a file or as a URL such as https://example.com/dumps/latest.jsonl.gz"),
		Long: "Fills an empty database from a dump, without a GitHub token. Scores are computed from the\n" +
			"facts in the dump. Records that are not valid are rejected and counted. It can be\n" +
			"interrupted at any time; running it again with the same dump continues.\n" +
			"Afterwards `census serve` crawls as usual: every repository when its turn comes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importFrom(cmd.Context(), args[0])
		},
	}
}

// importFrom fills the registry from a file or a URL.
func (a *app) importFrom(ctx context.Context, source string) error {
	file, downloaded := source, strings.Contains(source, "://")
	if downloaded {
		var err error
		a.log.Info("downloading", "url", source)
		file, err = dumps.Download(ctx, source, filepath.Join(a.config.DataDir, "import"))
		if err != nil {
			return err
		}
	}
	in, err := os.Open(file)
	if err != nil {
		return registry.Wrap(registry.ErrNotFound, err, "cannot read the dump")
	}
	defer in.Close()
	if err := dumps.Verify(file); err != nil {
		return err
	}
	return a.withStore(ctx, func(db *postgres.DB) error {
		release, ok, err := db.TryLock(ctx, "import")
		if err != nil {
			return err
		}
		if !ok {
			return registry.Errorf(registry.ErrConflict, "another import into this registry is running")
		}
		defer release()
		p := newProgress(a.log, "imported", -1)
		var finished *time.Time
		im := &dumps.Importer{
			Store: db, Score: jobs.Score, Now: time.Now,
			Started: func(h registry.DumpHeader, from registry.ImportState) {
				a.log.Info("importing", "registry", h.Registry.Name, "url", h.Registry.URL, "of",
					h.Time.Format(time.RFC3339), "servers", h.Lines["server"], "licence", h.Licence)
				if from.Line > 0 && from.FinishedAt == nil {
					a.log.Info("continuing", "after_line", from.Line)
				}
				finished = from.FinishedAt
			},
			Progress: p.of,
			Rejected: func(line int64, err error) {
				a.log.Warn("rejected", "line", line, "why", err.Error())
			},
		}
		state, err := im.Import(ctx, in)
		p.finish()
		if err != nil {
			if errors.Is(err, registry.ErrUnavailable) {
				err = fmt.Errorf("%w. Run the same command again to continue", err)
			}
			return err
		}
		if downloaded {
			_ = os.Remove(file) // a copy
		}
		if finished != nil {
			fmt.Fprintf(a.stdout, "This dump was imported on %s: nothing to do.\n",
				finished.UTC().Format(time.DateTime))
			return nil
		}
		fmt.Fprintf(a.stdout, "%s imported, %s rejected.\n", text.Count(int(state.Stored), "server"),
			text.Count(int(state.Rejected), "line"))
		if state.Stored == 0 && state.Rejected > 0 {
			return registry.Errorf(registry.ErrInvalid, "no server was imported: the log says why")
		}
		return nil
	})
}
