package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/account"
	"mcpcensus/internal/config"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/mail"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/webhook"
	"mcpcensus/internal/webhook/delivery"
	accountpages "mcpcensus/web/account"
)

// startAccounts returns the API of accounts, and starts the delivery of mail.
func (a *app) startAccounts(
	ctx context.Context, group *errgroup.Group, db *people.Store, ring *keyring.Ring,
	hooks *webhook.Service, limiter httpd.Limiter, key secretKey,
) (*accountpages.People, error) {
	if u, err := url.Parse(a.config.BaseURL); err == nil && u.Scheme == "http" &&
		!config.OnLoopback(a.config.BaseURL) {
		a.log.Warn("sign-in is not possible: cookies require https. Set CENSUS_BASE_URL to the "+
			"public https:// "+
			"address", "address", a.config.BaseURL)
	}
	plans, err := a.newBilling(db)
	if err != nil {
		return nil, err
	}
	o := a.accountOptions(db)
	o.Key = key.derive("sign-ins")
	var stopMail func()
	if o.Mail, stopMail, err = a.startMail(ctx, group); err != nil {
		return nil, err
	}
	accounts := account.New(o)
	group.Go(func() error {
		defer stopMail()
		return accounts.Run(ctx)
	})
	plans.Changed = accounts.NotifyPlan
	return accountpages.NewPeople(accountpages.PeopleOptions{
		Accounts: accounts, Store: db, Keys: ring, Plans: plans, Webhooks: hooks, Limiter: limiter,
		BaseURL: a.config.BaseURL, Demo: a.demo,
	})
}

// startMail starts a sender of mail, nil if there is no mail server. stop must be called
// after the last mail.
func (a *app) startMail(
	ctx context.Context, group *errgroup.Group,
) (m account.Mailer, stop func(), err error) {
	if a.config.SMTPURL == "" {
		return nil, func() {}, nil
	}
	sender, err := mail.New(mail.Options{URL: a.config.SMTPURL, From: a.config.MailFrom, Log: a.log})
	if err != nil {
		return nil, nil, err
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error { return sender.Run(sending) })
	return sender, stop, nil
}

// deliver starts the delivery of events to the webhook endpoints of accounts.
func (a *app) deliver(
	ctx context.Context, group *errgroup.Group, db *people.Store, key secretKey, m *metrics,
) error {
	sender, stopMail, err := a.startMail(ctx, group)
	if err != nil {
		return err
	}
	w := &delivery.Worker{
		Store: db, Site: a.config.Name, Base: a.config.BaseURL, Log: a.log, Now: time.Now, Mail: sender,
		Done: func(result string) { m.webhooks.WithLabelValues(result).Inc() },
		Sender: &delivery.Sender{
			Hosts: config.Hosts(a.config.WebhookHosts), Key: key.derive("webhooks"),
			UserAgent: "census-webhooks/1 (+" + cmp.Or(a.config.Contact, transport.DefaultContact) + ")"},
	}
	group.Go(func() error {
		defer stopMail()
		return w.Run(ctx)
	})
	return nil
}

// accountOptions returns the options shared by the commands and the server.
func (a *app) accountOptions(db *people.Store) account.Options {
	o := account.Options{Site: a.config.Name, Store: db, BaseURL: a.config.BaseURL, Log: a.log}
	if a.config.OAuthID != "" {
		o.GitHub = account.NewGitHub(a.config.OAuthID, a.config.OAuthSecret, a.config.OAuthURL,
			a.config.GitHubURL, a.config.BaseURL+accountpages.CallbackPath)
	}
	if a.config.OIDCIssuer != "" {
		o.OIDC = &account.OIDC{Issuer: a.config.OIDCIssuer, ID: a.config.OIDCID, Secret: a.config.OIDCSecret,
			Redirect: a.config.BaseURL + accountpages.OIDCCallback, Domains: config.Hosts(a.config.OIDCDomains)}
	}
	return o
}

