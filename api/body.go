package api

import (
	"bytes"
	"encoding/json"
	"math"
	"time"
	"unicode/utf8"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// The bodies are the API's promise to its users. They are written out here, so
// that renaming a field elsewhere cannot break a client. A pointer or a nil
// slice is null: not known.
type (
	basicBody struct {
		ID           string         `json:"id"`
		Slug         string         `json:"slug"`
		Name         string         `json:"name"`
		Description  *string        `json:"description"`
		Category     string         `json:"category"`
		Tags         []string       `json:"tags"`
		SDK          *string        `json:"sdk"`
		Language     *string        `json:"language"`
		License      *string        `json:"license"`
		QualityScore *int           `json:"qualityScore"`
		HealthScore  *int           `json:"healthScore"`
		Grade        *string        `json:"grade"`
		Popularity   *int           `json:"popularity"`
		Stars        *int           `json:"stars"`
		Downloads    *int64         `json:"downloads"`
		Transports   []string       `json:"transports"`
		ToolCount    *int           `json:"toolCount"`
		Repository   basicRepoBody  `json:"repository"`
		Icon         *string        `json:"icon"`
		Status       string         `json:"status"`
		Verified     bool           `json:"verified"`
		UpdatedAt    *time.Time     `json:"updatedAt"`
		Links        recordLinkBody `json:"links"`
	}

	basicRepoBody struct {
		URL       *string `json:"url"`
		Owner     *string `json:"owner"`
		Name      *string `json:"name"`
		Subfolder *string `json:"subfolder"`
		Archived  bool    `json:"archived"`
	}

	recordLinkBody struct {
		Self   string `json:"self"`
		HTML   string `json:"html"`
		Health string `json:"health"`
		Badge  string `json:"badge"`
	}

	detailBody struct {
		ID                 string            `json:"id"`
		Slug               string            `json:"slug"`
		Name               string            `json:"name"`
		RegistryName       *string           `json:"registryName"`
		Title              *string           `json:"title"`
		Description        *string           `json:"description"`
		Category           string            `json:"category"`
		CategoryConfidence float64           `json:"categoryConfidence"`
		Tags               []string          `json:"tags"`
		SDK                *string           `json:"sdk"`
		Framework          *string           `json:"framework"`
		Language           *string           `json:"language"`
		License            *string           `json:"license"`
		QualityScore       *int              `json:"qualityScore"`
		HealthScore        *int              `json:"healthScore"`
		Grade              *string           `json:"grade"`
		Popularity         *int              `json:"popularity"`
		ScoreVersion       *string           `json:"scoreVersion"`
		ScoreLow           *int              `json:"scoreLow"`
		ScoreHigh          *int              `json:"scoreHigh"`
		Coverage           *float64          `json:"coverage"`
		Confidence         *string           `json:"confidence"`
		Stars              *int              `json:"stars"`
		Forks              *int              `json:"forks"`
		OpenIssues         *int              `json:"openIssues"`
		Contributors       *int              `json:"contributors"`
		Downloads          *int64            `json:"downloads"`
		DownloadsPeriod    string            `json:"downloadsPeriod"`
		DownloadsBreakdown map[string]*int64 `json:"downloadsBreakdown"`
		Repository         detailRepoBody    `json:"repository"`
		Homepage           *string           `json:"homepage"`
		Icon               *string           `json:"icon"`
		Owner              *ownerBody        `json:"owner"`
		Transports         []string          `json:"transports"`
		Packages           []packageBody     `json:"packages"`
		Remotes            []remoteBody      `json:"remotes"`
		Environment        []variableBody    `json:"environmentVariables"`
		Tools              []toolBody        `json:"tools"`
		ToolCount          *int              `json:"toolCount"`
		Install            installBody       `json:"install"`
		Status             string            `json:"status"`
		StatusMessage      *string           `json:"statusMessage"`
		Official           bool              `json:"official"`
		Verified           bool              `json:"verified"`
		LatestVersion      *string           `json:"latestVersion"`
		ReleasedAt         *time.Time        `json:"releasedAt"`
		Sources            []sightingBody    `json:"sources"`
		CreatedAt          *time.Time        `json:"createdAt"`
		UpdatedAt          *time.Time        `json:"updatedAt"`
		LastCommitAt       *time.Time        `json:"lastCommitAt"`
		LastCrawledAt      *time.Time        `json:"lastCrawledAt"`
		ScoredAt           *time.Time        `json:"scoredAt"`
		Links              recordLinkBody    `json:"links"`
	}

	detailRepoBody struct {
		URL           *string    `json:"url"`
		Source        *string    `json:"source"`
		ID            *string    `json:"id"`
		Owner         *string    `json:"owner"`
		Name          *string    `json:"name"`
		Subfolder     *string    `json:"subfolder"`
		DefaultBranch *string    `json:"defaultBranch"`
		Archived      bool       `json:"archived"`
		Fork          bool       `json:"fork"`
		PushedAt      *time.Time `json:"pushedAt"`
		Commit        *string    `json:"commit"`
	}

	ownerBody struct {
		Login     string  `json:"login"`
		Type      *string `json:"type"`
		AvatarURL *string `json:"avatarUrl"`
	}

	// packageBody, remoteBody, argumentBody and variableBody have the shapes
	// of the official server.json, schema 2025-12-11, where what is not set is
	// left out.
	packageBody struct {
		RegistryType         string         `json:"registryType"`
		Identifier           string         `json:"identifier"`
		Version              string         `json:"version,omitempty"`
		RegistryBaseURL      string         `json:"registryBaseUrl,omitempty"`
		FileSHA256           string         `json:"fileSha256,omitempty"`
		RuntimeHint          string         `json:"runtimeHint,omitempty"`
		Transport            transportBody  `json:"transport"`
		RuntimeArguments     []argumentBody `json:"runtimeArguments,omitempty"`
		PackageArguments     []argumentBody `json:"packageArguments,omitempty"`
		EnvironmentVariables []variableBody `json:"environmentVariables,omitempty"`
	}

	transportBody struct {
		Type    string         `json:"type"`
		URL     string         `json:"url,omitempty"`
		Headers []variableBody `json:"headers,omitempty"`
	}

	remoteBody struct {
		Type      string                  `json:"type"`
		URL       string                  `json:"url"`
		Headers   []variableBody          `json:"headers"`
		Variables map[string]variableBody `json:"variables,omitempty"`
	}

	variableBody struct {
		Name        string   `json:"name,omitempty"`
		Description string   `json:"description,omitempty"`
		IsRequired  bool     `json:"isRequired,omitempty"`
		IsSecret    bool     `json:"isSecret,omitempty"`
		Format      string   `json:"format,omitempty"`
		Value       string   `json:"value,omitempty"`
		Default     string   `json:"default,omitempty"`
		Placeholder string   `json:"placeholder,omitempty"`
		Choices     []string `json:"choices,omitempty"`

		Variables map[string]registry.Variable `json:"variables,omitempty"`
	}

	argumentBody struct {
		Type        string   `json:"type"`
		Name        string   `json:"name,omitempty"`
		Value       string   `json:"value,omitempty"`
		ValueHint   string   `json:"valueHint,omitempty"`
		Description string   `json:"description,omitempty"`
		Default     string   `json:"default,omitempty"`
		IsRequired  bool     `json:"isRequired,omitempty"`
		IsRepeated  bool     `json:"isRepeated,omitempty"`
		IsSecret    bool     `json:"isSecret,omitempty"`
		Format      string   `json:"format,omitempty"`
		Placeholder string   `json:"placeholder,omitempty"`
		Choices     []string `json:"choices,omitempty"`

		Variables map[string]registry.Variable `json:"variables,omitempty"`
	}

	toolBody struct {
		Name        string          `json:"name"`
		Description *string         `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}

	installBody struct {
		Command *string         `json:"command"`
		Reason  *string         `json:"reason"` // why there is no command
		Clients json.RawMessage `json:"clients"`
	}

	sightingBody struct {
		Name        string     `json:"name"`
		FirstSeenAt *time.Time `json:"firstSeenAt"`
		LastSeenAt  *time.Time `json:"lastSeenAt"`
	}

	// entryBody is a tool entry: a server, or with level=tool a tool, in the
	// shape that MCP clients know from tools/list.
	entryBody struct {
		Name         string               `json:"name"`
		Description  string               `json:"description"`
		Source       string               `json:"source"`
		Installation *string              `json:"installation"`
		QualityScore *int                 `json:"quality_score"`
		InputSchema  json.RawMessage      `json:"inputSchema"`
		Meta         map[string]entryMeta `json:"_meta"`
	}

	entryMeta struct {
		ID         string      `json:"id"`
		Category   string      `json:"category"`
		Transports []string    `json:"transports"`
		Install    *launchBody `json:"install"`
		Tool       *string     `json:"tool,omitempty"` // with level=tool: its name on the server
	}

	launchBody struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}

	// healthBody is the answer of /api/health. Stale and Warnings depend on
	// the moment and the request; they come last so that all before them can be
	// kept ready (see healthTail).
	healthBody struct {
		Server       *string       `json:"server"`
		GithubURL    *string       `json:"githubUrl"`
		Subfolder    *string       `json:"subfolder"`
		Indexed      bool          `json:"indexed"`
		IsMCPServer  *bool         `json:"isMcpServer"`
		Status       string        `json:"status"`
		Reason       *string       `json:"reason,omitempty"`
		Score        *int          `json:"score"`
		Grade        *string       `json:"grade"`
		ScoreLow     *int          `json:"scoreLow"`
		ScoreHigh    *int          `json:"scoreHigh"`
		Coverage     *float64      `json:"coverage"`
		Confidence   *string       `json:"confidence"`
		Popularity   *int          `json:"popularity"`
		ScoreVersion *string       `json:"scoreVersion"`
		Commit       *string       `json:"commit"`
		ComputedAt   *time.Time    `json:"computedAt"`
		Breakdown    []sectionBody `json:"breakdown"`
		Caps         []capBody     `json:"caps"`
		Flags        []string      `json:"flags"`
		Improve      []improveBody `json:"improve"`
		Links        healthLinks   `json:"links"`
	}

	healthTail struct {
		Stale    bool     `json:"stale"`
		Warnings []string `json:"warnings"`
	}

	sectionBody struct {
		Category string      `json:"category"`
		Weight   float64     `json:"weight"`
		Score    *float64    `json:"score"`
		Coverage float64     `json:"coverage"`
		Checks   []checkBody `json:"checks"`
	}

	checkBody struct {
		ID         string         `json:"id"`
		Name       string         `json:"name"`
		Result     string         `json:"result"`
		State      string         `json:"state"`
		Points     float64        `json:"points"`
		Max        float64        `json:"max"`
		Reason     string         `json:"reason"`
		Evidence   []evidenceBody `json:"evidence"`
		Fix        *string        `json:"fix"`
		Source     *string        `json:"source"`
		ObservedAt *time.Time     `json:"observedAt"`
		Docs       string         `json:"docs"`
	}

	evidenceBody struct {
		Type string  `json:"type"`
		Ref  string  `json:"ref"`
		URL  *string `json:"url"`
		Text *string `json:"text,omitempty"`
	}

	capBody struct {
		ID      string `json:"id"`
		Max     int    `json:"max"`
		Reason  string `json:"reason"`
		Applied bool   `json:"applied"`
	}

	improveBody struct {
		Check string  `json:"check"`
		Gain  float64 `json:"gain"`
		Text  string  `json:"text"`
	}

	healthLinks struct {
		Self    *string `json:"self"`
		History *string `json:"history"`
		Badge   *string `json:"badge"`
		HTML    *string `json:"html"`
	}

	pendingBody struct {
		Status    string `json:"status"` // "pending"
		GithubURL string `json:"githubUrl"`
		StatusURL string `json:"statusUrl"`
	}

	categoriesBody struct {
		Categories []categoryBody `json:"categories"`
		Total      int            `json:"total"`
	}

	categoryBody struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
		Count       int    `json:"count"`
	}
)

func basicOf(s *registry.Server) basicBody {
	return basicBody{
		ID: s.Slug, Slug: s.Slug, Name: nameOf(s), Description: known(s.Description),
		Category: s.Category, Tags: list(s.Tags), SDK: known(s.SDK), Language: known(s.Language),
		License: known(s.License), QualityScore: s.Health.Score, HealthScore: s.Health.Score,
		Grade: known(s.Health.Grade), Popularity: s.Popularity.Score, Stars: s.Stars, Downloads: s.Downloads,
		Transports: list(s.Transports), ToolCount: s.ToolCount,
		Repository: basicRepoBody{
			URL: repoURL(s), Owner: known(s.Repo.Owner), Name: known(s.Repo.Name),
			Subfolder: known(s.Subfolder), Archived: s.Repo.Archived,
		},
		Icon: known(s.Icon), Status: s.Status, Verified: s.Verified,
		UpdatedAt: moment(s.UpdatedAt), Links: linksOf(s.Slug),
	}
}

func linksOf(slug string) recordLinkBody {
	return recordLinkBody{
		Self: "/v1/servers/" + slug, HTML: "/servers/" + slug,
		Health: "/api/health?server=" + slug, Badge: "/badge/" + slug + ".svg",
	}
}

func (e *encoder) detailOf(s *registry.Server) detailBody {
	reason := ""
	if s.InstallCommand == "" {
		reason = install.Missing(s)
	}
	d := detailBody{
		ID: s.Slug, Slug: s.Slug, Name: nameOf(s), RegistryName: known(s.RegistryName), Title: known(s.Title),
		Description: known(s.Description), Category: s.Category, CategoryConfidence: finite(s.CategoryConfidence),
		Tags: list(s.Tags), SDK: known(s.SDK), Framework: known(s.Framework), Language: known(s.Language),
		License: known(s.License), QualityScore: s.Health.Score, HealthScore: s.Health.Score,
		Grade: known(s.Health.Grade), Popularity: s.Popularity.Score,
		ScoreVersion: known(s.Health.Version), ScoreLow: s.Health.Low, ScoreHigh: s.Health.High,
		Confidence: known(s.Health.Confidence),
		Stars:      s.Stars, Forks: s.Forks, OpenIssues: s.OpenIssues, Contributors: s.Contributors,
		Downloads: s.Downloads, DownloadsPeriod: "30d", DownloadsBreakdown: breakdown(s),
		Repository: detailRepoBody{
			URL: repoURL(s), Source: known(s.Repo.Host), Owner: known(s.Repo.Owner), Name: known(s.Repo.Name),
			Subfolder: known(s.Subfolder), DefaultBranch: known(s.Repo.DefaultBranch),
			Archived: s.Repo.Archived, Fork: s.Repo.Fork,
			PushedAt: moment(s.Repo.PushedAt), Commit: known(s.Repo.Commit),
		},
		Homepage: known(s.Homepage), Icon: known(s.Icon),
		Transports: list(s.Transports), Packages: make([]packageBody, len(s.Packages)),
		Remotes: make([]remoteBody, len(s.Remotes)), Environment: variables(s.Variables, true),
		ToolCount: s.ToolCount,
		Install:   installBody{Command: known(s.InstallCommand), Reason: known(reason), Clients: e.clients(s)},
		Status:    s.Status, StatusMessage: known(s.StatusMessage), Official: s.Official, Verified: s.Verified,
		LatestVersion: known(s.LatestVersion), ReleasedAt: utc(s.ReleasedAt),
		Sources:   make([]sightingBody, len(s.Sources)),
		CreatedAt: moment(s.CreatedAt), UpdatedAt: moment(s.UpdatedAt), LastCommitAt: utc(s.LastCommitAt),
		LastCrawledAt: utc(s.LastCrawledAt), ScoredAt: utc(s.ScoredAt), Links: linksOf(s.Slug),
	}
	if s.Health.Version != "" {
		c := finite(s.Health.Coverage)
		d.Coverage = &c
	}
	if s.Repo.ID != 0 {
		id := itoa(s.Repo.ID)
		d.Repository.ID = &id
	}
	if s.Repo.Owner != "" {
		d.Owner = &ownerBody{Login: s.Repo.Owner, Type: known(s.Repo.OwnerType), AvatarURL: known(s.Repo.OwnerAvatarURL)}
	}
	for i, p := range s.Packages {
		d.Packages[i] = packageBody{
			RegistryType: p.RegistryType, Identifier: p.Identifier, Version: p.Version,
			RegistryBaseURL: p.RegistryBaseURL, FileSHA256: p.FileSHA256, RuntimeHint: p.RuntimeHint,
			Transport: transportBody{
				Type: p.Transport.Type, URL: p.Transport.URL, Headers: variables(p.Transport.Headers, false),
			},
			RuntimeArguments: arguments(p.RuntimeArguments), PackageArguments: arguments(p.PackageArguments),
			EnvironmentVariables: variables(p.EnvironmentVariables, false),
		}
	}
	for i, r := range s.Remotes {
		d.Remotes[i] = remoteBody{Type: r.Type, URL: r.URL, Headers: variables(r.Headers, true)}
		if len(r.Variables) > 0 {
			d.Remotes[i].Variables = make(map[string]variableBody, len(r.Variables))
			for name, v := range r.Variables {
				d.Remotes[i].Variables[name] = variableBody(v)
			}
		}
	}
	if s.Tools != nil {
		d.Tools = make([]toolBody, len(s.Tools))
		for i, t := range s.Tools {
			d.Tools[i] = toolBody{Name: t.Name, Description: known(t.Description), InputSchema: rawObject(t.InputSchema)}
		}
	}
	for i, g := range s.Sources {
		d.Sources[i] = sightingBody{Name: g.Name, FirstSeenAt: moment(g.FirstSeenAt), LastSeenAt: moment(g.LastSeenAt)}
	}
	return d
}

// breakdown lists the downloads of npm, PyPI and OCI, and of every other
// registry type that the server publishes to, null where the number is not
// known.
func breakdown(s *registry.Server) map[string]*int64 {
	m := map[string]*int64{"npm": nil, "pypi": nil, "oci": nil}
	for _, p := range s.Packages {
		m[p.RegistryType] = nil
	}
	for k, v := range s.DownloadsBy {
		m[k] = &v
	}
	return m
}

func (e *encoder) entryOf(s *registry.Server) entryBody {
	m := entryMeta{ID: s.Slug, Category: s.Category, Transports: list(s.Transports), Install: e.launch(s)}
	b := entryBody{
		Name: nameOf(s), Description: s.Description, Installation: e.installation(s),
		QualityScore: s.Health.Score, InputSchema: emptySchema, Meta: map[string]entryMeta{e.metaKey: m},
	}
	if u := repoURL(s); u != nil {
		b.Source = *u
	} else if s.Homepage != "" {
		b.Source = s.Homepage
	} else if len(s.Remotes) > 0 {
		b.Source = s.Remotes[0].URL
	}
	return b
}

var emptySchema = json.RawMessage(`{"type":"object"}`)

func (e *encoder) healthOf(s *registry.Server, indexed bool) healthBody {
	h := &s.Health
	b := healthBody{
		Server: known(s.Slug), GithubURL: repoURL(s), Subfolder: known(s.Subfolder), Indexed: indexed,
		Status: h.Status, Score: h.Score, Grade: known(h.Grade), ScoreLow: h.Low, ScoreHigh: h.High,
		Confidence: known(h.Confidence), Popularity: s.Popularity.Score, ScoreVersion: known(h.Version),
		Commit: known(h.Commit), ComputedAt: moment(h.ComputedAt),
		Breakdown: make([]sectionBody, len(h.Categories)), Caps: make([]capBody, len(h.Caps)),
		Flags: list(h.Flags), Improve: make([]improveBody, len(h.Improve)),
	}
	yes := true
	b.IsMCPServer = &yes
	if b.Status == "" {
		b.Status = registry.HealthInsufficientData
	}
	if h.Version != "" {
		c := finite(h.Coverage)
		b.Coverage = &c
	}
	if indexed {
		self, html, badge := "/api/health?server="+s.Slug, "/servers/"+s.Slug, "/badge/"+s.Slug+".svg"
		history := html + "#history"
		b.Links = healthLinks{Self: &self, History: &history, Badge: &badge, HTML: &html}
	}
	for i, c := range h.Categories {
		b.Breakdown[i] = sectionBody{
			Category: c.Category, Weight: finite(c.Weight), Coverage: finite(c.Coverage),
			Checks: make([]checkBody, len(c.Checks)),
		}
		if c.Score != nil {
			v := finite(*c.Score)
			b.Breakdown[i].Score = &v
		}
		for j, k := range c.Checks {
			b.Breakdown[i].Checks[j] = checkBody{
				ID: k.ID, Name: k.Name, Result: k.Result, State: k.State, Points: finite(k.Points), Max: finite(k.Max),
				Reason: k.Reason, Evidence: evidence(k.Evidence), Fix: known(k.Fix), Source: known(k.Source),
				ObservedAt: utc(k.ObservedAt), Docs: "/docs/scoring#" + k.ID,
			}
		}
	}
	for i, c := range h.Caps {
		b.Caps[i] = capBody{ID: c.ID, Max: c.Max, Reason: c.Reason, Applied: c.Applied}
	}
	for i, m := range h.Improve {
		b.Improve[i] = improveBody{Check: m.Check, Gain: finite(m.Gain), Text: m.Text}
	}
	return b
}

func evidence(es []registry.Evidence) []evidenceBody {
	out := make([]evidenceBody, len(es))
	for i, e := range es {
		out[i] = evidenceBody{Type: e.Type, Ref: e.Ref, URL: known(e.URL), Text: known(e.Text)}
	}
	return out
}

// variables copies vs; an empty list is [] if always, else nil.
func variables(vs []registry.Variable, always bool) []variableBody {
	if len(vs) == 0 && !always {
		return nil
	}
	out := make([]variableBody, len(vs))
	for i, v := range vs {
		out[i] = variableBody(v)
	}
	return out
}

func arguments(as []registry.Argument) []argumentBody {
	if len(as) == 0 {
		return nil
	}
	out := make([]argumentBody, len(as))
	for i, a := range as {
		out[i] = argumentBody(a)
	}
	return out
}

// nameOf returns the name of s for people: never empty.
func nameOf(s *registry.Server) string {
	if s.Name != "" {
		return s.Name
	}
	return s.Slug
}

// repoURL returns the address of the repository's page, nil if there is no
// repository.
func repoURL(s *registry.Server) *string {
	if s.Repo.Owner == "" || s.Repo.Name == "" {
		return nil
	}
	u := s.Repo.URL()
	return &u
}

// known returns nil for "", which stands for unknown inside the registry.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// list returns an empty list for nil, for members whose absence means none.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// moment returns t in UTC, nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	t = t.UTC()
	return &t
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return moment(*t)
}

// finite returns f, or 0 where f is not a number that JSON can hold.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// rawObject returns b if it is one JSON object, else nil: schemas come from
// other people's repositories.
func rawObject(b []byte) json.RawMessage {
	t := bytes.TrimSpace(b)
	if len(t) == 0 || t[0] != '{' || !utf8.Valid(t) || !json.Valid(t) {
		return nil
	}
	return json.RawMessage(t)
}

// encode returns v as JSON without escaped HTML and without a final newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
