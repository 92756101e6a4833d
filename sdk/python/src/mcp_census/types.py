# Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
"""The types of the responses, and the values of parameters.

Enumerations of responses are open: a value that a newer registry has is a string.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Literal, Optional, Union

from ._model import Model


@dataclass(frozen=True, repr=False)
class AllowedServer(Model):
    """Exactly one of `serverUrl` and `serverCommand` is present."""

    server_command: Optional[list[str]]
    server_url: Optional[str]


@dataclass(frozen=True, repr=False)
class Analytics(Model):
    server: str
    period: AnalyticsPeriod
    totals: AnalyticsTotals
    trends: AnalyticsTrends
    rank: AnalyticsRank
    series: list[AnalyticsSeriesEntry]


@dataclass(frozen=True, repr=False)
class AnalyticsPeriod(Model):
    from_: dt.date
    to: dt.date
    interval: AnalyticsPeriodInterval

AnalyticsPeriodInterval = Union[
    Literal[
        "day",
        "week",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class AnalyticsRank(Model):
    overall: Optional[int]
    category: Optional[int]
    percentile: Optional[float]
    """Share of listed servers with a lower rank."""
    by: str


@dataclass(frozen=True, repr=False)
class AnalyticsSeriesEntry(Model):
    date: dt.date
    """For weeks: Monday, or the first day of the period."""
    stars: Optional[int]
    forks: Optional[int]
    downloads: Optional[int]
    """Downloads on the day or in the week; null unless known for every package and
    day.
    """
    score: Optional[int]
    views: Optional[int]
    api_hits: Optional[int]
    search_impressions: Optional[int]
    health_checks: Optional[int]
    install_clicks: Optional[int]
    badge_views: Optional[int]


@dataclass(frozen=True, repr=False)
class AnalyticsTotals(Model):
    stars: Optional[int]
    forks: Optional[int]
    downloads: AnalyticsTotalsDownloads
    """Of the last 30 days. Other registry types that the server publishes to are
    members too.
    """
    directory: AnalyticsTotalsDirectory
    """Events counted by this registry in the period."""


@dataclass(frozen=True, repr=False)
class AnalyticsTotalsDirectory(Model):
    """Events counted by this registry in the period."""

    views: Optional[int]
    api_hits: Optional[int]
    search_impressions: Optional[int]
    health_checks: Optional[int]
    install_clicks: Optional[int]
    badge_views: Optional[int]


@dataclass(frozen=True, repr=False)
class AnalyticsTotalsDownloads(Model):
    """Of the last 30 days. Other registry types that the server publishes to are
    members too.
    """

    total: Optional[int]
    """Of all packages."""
    npm: Optional[int]
    pypi: Optional[int]
    oci: Optional[int]


@dataclass(frozen=True, repr=False)
class AnalyticsTrends(Model):
    stars: Trend
    downloads: Trend
    score: AnalyticsTrendsScore


@dataclass(frozen=True, repr=False)
class AnalyticsTrendsScore(Model):
    delta: Optional[int]


@dataclass(frozen=True, repr=False)
class Argument(Model):
    type: str
    choices: Optional[list[str]]
    default: Optional[str]
    description: Optional[str]
    format: Optional[str]
    is_repeated: Optional[bool]
    is_required: Optional[bool]
    is_secret: Optional[bool]
    name: Optional[str]
    placeholder: Optional[str]
    """An example value."""
    value: Optional[str]
    value_hint: Optional[str]
    variables: Optional[dict[str, Variable]]
    """Variables for the {names} in the value."""


@dataclass(frozen=True, repr=False)
class BulkAnswer(Model):
    servers: list[PartialServer]
    not_found: list[str]
    count: int


@dataclass(frozen=True, repr=False)
class Cap(Model):
    id: str
    max: int
    reason: str
    applied: bool
    """Whether it lowered this score."""
    source: Optional[str]
    """Source of the reason, as of a risk. Null if it follows from the results of all
    checks or is unknown.
    """
    at: Optional[dt.datetime]
    """When the source was read."""


@dataclass(frozen=True, repr=False)
class Capabilities(Model):
    """What the server can do when it is started with its default settings. Absent
    members are not known to be used.
    """

    effect: Effect
    """What a tool, or the most severe tool of a server, may do: change nothing
    (`read`), add or send something (`write`), change, overwrite or delete something
    that exists (`destructive`, as in MCP), or run commands or code of its caller.
    """
    guessed: bool
    """Whether the effect follows only from names and parameters."""
    read: int
    """Number of tools with this effect."""
    write: int
    destructive: int
    execute: int
    unknown: int
    complete: bool
    """Whether all tools are counted."""
    secrets: list[str]
    """Names of secrets that it accepts: variables, arguments and headers."""
    files: Optional[list[SourceUse]]
    """Operations on files."""
    hosts: Optional[list[HostUse]]
    listens: Optional[list[SourceUse]]
    """Operations that listen on a port."""
    processes: Optional[list[SourceUse]]
    """Operations that start processes."""
    read_only: Optional[ReadOnlySwitch]
    """The setting that makes a command or an endpoint read-only."""
    read_only_default: Optional[bool]
    read_only_endpoint: Optional[ReadOnlySwitch]
    """The setting that makes a command or an endpoint read-only."""
    source_read: Optional[CapabilitiesSourceRead]
    """How much source code was read. Only with `whole` is what is absent not used."""
    telemetry: Optional[list[SourceUse]]
    """Libraries that report usage or errors."""

CapabilitiesSourceRead = Union[
    Literal[
        "whole",
        "part",
    ],
    str,
]
"""How much source code was read. Only with `whole` is what is absent not used."""


@dataclass(frozen=True, repr=False)
class Categories(Model):
    categories: list[CategoryCount]
    total: int
    """Number of listed servers."""

Category = Union[
    Literal[
        "database",
        "tools",
        "communication",
        "integration",
        "api",
        "security",
        "analytics",
        "automation",
        "data",
        "productivity",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class CategoryCount(Model):
    id: Category
    name: str
    description: str
    count: int

CategoryParam = Literal[
    "database",
    "tools",
    "communication",
    "integration",
    "api",
    "security",
    "analytics",
    "automation",
    "data",
    "productivity",
]


@dataclass(frozen=True, repr=False)
class ChangePage(Model):
    changes: list[ServerChange]
    """Servers, in the order of their last changes."""
    next: int
    """Value of `after` for the next request."""
    has_more: bool


@dataclass(frozen=True, repr=False)
class Check(Model):
    id: str
    name: str
    result: CheckResult
    """Outcome of the check."""
    state: CheckState
    points: float
    """Points earned."""
    max: float
    """Points available."""
    reason: str
    """Explanation of the result."""
    evidence: list[Evidence]
    fix: Optional[str]
    """How to pass the check; null if there is nothing to fix."""
    source: Optional[str]
    """Source of the fact; null if unknown."""
    observed_at: Optional[dt.datetime]
    """When the fact was observed; null if unknown."""
    docs: str
    """Path of the documentation of the check."""

CheckResult = Union[
    Literal[
        "pass",
        "partial",
        "fail",
        "unknown",
        "notApplicable",
    ],
    str,
]
"""Outcome of the check."""

CheckState = Union[
    Literal[
        "ok",
        "unknown",
        "na",
        "withheld",
    ],
    str,
]

Confidence = Union[
    Literal[
        "high",
        "medium",
        "low",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class Custom(Model):
    name: str
    q: Optional[str]
    filters: dict[str, Any]
    """Fields: category, sdk, language, framework, tags, license, transport, type
    (remote or package), liveness (alive, gated, down, unknown), registryType,
    owner, source, risks (kinds of risks), effect, readOnly, secrets (whether it
    accepts any), status, official, verified, copy, archived, grade, qualityScore,
    minScore (qualityScore gte), popularity, stars, downloads, toolCount,
    toolTokens, tools, updatedAt, createdAt. At most 16 kB, 40 conditions and 100
    values per list. Numbers are at least 0.
    """
    sort: Optional[str]
    fields: Optional[list[DetailMember]]
    """Members of the records; null means those of a list entry."""
    limit: int
    facets: bool
    created_at: dt.datetime
    updated_at: dt.datetime
    links: CustomLinks


@dataclass(frozen=True, repr=False)
class CustomLinks(Model):
    self: str
    definition: str


@dataclass(frozen=True, repr=False)
class CustomPage(Model):
    servers: list[PartialServer]
    """List entries, or the members listed in the definition."""
    pagination: PageNumbers
    name: str
    query: Optional[str]
    sort: str
    facets: Optional[Facets]
    """Number of results by value. Null if not requested."""
    took_ms: float
    warnings: Optional[list[str]]
    """What there is to know about a search: the index is unavailable, so that READMEs
    and tool descriptions are not searched; a misspelled word was corrected; some
    servers match only some words of the text.
    """


@dataclass(frozen=True, repr=False)
class CustomView(Model):
    url: str


@dataclass(frozen=True, repr=False)
class Customs(Model):
    customs: list[Custom]
    count: int
    max: int

DetailMember = Union[
    Literal[
        "id",
        "slug",
        "name",
        "registryName",
        "title",
        "description",
        "descriptionSource",
        "kind",
        "category",
        "categoryConfidence",
        "secondCategory",
        "tags",
        "sdk",
        "framework",
        "language",
        "license",
        "licenseSource",
        "qualityScore",
        "healthScore",
        "grade",
        "popularity",
        "scoreVersion",
        "scoreLow",
        "scoreHigh",
        "coverage",
        "confidence",
        "commitChance",
        "stars",
        "forks",
        "openIssues",
        "contributors",
        "downloads",
        "downloadsPeriod",
        "downloadsBreakdown",
        "downloadsAt",
        "repository",
        "homepage",
        "icon",
        "owner",
        "transports",
        "packages",
        "remotes",
        "liveness",
        "livenessAt",
        "environmentVariables",
        "tools",
        "toolCount",
        "toolsKnown",
        "toolTokens",
        "toolList",
        "effect",
        "effectGuessed",
        "readOnly",
        "capabilities",
        "suspiciousRules",
        "suspiciousTexts",
        "risks",
        "install",
        "status",
        "statusMessage",
        "successor",
        "official",
        "officialReason",
        "copyOf",
        "lookAlikeOf",
        "copyReason",
        "copySince",
        "verified",
        "verifiedReason",
        "latestVersion",
        "latestVersionSource",
        "releasedAt",
        "sources",
        "createdAt",
        "updatedAt",
        "checkedAt",
        "lastCommitAt",
        "lastCrawledAt",
        "scoredAt",
        "links",
    ],
    str,
]

DetailMemberParam = Literal[
    "id",
    "slug",
    "name",
    "registryName",
    "title",
    "description",
    "descriptionSource",
    "kind",
    "category",
    "categoryConfidence",
    "secondCategory",
    "tags",
    "sdk",
    "framework",
    "language",
    "license",
    "licenseSource",
    "qualityScore",
    "healthScore",
    "grade",
    "popularity",
    "scoreVersion",
    "scoreLow",
    "scoreHigh",
    "coverage",
    "confidence",
    "commitChance",
    "stars",
    "forks",
    "openIssues",
    "contributors",
    "downloads",
    "downloadsPeriod",
    "downloadsBreakdown",
    "downloadsAt",
    "repository",
    "homepage",
    "icon",
    "owner",
    "transports",
    "packages",
    "remotes",
    "liveness",
    "livenessAt",
    "environmentVariables",
    "tools",
    "toolCount",
    "toolsKnown",
    "toolTokens",
    "toolList",
    "effect",
    "effectGuessed",
    "readOnly",
    "capabilities",
    "suspiciousRules",
    "suspiciousTexts",
    "risks",
    "install",
    "status",
    "statusMessage",
    "successor",
    "official",
    "officialReason",
    "copyOf",
    "lookAlikeOf",
    "copyReason",
    "copySince",
    "verified",
    "verifiedReason",
    "latestVersion",
    "latestVersionSource",
    "releasedAt",
    "sources",
    "createdAt",
    "updatedAt",
    "checkedAt",
    "lastCommitAt",
    "lastCrawledAt",
    "scoredAt",
    "links",
]

DirectorySort = Literal[
    "qualityScore",
    "recommended",
    "stars",
    "downloads",
    "name",
    "updated",
    "created",
]

DiscoverSort = Literal[
    "qualityScore",
    "stars",
    "downloads",
]


@dataclass(frozen=True, repr=False)
class Dump(Model):
    date: dt.date
    """UTC."""
    bytes: int
    sha256: str
    url: str


@dataclass(frozen=True, repr=False)
class Dumps(Model):
    dumps: list[Dump]

Effect = Union[
    Literal[
        "unknown",
        "read",
        "write",
        "destructive",
        "execute",
    ],
    str,
]
"""What a tool, or the most severe tool of a server, may do: change nothing (`read`),
add or send something (`write`), change, overwrite or delete something that exists
(`destructive`, as in MCP), or run commands or code of its caller.
"""


@dataclass(frozen=True, repr=False)
class Endpoint(Model):
    """A remote endpoint, as in lists."""

    type: str
    url: str
    liveness: Optional[Liveness]
    """Result of probing the endpoint; null if it was not probed."""

EndpointState = Union[
    Literal[
        "alive_open",
        "alive_gated",
        "gated_undocumented",
        "wrong_transport",
        "not_mcp",
        "paid",
        "refused",
        "unreachable",
        "unknown",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class EntryLinks(Model):
    html: str
    health: str
    readme: Optional[str]


@dataclass(frozen=True, repr=False)
class EntryLiveness(Model):
    """Best state of any remote, with the time and uptime of the first remote in that
    state.
    """

    state: str
    checked_at: Optional[dt.datetime]
    uptime30: Optional[float]
    """Share of successful probes in the last 30 days; null if there were none."""
    probes: int
    """Number of probes in the last 30 days."""


@dataclass(frozen=True, repr=False)
class EntryMetadata(Model):
    count: int
    """Records on this page."""
    next_cursor: Optional[str]
    """Absent on the last page."""


@dataclass(frozen=True, repr=False)
class EntryTools(Model):
    count: Optional[int]
    tokens: Optional[int]
    fingerprint: Optional[str]
    source: Optional[str]
    version: Optional[str]
    """Server version that the tools belong to."""
    read_at: Optional[dt.datetime]
    complete: Optional[bool]
    """Whether all tools are known."""


@dataclass(frozen=True, repr=False)
class Evidence(Model):
    type: str
    ref: str
    url: Optional[str]
    text: Optional[str]


@dataclass(frozen=True, repr=False)
class Facets(Model):
    """Number of results by value. Null if not requested."""

    category: dict[str, int]
    sdk: dict[str, int]
    license: dict[str, int]
    transport: dict[str, int]
    effect: dict[str, int]
    grade: dict[str, int]


@dataclass(frozen=True, repr=False)
class FieldError(Model):
    field: str
    message: str

Grade = Union[
    Literal[
        "A",
        "B",
        "C",
        "D",
        "F",
    ],
    str,
]
"""Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30."""


@dataclass(frozen=True, repr=False)
class Health(Model):
    server: Optional[str]
    """Slug; null if the server is not listed."""
    github_url: Optional[str]
    """URL of the repository."""
    subfolder: Optional[str]
    """Folder of the server in the repository; null for the root."""
    indexed: bool
    """Whether the server is listed."""
    is_mcp_server: Optional[bool]
    """Null if the code host blocks the repository."""
    kind: Optional[Kind]
    """What the repository contains; null if unknown."""
    official: Optional[bool]
    """Whether the vendor of the product publishes the server; null if there is no
    server.
    """
    status: HealthStatus
    score: Optional[int]
    """Health score, 0 to 100; null if there is none."""
    grade: Optional[Grade]
    """Grade of the health score; null without a score."""
    score_low: Optional[int]
    """Score if all unknown checks failed."""
    score_high: Optional[int]
    """Score if all unknown checks passed."""
    coverage: Optional[float]
    """Share of the weight of the checks that was measured, 0 to 1."""
    confidence: Optional[Confidence]
    commit_chance: Optional[float]
    """Estimated probability of a commit by a person in the next 90 days: the share of
    similar servers that had one. Not part of the score. Null if unknown or if the
    repository is archived. See docs/scoring.md.
    """
    popularity: Optional[int]
    """Popularity, 0 to 100. Not part of the health score. Null if unknown."""
    score_version: Optional[str]
    """Version of the score model."""
    commit: Optional[str]
    """Commit that was checked; null if unknown."""
    computed_at: Optional[dt.datetime]
    """When the score was computed."""
    breakdown: list[HealthCategory]
    """Categories with their checks."""
    caps: list[Cap]
    """Upper limits on the score."""
    flags: list[str]
    """Flags of the report; see docs/scoring.md."""
    risks: list[Risk]
    latest_version: Optional[str]
    """Latest published or released version, otherwise the version in the manifest;
    null if unknown.
    """
    latest_version_source: Optional[VersionSource]
    """Source of the latest version and when it was read. The source is the registry
    type of a package, such as npm, or release or tag (of the repository),
    official-registry (the entry) or manifest (in the repository).
    """
    suspicious_texts: list[SuspiciousText]
    """Parts of the tools' texts that may hide instructions or manipulate a model.
    Matches of rules, not verdicts.
    """
    inspections: list[PackageInspection]
    """Results of starting the packages in a sandbox; empty if none was started."""
    improve: list[Improvement]
    """Fixes that raise the score, largest gain first."""
    links: HealthLinks
    stale: bool
    """Whether the report is outdated because the repository could not be rechecked."""
    warnings: list[str]
    """Problems with the request, such as ignored parameters."""
    members: Optional[list[Member]]
    """Servers of the repository, if it has several and the URL does not select one."""
    reason: Optional[str]
    """Why a repository that is not listed does or does not count as an MCP server."""


@dataclass(frozen=True, repr=False)
class HealthCategory(Model):
    category: str
    weight: float
    score: Optional[float]
    """Score of the category; null if no check applies, or if less than 35% of its
    weight was measured.
    """
    coverage: float
    checks: list[Check]


@dataclass(frozen=True, repr=False)
class HealthLinks(Model):
    self: Optional[str]
    history: Optional[str]
    badge: Optional[str]
    html: Optional[str]

HealthStatus = Union[
    Literal[
        "scored",
        "insufficient_data",
        "gone",
        "empty",
        "blocked",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class HostUse(Model):
    host: str
    evidence: Optional[str]
    """A place in the source code."""
    seen: Optional[bool]
    """Whether the server looked it up in the sandbox."""


@dataclass(frozen=True, repr=False)
class Improvement(Model):
    check: str
    gain: float
    text: str


@dataclass(frozen=True, repr=False)
class Inspection(Model):
    """Result of starting a package in a sandbox, without network access and with
    made-up values. The check starts of the score uses it. Absent from a package
    that was not started.
    """

    outcome: InspectionOutcome
    at: Optional[dt.datetime]
    """When the package was started."""
    detail: Optional[str]
    """Last line of its error output, shortened."""
    hosts: Optional[list[str]]
    """Host names that it looked up at startup, before any tool was called. Excludes
    lookups that bypass the system resolver, and lookups by container images.
    """
    prompts: Optional[int]
    """Number of prompts."""
    protocol: Optional[str]
    """MCP protocol revision."""
    resources: Optional[int]
    """Number of resources."""
    version: Optional[str]
    """Version that was started."""

InspectionOutcome = Union[
    Literal[
        "listed",
        "needs_credentials",
        "needs_service",
        "crashed",
        "timeout",
        "no_stdio",
        "install_failed",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class Install(Model):
    command: Optional[str]
    """Command that starts the server."""
    reason: Optional[str]
    """Why there is no command."""
    notes: list[str]
    """Sentences: endpoints where users sign in with OAuth, and what documents say that
    the command leaves out.
    """
    clients: dict[str, Any]
    """Configuration by client. `mcpServers` is for most, with placeholders (YOUR_NAME)
    for values to fill in; others only have ones that their client expands.
    `windows` has those that differ there.
    """
    access: Optional[str]
    """`read-only` or `full`, of the command or else of the endpoint; null if unknown."""
    alternative: Optional[dict[str, Any]]
    """`command` and `clients` with the other access."""

KeyScope = Union[
    Literal[
        "read",
        "analytics",
        "custom",
        "webhooks",
    ],
    str,
]

Kind = Union[
    Literal[
        "server",
        "proxy",
        "framework",
        "template",
        "client",
        "library",
        "list",
        "course",
    ],
    str,
]
"""What a repository contains. server, or proxy for a server that passes on to other
servers. Others are not listed: framework for writing servers, template or generator
of servers, client or tool for servers, library for other programs, list of servers,
course (also documentation and examples).
"""


@dataclass(frozen=True, repr=False)
class Links(Model):
    """URLs relative to the base URL."""

    self: str
    """The complete record."""
    html: str
    health: str
    badge: str


@dataclass(frozen=True, repr=False)
class Liveness(Model):
    """Result of probing the endpoint; null if it was not probed."""

    state: EndpointState
    checked_at: Optional[dt.datetime]
    """When the state was last observed."""
    since: Optional[dt.datetime]
    """When its summary state (alive, gated, down or unknown) last changed."""
    first_probe_at: Optional[dt.datetime]
    """When the endpoint was first probed; null if unknown. If since is the same, the
    state may be older.
    """
    uptime30: Optional[float]
    """Share of successful probes in the last 30 days; null if there were none."""
    probes: int
    """Number of probes in the last 30 days."""
    protocol: Optional[str]
    """MCP protocol revision."""
    reason: Optional[str]
    """Cause of the state, such as dns, tls, timeout, connection or "status 503"."""


@dataclass(frozen=True, repr=False)
class ManagedSettings(Model):
    allowed_mcp_servers: list[AllowedServer]


@dataclass(frozen=True, repr=False)
class Member(Model):
    server: Optional[str]
    """Slug; null if the server is not listed."""
    name: str
    subfolder: Optional[str]
    score: Optional[int]
    grade: Optional[Grade]
    """Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30."""
    computed_at: Optional[dt.datetime]
    """When the score was computed."""
    health: Optional[str]
    """URL of the server's health report."""


