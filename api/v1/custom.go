package v1

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// A CustomStore keeps saved searches.
type CustomStore interface {
	// Customs returns those of an account, by name.
	Customs(ctx context.Context, account int64) ([]account.Custom, error)
	// PutCustom stores one in place of the one of its name, and says whether
	// there was none. It fails with registry.ErrInvalid if the account has most
	// of them already.
	PutCustom(ctx context.Context, account int64, c account.Custom, most int) (stored account.Custom, made bool, err error)
	// DeleteCustom forgets one. It fails with registry.ErrNotFound if there is
	// none of that name.
	DeleteCustom(ctx context.Context, account int64, name string) error
}

// maxCustoms is how many saved searches an account may have.
const maxCustoms = 100

// A definition is a saved search as it is given and shown.
type definition struct {
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

var nameForm = regexp.MustCompile(`^[a-z0-9-]{1,60}$`)

// customName returns the name in the path.
func customName(c *gin.Context) (string, error) {
	name := c.Param("name")
	if !nameForm.MatchString(name) {
		return "", registry.Invalid("name", "must be 1 to 60 characters of a to z, 0 to 9 and -")
	}
	return name, nil
}

// begin is the start of every handler of saved searches.
func (a *API) begin(c *gin.Context) (account.Access, error) {
	who, err := need(c, "Custom endpoints need", customPlan)
	if err == nil && a.Customs == nil {
		err = registry.Errorf(registry.ErrUnavailable, "Custom endpoints are not available at the moment.")
	}
	return who, err
}

// chosen is begin where the path names a saved search.
func (a *API) chosen(c *gin.Context) (who account.Access, name string, err error) {
	if who, err = a.begin(c); err == nil {
		name, err = customName(c)
	}
	return who, name, err
}

// changed is chosen for those who take no parameters.
func (a *API) changed(c *gin.Context) (who account.Access, name string, err error) {
	if who, name, err = a.chosen(c); err == nil {
		_, err = api.ParseQuery(c.Request.URL.RawQuery)
	}
	return who, name, err
}

func noCustom(name string) error {
	return registry.Errorf(registry.ErrNotFound, "There is no custom endpoint %s. Define it with PUT /v1/custom/%s/definition.", name, name)
}

// listCustoms answers GET /v1/custom.
func (a *API) listCustoms(ctx context.Context, c *gin.Context) error {
	who, err := a.begin(c)
	if err != nil {
		return err
	}
	if _, err := api.ParseQuery(c.Request.URL.RawQuery); err != nil {
		return err
	}
	all, err := a.customs.of(ctx, who.Account, true)
	if err != nil {
		return err
	}
	out := struct {
		Customs []definition `json:"customs"`
		Count   int          `json:"count"`
		Max     int          `json:"max"`
	}{[]definition{}, len(all), maxCustoms}
	for _, s := range all {
		d, err := show(s)
		if err != nil {
			return err
		}
		out.Customs = append(out.Customs, d)
	}
	a.writeJSON(c, http.StatusOK, out)
	return nil
}

// writeJSON answers with v, tagged by its content.
func (a *API) writeJSON(c *gin.Context, status int, v any) {
	body := api.JSON(v)
	httpd.Write(c, httpd.Answer{Status: status, Tag: api.TagOf(body), Cache: "private, no-cache", Body: body, Zipped: zipped(c, body)})
}

func (a *API) saved(ctx context.Context, c *gin.Context) (account.Custom, error) {
	who, name, err := a.chosen(c)
	if err != nil {
		return account.Custom{}, err
	}
	all, err := a.customs.of(ctx, who.Account, false)
	if err != nil {
		return account.Custom{}, err
	}
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	return account.Custom{}, noCustom(name)
}

// getCustom answers GET /v1/custom/{name}/definition.
func (a *API) getCustom(ctx context.Context, c *gin.Context) error {
	s, err := a.saved(ctx, c)
	if err != nil {
		return err
	}
	if _, err := api.ParseQuery(c.Request.URL.RawQuery); err != nil {
		return err
	}
	d, err := show(s)
	if err != nil {
		return err
	}
	a.writeJSON(c, http.StatusOK, d)
	return nil
}

// putCustom answers PUT /v1/custom/{name}/definition.
func (a *API) putCustom(ctx context.Context, c *gin.Context) error {
	who, name, err := a.changed(c)
	if err != nil {
		return err
	}
	var wrong faults
	m, err := readObject(c, maxCustomBody, &wrong, "q", "filters", "sort", "fields", "limit", "facets")
	if err != nil {
		return err
	}
	var q question
	limit := defaultLimit
	if err := q.members(m, &wrong); err != nil {
		return err
	}
	q.fields = fields(m, &wrong)
	m.whole("limit", 1, maxLimit, &limit, wrongLimit, &wrong)
	if err := q.settle(&wrong); err != nil {
		return err
	}
	if err := wrong.err(); err != nil {
		return err
	}
	now := a.Now().UTC().Truncate(time.Microsecond)
	s, made, err := a.Customs.PutCustom(ctx, who.Account, account.Custom{
		Name: name, Query: q.text, Filters: q.written, Sort: q.sort, Fields: q.fields, Limit: limit, Facets: q.facets,
		CreatedAt: now, UpdatedAt: now,
	}, maxCustoms)
	a.customs.forget(who.Account)
	if err != nil {
		return err
	}
	d, err := show(s)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if made {
		status = http.StatusCreated
		c.Writer.Header().Set("Location", d.Links.Definition)
	}
	a.writeJSON(c, status, d)
	return nil
}

// deleteCustom answers DELETE /v1/custom/{name}/definition.
func (a *API) deleteCustom(ctx context.Context, c *gin.Context) error {
	who, name, err := a.changed(c)
	if err != nil {
		return err
	}
	err = a.Customs.DeleteCustom(ctx, who.Account, name)
	a.customs.forget(who.Account)
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Cache-Control", "no-store")
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}

// runCustom answers GET /v1/custom/{name}.
func (a *API) runCustom(ctx context.Context, c *gin.Context) error {
	began := time.Now()
	saved, err := a.saved(ctx, c)
	if err != nil {
		return err
	}
	p, err := api.ParseQuery(c.Request.URL.RawQuery, "page", "limit", "cursor")
	var wrong faults
	if err := wrong.take(err); err != nil {
		return err
	}
	s, err := searchOf(saved)
	if err != nil {
		return err
	}
	paging(&p, &s.page, &s.limit, &s.cursor, &wrong)
	return a.answer(ctx, c, s, &wrong, began, saved.Name)
}

// searchOf returns a saved search as it is run.
func searchOf(saved account.Custom) (*search, error) {
	path := "/v1/custom/" + saved.Name
	s := &search{where: path, path: path, page: 1, limit: saved.Limit, saved: true}
	var wrong faults
	if err := s.read(saved.Query, saved.Filters, saved.Sort, &wrong); err != nil {
		return nil, err
	}
	if err := wrong.err(); err != nil { // it was stored under other rules
		return nil, registry.Errorf(registry.ErrInvalid, "The definition of %s does not hold any more: %s. Store it anew.", path, err)
	}
	s.facets, s.fields = saved.Facets, saved.Fields
	return s, nil
}

func show(s account.Custom) (definition, error) {
	d := definition{Name: s.Name, Fields: s.Fields, Limit: s.Limit, Facets: s.Facets, CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(),
		Filters: json.RawMessage(`{}`), Links: customLinks{"/v1/custom/" + s.Name, "/v1/custom/" + s.Name + "/definition"}}
	if s.Query != "" {
		d.Query = &s.Query
	}
	if s.Sort != "" {
		d.Sort = &s.Sort
	}
	if s.Filters != "" {
		if !json.Valid([]byte(s.Filters)) {
			return d, registry.Errorf(registry.ErrInvalid, "The definition of %s cannot be read. Store it anew.", s.Name)
		}
		d.Filters = json.RawMessage(s.Filters)
	}
	return d, nil
}

// customs remembers saved searches for a moment, so that running one does not
// cost a look into the database. While the database does not answer, what is
// remembered goes on to work.
type customs struct {
	store CustomStore
	now   func() time.Time

	mu   sync.Mutex
	kept map[int64]kept
}

type kept struct {
	all []account.Custom
	at  time.Time
}

const (
	// customsFor is how long another process's change may go unseen.
	customsFor = 2 * time.Second
	maxKept    = 4096
)

// of returns the saved searches of an account. What another process has just
// changed is surely seen only if they are wanted fresh.
func (k *customs) of(ctx context.Context, account int64, fresh bool) ([]account.Custom, error) {
	now := k.now()
	k.mu.Lock()
	had, ok := k.kept[account]
	k.mu.Unlock()
	if age := now.Sub(had.at); ok && !fresh && age >= 0 && age < customsFor {
		return had.all, nil
	}
	all, err := k.store.Customs(ctx, account)
	if err != nil {
		if ok && !fresh && ctx.Err() == nil {
			return had.all, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, registry.Wrap(registry.ErrUnavailable, err, "Custom endpoints cannot be read at the moment. Please try again.")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= maxKept {
		k.kept = map[int64]kept{}
	}
	k.kept[account] = kept{all, now}
	return all, nil
}

func (k *customs) forget(account int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, account)
}
