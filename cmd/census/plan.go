package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/internal/account"
	"mcpcensus/internal/billing"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
)

// newBilling returns the billing of plans, through Stripe if it is configured.
func (a *app) newBilling(db *people.Store) (*billing.Billing, error) {
	offer := a.config.Offer()
	b := &billing.Billing{Store: db, Contact: cmp.Or(offer.Contact, a.config.Contact), Sales: offer.Contact,
		Texts: offer.Texts, Log: a.log, Now: time.Now}
	if a.config.StripeKey == "" {
		return b, nil
	}
	stripe, err := billing.NewStripe(billing.StripeOptions{
		Key: a.config.StripeKey, WebhookSecret: a.config.StripeSecret,
		Prices:  a.config.StripePrices(),
		BaseURL: a.config.BaseURL, URL: a.config.StripeURL,
	})
	if err != nil {
		return nil, err
	}
	b.Provider = stripe
	return b, nil
}

// settle reconciles plans with payments until ctx is done.
func (a *app) settle(ctx context.Context, db *people.Store) error {
	b, err := a.newBilling(db)
	if err != nil || !b.CanPay() {
		return err
	}
	return ignoreStop(ctx, b.Run(ctx))
}

func (a *app) planCommand() *cobra.Command {
	cmd := group("plan", "Show plans, and set the plan of an account", "list, show or set")
	cmd.AddCommand(a.planListCommand(), a.planShowCommand(), a.planSetCommand())
	return a.demoFlag(cmd)
}

func (a *app) planListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the plans", Args: none,
		RunE: func(*cobra.Command, []string) error {
			t := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
			fmt.Fprintln(t, "PLAN\tUSD A MONTH\tREQUESTS A DAY\tINCLUDES")
			for _, p := range account.Plans {
				daily := "unlimited"
				if p.Daily > 0 {
					daily = fmt.Sprint(p.Daily)
				}
				fmt.Fprintf(t, "%s\t%d\t%s\t%s\n", p.ID, p.USD, daily,
					strings.Join(a.config.Offer().Includes(p), "; "))
			}
			return t.Flush()
		},
	}
}

func (a *app) planShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show EMAIL", Short: "Show the plan of an account",
		Args: exactly(1, "the address of one account"),
		RunE: a.onAccount(func(ctx context.Context, db *people.Store, acc account.Account) error {
			c, err := db.Customer(ctx, acc.ID)
			if err != nil {
				return err
			}
			fmt.Fprintln(a.stdout, planInWords(acc.Subscription, time.Now(), time.RFC3339))
			if c.Subscription != "" {
				fmt.Fprintf(a.stdout, "Paid with subscription %s of customer %s.\n",
					c.Subscription, c.ID)
			}
			return nil
		}),
	}
}

// planInWords describes the current plan, its end in a layout of package time, and the
// plan that follows.
func planInWords(s account.Subscription, now time.Time, layout string) string {
	words := s.At(now).Name
	if s.Until != nil && now.Before(*s.Until) {
		words += " until " + s.Until.UTC().Format(layout) + ", then " + s.At(*s.Until).Name
	}
	return words
}

func (a *app) planSetCommand() *cobra.Command {
	var until, next string
	var force bool
	cmd := &cobra.Command{
		Use: "set EMAIL PLAN", Short: "Set the plan of an account that does not pay for one",
		Args: exactly(2, "the address of one account, and a plan"),
		RunE: func(cmd *cobra.Command, args []string) error {
			now := time.Now()
			s, err := parseSubscription(args[1], until, next, now)
			if err != nil {
				return usageError{err}
			}
			return a.withAccount(cmd.Context(), args[0],
				func(db *people.Store, acc account.Account) error {
					if force {
						if err := db.LeaveSubscription(cmd.Context(), acc.ID); err != nil {
							return err
						}
					}
					err := db.SetPlan(cmd.Context(), account.ByOperator, now, acc.ID, s)
					if errors.Is(err, registry.ErrConflict) {
						return registry.Errorf(registry.ErrConflict,
							"%s, or use --force if the subscription no longer exists", words(err))
					} else if err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "%s: %s\n", acc.Email, planInWords(s, now, time.RFC3339))
					return nil
				})
		},
	}
	cmd.Flags().StringVar(&until, "until", "",
		"when the next plan starts: a day in UTC such as 2027-01-31, or a time such as "+
			"2027-01-31T12:00:00Z")
	cmd.Flags().BoolVar(&force, "force", false,
		"set the plan even if the account pays for one; the next event of the payment provider "+
			"overrides it")
	cmd.Flags().StringVar(&next, "next", "", "plan after --until (default basic)")
	return cmd
}

func parseSubscription(
	plan, until, next string, now time.Time,
) (s account.Subscription, err error) {
	ids := strings.Join(account.PlansWith(func(*account.Plan) bool { return true }), ", ")
	if account.PlanNamed(plan) == nil {
		return s, fmt.Errorf("unknown plan %q; available: %s", plan, ids)
	}
	s.Plan = plan
	if until == "" {
		if next != "" {
			return s, fmt.Errorf("--next needs --until")
		}
		return s, nil
	}
	t, err := time.Parse(time.DateOnly, until)
	if err != nil {
		if t, err = time.Parse(time.RFC3339, until); err != nil {
			return s, fmt.Errorf("--until %q must be a day such as 2027-01-31 or a time such as "+
				"2027-01-31T12:00:00Z", until)
		}
	}
	if t = t.UTC(); !t.After(now) {
		return s, fmt.Errorf("--until must be in the future, got %s", until)
	}
	next = cmp.Or(next, account.Basic)
	if account.PlanNamed(next) == nil {
		return s, fmt.Errorf("unknown plan %q; available: %s", next, ids)
	}
	s.Until, s.Next = &t, next
	return s, nil
}
