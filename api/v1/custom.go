package v1

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/cache"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// maxCustoms is how many custom endpoints an account may have.
const maxCustoms = 100

// A definitionBody is a custom endpoint in responses.
type definitionBody struct {
	Name      string          `json:"name"`
	Query     *string         `json:"q"`
	Filters   json.RawMessage `json:"filters"`
	Sort      *string         `json:"sort"`
	Fields    []string        `json:"fields"`
	Limit     int             `json:"limit"`
	Facets    bool            `json:"facets"`
	CreatedAt time.Time       `json:"createdAt"`
	UpdatedAt time.Time       `json:"updatedAt"`
	Links     customLinks     `json:"links"`
}

type customLinks struct {
	Self       string `json:"self"`
	Definition string `json:"definition"`
}

// definitionParams are the body that defines a custom endpoint.
type definitionParams struct {
	criteria
	Fields []string `query:"fields"`
	Limit  int      `query:"limit,min=1,max=100,default=20"`
	Facets bool     `query:"facets"`
}

var customName = regexp.MustCompile(`^[a-z0-9-]{1,60}$`)

// onCustom returns a handler of requests about the custom endpoint with the name in the path.
func onCustom(
	do func(ctx context.Context, c *gin.Context, account int64, name string) error,
) handler {
	return func(ctx context.Context, c *gin.Context, who account.Access) error {
		name := c.Param("name")
		if !customName.MatchString(name) {
			return registry.Invalid("name", "must be 1 to 60 characters of a to z, 0 to 9 and -, got %q",
				page.Printable(name))
		}
		return do(ctx, c, who.Account, name)
	}
}

func (a *API) custom(ctx context.Context, account int64, name string) (s account.Custom, err error) {
	all, err := a.customs.of(ctx, account)
	if err != nil {
		return s, err
	}
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	return s, registry.Errorf(registry.ErrNotFound,
		"There is no custom endpoint %s. Define it with PUT /v1/custom/%s/definition.", name, name)
}

func (a *API) listCustoms(ctx context.Context, c *gin.Context, who account.Access) error {
	all, err := a.customs.read(ctx, who.Account)
	if err != nil {
		return err
	}
	out := struct {
		Customs []definitionBody `json:"customs"`
		Count   int              `json:"count"`
		Max     int              `json:"max"`
	}{[]definitionBody{}, len(all), maxCustoms}
	for _, s := range all {
		d, err := definitionOf(s)
		if err != nil {
			return err
		}
		out.Customs = append(out.Customs, d)
	}
	return sendJSON(c, http.StatusOK, out, nil)
}

func (a *API) getCustom(ctx context.Context, c *gin.Context, account int64, name string) error {
	s, err := a.custom(ctx, account, name)
	if err != nil {
		return err
	}
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	d, err := definitionOf(s)
	return sendJSON(c, http.StatusOK, d, err)
}

func (a *API) putCustom(ctx context.Context, c *gin.Context, id int64, name string) error {
	var p definitionParams
	var faults page.Faults
	if err := parseBody(c, maxCustomBody, &p, &faults); err != nil {
		return err
	}
	p.Fields = checkFields(p.Fields, &faults)
	if err := p.Sort.Parse(p.Text != ""); err != nil {
		faults.Take("sort", err)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	now := a.API.Now().UTC().Truncate(time.Microsecond)
	s, created, err := a.Accounts.PutCustom(ctx, id, account.Custom{
		Name: name, Query: p.Text, Filters: p.Filters.Text, Sort: p.Sort.Text, Fields: p.Fields,
		Limit: p.Limit, Facets: p.Facets, CreatedAt: now, UpdatedAt: now,
	}, maxCustoms)
	a.customs.forget(id)
	if err != nil {
		return err
	}
	d, err := definitionOf(s)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
		c.Header("Location", d.Links.Definition)
	}
	return sendJSON(c, status, d, nil)
}

func (a *API) deleteCustom(ctx context.Context, c *gin.Context, account int64, name string) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	err := a.Accounts.DeleteCustom(ctx, account, name)
	a.customs.forget(account)
	return sendDeleted(c, err)
}

type runParams struct {
	Page   int    `query:"page,min=1,max=1000000000,default=1"`
	Limit  *int   `query:"limit,min=1,max=100"`
	Cursor string `query:"cursor"`
}

func (a *API) runCustom(ctx context.Context, c *gin.Context, account int64, name string) error {
	began := time.Now()
	saved, err := a.custom(ctx, account, name)
	if err != nil {
		return err
	}
	var p runParams
	var faults page.Faults
	if err := page.ParseQuery(c.Request.URL.RawQuery, &p, &faults); err != nil {
		return err
	}
	s, err := searchOf(saved)
	if err != nil {
		return err
	}
	s.began, s.Page, s.Cursor = began, p.Page, p.Cursor
	if p.Limit != nil {
		s.Limit = *p.Limit
	}
	if s.after, err = a.resume(&s.pageParams, s.list.path, &struct{}{}, &faults); err != nil {
		return err
	}
	if s.after != nil && !maps.Equal(s.after.Params, s.list.cursor) {
		return registry.Invalid("cursor", "is of an earlier definition; start again without it")
	}
	return a.sendSearch(ctx, c, s)
}

