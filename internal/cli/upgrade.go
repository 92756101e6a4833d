package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// upgrade updates the outdated entries of all clients, or those with the names of entries or the
// IDs of servers.
func upgrade(ctx context.Context, c *call) error {
	all, err := c.findings(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(f finding) bool { return f.record == nil })
	for _, name := range c.args {
		isMeant := func(f finding) bool { return f.Name == name || f.Server == name }
		if !slices.ContainsFunc(all, isMeant) {
			return &ExitError{ExitNotFound, fmt.Errorf("no entry of a listed server is named %s", name)}
		}
	}
	all = slices.DeleteFunc(all, func(f finding) bool {
		isMeant := slices.Contains(c.args, f.Name) || slices.Contains(c.args, f.Server)
		return !f.Outdated || len(c.args) > 0 && !isMeant
	})
	if len(all) == 0 {
		fmt.Fprintln(c.Stderr, "All servers whose versions are known are up to date.")
	}
	var refused error
	for _, f := range all {
		err := c.upgradeEntry(ctx, f)
		if e, ok := errors.AsType[*ExitError](err); ok && e.Status != exitInterrupted {
			fmt.Fprintf(c.Stderr, "%s: %s\n", c.Name, plain(e.Error()))
			refused = &ExitError{Status: e.Status}
		} else if err != nil {
			return c.result(err, true)
		}
	}
	return c.result(refused, true)
}

func (c *call) upgradeEntry(ctx context.Context, f finding) error {
	if err := c.acceptable(f.record, false); err != nil {
		return err
	}
	p, err := placeOf(f.Client)
	if err != nil {
		return err
	}
	file, err := readFile(f.File)
	if err != nil {
		return err
	}
	setup, err := c.setup(f.record, "")
	if err != nil {
		return err
	}
	return c.configure(ctx, target{p, f.Folder, file}, f.record, setup, f.Name)
}