@dataclass(frozen=True, repr=False)
class NumberedPage(Model):
    servers: list[Server]
    pagination: PageNumbers
    warnings: Optional[list[str]]
    """What there is to know about a search: the index is unavailable, so that READMEs
    and tool descriptions are not searched; a misspelled word was corrected; some
    servers match only some words of the text.
    """


@dataclass(frozen=True, repr=False)
class OfficialMeta(Model):
    """Metadata of a version, in the format of the official registry."""

    status: OfficialMetaStatus
    status_changed_at: dt.datetime
    published_at: dt.datetime
    """When the version was published or, if unknown, when the server was first listed
    here.
    """
    is_latest: bool
    status_message: Optional[str]
    updated_at: Optional[dt.datetime]
    """When the record last changed in this registry."""

OfficialMetaStatus = Union[
    Literal[
        "active",
        "deprecated",
        "deleted",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class OwnAccount(Model):
    plan: OwnAccountPlan
    limits: OwnAccountLimits
    key: OwnAccountKey


@dataclass(frozen=True, repr=False)
class OwnAccountKey(Model):
    id: int
    name: Optional[str]
    prefix: Optional[str]
    expires_at: Optional[dt.datetime]
    scopes: list[KeyScope]
    """Permissions of the key."""
    addresses: list[str]
    """IP addresses and networks that may use the key. Empty means all."""


@dataclass(frozen=True, repr=False)
class OwnAccountLimits(Model):
    limit: Optional[int]
    """Requests per UTC day; null if unlimited."""
    used: Optional[int]
    """Requests made today, including this one."""
    remaining: Optional[int]
    reset_at: dt.datetime
    reset: int
    """`resetAt` as a Unix timestamp in seconds, as in X-RateLimit-Reset."""


@dataclass(frozen=True, repr=False)
class OwnAccountPlan(Model):
    id: PlanId
    name: str
    price_usd: int
    """Price per month in US dollars."""
    requests_per_day: Optional[int]
    """Requests to /v1 per UTC day and account; null if unlimited."""
    requests_per_hour: Optional[int]
    """Requests to /api per UTC hour with a key of the account; null if unlimited."""
    features: OwnAccountPlanFeatures
    includes: list[str]
    """Features of the plan, and promises of the operator."""
    offered: bool
    """Whether the plan is available: it is free, or the operator sells it."""
    until: Optional[dt.datetime]
    """When the plan ends; null if it renews or has no end."""
    next: Optional[str]
    """Plan after `until`; null if unchanged."""


@dataclass(frozen=True, repr=False)
class OwnAccountPlanFeatures(Model):
    analytics: bool
    bulk: bool
    changes: bool
    custom_endpoints: bool


@dataclass(frozen=True, repr=False)
class Owner(Model):
    login: str
    type: Optional[str]
    avatar_url: Optional[str]
    """URL of the avatar, served by this registry. A picture of the first letter if
    there is no avatar.
    """


@dataclass(frozen=True, repr=False)
class Package(Model):
    registry_type: str
    identifier: str
    transport: PackageTransport
    environment_variables: Optional[list[Variable]]
    file_sha256: Optional[str]
    inspection: Optional[Inspection]
    """Result of starting a package in a sandbox, without network access and with
    made-up values. The check starts of the score uses it. Absent from a package
    that was not started.
    """
    package_arguments: Optional[list[Argument]]
    registry_base_url: Optional[str]
    runtime_arguments: Optional[list[Argument]]
    runtime_hint: Optional[str]
    version: Optional[str]


@dataclass(frozen=True, repr=False)
class PackageInspection(Model):
    registry_type: str
    identifier: str
    inspection: Inspection
    """Result of starting a package in a sandbox, without network access and with
    made-up values. The check starts of the score uses it. Absent from a package
    that was not started.
    """


@dataclass(frozen=True, repr=False)
class PackageTransport(Model):
    type: str
    headers: Optional[list[Variable]]
    url: Optional[str]


@dataclass(frozen=True, repr=False)
class PageNumbers(Model):
    page: int
    """Page number. With a cursor, the page that contains the first returned entry."""
    limit: int
    total: int
    """Exact number of results."""
    total_pages: int
    """Number of pages that can be requested. With a search text, results end at the
    10,000th.
    """
    has_next: bool
    has_prev: bool
    next_cursor: Optional[str]


@dataclass(frozen=True, repr=False)
class Pagination(Model):
    total: int
    limit: int
    offset: int
    has_more: bool
    next_offset: Optional[int]
    next_cursor: Optional[str]


@dataclass(frozen=True, repr=False)
class PartialServer(Model):
    """The requested members of a record."""

    capabilities: Optional[Capabilities]
    """What the server can do when it is started with its default settings. Absent
    members are not known to be used.
    """
    category: Optional[Category]
    """Best-matching category."""
    category_confidence: Optional[float]
    """Confidence in category, 0 to 1."""
    checked_at: Optional[dt.datetime]
    """Same as lastCrawledAt, as in lists."""
    commit_chance: Optional[float]
    """Estimated probability of a commit by a person in the next 90 days: the share of
    similar servers that had one. Not part of the score. Null if unknown or if the
    repository is archived. See docs/scoring.md.
    """
    confidence: Optional[Confidence]
    contributors: Optional[int]
    """Number of people with a commit on the default branch in the last 26 weeks."""
    copy_of: Optional[str]
    """Slug of the original, if this server looks like a copy of an older server of
    another owner; otherwise null.
    """
    copy_reason: Optional[str]
    """Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first set; null if neither is."""
    coverage: Optional[float]
    """Share of the weight of the checks that was measured, 0 to 1."""
    created_at: Optional[dt.datetime]
    """When the repository was created."""
    description: Optional[str]
    description_source: Optional[str]
    """composed if made of the name and the tools."""
    downloads: Optional[int]
    """Downloads of all packages in the last 30 days."""
    downloads_at: Optional[dt.datetime]
    """When the oldest of the download counts was read."""
    downloads_breakdown: Optional[dict[str, Optional[int]]]
    """Downloads by registry type."""
    downloads_period: Optional[str]
    effect: Optional[Effect]
    """What a tool, or the most severe tool of a server, may do: change nothing
    (`read`), add or send something (`write`), change, overwrite or delete something
    that exists (`destructive`, as in MCP), or run commands or code of its caller.
    """
    effect_guessed: Optional[bool]
    """Whether the effect follows only from names, descriptions and parameters."""
    environment_variables: Optional[list[Variable]]
    """Environment variables of all packages."""
    forks: Optional[int]
    """Forks of the repository."""
    framework: Optional[str]
    """Server framework."""
    grade: Optional[Grade]
    """Grade of the health score; null without a score."""
    health_score: Optional[int]
    """Same as qualityScore."""
    homepage: Optional[str]
    """URL of the website."""
    icon: Optional[str]
    """URL of the icon; null if there is none."""
    id: Optional[str]
    """Slug of the server, unique in this registry."""
    install: Optional[Install]
    kind: Optional[Kind]
    """server or proxy."""
    language: Optional[str]
    """Main programming language."""
    last_commit_at: Optional[dt.datetime]
    """When a person last committed."""
    last_crawled_at: Optional[dt.datetime]
    """When the repository was last crawled; null if it was not."""
    latest_version: Optional[str]
    """Latest published or released version, otherwise the version in the manifest."""
    latest_version_source: Optional[VersionSource]
    """Source of the latest version and when it was read. The source is the registry
    type of a package, such as npm, or release or tag (of the repository),
    official-registry (the entry) or manifest (in the repository).
    """
    license: Optional[str]
    """License, usually an SPDX identifier."""
    license_source: Optional[str]
    """Code host that read the license file, such as github, or manifest."""
    links: Optional[Links]
    """URLs relative to the base URL."""
    liveness: Optional[ServerLiveness]
    """Best state of any remote: alive (responds without a login), gated (requires a
    login, credentials or a payment), down, or unknown. Null if the server has no
    remotes.
    """
    liveness_at: Optional[dt.datetime]
    """When that endpoint was last probed."""
    look_alike_of: Optional[str]
    """Slug of the better-known server whose name or namespace this one imitates;
    otherwise null.
    """
    name: Optional[str]
    """Display name."""
    official: Optional[bool]
    """Whether the vendor of the product publishes the server."""
    official_reason: Optional[str]
    """Evidence that the server is official, as a sentence; null if it is not."""
    open_issues: Optional[int]
    """Open issues, without pull requests."""
    owner: Optional[Owner]
    packages: Optional[list[Package]]
    """Published packages, as in the official server.json (schema 2025-12-11)."""
    popularity: Optional[int]
    """Popularity, 0 to 100. Not part of the health score. Null if unknown."""
    quality_score: Optional[int]
    """Health score, 0 to 100; null if the server has none."""
    read_only: Optional[bool]
    """Whether it can be used read-only: it only reads, or has a switch for that. Null
    if unknown.
    """
    registry_name: Optional[str]
    """Name in the official registry; null if there is none."""
    released_at: Optional[dt.datetime]
    """When the latest version was released."""
    remotes: Optional[list[Remote]]
    repository: Optional[RepositoryDetail]
    risks: Optional[list[Risk]]
    """Reasons not to use the server, as in `/api/health`; empty if none is known."""
    score_high: Optional[int]
    """Score if all unknown checks passed."""
    score_low: Optional[int]
    """Score if all unknown checks failed."""
    score_version: Optional[str]
    """Version of the score model."""
    scored_at: Optional[dt.datetime]
    """When the score was computed; null without a score."""
    sdk: Optional[Sdk]
    """MCP SDK, from the dependency manifests; null if unknown."""
    second_category: Optional[Category]
    """Second-best category if the first is uncertain."""
    slug: Optional[str]
    """Same as id."""
    sources: Optional[list[Source]]
    """Sources that list the server."""
    stars: Optional[int]
    """Stars of the repository."""
    status: Optional[Status]
    status_message: Optional[str]
    """Message from the owner about the status; null if there is none."""
    successor: Optional[str]
    """URL of the replacement that the owner of a deprecated or archived server links
    to.
    """
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools match, each once. Matches are not verdicts. Null if the tools are unknown.
    """
    suspicious_texts: Optional[list[SuspiciousText]]
    """Parts of the tools' texts that may hide instructions or manipulate a model.
    Matches of rules, not verdicts.
    """
    tags: Optional[list[str]]
    title: Optional[str]
    tool_count: Optional[int]
    """Number of tools that a start with the default settings registers; null if
    unknown, as of an incomplete list.
    """
    tool_list: Optional[ToolList]
    """Source of the tools; null if the tools are unknown."""
    tool_tokens: Optional[int]
    """Approximate number of tokens that the tool definitions use in a model's context
    (o200k_base).
    """
    tools: Optional[list[Tool]]
    """Tools of the server."""
    tools_known: Optional[int]
    """Number of tools that the detail record lists, also where their list is not
    complete. Null if the tools are unknown.
    """
    transports: Optional[list[Transport]]
    updated_at: Optional[dt.datetime]
    """When the record last changed."""
    verified: Optional[bool]
    """Whether the package or registry entry and the repository link to each other. Not
    a safety review.
    """
    verified_reason: Optional[str]
    """Evidence for verified, as a sentence; null if not verified."""


@dataclass(frozen=True, repr=False)
class Pending(Model):
    status: PendingStatus
    github_url: str
    status_url: str

PendingStatus = Union[
    Literal[
        "pending",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class Plan(Model):
    id: PlanId
    name: str
    price_usd: int
    """Price per month in US dollars."""
    requests_per_day: Optional[int]
    """Requests to /v1 per UTC day and account; null if unlimited."""
    requests_per_hour: Optional[int]
    """Requests to /api per UTC hour with a key of the account; null if unlimited."""
    features: OwnAccountPlanFeatures
    includes: list[str]
    """Features of the plan, and promises of the operator."""
    offered: bool
    """Whether the plan is available: it is free, or the operator sells it."""

PlanId = Union[
    Literal[
        "basic",
        "professional",
        "enterprise",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class Plans(Model):
    plans: list[Plan]


@dataclass(frozen=True, repr=False)
class Problem(Model):
    """RFC 9457, with additional members."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    error: str
    """Same as title."""
    request_id: str
    candidates: Optional[list[str]]
    """With `server_not_found`: similar slugs, best match first."""
    errors: Optional[list[FieldError]]
    instance: Optional[str]
    required_plans: Optional[list[PlanId]]
    """With `plan_upgrade_required`: the plans that include the feature, cheapest
    first.
    """
    required_scopes: Optional[list[str]]
    """With `scope_required`: the missing scopes."""


@dataclass(frozen=True, repr=False)
class ReadOnlySwitch(Model):
    """The setting that makes a command or an endpoint read-only."""

    kind: ReadOnlySwitchKind
    """The last three are of endpoints: a parameter, the end of the path, a header."""
    name: str
    default: Optional[bool]
    """Whether that is the default."""
    evidence: Optional[str]
    lifted: Optional[str]
    """How a documented configuration lets the server write."""
    value: Optional[str]

ReadOnlySwitchKind = Union[
    Literal[
        "flag",
        "variable",
        "argument",
        "query",
        "path",
        "header",
    ],
    str,
]
"""The last three are of endpoints: a parameter, the end of the path, a header."""


@dataclass(frozen=True, repr=False)
class RecordChange(Model):
    """A record or, with the status deleted, a server that is no longer listed."""

    id: str
    """Slug of the server, unique in this registry."""
    status: Status
    capabilities: Optional[Capabilities]
    """What the server can do when it is started with its default settings. Absent
    members are not known to be used.
    """
    category: Optional[Category]
    """Best-matching category."""
    category_confidence: Optional[float]
    """Confidence in category, 0 to 1."""
    changed_at: Optional[dt.datetime]
    """When the server was removed. Only with the status deleted."""
    checked_at: Optional[dt.datetime]
    """Same as lastCrawledAt, as in lists."""
    commit_chance: Optional[float]
    """Estimated probability of a commit by a person in the next 90 days: the share of
    similar servers that had one. Not part of the score. Null if unknown or if the
    repository is archived. See docs/scoring.md.
    """
    confidence: Optional[Confidence]
    contributors: Optional[int]
    """Number of people with a commit on the default branch in the last 26 weeks."""
    copy_of: Optional[str]
    """Slug of the original, if this server looks like a copy of an older server of
    another owner; otherwise null.
    """
    copy_reason: Optional[str]
    """Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first set; null if neither is."""
    coverage: Optional[float]
    """Share of the weight of the checks that was measured, 0 to 1."""
    created_at: Optional[dt.datetime]
    """When the repository was created."""
    description: Optional[str]
    description_source: Optional[str]
    """composed if made of the name and the tools."""
    downloads: Optional[int]
    """Downloads of all packages in the last 30 days."""
    downloads_at: Optional[dt.datetime]
    """When the oldest of the download counts was read."""
    downloads_breakdown: Optional[dict[str, Optional[int]]]
    """Downloads by registry type."""
    downloads_period: Optional[str]
    effect: Optional[Effect]
    """What a tool, or the most severe tool of a server, may do: change nothing
    (`read`), add or send something (`write`), change, overwrite or delete something
    that exists (`destructive`, as in MCP), or run commands or code of its caller.
    """
    effect_guessed: Optional[bool]
    """Whether the effect follows only from names, descriptions and parameters."""
    environment_variables: Optional[list[Variable]]
    """Environment variables of all packages."""
    forks: Optional[int]
    """Forks of the repository."""
    framework: Optional[str]
    """Server framework."""
    grade: Optional[Grade]
    """Grade of the health score; null without a score."""
    health_score: Optional[int]
    """Same as qualityScore."""
    homepage: Optional[str]
    """URL of the website."""
    icon: Optional[str]
    """URL of the icon; null if there is none."""
    install: Optional[Install]
    kind: Optional[Kind]
    """server or proxy."""
    language: Optional[str]
    """Main programming language."""
    last_commit_at: Optional[dt.datetime]
    """When a person last committed."""
    last_crawled_at: Optional[dt.datetime]
    """When the repository was last crawled; null if it was not."""
    latest_version: Optional[str]
    """Latest published or released version, otherwise the version in the manifest."""
    latest_version_source: Optional[VersionSource]
    """Source of the latest version and when it was read. The source is the registry
    type of a package, such as npm, or release or tag (of the repository),
    official-registry (the entry) or manifest (in the repository).
    """
    license: Optional[str]
    """License, usually an SPDX identifier."""
    license_source: Optional[str]
    """Code host that read the license file, such as github, or manifest."""
    links: Optional[Links]
    """URLs relative to the base URL."""
    liveness: Optional[ServerLiveness]
    """Best state of any remote: alive (responds without a login), gated (requires a
    login, credentials or a payment), down, or unknown. Null if the server has no
    remotes.
    """
    liveness_at: Optional[dt.datetime]
    """When that endpoint was last probed."""
    look_alike_of: Optional[str]
    """Slug of the better-known server whose name or namespace this one imitates;
    otherwise null.
    """
    name: Optional[str]
    """Display name."""
    official: Optional[bool]
    """Whether the vendor of the product publishes the server."""
    official_reason: Optional[str]
    """Evidence that the server is official, as a sentence; null if it is not."""
    open_issues: Optional[int]
    """Open issues, without pull requests."""
    owner: Optional[Owner]
    packages: Optional[list[Package]]
    """Published packages, as in the official server.json (schema 2025-12-11)."""
    popularity: Optional[int]
    """Popularity, 0 to 100. Not part of the health score. Null if unknown."""
    quality_score: Optional[int]
    """Health score, 0 to 100; null if the server has none."""
    read_only: Optional[bool]
    """Whether it can be used read-only: it only reads, or has a switch for that. Null
    if unknown.
    """
    registry_name: Optional[str]
    """Name in the official registry; null if there is none."""
    released_at: Optional[dt.datetime]
    """When the latest version was released."""
    remotes: Optional[list[Remote]]
    repository: Optional[RepositoryDetail]
    risks: Optional[list[Risk]]
    """Reasons not to use the server, as in `/api/health`; empty if none is known."""
    score_high: Optional[int]
    """Score if all unknown checks passed."""
    score_low: Optional[int]
    """Score if all unknown checks failed."""
    score_version: Optional[str]
    """Version of the score model."""
    scored_at: Optional[dt.datetime]
    """When the score was computed; null without a score."""
    sdk: Optional[Sdk]
    """MCP SDK, from the dependency manifests; null if unknown."""
    second_category: Optional[Category]
    """Second-best category if the first is uncertain."""
    slug: Optional[str]
    """Same as id."""
    sources: Optional[list[Source]]
    """Sources that list the server."""
    stars: Optional[int]
    """Stars of the repository."""
    status_message: Optional[str]
    """Message from the owner about the status; null if there is none."""
    successor: Optional[str]
    """URL of the replacement that the owner of a deprecated or archived server links
    to.
    """
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools match, each once. Matches are not verdicts. Null if the tools are unknown.
    """
    suspicious_texts: Optional[list[SuspiciousText]]
    """Parts of the tools' texts that may hide instructions or manipulate a model.
    Matches of rules, not verdicts.
    """
    tags: Optional[list[str]]
    title: Optional[str]
    tool_count: Optional[int]
    """Number of tools that a start with the default settings registers; null if
    unknown, as of an incomplete list.
    """
    tool_list: Optional[ToolList]
    """Source of the tools; null if the tools are unknown."""
    tool_tokens: Optional[int]
    """Approximate number of tokens that the tool definitions use in a model's context
    (o200k_base).
    """
    tools: Optional[list[Tool]]
    """Tools of the server."""
    tools_known: Optional[int]
    """Number of tools that the detail record lists, also where their list is not
    complete. Null if the tools are unknown.
    """
    transports: Optional[list[Transport]]
    updated_at: Optional[dt.datetime]
    """When the record last changed."""
    verified: Optional[bool]
    """Whether the package or registry entry and the repository link to each other. Not
    a safety review.
    """
    verified_reason: Optional[str]
    """Evidence for verified, as a sentence; null if not verified."""


@dataclass(frozen=True, repr=False)
class RecordChangePage(Model):
    changes: list[RecordChange]
    """Servers, in the order of their last changes."""
    next: int
    """Value of `after` for the next request."""
    has_more: bool


@dataclass(frozen=True, repr=False)
class RegistryAppVersion(Model):
    version: str
    git_commit: str = field(metadata={"wire": "git_commit"})
    build_time: str = field(metadata={"wire": "build_time"})


@dataclass(frozen=True, repr=False)
class RegistryHealth(Model):
    status: str


@dataclass(frozen=True, repr=False)
class RegistryMeta(Model):
    """This registry's data about a server. Unknown values are null. Absent for deleted
    servers.
    """

    id: str
    """Slug of the server, as in /v1/servers/{id}."""
    score: Optional[int]
    score_low: Optional[int]
    score_high: Optional[int]
    grade: Optional[str]
    score_version: Optional[str]
    computed_at: Optional[dt.datetime]
    popularity: Optional[int]
    description_source: Optional[str]
    """composed if made of the name and the tools."""
    kind: Optional[str]
    """server or proxy."""
    category: str
    tags: list[str]
    synthesized: bool
    """Whether this registry generated the document because its owner has not published
    one.
    """
    repaired: list[str]
    """Paths in a published document that this registry changed because clients misread
    the original: versions of tagged images, missing descriptions of variables, and
    `-y` for npx. `packages` and `remotes` are reduced to the one of the install
    command, because clients might start another one, such as an older version.
    """
    omitted_packages: list[str]
    """Packages that the document lacks because it cannot name the program to start,
    such as `npm weather-mcp`. `command` has their command.
    """
    official: bool
    verified: bool
    stars: Optional[int]
    downloads30d: Optional[int]
    last_crawled_at: Optional[dt.datetime]
    """When the repository was last crawled."""
    downloads_at: Optional[dt.datetime]
    """When the oldest of the download counts was read."""
    tools: Optional[EntryTools]
    liveness: Optional[EntryLiveness]
    """Best state of any remote, with the time and uptime of the first remote in that
    state.
    """
    flags: list[str]
    """Flags of the report; see docs/scoring.md."""
    risks: list[Risk]
    copy_of: Optional[str]
    """Slug of the server that this one copies."""
    look_alike_of: Optional[str]
    """Slug of the better known server that this one imitates."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first set."""
    command: Optional[str]
    """Install command generated by this registry."""
    links: EntryLinks


@dataclass(frozen=True, repr=False)
class RegistryPing(Model):
    pong: bool


@dataclass(frozen=True, repr=False)
class Remote(Model):
    type: str
    url: str
    headers: list[Variable]
    liveness: Optional[Liveness]
    """Result of probing the endpoint; null if it was not probed."""
    variables: Optional[dict[str, Variable]]


@dataclass(frozen=True, repr=False)
class Repository(Model):
    url: Optional[str]
    owner: Optional[str]
    name: Optional[str]
    subfolder: Optional[str]
    archived: Optional[bool]
    """Null if unknown."""


@dataclass(frozen=True, repr=False)
class RepositoryDetail(Model):
    url: Optional[str]
    source: Optional[str]
    id: Optional[str]
    """Numeric ID on the code host."""
    owner: Optional[str]
    name: Optional[str]
    subfolder: Optional[str]
    default_branch: Optional[str]
    archived: Optional[bool]
    fork: Optional[bool]
    pushed_at: Optional[dt.datetime]
    commit: Optional[str]


@dataclass(frozen=True, repr=False)
class Risk(Model):
    """A reason not to use a server."""

    kind: str
    """`malware`, `dead`, `hidden-instructions`, `deprecated`, `vulnerable`, `not-mcp`,
    `copy`, `look-alike`, `suspicious-text`, `endpoint-down` (all remote endpoints
    are down) or `tools-changed` (an endpoint lists other tools than before, in the
    same version).
    """
    text: str
    severity: RiskSeverity
    """How an installation is offered: beside the text (`notice`), behind it
    (`caution`), or not at all (`harmful`: the API returns no command).
    """
    instead: Optional[str]
    """What to use: the ID of the original, or a URL that the owner recommends."""
    source: Optional[str]
    """What reports it, such as `probe`, `osv` or `github`. Null if unknown."""
    at: Optional[dt.datetime]
    """When it was found or last confirmed."""

RiskSeverity = Union[
    Literal[
        "notice",
        "caution",
        "harmful",
    ],
    str,
]
"""How an installation is offered: beside the text (`notice`), behind it (`caution`),
or not at all (`harmful`: the API returns no command).
"""

Sdk = Union[
    Literal[
        "typescript",
        "python",
        "go",
        "java",
        "kotlin",
        "csharp",
        "rust",
        "swift",
        "ruby",
        "php",
        "other",
    ],
    str,
]
"""MCP SDK, from the dependency manifests; null if unknown."""

SdkParam = Literal[
    "typescript",
    "python",
    "go",
    "java",
    "kotlin",
    "csharp",
    "rust",
    "swift",
    "ruby",
    "php",
    "other",
    "js",
    "javascript",
    "ts",
    "node",
    "nodejs",
    "node.js",
    "py",
    "golang",
    "c#",
    "dotnet",
    ".net",
    "rs",
    "kt",
    "rb",
]


@dataclass(frozen=True, repr=False)
class SearchPage(Model):
    servers: list[Server]
    pagination: PageNumbers
    query: Optional[str]
    sort: str
    """Effective sort order."""
    facets: Optional[Facets]
    """Number of results by value. Null if not requested."""
    took_ms: float
    """Duration of the search in milliseconds. Not part of the entity tag."""
    warnings: Optional[list[str]]
    """What there is to know about a search: the index is unavailable, so that READMEs
    and tool descriptions are not searched; a misspelled word was corrected; some
    servers match only some words of the text.
    """

SearchRequestMatch = Literal[
    "all",
    "some",
]
"""Which words of `q` must match; see GET /v1/search. Default: some."""


@dataclass(frozen=True, repr=False)
class Server(Model):
    id: str
    """Slug of the server, unique in this registry."""
    slug: str
    """Same as id."""
    name: str
    """Display name."""
    description: Optional[str]
    description_source: Optional[str]
    """composed if made of the name and the tools."""
    kind: Optional[Kind]
    """server or proxy."""
    category: Category
    """Best-matching category."""
    second_category: Optional[Category]
    """Second-best category if the first is uncertain."""
    tags: list[str]
    sdk: Optional[Sdk]
    """MCP SDK, from the dependency manifests; null if unknown."""
    language: Optional[str]
    """Main programming language."""
    license: Optional[str]
    """License, usually an SPDX identifier."""
    quality_score: Optional[int]
    """Health score, 0 to 100; null if the server has none."""
    health_score: Optional[int]
    """Same as qualityScore."""
    grade: Optional[Grade]
    """Grade of the health score; null without a score."""
    popularity: Optional[int]
    """Popularity, 0 to 100. Not part of the health score. Null if unknown."""
    stars: Optional[int]
    """Stars of the repository."""
    downloads: Optional[int]
    """Downloads of all packages in the last 30 days."""
    transports: list[Transport]
    remotes: list[Endpoint]
    liveness: Optional[ServerLiveness]
    """Best state of any remote: alive (responds without a login), gated (requires a
    login, credentials or a payment), down, or unknown. Null if the server has no
    remotes.
    """
    tool_count: Optional[int]
    """Number of tools."""
    tools_known: Optional[int]
    """Number of tools that the detail record lists, also where their list is not
    complete. Null if the tools are unknown.
    """
    tool_tokens: Optional[int]
    """Approximate number of tokens that the tool definitions use in a model's context
    (o200k_base).
    """
    tool_list: Optional[ToolsRead]
    """Source of the tools; null if the tools are unknown."""
    effect: Effect
    """What a tool, or the most severe tool of a server, may do: change nothing
    (`read`), add or send something (`write`), change, overwrite or delete something
    that exists (`destructive`, as in MCP), or run commands or code of its caller.
    """
    effect_guessed: bool
    """Whether the effect follows only from names, descriptions and parameters."""
    read_only: Optional[bool]
    """Whether it can be used read-only: it only reads, or has a switch for that. Null
    if unknown.
    """
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools match, each once. Matches are not verdicts. Null if the tools are unknown.
    """
    risks: list[Risk]
    """Reasons not to use the server, as in `/api/health`; empty if none is known."""
    repository: Repository
    icon: Optional[str]
    """URL of the icon; null if there is none."""
    status: Status
    official: bool
    """Whether the vendor of the product publishes the server."""
    official_reason: Optional[str]
    """Evidence that the server is official, as a sentence; null if it is not."""
    copy_of: Optional[str]
    """Slug of the original, if this server looks like a copy of an older server of
    another owner; otherwise null.
    """
    look_alike_of: Optional[str]
    """Slug of the better-known server whose name or namespace this one imitates;
    otherwise null.
    """
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first set; null if neither is."""
    verified: bool
    """Whether the package or registry entry and the repository link to each other. Not
    a safety review.
    """
    updated_at: Optional[dt.datetime]
    """When the record last changed."""
    checked_at: Optional[dt.datetime]
    """When the repository was last read. The detail record has the dates of its facts,
    in sources and beside them.
    """
    links: Links
    """URLs relative to the base URL."""


@dataclass(frozen=True, repr=False)
class ServerChange(Model):
    """A list entry or, with the status deleted, a server that is no longer listed."""

    id: str
    """Slug of the server, unique in this registry."""
    status: Status
    category: Optional[Category]
    """Best-matching category."""
    changed_at: Optional[dt.datetime]
    """When the server was removed. Only with the status deleted."""
    checked_at: Optional[dt.datetime]
    """When the repository was last read. The detail record has the dates of its facts,
    in sources and beside them.
    """
    copy_of: Optional[str]
    """Slug of the original, if this server looks like a copy of an older server of
    another owner; otherwise null.
    """
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first set; null if neither is."""
    description: Optional[str]
    description_source: Optional[str]
    """composed if made of the name and the tools."""
    downloads: Optional[int]
    """Downloads of all packages in the last 30 days."""
    effect: Optional[Effect]
    """What a tool, or the most severe tool of a server, may do: change nothing
    (`read`), add or send something (`write`), change, overwrite or delete something
    that exists (`destructive`, as in MCP), or run commands or code of its caller.
    """
    effect_guessed: Optional[bool]
    """Whether the effect follows only from names, descriptions and parameters."""
    grade: Optional[Grade]
    """Grade of the health score; null without a score."""
    health_score: Optional[int]
    """Same as qualityScore."""
    icon: Optional[str]
    """URL of the icon; null if there is none."""
    kind: Optional[Kind]
    """server or proxy."""
    language: Optional[str]
    """Main programming language."""
    license: Optional[str]
    """License, usually an SPDX identifier."""
    links: Optional[Links]
    """URLs relative to the base URL."""
    liveness: Optional[ServerLiveness]
    """Best state of any remote: alive (responds without a login), gated (requires a
    login, credentials or a payment), down, or unknown. Null if the server has no
    remotes.
    """
    look_alike_of: Optional[str]
    """Slug of the better-known server whose name or namespace this one imitates;
    otherwise null.
    """
    name: Optional[str]
    """Display name."""
    official: Optional[bool]
    """Whether the vendor of the product publishes the server."""
    official_reason: Optional[str]
    """Evidence that the server is official, as a sentence; null if it is not."""
    popularity: Optional[int]
    """Popularity, 0 to 100. Not part of the health score. Null if unknown."""
    quality_score: Optional[int]
    """Health score, 0 to 100; null if the server has none."""
    read_only: Optional[bool]
    """Whether it can be used read-only: it only reads, or has a switch for that. Null
    if unknown.
    """
    remotes: Optional[list[Endpoint]]
    repository: Optional[Repository]
    risks: Optional[list[Risk]]
    """Reasons not to use the server, as in `/api/health`; empty if none is known."""
    sdk: Optional[Sdk]
    """MCP SDK, from the dependency manifests; null if unknown."""
    second_category: Optional[Category]
    """Second-best category if the first is uncertain."""
    slug: Optional[str]
    """Same as id."""
    stars: Optional[int]
    """Stars of the repository."""
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools match, each once. Matches are not verdicts. Null if the tools are unknown.
    """
    tags: Optional[list[str]]
    tool_count: Optional[int]
    """Number of tools."""
    tool_list: Optional[ToolsRead]
    """Source of the tools; null if the tools are unknown."""
    tool_tokens: Optional[int]
    """Approximate number of tokens that the tool definitions use in a model's context
    (o200k_base).
    """
    tools_known: Optional[int]
    """Number of tools that the detail record lists, also where their list is not
    complete. Null if the tools are unknown.
    """
    transports: Optional[list[Transport]]
    updated_at: Optional[dt.datetime]
    """When the record last changed."""
    verified: Optional[bool]
    """Whether the package or registry entry and the repository link to each other. Not
    a safety review.
    """


@dataclass(frozen=True, repr=False)
class ServerDetail(Model):
    id: str
    """Slug of the server, unique in this registry."""
    slug: str
    """Same as id."""
    name: str
    """Display name."""
    registry_name: Optional[str]
    """Name in the official registry; null if there is none."""
    title: Optional[str]
    description: Optional[str]
    description_source: Optional[str]
    """composed if made of the name and the tools."""
    kind: Optional[Kind]
    """server or proxy."""
    category: Category
    """Best-matching category."""
    category_confidence: float
    """Confidence in category, 0 to 1."""
    second_category: Optional[Category]
    """Second-best category if the first is uncertain."""
    tags: list[str]
    sdk: Optional[Sdk]
    """MCP SDK, from the dependency manifests; null if unknown."""
    framework: Optional[str]
    """Server framework."""
    language: Optional[str]
    """Main programming language."""
    license: Optional[str]
    """License, usually an SPDX identifier."""
    license_source: Optional[str]
    """Code host that read the license file, such as github, or manifest."""
    quality_score: Optional[int]
    """Health score, 0 to 100; null if the server has none."""
    health_score: Optional[int]
    """Same as qualityScore."""
    grade: Optional[Grade]
    """Grade of the health score; null without a score."""
    popularity: Optional[int]
    """Popularity, 0 to 100. Not part of the health score. Null if unknown."""
    score_version: Optional[str]
    """Version of the score model."""
    score_low: Optional[int]
    """Score if all unknown checks failed."""
    score_high: Optional[int]
    """Score if all unknown checks passed."""
    coverage: Optional[float]
    """Share of the weight of the checks that was measured, 0 to 1."""
    confidence: Optional[Confidence]
    commit_chance: Optional[float]
    """Estimated probability of a commit by a person in the next 90 days: the share of
    similar servers that had one. Not part of the score. Null if unknown or if the
    repository is archived. See docs/scoring.md.
    """
    stars: Optional[int]
    """Stars of the repository."""
    forks: Optional[int]
    """Forks of the repository."""
    open_issues: Optional[int]
    """Open issues, without pull requests."""
    contributors: Optional[int]
    """Number of people with a commit on the default branch in the last 26 weeks."""
    downloads: Optional[int]
    """Downloads of all packages in the last 30 days."""
    downloads_period: str
    downloads_breakdown: dict[str, Optional[int]]
    """Downloads by registry type."""
    downloads_at: Optional[dt.datetime]
    """When the oldest of the download counts was read."""
    repository: RepositoryDetail
    homepage: Optional[str]
    """URL of the website."""
    icon: Optional[str]
    """URL of the icon; null if there is none."""
    owner: Optional[Owner]
    transports: list[Transport]
    packages: list[Package]
    """Published packages, as in the official server.json (schema 2025-12-11)."""
    remotes: list[Remote]
    liveness: Optional[ServerLiveness]
    """Best state of any remote: alive (responds without a login), gated (requires a
    login, credentials or a payment), down, or unknown. Null if the server has no
    remotes.
    """
    liveness_at: Optional[dt.datetime]
    """When that endpoint was last probed."""
    environment_variables: list[Variable]
    """Environment variables of all packages."""
    tools: Optional[list[Tool]]
    """Tools of the server."""
    tool_count: Optional[int]
    """Number of tools that a start with the default settings registers; null if
    unknown, as of an incomplete list.
    """
    tools_known: Optional[int]
    """Number of tools that the detail record lists, also where their list is not
    complete. Null if the tools are unknown.
    """
    tool_tokens: Optional[int]
    """Approximate number of tokens that the tool definitions use in a model's context
    (o200k_base).
    """
    tool_list: Optional[ToolList]
    """Source of the tools; null if the tools are unknown."""
    effect: Effect
    """What a tool, or the most severe tool of a server, may do: change nothing
    (`read`), add or send something (`write`), change, overwrite or delete something
    that exists (`destructive`, as in MCP), or run commands or code of its caller.
    """
    effect_guessed: bool
    """Whether the effect follows only from names, descriptions and parameters."""
    read_only: Optional[bool]
    """Whether it can be used read-only: it only reads, or has a switch for that. Null
    if unknown.
    """
    capabilities: Capabilities
    """What the server can do when it is started with its default settings. Absent
    members are not known to be used.
    """
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools match, each once. Matches are not verdicts. Null if the tools are unknown.
    """
    suspicious_texts: list[SuspiciousText]
    """Parts of the tools' texts that may hide instructions or manipulate a model.
    Matches of rules, not verdicts.
    """
    risks: list[Risk]
    """Reasons not to use the server, as in `/api/health`; empty if none is known."""
    install: Install
    status: Status
    status_message: Optional[str]
    """Message from the owner about the status; null if there is none."""
    successor: Optional[str]
    """URL of the replacement that the owner of a deprecated or archived server links
    to.
    """
    official: bool
    """Whether the vendor of the product publishes the server."""
    official_reason: Optional[str]
    """Evidence that the server is official, as a sentence; null if it is not."""
    copy_of: Optional[str]
    """Slug of the original, if this server looks like a copy of an older server of
    another owner; otherwise null.
    """
    look_alike_of: Optional[str]
    """Slug of the better-known server whose name or namespace this one imitates;
    otherwise null.
    """
    copy_reason: Optional[str]
    """Evidence for copyOf or lookAlikeOf, in sentences; null if neither is set."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first set; null if neither is."""
    verified: bool
    """Whether the package or registry entry and the repository link to each other. Not
    a safety review.
    """
    verified_reason: Optional[str]
    """Evidence for verified, as a sentence; null if not verified."""
    latest_version: Optional[str]
    """Latest published or released version, otherwise the version in the manifest."""
    latest_version_source: Optional[VersionSource]
    """Source of the latest version and when it was read. The source is the registry
    type of a package, such as npm, or release or tag (of the repository),
    official-registry (the entry) or manifest (in the repository).
    """
    released_at: Optional[dt.datetime]
    """When the latest version was released."""
    sources: list[Source]
    """Sources that list the server."""
    created_at: Optional[dt.datetime]
    """When the repository was created."""
    updated_at: Optional[dt.datetime]
    """When the record last changed."""
    checked_at: Optional[dt.datetime]
    """Same as lastCrawledAt, as in lists."""
    last_commit_at: Optional[dt.datetime]
    """When a person last committed."""
    last_crawled_at: Optional[dt.datetime]
    """When the repository was last crawled; null if it was not."""
    scored_at: Optional[dt.datetime]
    """When the score was computed; null without a score."""
    links: Links
    """URLs relative to the base URL."""


@dataclass(frozen=True, repr=False)
class ServerEntry(Model):
    server: ServerJSON
    """A server.json document, either as published in the official registry or
    generated by this registry (schema 2025-12-11). See
    https://github.com/modelcontextprotocol/registry.
    """
    meta: dict[str, Any] = field(metadata={"wire": "_meta"})
    """`io.modelcontextprotocol.registry/official` is an OfficialMeta. The member in
    this registry's namespace is a RegistryMeta.
    """


@dataclass(frozen=True, repr=False)
class ServerEntryList(Model):
    servers: list[ServerEntry]
    metadata: EntryMetadata


@dataclass(frozen=True, repr=False)
class ServerJSON(Model):
    """A server.json document, either as published in the official registry or
    generated by this registry (schema 2025-12-11). See
    https://github.com/modelcontextprotocol/registry.
    """

    name: str
    description: str
    version: str

ServerLiveness = Union[
    Literal[
        "alive",
        "gated",
        "down",
        "unknown",
    ],
    str,
]
"""Best state of any remote: alive (responds without a login), gated (requires a login,
credentials or a payment), down, or unknown. Null if the server has no remotes.
"""


@dataclass(frozen=True, repr=False)
class ServerPage(Model):
    servers: list[Server]
    pagination: Pagination
    warnings: Optional[list[str]]
    """What there is to know about a search: the index is unavailable, so that READMEs
    and tool descriptions are not searched; a misspelled word was corrected; some
    servers match only some words of the text.
    """


@dataclass(frozen=True, repr=False)
class Source(Model):
    name: str
    first_seen_at: Optional[dt.datetime]
    last_seen_at: Optional[dt.datetime]


@dataclass(frozen=True, repr=False)
class SourceUse(Model):
    name: str
    evidence: str
    """A place such as `src/tools.ts:40`."""

Status = Union[
    Literal[
        "active",
        "deprecated",
        "archived",
        "unreachable",
        "deleted",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class SuspiciousText(Model):
    rule: str
    """R1 to R8; see docs/tools.md"""
    tool: str
    field: str
    quote: str
    """Matching text. Invisible characters are shown as code points."""
    read_at: Optional[dt.datetime]
    """When that list was read."""
    source: Optional[str]
    """Source of the list with the tool."""


@dataclass(frozen=True, repr=False)
class Tool(Model):
    name: str
    title: Optional[str]
    description: Optional[str]
    input_schema: Optional[dict[str, Any]]
    """JSON Schema of the parameters. A schema derived from prose has a $comment and
    may lack types and required parameters.
    """
    annotations: Optional[dict[str, Any]]
    """Annotations (hints) as defined by MCP; null if absent or unknown."""
    effect: ToolEffect
    hash: Optional[str]
    """SHA-256 of name, description, inputSchema and annotations as canonical JSON (RFC
    8785).
    """
    tokens: Optional[int]
    """Approximate number of tokens that the definition uses in a model's context
    (o200k_base).
    """
    conditional: Optional[ToolCondition]
    """Condition under which the source code registers the tool; absent if there is
    none.
    """
    contradicts: Optional[bool]
    """True if the tool is declared to be read-only and its source code is not."""
    description_source: Optional[str]
    """Source of the description, if it differs from the source of the list."""
    input_schema_source: Optional[str]
    """Source of the input schema, if it differs from the source of the list."""


@dataclass(frozen=True, repr=False)
class ToolChange(Model):
    name: str
    kind: ToolChangeKind
    fields: list[ToolChangeField]
    """Changed members."""
    before: Optional[ToolDefinition]
    """Definition of a tool; null before the tool was added and after it was removed."""
    after: Optional[ToolDefinition]
    """Definition of a tool; null before the tool was added and after it was removed."""

ToolChangeField = Union[
    Literal[
        "description",
        "inputSchema",
        "annotations",
    ],
    str,
]

ToolChangeKind = Union[
    Literal[
        "added",
        "removed",
        "changed",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class ToolChanges(Model):
    server: str
    """Slug of the server."""
    changes: list[ToolListChange]
    """Newest first."""


@dataclass(frozen=True, repr=False)
class ToolCondition(Model):
    """Condition under which the source code registers the tool; absent if there is
    none.
    """

    setting: Optional[str]
    """Setting that the tool depends on, such as `FEATURE_X=true` or `--feature-x`."""
    default: Optional[bool]
    """False if a start with the default settings does not register the tool; null if
    that is unknown.
    """


@dataclass(frozen=True, repr=False)
class ToolDefinition(Model):
    """Definition of a tool; null before the tool was added and after it was removed."""

    description: Optional[str]
    annotations: Optional[dict[str, Any]]
    hash: Optional[str]


@dataclass(frozen=True, repr=False)
class ToolEffect(Model):
    effect: Effect
    """What a tool, or the most severe tool of a server, may do: change nothing
    (`read`), add or send something (`write`), change, overwrite or delete something
    that exists (`destructive`, as in MCP), or run commands or code of its caller.
    """
    basis: Optional[ToolEffectBasis]
    """How it is known: from the annotations, the code of the tool, its parameters, or
    a verb of its name or description.
    """
    evidence: Optional[str]
    """A place such as `src/tools.ts:40`, a parameter, or a word."""

ToolEffectBasis = Union[
    Literal[
        "declared",
        "source",
        "schema",
        "name",
    ],
    str,
]
"""How it is known: from the annotations, the code of the tool, its parameters, or a
verb of its name or description.
"""


@dataclass(frozen=True, repr=False)
class ToolEntry(Model):
    name: str
    """Name of the server. With level=tool, a unique one of the tool."""
    description: str
    source: str
    """URL of the repository, or of the server's folder in it."""
    installation: Optional[str]
    """Command that starts the server."""
    quality_score: Optional[int] = field(metadata={"wire": "quality_score"})
    input_schema: dict[str, Any]
    meta: dict[str, ToolEntryMeta] = field(metadata={"wire": "_meta"})
    """Contains one member, named after the registry."""
    title: Optional[str]


@dataclass(frozen=True, repr=False)
class ToolEntryMeta(Model):
    id: str
    owner: Optional[str]
    """Owner of the repository."""
    official: bool
    """Whether the vendor of the product publishes the server."""
    status: Status
    description_source: Optional[str]
    """composed if made of the name and the tools."""
    kind: Optional[Kind]
    """server or proxy."""
    category: Category
    transports: list[Transport]
    remotes: list[Endpoint]
    liveness: Optional[ServerLiveness]
    """Best state of any remote: alive (responds without a login), gated (requires a
    login, credentials or a payment), down, or unknown. Null if the server has no
    remotes.
    """
    risks: list[Risk]
    """Reasons not to use the server, as in `/api/health`."""
    install: Optional[ToolEntryMetaInstall]
    checked_at: Optional[dt.datetime]
    """When the repository was last read."""
    schema_known: Optional[bool]
    tool: Optional[str]
    """Name of the tool, with level=tool."""
    tool_list: Optional[ToolsRead]
    """Source of the tools; null if the tools are unknown."""


@dataclass(frozen=True, repr=False)
class ToolEntryMetaInstall(Model):
    command: str
    args: list[str]
    env: dict[str, str]


@dataclass(frozen=True, repr=False)
class ToolList(Model):
    """Source of the tools; null if the tools are unknown."""

    source: ToolSource
    """Most reliable first: `probe`, a remote endpoint; `run`, the published package,
    started in a sandbox; `manifest`, a manifest; `source`, the source code;
    `readme`, the README.
    """
    package: Optional[ToolPackage]
    """Published package whose archive was read, if source is `source`; null if the
    repository was read, and for other sources.
    """
    version: Optional[str]
    """Server version that the tools belong to."""
    read_at: Optional[dt.datetime]
    hash: Optional[str]
    """Hash of the list; changes if and only if the hash of a tool changes. Null if
    unknown.
    """
    tokens: Optional[int]
    """Total tokens of the tools of toolCount. `sort=toolTokens` sorts by it."""
    complete: bool
    """Whether the tools of a start with the default settings are known. Otherwise it
    may have more or fewer than the list, and toolCount, toolTokens and tokens are
    null.
    """
    endpoint: Optional[str]
    """URL of the endpoint that listed the tools, if source is `probe`."""


@dataclass(frozen=True, repr=False)
class ToolListChange(Model):
    at: dt.datetime
    """When the list was first seen."""
    source: ToolSource
    package: Optional[ToolPackage]
    """Published package whose archive was read, if source is `source`; null if the
    repository was read, and for other sources.
    """
    version: Optional[str]
    """Server version that the tools belong to."""
    former_source: Optional[str]
    """Source of the previous list, if it is a different one; differences may then
    result from the source alone. Null otherwise. Both are `source` if one list is
    from the repository and the other from a package archive.
    """
    former_version: Optional[str]
    """Last version with the previous list of the same source, or else of
    `formerSource`.
    """
    without_new_version: bool
    """Whether the tools changed while the version stayed the same."""
    tool_count: int
    hash: Optional[str]
    """Hash of the new list."""
    tools: list[ToolChange]
    """Tools that differ, by name; empty if there is no previous list of the same
    source.
    """


@dataclass(frozen=True, repr=False)
class ToolPackage(Model):
    """Published package whose archive was read, if source is `source`; null if the
    repository was read, and for other sources.
    """

    registry_type: ToolPackageRegistryType
    identifier: str

ToolPackageRegistryType = Union[
    Literal[
        "npm",
        "pypi",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class ToolPage(Model):
    tools: list[ToolEntry]
    pagination: Pagination
    warnings: Optional[list[str]]
    """What there is to know about a search: the index is unavailable, so that READMEs
    and tool descriptions are not searched; a misspelled word was corrected; some
    servers match only some words of the text.
    """

ToolSource = Union[
    Literal[
        "probe",
        "run",
        "manifest",
        "source",
        "readme",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class ToolsRead(Model):
    """Source of the tools; null if the tools are unknown."""

    source: ToolSource
    version: Optional[str]
    """Server version that the tools belong to."""
    complete: bool
    """Whether all tools are known. Otherwise the number and tokens of the tools are
    null.
    """

Transport = Union[
    Literal[
        "stdio",
        "streamable-http",
        "sse",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class Trend(Model):
    delta: Optional[int]
    percent: Optional[float]


@dataclass(frozen=True, repr=False)
class Usage(Model):
    period: UsagePeriod
    total: int
    days: list[UsageDay]
    usage: list[UsageEntry]


@dataclass(frozen=True, repr=False)
class UsageDay(Model):
    date: dt.date
    calls: int


@dataclass(frozen=True, repr=False)
class UsageEntry(Model):
    date: dt.date
    endpoint: str
    key: UsageEntryKey
    """Key of the calls. The name and prefix of a deleted key are null."""
    calls: int


@dataclass(frozen=True, repr=False)
class UsageEntryKey(Model):
    """Key of the calls. The name and prefix of a deleted key are null."""

    id: int
    name: Optional[str]
    prefix: Optional[str]


@dataclass(frozen=True, repr=False)
class UsagePeriod(Model):
    from_: dt.date
    to: dt.date


@dataclass(frozen=True, repr=False)
class ValidationIssue(Model):
    type: ValidationIssueType
    """Violated rules: JSON syntax, the JSON schema, the official registry's
    requirements, or known problems with clients.
    """
    path: str
    """Location in the file, such as `packages[0].transport.url`; empty for the whole
    file.
    """
    message: str
    severity: ValidationIssueSeverity
    reference: str
    """Name of the rule, or location in the schema."""
    column: Optional[int]
    """Column where the value begins, in characters. Absent if unknown."""
    docs: Optional[str]
    """URL of an explanation."""
    line: Optional[int]
    """Line where the value begins. Absent if unknown."""

ValidationIssueSeverity = Union[
    Literal[
        "error",
        "warning",
        "info",
    ],
    str,
]

ValidationIssueType = Union[
    Literal[
        "json",
        "schema",
        "semantic",
        "linter",
    ],
    str,
]
"""Violated rules: JSON syntax, the JSON schema, the official registry's requirements,
or known problems with clients.
"""


@dataclass(frozen=True, repr=False)
class ValidationResult(Model):
    valid: bool
    """Whether there are no issues of severity error."""
    issues: list[ValidationIssue]
    """At most 200, errors first. If there are more, the last issue reports how many."""


@dataclass(frozen=True, repr=False)
class Variable(Model):
    choices: Optional[list[str]]
    default: Optional[str]
    description: Optional[str]
    format: Optional[str]
    is_required: Optional[bool]
    is_secret: Optional[bool]
    name: Optional[str]
    placeholder: Optional[str]
    value: Optional[str]
    variables: Optional[dict[str, Variable]]
    """Variables for the {names} in the value."""


@dataclass(frozen=True, repr=False)
class VersionSource(Model):
    """Source of the latest version and when it was read. The source is the registry
    type of a package, such as npm, or release or tag (of the repository),
    official-registry (the entry) or manifest (in the repository).
    """

    source: str
    read_at: Optional[dt.datetime]


@dataclass(frozen=True, repr=False)
class View(Model):
    name: str
    title: str
    description: str
    url: str
    """Base URL for clients."""
    max: int
    """Maximum number of servers in the view."""


@dataclass(frozen=True, repr=False)
class Views(Model):
    views: list[View]


@dataclass(frozen=True, repr=False)
class WebhookAdvisoryData(Model):
    """Data of `server.advisory`."""

    server: WebhookServer
    advisories: list[WebhookAdvisoryItem]
    count: int
    """Full number, if the lists are truncated."""


@dataclass(frozen=True, repr=False)
class WebhookAdvisoryItem(Model):
    id: str
    severity: str
    fixed_in: Optional[str]
    """First version without the vulnerability."""
    package: Optional[str]
    title: Optional[str]
    url: Optional[str]


@dataclass(frozen=True, repr=False)
class WebhookDeliveries(Model):
    deliveries: list[WebhookDelivery]
    before: Optional[int]
    """Value of `before` for the next page; null on the last page."""


@dataclass(frozen=True, repr=False)
class WebhookDelivery(Model):
    id: int
    event_id: str
    """ID of the event, sent as the header `webhook-id`."""
    state: WebhookDeliveryState
    attempts: int
    """Attempts since the delivery was created or resent."""
    next_attempt_at: Optional[dt.datetime]
    last_attempt_at: Optional[dt.datetime]
    response_status: Optional[int]
    """HTTP status of the last response; null if there was none."""
    error: Optional[str]
    duration_ms: Optional[int]
    delivered_at: Optional[dt.datetime]
    created_at: dt.datetime
    payload: WebhookPayload
    """The body of a delivery, less than 20 kB. `data` depends on `type`; ignore
    unknown types, because more may be added. Server events contain the server after
    the event, or before it was removed. Long lists are truncated; `count` is the
    full number.
    """

WebhookDeliveryState = Union[
    Literal[
        "pending",
        "delivered",
        "failed",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class WebhookEndpoint(Model):
    id: int
    url: str
    description: Optional[str]
    events: Optional[list[WebhookEventType]]
    """Null means all."""
    servers: Optional[list[str]]
    """Null means all."""
    search: Optional[str]
    enabled: bool
    disabled_at: Optional[dt.datetime]
    disabled_reason: Optional[WebhookEndpointDisabledReason]
    """`owner`: you disabled it. `gone`: it responded with 410. `failing`: all
    deliveries failed for five days. `search`: its custom endpoint was deleted.
    `events`: the events that it had chosen no longer exist.
    """
    failing_since: Optional[dt.datetime]
    """Time of the first failure since the last success; null if the last attempt
    succeeded.
    """
    created_at: dt.datetime
    updated_at: dt.datetime
    links: WebhookEndpointLinks

WebhookEndpointDisabledReason = Union[
    Literal[
        "owner",
        "gone",
        "failing",
        "search",
        "events",
    ],
    str,
]
"""`owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries
failed for five days. `search`: its custom endpoint was deleted. `events`: the
events that it had chosen no longer exist.
"""


@dataclass(frozen=True, repr=False)
class WebhookEndpointLinks(Model):
    self: str
    deliveries: str


@dataclass(frozen=True, repr=False)
class WebhookEndpointWithSecret(Model):
    id: int
    url: str
    description: Optional[str]
    events: Optional[list[WebhookEventType]]
    """Null means all."""
    servers: Optional[list[str]]
    """Null means all."""
    search: Optional[str]
    enabled: bool
    disabled_at: Optional[dt.datetime]
    disabled_reason: Optional[WebhookEndpointDisabledReason]
    """`owner`: you disabled it. `gone`: it responded with 410. `failing`: all
    deliveries failed for five days. `search`: its custom endpoint was deleted.
    `events`: the events that it had chosen no longer exist.
    """
    failing_since: Optional[dt.datetime]
    """Time of the first failure since the last success; null if the last attempt
    succeeded.
    """
    created_at: dt.datetime
    updated_at: dt.datetime
    links: WebhookEndpointLinks
    secret: str
    """Secret that deliveries are signed with: `whsec_` and base64."""


@dataclass(frozen=True, repr=False)
class WebhookEndpoints(Model):
    webhooks: list[WebhookEndpoint]
    count: int
    max: int
    """Maximum number of endpoints of the plan. Newer endpoints beyond it receive
    nothing.
    """

WebhookEventType = Union[
    Literal[
        "server.listed",
        "server.updated",
        "server.version",
        "server.score_changed",
        "server.deprecated",
        "server.archived",
        "server.gone",
        "server.advisory",
        "server.tools_changed",
    ],
    str,
]

WebhookEventTypeParam = Literal[
    "server.listed",
    "server.updated",
    "server.version",
    "server.score_changed",
    "server.deprecated",
    "server.archived",
    "server.gone",
    "server.advisory",
    "server.tools_changed",
]


@dataclass(frozen=True, repr=False)
class WebhookPayload(Model):
    """The body of a delivery, less than 20 kB. `data` depends on `type`; ignore
    unknown types, because more may be added. Server events contain the server after
    the event, or before it was removed. Long lists are truncated; `count` is the
    full number.
    """

    type: str
    """What happened. A newer registry may have other types."""
    timestamp: dt.datetime
    """When the event happened."""
    data: WebhookData
    """Depends on type."""


@dataclass(frozen=True, repr=False)
class WebhookRating(Model):
    score: int
    grade: str


@dataclass(frozen=True, repr=False)
class WebhookScoreData(Model):
    """Data of `server.score_changed`."""

    server: WebhookServer
    before: WebhookRating
    after: WebhookRating


@dataclass(frozen=True, repr=False)
class WebhookServer(Model):
    id: str
    name: str
    repository: str
    """URL of the repository."""
    status: Status
    score: Optional[int]
    grade: Optional[str]
    """Absent if there is no score."""
    version: Optional[str]
    """Latest version; absent if unknown."""


@dataclass(frozen=True, repr=False)
class WebhookServerData(Model):
    """Data of `server.listed` and `server.gone`."""

    server: WebhookServer


@dataclass(frozen=True, repr=False)
class WebhookStatusData(Model):
    """Data of `server.deprecated` and `server.archived`."""

    server: WebhookServer
    message: Optional[str]
    """Message from the owner; absent if there is none."""
    successor_url: Optional[str]
    """URL of the repository that replaces it; absent if unknown."""


@dataclass(frozen=True, repr=False)
class WebhookTestData(Model):
    """Data of `webhook.test`."""

    message: str


@dataclass(frozen=True, repr=False)
class WebhookToolsData(Model):
    """Data of `server.tools_changed`. The lists contain tool names."""

    server: WebhookServer
    source: str
    """Source of the list."""
    package: Optional[str]
    without_new_version: bool
    """Whether the tools changed while the version stayed the same."""
    added: list[str]
    removed: list[str]
    changed: list[str]
    count: int
    """Full number, if the lists are truncated."""
    version: Optional[str]


@dataclass(frozen=True, repr=False)
class WebhookUpdatedData(Model):
    """Data of `server.updated`."""

    server: WebhookServer
    changed: list[str]
    """Names of the changed members."""


@dataclass(frozen=True, repr=False)
class WebhookVersionData(Model):
    """Data of `server.version`."""

    server: WebhookServer
    before: str
    after: str


WebhookData = Union[
    WebhookServerData,
    WebhookUpdatedData,
    WebhookVersionData,
    WebhookScoreData,
    WebhookStatusData,
    WebhookAdvisoryData,
    WebhookToolsData,
    WebhookTestData,
    dict[str, Any],
]
"""The data of WebhookPayload by its type; of an unknown type, a dict."""

WebhookPayload._cases = {
    "server.listed": WebhookServerData,
    "server.updated": WebhookUpdatedData,
    "server.version": WebhookVersionData,
    "server.score_changed": WebhookScoreData,
    "server.deprecated": WebhookStatusData,
    "server.archived": WebhookStatusData,
    "server.gone": WebhookServerData,
    "server.advisory": WebhookAdvisoryData,
    "server.tools_changed": WebhookToolsData,
    "webhook.test": WebhookTestData,
}


__all__ = [
    "AllowedServer",
    "Analytics",
    "AnalyticsPeriod",
    "AnalyticsPeriodInterval",
    "AnalyticsRank",
    "AnalyticsSeriesEntry",
    "AnalyticsTotals",
    "AnalyticsTotalsDirectory",
    "AnalyticsTotalsDownloads",
    "AnalyticsTrends",
    "AnalyticsTrendsScore",
    "Argument",
    "BulkAnswer",
    "Cap",
    "Capabilities",
    "CapabilitiesSourceRead",
    "Categories",
    "Category",
    "CategoryCount",
    "CategoryParam",
    "ChangePage",
    "Check",
    "CheckResult",
    "CheckState",
    "Confidence",
    "Custom",
    "CustomLinks",
    "CustomPage",
    "CustomView",
    "Customs",
    "DetailMember",
    "DetailMemberParam",
    "DirectorySort",
    "DiscoverSort",
    "Dump",
    "Dumps",
    "Effect",
    "Endpoint",
    "EndpointState",
    "EntryLinks",
    "EntryLiveness",
    "EntryMetadata",
    "EntryTools",
    "Evidence",
    "Facets",
    "FieldError",
    "Grade",
    "Health",
    "HealthCategory",
    "HealthLinks",
    "HealthStatus",
    "HostUse",
    "Improvement",
    "Inspection",
    "InspectionOutcome",
    "Install",
    "KeyScope",
    "Kind",
    "Links",
    "Liveness",
    "ManagedSettings",
    "Member",
    "NumberedPage",
    "OfficialMeta",
    "OfficialMetaStatus",
    "OwnAccount",
    "OwnAccountKey",
    "OwnAccountLimits",
    "OwnAccountPlan",
    "OwnAccountPlanFeatures",
    "Owner",
    "Package",
    "PackageInspection",
    "PackageTransport",
    "PageNumbers",
    "Pagination",
    "PartialServer",
    "Pending",
    "PendingStatus",
    "Plan",
    "PlanId",
    "Plans",
    "Problem",
    "ReadOnlySwitch",
    "ReadOnlySwitchKind",
    "RecordChange",
    "RecordChangePage",
    "RegistryAppVersion",
    "RegistryHealth",
    "RegistryMeta",
    "RegistryPing",
    "Remote",
    "Repository",
    "RepositoryDetail",
    "Risk",
    "RiskSeverity",
    "Sdk",
    "SdkParam",
    "SearchPage",
    "SearchRequestMatch",
    "Server",
    "ServerChange",
    "ServerDetail",
    "ServerEntry",
    "ServerEntryList",
    "ServerJSON",
    "ServerLiveness",
    "ServerPage",
    "Source",
    "SourceUse",
    "Status",
    "SuspiciousText",
    "Tool",
    "ToolChange",
    "ToolChangeField",
    "ToolChangeKind",
    "ToolChanges",
    "ToolCondition",
    "ToolDefinition",
    "ToolEffect",
    "ToolEffectBasis",
    "ToolEntry",
    "ToolEntryMeta",
    "ToolEntryMetaInstall",
    "ToolList",
    "ToolListChange",
    "ToolPackage",
    "ToolPackageRegistryType",
    "ToolPage",
    "ToolSource",
    "ToolsRead",
    "Transport",
    "Trend",
    "Usage",
    "UsageDay",
    "UsageEntry",
    "UsageEntryKey",
    "UsagePeriod",
    "ValidationIssue",
    "ValidationIssueSeverity",
    "ValidationIssueType",
    "ValidationResult",
    "Variable",
    "VersionSource",
    "View",
    "Views",
    "WebhookAdvisoryData",
    "WebhookAdvisoryItem",
    "WebhookData",
    "WebhookDeliveries",
    "WebhookDelivery",
    "WebhookDeliveryState",
    "WebhookEndpoint",
    "WebhookEndpointDisabledReason",
    "WebhookEndpointLinks",
    "WebhookEndpointWithSecret",
    "WebhookEndpoints",
    "WebhookEventType",
    "WebhookEventTypeParam",
    "WebhookPayload",
    "WebhookRating",
    "WebhookScoreData",
    "WebhookServer",
    "WebhookServerData",
    "WebhookStatusData",
    "WebhookTestData",
    "WebhookToolsData",
    "WebhookUpdatedData",
    "WebhookVersionData",
]