func (a *app) accountCommand() *cobra.Command {
	cmd := group("account", "List, show and delete accounts, and print links to sign in",
		"link, list, show, confirm or delete")
	cmd.AddCommand(a.accountListCommand(), a.accountLinkCommand(), a.accountConfirmCommand())
	for _, c := range []struct {
		name, short string
		do          func(ctx context.Context, people *account.Accounts, email string) error
	}{
		{"show", "Show an account and its recent changes", a.showAccount},
		{"delete", "Delete an account and all its data",
			func(ctx context.Context, people *account.Accounts, email string) error {
				err := people.DeleteByOperator(ctx, email)
				if err == nil {
					fmt.Fprintf(a.stdout, "Deleted the account of %s and all its data.\n", email)
				}
				return err
			}},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: c.name + " EMAIL", Short: c.short, Args: exactly(1, "the address of one account"),
			RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, args []string) error {
				return c.do(ctx, account.New(a.accountOptions(people.New(db))), args[0])
			}),
		})
	}
	return a.demoFlag(cmd)
}

func (a *app) accountLinkCommand() *cobra.Command {
	create := false
	cmd := &cobra.Command{
		Use: "link EMAIL", Short: "Print a link that signs in to an account",
		Args: exactly(1, "the address of one account"),
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, args []string) error {
			link, err := account.New(a.accountOptions(people.New(db))).LinkByOperator(ctx, args[0], create)
			if err == nil {
				fmt.Fprintln(a.stderr, "This link signs in once, within 15 minutes. Give it only to the "+
					"owner of the account.")
				fmt.Fprintln(a.stdout, link)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&create, "new", false, "create the account if there is none")
	return cmd
}

func (a *app) accountConfirmCommand() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use: "confirm EMAIL", Short: "Confirm a requested change of address, given the new one",
		Args: exactly(1, "the address of one account"),
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, args []string) error {
			before, after, err := account.New(a.accountOptions(people.New(db))).
				ConfirmByOperator(ctx, args[0], from)
			if err == nil {
				fmt.Fprintf(a.stdout, "Changed the address of the account: %s -> %s\n"+
					"Its sessions ended.\n", before, after)
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&from, "from", "",
		"current address of the account, if several accounts asked for the new one")
	return cmd
}

// operatorAddress is the address of the account of the first start if CENSUS_CONTACT has none.
const operatorAddress = "operator@census.invalid"

// firstLink returns a text with a link that signs the operator in, "" if the registry is not
// empty.
func (a *app) firstLink(ctx context.Context, db *people.Store) (string, error) {
	address := operatorAddress
	if contact, err := account.ParseAddress(a.config.Contact); err == nil {
		address = contact.Shown
	}
	link, err := account.New(a.accountOptions(db)).FirstLink(ctx, address)
	if err != nil || link == "" {
		return "", err
	}
	command := "census account link " + address
	if a.demo {
		command += " --demo"
	}
	return fmt.Sprintf("To sign in as %s, open this link once, within 15 minutes:\n\n    %s\n\n"+
		"For another link: %s\n", address, link, command), nil
}

func (a *app) accountListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all accounts", Args: none,
		RunE: a.onExisting(func(ctx context.Context, db *postgres.DB, _ []string) error {
			all, err := people.New(db).Accounts(ctx)
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintln(a.stdout, "No accounts.")
				return nil
			}
			t := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
			fmt.Fprintln(t, "ADDRESS\tPLAN\tSIGNED UP")
			for _, l := range all {
				fmt.Fprintf(t, "%s\t%s\t%s\n", l.Email, l.At(time.Now()).ID,
					l.CreatedAt.Format(time.DateOnly))
			}
			return t.Flush()
		}),
	}
}

func (a *app) showAccount(ctx context.Context, people *account.Accounts, email string) error {
	l, err := people.ForOperator(ctx, email)
	if err != nil {
		return err
	}
	entries, err := people.Audit(ctx, l.ID)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "Address\t%s\n", l.Email)
	fmt.Fprintf(t, "Signed up\t%s\n", l.CreatedAt.Format(time.DateOnly))
	if l.GitHubID != 0 {
		fmt.Fprintf(t, "GitHub user\t%s\n", l.GitHubLogin)
	}
	fmt.Fprintf(t, "Plan\t%s\n", planInWords(l.Subscription, time.Now(), time.DateOnly))
	fmt.Fprintln(t)
	for _, e := range entries {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", e.At.Format(time.DateTime), e.Actor, e.Action,
			e.Detail, e.Network)
	}
	return t.Flush()
}
