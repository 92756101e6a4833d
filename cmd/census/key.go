package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/account"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
)

// startKeys returns a key ring that stores uses of keys until ctx is done.
func (a *app) startKeys(ctx context.Context, group *errgroup.Group, db *people.Store) *keyring.Ring {
	ring := keyring.New(db, a.log, time.Now)
	group.Go(func() error { return ignoreStop(ctx, ring.Run(ctx)) })
	return ring
}

func (a *app) keyCommand() *cobra.Command {
	cmd := group("key", "List, create, rotate and revoke API keys of an account",
		"list, make, rotate or revoke")
	cmd.AddCommand(a.keyListCommand(), a.keyMakeCommand(), a.keyRotateCommand(),
		a.keyRevokeCommand())
	return a.demoFlag(cmd)
}

// withAccount calls f with the database and the account of an address.
func (a *app) withAccount(
	ctx context.Context, email string, f func(*people.Store, account.Account) error,
) error {
	address, err := account.ParseAddress(email)
	if err != nil {
		return usageError{err}
	}
	return a.withExisting(ctx, func(registered *postgres.DB) error {
		db := people.New(registered)
		l, err := db.AccountOf(ctx, address.Key)
		if errors.Is(err, registry.ErrNotFound) {
			return registry.Errorf(registry.ErrNotFound, "no account has the address %s",
				address.Shown)
		} else if err != nil {
			return err
		}
		return f(db, l.Account)
	})
}

// onAccount returns a function that runs a command on the account in its first argument.
func (a *app) onAccount(
	do func(context.Context, *people.Store, account.Account) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.withAccount(cmd.Context(), args[0],
			func(db *people.Store, acc account.Account) error { return do(cmd.Context(), db, acc) })
	}
}

// onKey returns a function that runs a command on the keys of the account in its first
// argument, and the one key that the second selects by its ID or its first characters.
func (a *app) onKey(
	do func(context.Context, *keyring.Ring, account.Key) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return a.withAccount(ctx, args[0], func(db *people.Store, acc account.Account) error {
			ring := keyring.New(db, a.log, time.Now)
			keys, err := ring.List(ctx, acc.ID)
			if err != nil {
				return err
			}
			k, err := pick(keys, args[1], time.Now())
			if err != nil {
				return err
			}
			return do(ctx, ring, k)
		})
	}
}

// pick returns the key with that ID, or the only working key that begins with
// word.
func pick(keys []account.Key, word string, now time.Time) (account.Key, error) {
	if id, err := strconv.ParseInt(word, 10, 64); err == nil {
		for _, k := range keys {
			if k.ID == id {
				return k, nil
			}
		}
		return account.Key{}, registry.Errorf(registry.ErrNotFound,
			"the account has no key %d; see `census key list`", id)
	}
	word = strings.TrimSuffix(word, "…")
	var found []account.Key
	for _, k := range keys {
		// The whole key is accepted too: it may be from a leak.
		if len(word) >= len("mcp_x") &&
			(strings.HasPrefix(k.Prefix, word) || strings.HasPrefix(word, k.Prefix)) &&
			k.Works(now) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return account.Key{}, registry.Errorf(registry.ErrNotFound,
			"the account has no working key that begins with this; see `census key list`")
	case 1:
		return found[0], nil
	}
	return account.Key{}, registry.Errorf(registry.ErrConflict,
		"%d keys begin with this: use the ID from `census key list`", len(found))
}

func (a *app) keyListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list EMAIL", Short: "List the keys of an account",
		Args: exactly(1, "the address of one account"),
		RunE: a.onAccount(func(ctx context.Context, db *people.Store, acc account.Account) error {
			keys, err := db.Keys(ctx, acc.ID)
			if err != nil {
				return err
			}
			t := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
			fmt.Fprintln(t, "ID\tKEY\tNAME\tSTATE\tMADE\tLAST USED")
			for _, k := range keys {
				used := "never"
				if k.LastUsedAt != nil {
					used = k.LastUsedAt.Format(time.RFC3339)
				}
				fmt.Fprintf(t, "%d\t%s…\t%s\t%s\t%s\t%s\n", k.ID, k.Prefix, k.Name,
					keyState(k, time.Now()), k.CreatedAt.Format(time.DateOnly), used)
			}
			return t.Flush()
		}),
	}
}

// keyState describes whether a key works, and for what.
func keyState(k account.Key, now time.Time) string {
	state := "works"
	switch {
	case k.RevokedAt != nil:
		state = "revoked " + k.RevokedAt.Format(time.DateOnly)
	case !k.Works(now):
		state = "ended " + k.ExpiresAt.Format(time.DateOnly)
	case k.Rotated:
		state = "works until " + k.ExpiresAt.Format(time.RFC3339)
	}
	if k.Rotated {
		return state
	}
	return state + k.Restrictions()
}

func (a *app) keyMakeCommand() *cobra.Command {
	var limits account.KeyChange
	cmd := &cobra.Command{
		Use: "make EMAIL --name NAME", Short: "Create a key for an account and print it",
		Args: exactly(1, "the address of one account"),
		RunE: a.onAccount(func(ctx context.Context, db *people.Store, acc account.Account) error {
			_, text, err := keyring.New(db, a.log, time.Now).Make(ctx, account.ByOperator, acc.ID, limits)
			if err != nil {
				return err
			}
			fmt.Fprintln(a.stderr, "This is the new key. It is not stored and cannot be shown again:")
			fmt.Fprintln(a.stdout, text)
			return nil
		}),
	}
	cmd.Flags().StringSliceVar(&limits.Scopes, "scopes", nil,
		"what the key may be used for: read, analytics, custom, webhooks (default all)")
	cmd.Flags().StringSliceVar(&limits.Addresses, "addresses", nil,
		"addresses and networks from which the key may be used (default all)")
	cmd.Flags().StringVar(&limits.Expires, "expires", "", "when the key expires, such as 2027-01-31")
	cmd.Flags().StringVar(&limits.Name, "name", "created by the operator",
		"name of the key, shown to its owner")
	return cmd
}

func (a *app) keyRotateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate EMAIL KEY",
		Short: "Replace a key by a new one and print it; the old one works for 24 more hours",
		Long: "Replace a key by a new one and print it; the old one works for 24 more hours. KEY " +
			"is its ID or its first characters.",
		Args: exactly(2, "the address of one account, and a key's ID or first characters"),
		RunE: a.onKey(func(ctx context.Context, ring *keyring.Ring, k account.Key) error {
			old, _, text, err := ring.Rotate(ctx, account.ByOperator, k.Account, k.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stderr, "%s… works until %s. This is the new key. It is not stored and "+
				"cannot be shown again:\n", old.Prefix, old.ExpiresAt.Format(time.RFC3339))
			fmt.Fprintln(a.stdout, text)
			return nil
		}),
	}
}

func (a *app) keyRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke EMAIL KEY", Short: "Revoke a key, which stops working within two seconds",
		Long: "Revoke a key, which stops working within two seconds. KEY is its ID or its first " +
			"characters.",
		Args: exactly(2, "the address of one account, and a key's ID or first characters"),
		RunE: a.onKey(func(ctx context.Context, ring *keyring.Ring, k account.Key) error {
			_, err := ring.Revoke(ctx, account.ByOperator, k.Account, k.ID)
			if err == nil {
				fmt.Fprintf(a.stdout, "%s… (%s) is revoked.\n", k.Prefix, k.Name)
			}
			return err
		}),
	}
}
