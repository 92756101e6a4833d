package api

import (
	"encoding/json"
	"time"

	"mcpcensus/internal/registry"
)

// The bodies define the wire format: what is published of the registry's types, parts
// of server.json in their own form. Unknown values are null: nil pointers and nil slices.
type (
	basicBody struct {
		ID                string          `json:"id"`
		Slug              string          `json:"slug"`
		Name              string          `json:"name"`
		Description       *string         `json:"description"`
		DescriptionSource *string         `json:"descriptionSource"`
		Kind              *string         `json:"kind"`
		Category          string          `json:"category"`
		SecondCategory    *string         `json:"secondCategory"`
		Tags              []string        `json:"tags"`
		SDK               *string         `json:"sdk"`
		Language          *string         `json:"language"`
		License           *string         `json:"license"`
		QualityScore      *int            `json:"qualityScore"`
		HealthScore       *int            `json:"healthScore"`
		Grade             *string         `json:"grade"`
		Popularity        *int            `json:"popularity"`
		Stars             *int            `json:"stars"`
		Downloads         *int64          `json:"downloads"`
		Transports        []string        `json:"transports"`
		Remotes           []endpointBody  `json:"remotes"`
		Liveness          *string         `json:"liveness"`
		ToolCount         *int            `json:"toolCount"`
		ToolsKnown        *int            `json:"toolsKnown"`
		ToolTokens        *int            `json:"toolTokens"`
		ToolList          *toolsReadBody  `json:"toolList"`
		Effect            string          `json:"effect"`
		EffectGuessed     bool            `json:"effectGuessed"`
		ReadOnly          *bool           `json:"readOnly"`
		SuspiciousRules   []string        `json:"suspiciousRules"`
		Risks             []registry.Risk `json:"risks"`
		Repository        basicRepoBody   `json:"repository"`
		Icon              *string         `json:"icon"`
		Status            string          `json:"status"`
		Official          bool            `json:"official"`
		OfficialReason    *string         `json:"officialReason"`
		CopyOf            *string         `json:"copyOf"`
		LookAlikeOf       *string         `json:"lookAlikeOf"`
		CopySince         *time.Time      `json:"copySince"`
		Verified          bool            `json:"verified"`
		UpdatedAt         *time.Time      `json:"updatedAt"`
		CheckedAt         *time.Time      `json:"checkedAt"`
		Links             recordLinkBody  `json:"links"`
	}

	versionSourceBody struct {
		Source string     `json:"source"`
		ReadAt *time.Time `json:"readAt"`
	}

	// toolsReadBody is a toolListBody in lists.
	toolsReadBody struct {
		Source   string  `json:"source"`
		Version  *string `json:"version"`
		Complete bool    `json:"complete"`
	}

	basicRepoBody struct {
		URL       *string `json:"url"`
		Owner     *string `json:"owner"`
		Name      *string `json:"name"`
		Subfolder *string `json:"subfolder"`
		Archived  *bool   `json:"archived"`
	}

	recordLinkBody struct {
		Self   string `json:"self"`
		HTML   string `json:"html"`
		Health string `json:"health"`
		Badge  string `json:"badge"`
	}

	detailBody struct {
		ID                 string                    `json:"id"`
		Slug               string                    `json:"slug"`
		Name               string                    `json:"name"`
		RegistryName       *string                   `json:"registryName"`
		Title              *string                   `json:"title"`
		Description        *string                   `json:"description"`
		DescriptionSource  *string                   `json:"descriptionSource"`
		Kind               *string                   `json:"kind"`
		Category           string                    `json:"category"`
		CategoryConfidence float64                   `json:"categoryConfidence"`
		SecondCategory     *string                   `json:"secondCategory"`
		Tags               []string                  `json:"tags"`
		SDK                *string                   `json:"sdk"`
		Framework          *string                   `json:"framework"`
		Language           *string                   `json:"language"`
		License            *string                   `json:"license"`
		LicenseSource      *string                   `json:"licenseSource"`
		QualityScore       *int                      `json:"qualityScore"`
		HealthScore        *int                      `json:"healthScore"`
		Grade              *string                   `json:"grade"`
		Popularity         *int                      `json:"popularity"`
		ScoreVersion       *string                   `json:"scoreVersion"`
		ScoreLow           *int                      `json:"scoreLow"`
		ScoreHigh          *int                      `json:"scoreHigh"`
		Coverage           *float64                  `json:"coverage"`
		Confidence         *string                   `json:"confidence"`
		CommitChance       *float64                  `json:"commitChance"`
		Stars              *int                      `json:"stars"`
		Forks              *int                      `json:"forks"`
		OpenIssues         *int                      `json:"openIssues"`
		Contributors       *int                      `json:"contributors"`
		Downloads          *int64                    `json:"downloads"`
		DownloadsPeriod    string                    `json:"downloadsPeriod"`
		DownloadsBreakdown map[string]*int64         `json:"downloadsBreakdown"`
		DownloadsAt        *time.Time                `json:"downloadsAt"`
		Repository         detailRepoBody            `json:"repository"`
		Homepage           *string                   `json:"homepage"`
		Icon               *string                   `json:"icon"`
		Owner              *ownerBody                `json:"owner"`
		Transports         []string                  `json:"transports"`
		Packages           []packageBody             `json:"packages"`
		Remotes            []remoteBody              `json:"remotes"`
		Liveness           *string                   `json:"liveness"`
		LivenessAt         *time.Time                `json:"livenessAt"`
		Environment        []registry.Variable       `json:"environmentVariables"`
		Tools              []toolBody                `json:"tools"`
		ToolCount          *int                      `json:"toolCount"`
		ToolsKnown         *int                      `json:"toolsKnown"`
		ToolTokens         *int                      `json:"toolTokens"`
		ToolList           *toolListBody             `json:"toolList"`
		Effect             string                    `json:"effect"`
		EffectGuessed      bool                      `json:"effectGuessed"`
		ReadOnly           *bool                     `json:"readOnly"`
		Capabilities       registry.Capabilities     `json:"capabilities"`
		SuspiciousRules    []string                  `json:"suspiciousRules"`
		SuspiciousTexts    []registry.SuspiciousText `json:"suspiciousTexts"`
		Risks              []registry.Risk           `json:"risks"`
		Install            installBody               `json:"install"`
		Status             string                    `json:"status"`
		StatusMessage      *string                   `json:"statusMessage"`
		Successor          *string                   `json:"successor"`
		Official           bool                      `json:"official"`
		OfficialReason     *string                   `json:"officialReason"`
		CopyOf             *string                   `json:"copyOf"`
		LookAlikeOf        *string                   `json:"lookAlikeOf"`
		CopyReason         *string                   `json:"copyReason"`
		CopySince          *time.Time                `json:"copySince"`
		Verified           bool                      `json:"verified"`
		VerifiedReason     *string                   `json:"verifiedReason"`
		LatestVersion      *string                   `json:"latestVersion"`
		VersionSource      *versionSourceBody        `json:"latestVersionSource"`
		ReleasedAt         *time.Time                `json:"releasedAt"`
		Sources            []sightingBody            `json:"sources"`
		CreatedAt          *time.Time                `json:"createdAt"`
		UpdatedAt          *time.Time                `json:"updatedAt"`
		CheckedAt          *time.Time                `json:"checkedAt"`
		LastCommitAt       *time.Time                `json:"lastCommitAt"`
		LastCrawledAt      *time.Time                `json:"lastCrawledAt"`
		ScoredAt           *time.Time                `json:"scoredAt"`
		Links              recordLinkBody            `json:"links"`
	}

	detailRepoBody struct {
		URL           *string    `json:"url"`
		Source        *string    `json:"source"`
		ID            *string    `json:"id"`
		Owner         *string    `json:"owner"`
		Name          *string    `json:"name"`
		Subfolder     *string    `json:"subfolder"`
		DefaultBranch *string    `json:"defaultBranch"`
		Archived      *bool      `json:"archived"`
		Fork          *bool      `json:"fork"`
		PushedAt      *time.Time `json:"pushedAt"`
		Commit        *string    `json:"commit"`
	}

	ownerBody struct {
		Login     string  `json:"login"`
		Type      *string `json:"type"`
		AvatarURL *string `json:"avatarUrl"`
	}

	// packageBody and remoteBody have the form of the official server.json, schema 2025-12-11, which omits unset members.
	packageBody struct {
		RegistryType         string                    `json:"registryType"`
		Identifier           string                    `json:"identifier"`
		Version              string                    `json:"version,omitempty"`
		RegistryBaseURL      string                    `json:"registryBaseUrl,omitempty"`
		FileSHA256           string                    `json:"fileSha256,omitempty"`
		RuntimeHint          string                    `json:"runtimeHint,omitempty"`
		Transport            registry.PackageTransport `json:"transport"`
		RuntimeArguments     []registry.Argument       `json:"runtimeArguments,omitempty"`
		PackageArguments     []registry.Argument       `json:"packageArguments,omitempty"`
		EnvironmentVariables []registry.Variable       `json:"environmentVariables,omitempty"`
		// Inspection is ours; absent if the package was not inspected.
		Inspection *registry.Inspection `json:"inspection,omitempty"`
	}

	remoteBody struct {
		Type      string                       `json:"type"`
		URL       string                       `json:"url"`
		Headers   []registry.Variable          `json:"headers"`
		Variables map[string]registry.Variable `json:"variables,omitempty"`
		// Liveness is ours; null if the endpoint was not probed.
		Liveness *registry.Liveness `json:"liveness"`
	}

	// endpointBody is a remoteBody in lists.
	endpointBody struct {
		Type     string             `json:"type"`
		URL      string             `json:"url"`
		Liveness *registry.Liveness `json:"liveness"`
	}

	toolBody struct {
		Name        string                    `json:"name"`
		Title       *string                   `json:"title"`
		Description *string                   `json:"description"`
		InputSchema json.RawMessage           `json:"inputSchema"`
		Annotations *registry.ToolAnnotations `json:"annotations"`
		Effect      registry.ToolEffect       `json:"effect"`
		Contradicts bool                      `json:"contradicts,omitempty"`
		Hash        *string                   `json:"hash"`
		Tokens      *int                      `json:"tokens"`
		// Absent if they are from the source of the list.
		DescriptionSource string `json:"descriptionSource,omitempty"`
		InputSchemaSource string `json:"inputSchemaSource,omitempty"`
		// Absent if the tool is registered unconditionally.
		Conditional *conditionBody `json:"conditional,omitempty"`
	}

	// conditionBody is a [registry.ToolCondition].
	conditionBody struct {
		Setting *string `json:"setting"`
		Default *bool   `json:"default"` // nil: not known
	}

	// toolListBody is the source of a list of tools.
	toolListBody struct {
		Source   string               `json:"source"`
		Package  *registry.PackageKey `json:"package"`
		Endpoint string               `json:"endpoint,omitempty"`
		Version  *string              `json:"version"`
		ReadAt   *time.Time           `json:"readAt"`
		Hash     *string              `json:"hash"`
		Tokens   *int                 `json:"tokens"`
		Complete bool                 `json:"complete"`
	}

	installBody struct {
		Command *string         `json:"command"`
		Reason  *string         `json:"reason"` // why Command is null
		Notes   []string        `json:"notes"`
		Clients json.RawMessage `json:"clients"`

		Access      *string          `json:"access"` // that Command gives; see [install.Access]
		Alternative *alternativeBody `json:"alternative"`
	}

	// An alternativeBody is an installation with the other access.
	alternativeBody struct {
		Command *string         `json:"command"`
		Clients json.RawMessage `json:"clients"`
	}

	sightingBody struct {
		Name        string     `json:"name"`
		FirstSeenAt *time.Time `json:"firstSeenAt"`
		LastSeenAt  *time.Time `json:"lastSeenAt"`
	}

	// entryBody is a tool entry: a server, or with level=tool a tool, in the
	// form of MCP's tools/list.
	entryBody struct {
		Name         string               `json:"name"`
		Title        string               `json:"title,omitempty"` // with level=tool
		Description  string               `json:"description"`
		Source       string               `json:"source"`
		Installation *string              `json:"installation"`
		QualityScore *int                 `json:"quality_score"`
		InputSchema  json.RawMessage      `json:"inputSchema"`
		Meta         map[string]entryMeta `json:"_meta"`
	}

	entryMeta struct {
		ID       string  `json:"id"`
		Owner    *string `json:"owner"`
		Official bool    `json:"official"`
		Status   string  `json:"status"`
		// DescriptionSource is that of the server's description; nil with level=tool.
		DescriptionSource *string         `json:"descriptionSource"`
		Kind              *string         `json:"kind"`
		Category          string          `json:"category"`
		Transports        []string        `json:"transports"`
		Remotes           []endpointBody  `json:"remotes"`
		Liveness          *string         `json:"liveness"`
		Risks             []registry.Risk `json:"risks"`
		Install           *launchBody     `json:"install"`

		CheckedAt *time.Time `json:"checkedAt"`
		// Of the tool, with level=tool. SchemaKnown is false if the input schema only says that
		// the arguments are an object.
		Tool        *string        `json:"tool,omitempty"`
		ToolList    *toolsReadBody `json:"toolList,omitempty"`
		SchemaKnown *bool          `json:"schemaKnown,omitempty"`
	}

	launchBody struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}

	// healthBody is the response of /api/health.
	healthBody struct {
		Server          *string                   `json:"server"`
		GithubURL       *string                   `json:"githubUrl"`
		Subfolder       *string                   `json:"subfolder"`
		Indexed         bool                      `json:"indexed"`
		IsMCPServer     *bool                     `json:"isMcpServer"`
		Kind            *string                   `json:"kind"`
		Official        *bool                     `json:"official"`
		Status          string                    `json:"status"`
		Reason          *string                   `json:"reason,omitempty"`
		Score           *int                      `json:"score"`
		Grade           *string                   `json:"grade"`
		ScoreLow        *int                      `json:"scoreLow"`
		ScoreHigh       *int                      `json:"scoreHigh"`
		Coverage        *float64                  `json:"coverage"`
		Confidence      *string                   `json:"confidence"`
		CommitChance    *float64                  `json:"commitChance"`
		Popularity      *int                      `json:"popularity"`
		ScoreVersion    *string                   `json:"scoreVersion"`
		Commit          *string                   `json:"commit"`
		ComputedAt      *time.Time                `json:"computedAt"`
		Breakdown       []sectionBody             `json:"breakdown"`
		Caps            []capBody                 `json:"caps"`
		Flags           []string                  `json:"flags"`
		Risks           []registry.Risk           `json:"risks"`
		LatestVersion   *string                   `json:"latestVersion"`
		VersionSource   *versionSourceBody        `json:"latestVersionSource"`
		SuspiciousTexts []registry.SuspiciousText `json:"suspiciousTexts"`
		// Inspections are the results of starting the server's packages in a sandbox.
		Inspections []registry.InspectionResult `json:"inspections"`
		Improve     []registry.Improvement      `json:"improve"`
		Links       healthLinks                 `json:"links"`
		Stale       bool                        `json:"stale"`
		Warnings    []string                    `json:"warnings"`
		// Members are the servers of the repository, if there are several and
		// the address names none of them.
		Members []memberBody `json:"members,omitempty"`
	}

	memberBody struct {
		Server     *string    `json:"server"` // null if it is not listed
		Name       string     `json:"name"`
		Subfolder  *string    `json:"subfolder"`
		Score      *int       `json:"score"`
		Grade      *string    `json:"grade"`
		ComputedAt *time.Time `json:"computedAt"`
		Health     *string    `json:"health"`
	}

	capBody struct {
		registry.Cap
		Source *string    `json:"source"`
		At     *time.Time `json:"at"`
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

	// serversBody and toolsBody are pages of a list.
	serversBody struct {
		Servers []basicBody `json:"servers"`
		pageTail
	}

	toolsBody struct {
		Tools []entryBody `json:"tools"`
		pageTail
	}

	pageTail struct {
		Pagination paginationBody `json:"pagination"`
		Warnings   []string       `json:"warnings,omitempty"`
	}

	paginationBody struct {
		Total      int     `json:"total"`
		Limit      int     `json:"limit"`
		Offset     int     `json:"offset"`
		HasMore    bool    `json:"hasMore"`
		NextOffset *int    `json:"nextOffset"`
		NextCursor *string `json:"nextCursor"`
	}
)