func searchOf(saved account.Custom) (*search, error) {
	path := "/v1/custom/" + saved.Name
	s := &search{
		pageParams: pageParams{Limit: saved.Limit},
		facets:     saved.Facets, fields: saved.Fields, name: saved.Name,
	}
	s.Text, s.Sort.Text = saved.Query, saved.Sort
	err := s.Filters.UnmarshalText([]byte(saved.Filters))
	if err == nil {
		err = s.Sort.Parse(s.Text != "")
	}
	if err != nil { // it was saved by a version with other filters or sorts
		return nil, registry.Errorf(registry.ErrInvalid,
			"The definition of %s is no longer valid: %s. Save it again.", path, err)
	}
	s.list.path = path
	s.list.cursor = map[string]string{
		"q": s.Text, "filters": s.Filters.Canonical(), "sort": query.FormatSort(s.Sort.Orders),
	}
	return s, nil
}

func definitionOf(s account.Custom) (definitionBody, error) {
	path := "/v1/custom/" + s.Name
	d := definitionBody{
		Name: s.Name, Fields: s.Fields, Limit: s.Limit, Facets: s.Facets,
		CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(),
		Filters: json.RawMessage(`{}`), Links: customLinks{Self: path, Definition: path + "/definition"},
	}
	if s.Query != "" {
		d.Query = &s.Query
	}
	if s.Sort != "" {
		d.Sort = &s.Sort
	}
	if s.Filters != "" {
		if !json.Valid([]byte(s.Filters)) {
			return d, registry.Errorf(registry.ErrInvalid,
				"The definition of %s cannot be read. Save it again.", s.Name)
		}
		d.Filters = json.RawMessage(s.Filters)
	}
	return d, nil
}

// customs caches definitions for a moment, so that running one does not query
// the database. Cached ones stay in use while the database is unavailable.
type customs struct {
	store  Accounts
	now    func() time.Time
	cached *cache.Cache[[]account.Custom] // by account
}

const (
	// customsFor is how long changes by other processes may stay unseen.
	customsFor = 2 * time.Second
	// maxCached is how many accounts are cached.
	maxCached = 4096
	// customsTimeout bounds a read that several requests wait for.
	customsTimeout = 10 * time.Second
)

// of returns the custom endpoints of an account, of up to two seconds ago.
func (k *customs) of(ctx context.Context, id int64) ([]account.Custom, error) {
	key := strconv.FormatInt(id, 10)
	return k.cached.Get(key, k.now(), func() ([]account.Custom, time.Duration, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), customsTimeout)
		defer cancel()
		all, err := k.read(ctx, id)
		if old, ok := k.cached.Peek(key); ok && err != nil {
			return old, 0, nil
		}
		return all, customsFor, err
	})
}

// read returns the custom endpoints of an account, from the database.
func (k *customs) read(ctx context.Context, id int64) ([]account.Custom, error) {
	all, err := k.store.Customs(ctx, id)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		err = registry.Wrap(registry.ErrUnavailable, err,
			"Custom endpoints are temporarily unavailable. Please try again.")
	}
	return all, err
}

// forget makes the next call of of read from the database.
func (k *customs) forget(id int64) { k.cached.Remove(strconv.FormatInt(id, 10)) }

func (a *API) createView(ctx context.Context, c *gin.Context, account int64, name string) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	token, err := a.Accounts.MakeCustomToken(ctx, account, name)
	return sendJSON(c, http.StatusOK, map[string]string{"url": a.API.BaseURL + "/r/" + token}, err)
}

// SavedView returns the query of a custom endpoint by its token, and a version that changes
// with its definition. The error is of kind registry.ErrNotFound if there is none, or the
// plan of its account has none.
func (a *API) SavedView(
	ctx context.Context, token string,
) (name string, q query.Query, version string, err error) {
	saved, plan, err := a.Accounts.CustomByToken(ctx, token)
	if err != nil {
		return "", q, "", err
	}
	if !plan.At(a.API.Now()).Custom {
		return "", q, "", registry.Errorf(registry.ErrNotFound, "There is no such view.")
	}
	s, err := searchOf(saved)
	if err != nil {
		return "", q, "", err
	}
	q = query.Query{Text: s.Text, Filters: s.Filters.List, Sort: s.Sort.Orders}
	return saved.Name, q, saved.UpdatedAt.UTC().Format(time.RFC3339Nano), nil
}
