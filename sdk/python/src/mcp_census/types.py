# Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
"""The types of the responses.

Enumerations are open: a value that a newer registry has is a string.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Literal, Optional, Union

from ._model import Model


@dataclass(frozen=True, repr=False)
class AllowedServer(Model):
    """Exactly one of the two."""

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
    """On the day or in the week; null unless known for every package and day."""
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
    """Of the last 30 days: total, and by registry type."""
    directory: AnalyticsTotalsDirectory
    """Events that the registry counted in the period."""


@dataclass(frozen=True, repr=False)
class AnalyticsTotalsDirectory(Model):
    """Events that the registry counted in the period."""

    views: Optional[int]
    api_hits: Optional[int]
    search_impressions: Optional[int]
    health_checks: Optional[int]
    install_clicks: Optional[int]
    badge_views: Optional[int]


@dataclass(frozen=True, repr=False)
class AnalyticsTotalsDownloads(Model):
    """Of the last 30 days: total, and by registry type."""

    total: Optional[int]


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
    """What the {names} in the value mean."""


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


@dataclass(frozen=True, repr=False)
class Categories(Model):
    categories: list[CategoryCount]
    total: int
    """All listed servers."""

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


@dataclass(frozen=True, repr=False)
class ChangePage(Model):
    changes: list[ServerChange]
    """In the order of the changes."""
    next: int
    """The value of `after` that continues here."""
    has_more: bool


@dataclass(frozen=True, repr=False)
class Check(Model):
    id: str
    name: str
    result: CheckResult
    state: CheckState
    points: float
    max: float
    reason: str
    evidence: list[Evidence]
    fix: Optional[str]
    source: Optional[str]
    observed_at: Optional[dt.datetime]
    docs: str

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
    """Keys: category, sdk, language, framework, tags, license, transport, type (remote
    or package), liveness (alive, gated, down, unknown), registryType, owner,
    source, status, official, verified, copy, archived, grade, qualityScore,
    minScore (qualityScore gte), popularity, stars, downloads, toolCount,
    toolTokens, tools, updatedAt, createdAt. At most 16 kB, 40 conditions, 100
    values in a list.
    """
    sort: Optional[str]
    fields: Optional[list[DetailMember]]
    """Null stands for those of a list entry."""
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
    """List entries, or the members that the definition names."""
    pagination: PageNumbers
    name: str
    query: Optional[str]
    sort: str
    facets: Optional[Facets]
    """Number of results with each value. Null if not requested."""
    took_ms: float
    warnings: Optional[list[str]]
    """Present while the search index is unavailable. All servers are then scanned
    without READMEs and descriptions of tools, so results may be missing.
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
        "category",
        "categoryConfidence",
        "secondCategory",
        "tags",
        "sdk",
        "framework",
        "language",
        "license",
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
        "environmentVariables",
        "tools",
        "toolCount",
        "toolTokens",
        "toolList",
        "suspiciousRules",
        "suspiciousTexts",
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
        "releasedAt",
        "sources",
        "createdAt",
        "updatedAt",
        "lastCommitAt",
        "lastCrawledAt",
        "scoredAt",
        "links",
    ],
    str,
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


@dataclass(frozen=True, repr=False)
class Endpoint(Model):
    """A remote in lists."""

    type: str
    url: str
    liveness: Optional[Liveness]
    """Whether the endpoint answers our probes; null if it was not probed."""

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


@dataclass(frozen=True, repr=False)
class EntryLiveness(Model):
    """The best state of the remotes, with the date and uptime of the first one that
    has it.
    """

    state: str
    checked_at: Optional[dt.datetime]
    uptime30: Optional[float]
    """Share of the probes of the last 30 days that were answered."""
    probes: int
    """Number of these probes."""


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
    """Version of the server that has these tools."""
    read_at: Optional[dt.datetime]


@dataclass(frozen=True, repr=False)
class Evidence(Model):
    type: str
    ref: str
    url: Optional[str]
    text: Optional[str]


@dataclass(frozen=True, repr=False)
class Facets(Model):
    """Number of results with each value. Null if not requested."""

    category: dict[str, int]
    sdk: dict[str, int]
    license: dict[str, int]
    transport: dict[str, int]
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
"""A from 80, B from 65, C from 50, D from 30."""


@dataclass(frozen=True, repr=False)
class Health(Model):
    server: Optional[str]
    github_url: Optional[str]
    subfolder: Optional[str]
    indexed: bool
    """Whether it is listed."""
    is_mcp_server: Optional[bool]
    """Null if the code host blocks the repository."""
    official: Optional[bool]
    """The vendor of the product itself publishes the server. Null if there is no
    server.
    """
    status: HealthStatus
    score: Optional[int]
    grade: Optional[Grade]
    """A from 80, B from 65, C from 50, D from 30."""
    score_low: Optional[int]
    """The score if all unknown checks failed."""
    score_high: Optional[int]
    """The score if all unknown checks passed."""
    coverage: Optional[float]
    confidence: Optional[Confidence]
    commit_chance: Optional[float]
    """Share of servers like this one that had a commit by a person in the next 90
    days. Not part of the score. `null` if it is not known or the repository is
    archived. See docs/scoring.md.
    """
    popularity: Optional[int]
    score_version: Optional[str]
    commit: Optional[str]
    computed_at: Optional[dt.datetime]
    breakdown: list[HealthCategory]
    caps: list[Cap]
    flags: list[str]
    improve: list[Improvement]
    links: HealthLinks
    stale: bool
    warnings: list[str]
    members: Optional[list[Member]]
    """The servers of the repository, if it has several and the address names none of
    them.
    """
    reason: Optional[str]
    """If the repository is not listed: why it does or does not count as a server."""


@dataclass(frozen=True, repr=False)
class HealthCategory(Model):
    category: str
    weight: float
    score: Optional[float]
    """The category's score; null if no check applies, or if less than 35% of its
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
class Improvement(Model):
    check: str
    gain: float
    text: str


@dataclass(frozen=True, repr=False)
class Inspection(Model):
    """How the package answered when it was started in a sandbox, without a network and
    with made-up values; absent if it was not. It does not affect the score.
    """

    outcome: InspectionOutcome
    at: Optional[dt.datetime]
    """When it was started."""
    detail: Optional[str]
    """The last line of its error output, shortened."""
    hosts: Optional[list[str]]
    """Names of hosts that it looked up when it started, before any tool was called.
    Lookups that bypass the system's resolver, and those of images, are not seen.
    """
    prompts: Optional[int]
    """Number of prompts."""
    protocol: Optional[str]
    """Revision of MCP."""
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
    """Starts the server; null if unknown."""
    reason: Optional[str]
    """Why there is no command; null if there is one."""
    clients: dict[str, Any]
    """How clients are set up, by client. mcpServers is the configuration that most
    clients take, with placeholders (YOUR_NAME) for values to fill in; the others
    have only what their client expands.
    """

KeyScope = Union[
    Literal[
        "read",
        "analytics",
        "custom",
        "webhooks",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class Links(Model):
    """Relative to the base address."""

    self: str
    html: str
    health: str
    badge: str


@dataclass(frozen=True, repr=False)
class Liveness(Model):
    """Whether the endpoint answers our probes; null if it was not probed."""

    state: EndpointState
    checked_at: Optional[dt.datetime]
    """When the endpoint had the state."""
    since: Optional[dt.datetime]
    """Since when it is alive, gated, down or unknown."""
    uptime30: Optional[float]
    """Share of the probes of the last 30 days that were answered."""
    probes: int
    """Number of these probes."""
    protocol: Optional[str]
    """Revision of MCP."""
    reason: Optional[str]
    """Such as dns, tls, timeout, connection or "status 503"."""


@dataclass(frozen=True, repr=False)
class ManagedSettings(Model):
    allowed_mcp_servers: list[AllowedServer]


@dataclass(frozen=True, repr=False)
class Member(Model):
    server: Optional[str]
    """Slug; null if it is not listed."""
    name: str
    subfolder: Optional[str]
    score: Optional[int]
    grade: Optional[Grade]
    """A from 80, B from 65, C from 50, D from 30."""
    computed_at: Optional[dt.datetime]
    """When the score was computed."""
    health: Optional[str]
    """URL of its report."""


@dataclass(frozen=True, repr=False)
class NumberedPage(Model):
    servers: list[Server]
    pagination: PageNumbers
    warnings: Optional[list[str]]
    """Present while the search index is unavailable. All servers are then scanned
    without READMEs and descriptions of tools, so results may be missing.
    """


@dataclass(frozen=True, repr=False)
class OfficialMeta(Model):
    """The metadata of a version, as the official registry has them."""

    status: OfficialMetaStatus
    status_changed_at: dt.datetime
    published_at: dt.datetime
    """When the version was published, else when the server was listed here."""
    is_latest: bool
    status_message: Optional[str]
    updated_at: Optional[dt.datetime]
    """When the record last changed here."""

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
    """What the key may be used for."""
    addresses: list[str]
    """Addresses and networks of clients that may use the key; none is all."""


@dataclass(frozen=True, repr=False)
class OwnAccountLimits(Model):
    limit: Optional[int]
    """Requests per UTC day; null is unlimited."""
    used: Optional[int]
    """Today, including this request; null if unknown."""
    remaining: Optional[int]
    reset_at: dt.datetime
    reset: int
    """The same in seconds since 1970, as in X-RateLimit-Reset."""


@dataclass(frozen=True, repr=False)
class OwnAccountPlan(Model):
    id: PlanId
    name: str
    price_usd: int
    """Of a month."""
    requests_per_day: Optional[int]
    """On /v1, per UTC day and account; null is unlimited."""
    requests_per_hour: Optional[int]
    """On /api, with a key of the plan, per UTC hour; null is unlimited."""
    features: OwnAccountPlanFeatures
    includes: list[str]
    """What the plan has besides limits, and what the operator promises."""
    offered: bool
    """Whether the plan can be had: it is free, or the operator sells it."""
    until: Optional[dt.datetime]
    """When the plan ends; null if it continues."""
    next: Optional[str]
    """The next plan."""


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
    """A copy of the avatar that this registry serves, or a picture of the first
    letter.
    """


@dataclass(frozen=True, repr=False)
class Package(Model):
    registry_type: str
    identifier: str
    transport: PackageTransport
    environment_variables: Optional[list[Variable]]
    file_sha256: Optional[str]
    inspection: Optional[Inspection]
    """How the package answered when it was started in a sandbox, without a network and
    with made-up values; absent if it was not. It does not affect the score.
    """
    package_arguments: Optional[list[Argument]]
    registry_base_url: Optional[str]
    runtime_arguments: Optional[list[Argument]]
    runtime_hint: Optional[str]
    version: Optional[str]


@dataclass(frozen=True, repr=False)
class PackageTransport(Model):
    type: str
    headers: Optional[list[Variable]]
    url: Optional[str]


@dataclass(frozen=True, repr=False)
class PageNumbers(Model):
    page: int
    """With a cursor, the page that contains its first entry."""
    limit: int
    total: int
    """Exact."""
    total_pages: int
    """Number of pages that can be requested: with a search text, those up to the
    10,000th result.
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
    """The members of a record that were asked for."""

    category: Optional[Category]
    category_confidence: Optional[float]
    commit_chance: Optional[float]
    """Share of servers like this one that had a commit by a person in the next 90
    days. Not part of the score. `null` if it is not known or the repository is
    archived. See docs/scoring.md.
    """
    confidence: Optional[Confidence]
    contributors: Optional[int]
    copy_of: Optional[str]
    """Slug of an older server of another owner that this one looks like a copy of."""
    copy_reason: Optional[str]
    """Why it looks like a copy or look-alike, in sentences."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first found."""
    coverage: Optional[float]
    created_at: Optional[dt.datetime]
    description: Optional[str]
    downloads: Optional[int]
    downloads_at: Optional[dt.datetime]
    """When the oldest of these counts was read."""
    downloads_breakdown: Optional[dict[str, Optional[int]]]
    """By registry type"""
    downloads_period: Optional[str]
    environment_variables: Optional[list[Variable]]
    forks: Optional[int]
    framework: Optional[str]
    grade: Optional[Grade]
    """A from 80, B from 65, C from 50, D from 30."""
    health_score: Optional[int]
    homepage: Optional[str]
    icon: Optional[str]
    id: Optional[str]
    install: Optional[Install]
    language: Optional[str]
    last_commit_at: Optional[dt.datetime]
    last_crawled_at: Optional[dt.datetime]
    latest_version: Optional[str]
    license: Optional[str]
    links: Optional[Links]
    """Relative to the base address."""
    liveness: Optional[ServerLiveness]
    """The best of the remotes: alive (answers without a login), gated (requires a
    login, credentials or a payment), down, unknown. Null without remotes.
    """
    look_alike_of: Optional[str]
    """Slug of a better known server whose name or namespace this one imitates."""
    name: Optional[str]
    official: Optional[bool]
    """The vendor of the product itself publishes the server."""
    official_reason: Optional[str]
    """Why it is official, as a sentence; null if it is not."""
    open_issues: Optional[int]
    owner: Optional[Owner]
    packages: Optional[list[Package]]
    """As in the official server.json, schema 2025-12-11."""
    popularity: Optional[int]
    quality_score: Optional[int]
    registry_name: Optional[str]
    released_at: Optional[dt.datetime]
    remotes: Optional[list[Remote]]
    repository: Optional[RepositoryDetail]
    score_high: Optional[int]
    score_low: Optional[int]
    score_version: Optional[str]
    scored_at: Optional[dt.datetime]
    sdk: Optional[Sdk]
    """Read from dependency manifests."""
    second_category: Optional[Category]
    """The next category that fits, where the first is uncertain; null otherwise."""
    slug: Optional[str]
    """The same as id."""
    sources: Optional[list[Source]]
    stars: Optional[int]
    status: Optional[Status]
    status_message: Optional[str]
    successor: Optional[str]
    """The replacement that the owner of a deprecated or archived server links."""
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools break, each once. Findings of rules, not verdicts; null if the tools are
    unknown.
    """
    suspicious_texts: Optional[list[SuspiciousText]]
    """Parts of the tools' texts that may hide something or manipulate a model.
    Findings of rules, not verdicts.
    """
    tags: Optional[list[str]]
    title: Optional[str]
    tool_count: Optional[int]
    tool_list: Optional[ToolList]
    """Where the tools are from; null if they are unknown."""
    tool_tokens: Optional[int]
    """About how many tokens the tools take of a model's context (o200k_base)."""
    tools: Optional[list[Tool]]
    """Null if unknown."""
    transports: Optional[list[Transport]]
    updated_at: Optional[dt.datetime]
    verified: Optional[bool]
    """Linked: the package or registry entry and the repository name each other. Not a
    safety review.
    """
    verified_reason: Optional[str]
    """Which name each other, as a sentence; null if not verified."""


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
    """Of a month."""
    requests_per_day: Optional[int]
    """On /v1, per UTC day and account; null is unlimited."""
    requests_per_hour: Optional[int]
    """On /api, with a key of the plan, per UTC hour; null is unlimited."""
    features: OwnAccountPlanFeatures
    includes: list[str]
    """What the plan has besides limits, and what the operator promises."""
    offered: bool
    """Whether the plan can be had: it is free, or the operator sells it."""

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
    """The title again."""
    request_id: str
    candidates: Optional[list[str]]
    """With server_not_found: slugs that may have been meant, best first."""
    errors: Optional[list[FieldError]]
    instance: Optional[str]
    required_plans: Optional[list[PlanId]]
    """With plan_upgrade_required: the plans that include it, the cheapest first."""
    required_scopes: Optional[list[str]]
    """With scope_required: what the key lacks."""


@dataclass(frozen=True, repr=False)
class RecordChange(Model):
    """A record or, with the status deleted, a server that is no longer listed."""

    id: str
    status: Status
    category: Optional[Category]
    category_confidence: Optional[float]
    changed_at: Optional[dt.datetime]
    """When it was removed; only with the status deleted."""
    commit_chance: Optional[float]
    """Share of servers like this one that had a commit by a person in the next 90
    days. Not part of the score. `null` if it is not known or the repository is
    archived. See docs/scoring.md.
    """
    confidence: Optional[Confidence]
    contributors: Optional[int]
    copy_of: Optional[str]
    """Slug of an older server of another owner that this one looks like a copy of."""
    copy_reason: Optional[str]
    """Why it looks like a copy or look-alike, in sentences."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first found."""
    coverage: Optional[float]
    created_at: Optional[dt.datetime]
    description: Optional[str]
    downloads: Optional[int]
    downloads_at: Optional[dt.datetime]
    """When the oldest of these counts was read."""
    downloads_breakdown: Optional[dict[str, Optional[int]]]
    """By registry type"""
    downloads_period: Optional[str]
    environment_variables: Optional[list[Variable]]
    forks: Optional[int]
    framework: Optional[str]
    grade: Optional[Grade]
    """A from 80, B from 65, C from 50, D from 30."""
    health_score: Optional[int]
    homepage: Optional[str]
    icon: Optional[str]
    install: Optional[Install]
    language: Optional[str]
    last_commit_at: Optional[dt.datetime]
    last_crawled_at: Optional[dt.datetime]
    latest_version: Optional[str]
    license: Optional[str]
    links: Optional[Links]
    """Relative to the base address."""
    liveness: Optional[ServerLiveness]
    """The best of the remotes: alive (answers without a login), gated (requires a
    login, credentials or a payment), down, unknown. Null without remotes.
    """
    look_alike_of: Optional[str]
    """Slug of a better known server whose name or namespace this one imitates."""
    name: Optional[str]
    official: Optional[bool]
    """The vendor of the product itself publishes the server."""
    official_reason: Optional[str]
    """Why it is official, as a sentence; null if it is not."""
    open_issues: Optional[int]
    owner: Optional[Owner]
    packages: Optional[list[Package]]
    """As in the official server.json, schema 2025-12-11."""
    popularity: Optional[int]
    quality_score: Optional[int]
    registry_name: Optional[str]
    released_at: Optional[dt.datetime]
    remotes: Optional[list[Remote]]
    repository: Optional[RepositoryDetail]
    score_high: Optional[int]
    score_low: Optional[int]
    score_version: Optional[str]
    scored_at: Optional[dt.datetime]
    sdk: Optional[Sdk]
    """Read from dependency manifests."""
    second_category: Optional[Category]
    """The next category that fits, where the first is uncertain; null otherwise."""
    slug: Optional[str]
    """The same as id."""
    sources: Optional[list[Source]]
    stars: Optional[int]
    status_message: Optional[str]
    successor: Optional[str]
    """The replacement that the owner of a deprecated or archived server links."""
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools break, each once. Findings of rules, not verdicts; null if the tools are
    unknown.
    """
    suspicious_texts: Optional[list[SuspiciousText]]
    """Parts of the tools' texts that may hide something or manipulate a model.
    Findings of rules, not verdicts.
    """
    tags: Optional[list[str]]
    title: Optional[str]
    tool_count: Optional[int]
    tool_list: Optional[ToolList]
    """Where the tools are from; null if they are unknown."""
    tool_tokens: Optional[int]
    """About how many tokens the tools take of a model's context (o200k_base)."""
    tools: Optional[list[Tool]]
    """Null if unknown."""
    transports: Optional[list[Transport]]
    updated_at: Optional[dt.datetime]
    verified: Optional[bool]
    """Linked: the package or registry entry and the repository name each other. Not a
    safety review.
    """
    verified_reason: Optional[str]
    """Which name each other, as a sentence; null if not verified."""


@dataclass(frozen=True, repr=False)
class RecordChangePage(Model):
    changes: list[RecordChange]
    """In the order of the changes."""
    next: int
    """The value of `after` that continues here."""
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
    """What this registry knows of a server. Unknown values are null. Absent for
    deleted servers.
    """

    id: str
    """The slug, as in /v1/servers/{id}."""
    score: Optional[int]
    score_low: Optional[int]
    score_high: Optional[int]
    grade: Optional[str]
    score_version: Optional[str]
    computed_at: Optional[dt.datetime]
    popularity: Optional[int]
    category: str
    tags: list[str]
    synthesized: bool
    """The document was made by this registry; its owner has not published it."""
    repaired: list[str]
    """Paths in a published document that were changed because clients misread them:
    versions of images that have a tag, missing descriptions of variables, and `-y`
    for npx. `packages` and `remotes` are those of the install command, because
    clients would start another one of the document, such as an older version.
    """
    official: bool
    verified: bool
    stars: Optional[int]
    downloads30d: Optional[int]
    last_crawled_at: Optional[dt.datetime]
    """When the repository was read."""
    downloads_at: Optional[dt.datetime]
    """When the oldest of the counts of downloads was read."""
    tools: Optional[EntryTools]
    liveness: Optional[EntryLiveness]
    """The best state of the remotes, with the date and uptime of the first one that
    has it.
    """
    flags: list[str]
    copy_of: Optional[str]
    copy_since: Optional[dt.datetime]
    """When copyOf was first found."""
    command: Optional[str]
    """The install command of this registry."""
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
    """Whether the endpoint answers our probes; null if it was not probed."""
    variables: Optional[dict[str, Variable]]


@dataclass(frozen=True, repr=False)
class Repository(Model):
    url: Optional[str]
    owner: Optional[str]
    name: Optional[str]
    subfolder: Optional[str]
    archived: bool


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
    archived: bool
    fork: bool
    pushed_at: Optional[dt.datetime]
    commit: Optional[str]

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
"""Read from dependency manifests."""


@dataclass(frozen=True, repr=False)
class SearchPage(Model):
    servers: list[Server]
    pagination: PageNumbers
    query: Optional[str]
    sort: str
    """The sort in effect."""
    facets: Optional[Facets]
    """Number of results with each value. Null if not requested."""
    took_ms: float
    """Milliseconds. Not part of the entity tag."""
    warnings: Optional[list[str]]
    """Present while the search index is unavailable. All servers are then scanned
    without READMEs and descriptions of tools, so results may be missing.
    """


@dataclass(frozen=True, repr=False)
class Server(Model):
    id: str
    slug: str
    """The same as id."""
    name: str
    description: Optional[str]
    category: Category
    second_category: Optional[Category]
    """The next category that fits, where the first is uncertain; null otherwise."""
    tags: list[str]
    sdk: Optional[Sdk]
    """Read from dependency manifests."""
    language: Optional[str]
    license: Optional[str]
    quality_score: Optional[int]
    health_score: Optional[int]
    grade: Optional[Grade]
    """A from 80, B from 65, C from 50, D from 30."""
    popularity: Optional[int]
    stars: Optional[int]
    downloads: Optional[int]
    downloads_at: Optional[dt.datetime]
    """When the oldest of the counts of downloads was read."""
    transports: list[Transport]
    remotes: list[Endpoint]
    liveness: Optional[ServerLiveness]
    """The best of the remotes: alive (answers without a login), gated (requires a
    login, credentials or a payment), down, unknown. Null without remotes.
    """
    tool_count: Optional[int]
    tool_tokens: Optional[int]
    """About how many tokens the tools take of a model's context (o200k_base)."""
    tool_list: Optional[ToolsRead]
    """Where the tools are from, and when they were read; null if they are unknown."""
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools break, each once. Findings of rules, not verdicts; null if the tools are
    unknown.
    """
    repository: Repository
    icon: Optional[str]
    status: Status
    official: bool
    """The vendor of the product itself publishes the server."""
    official_reason: Optional[str]
    """Why it is official, as a sentence; null if it is not."""
    copy_of: Optional[str]
    """Slug of an older server of another owner that this one looks like a copy of."""
    look_alike_of: Optional[str]
    """Slug of a better known server whose name or namespace this one imitates."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first found."""
    verified: bool
    """Linked: the package or registry entry and the repository name each other. Not a
    safety review.
    """
    updated_at: Optional[dt.datetime]
    last_crawled_at: Optional[dt.datetime]
    """When the repository was read, which all facts without a date of their own are
    from.
    """
    scored_at: Optional[dt.datetime]
    links: Links
    """Relative to the base address."""


@dataclass(frozen=True, repr=False)
class ServerChange(Model):
    """A list entry or, with the status deleted, a server that is no longer listed."""

    id: str
    status: Status
    category: Optional[Category]
    changed_at: Optional[dt.datetime]
    """When it was removed; only with the status deleted."""
    copy_of: Optional[str]
    """Slug of an older server of another owner that this one looks like a copy of."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first found."""
    description: Optional[str]
    downloads: Optional[int]
    downloads_at: Optional[dt.datetime]
    """When the oldest of the counts of downloads was read."""
    grade: Optional[Grade]
    """A from 80, B from 65, C from 50, D from 30."""
    health_score: Optional[int]
    icon: Optional[str]
    language: Optional[str]
    last_crawled_at: Optional[dt.datetime]
    """When the repository was read, which all facts without a date of their own are
    from.
    """
    license: Optional[str]
    links: Optional[Links]
    """Relative to the base address."""
    liveness: Optional[ServerLiveness]
    """The best of the remotes: alive (answers without a login), gated (requires a
    login, credentials or a payment), down, unknown. Null without remotes.
    """
    look_alike_of: Optional[str]
    """Slug of a better known server whose name or namespace this one imitates."""
    name: Optional[str]
    official: Optional[bool]
    """The vendor of the product itself publishes the server."""
    official_reason: Optional[str]
    """Why it is official, as a sentence; null if it is not."""
    popularity: Optional[int]
    quality_score: Optional[int]
    remotes: Optional[list[Endpoint]]
    repository: Optional[Repository]
    scored_at: Optional[dt.datetime]
    sdk: Optional[Sdk]
    """Read from dependency manifests."""
    second_category: Optional[Category]
    """The next category that fits, where the first is uncertain; null otherwise."""
    slug: Optional[str]
    """The same as id."""
    stars: Optional[int]
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools break, each once. Findings of rules, not verdicts; null if the tools are
    unknown.
    """
    tags: Optional[list[str]]
    tool_count: Optional[int]
    tool_list: Optional[ToolsRead]
    """Where the tools are from, and when they were read; null if they are unknown."""
    tool_tokens: Optional[int]
    """About how many tokens the tools take of a model's context (o200k_base)."""
    transports: Optional[list[Transport]]
    updated_at: Optional[dt.datetime]
    verified: Optional[bool]
    """Linked: the package or registry entry and the repository name each other. Not a
    safety review.
    """


@dataclass(frozen=True, repr=False)
class ServerDetail(Model):
    id: str
    slug: str
    """The same as id."""
    name: str
    registry_name: Optional[str]
    title: Optional[str]
    description: Optional[str]
    category: Category
    category_confidence: float
    second_category: Optional[Category]
    """The next category that fits, where the first is uncertain; null otherwise."""
    tags: list[str]
    sdk: Optional[Sdk]
    """Read from dependency manifests."""
    framework: Optional[str]
    language: Optional[str]
    license: Optional[str]
    quality_score: Optional[int]
    health_score: Optional[int]
    grade: Optional[Grade]
    """A from 80, B from 65, C from 50, D from 30."""
    popularity: Optional[int]
    score_version: Optional[str]
    score_low: Optional[int]
    score_high: Optional[int]
    coverage: Optional[float]
    confidence: Optional[Confidence]
    commit_chance: Optional[float]
    """Share of servers like this one that had a commit by a person in the next 90
    days. Not part of the score. `null` if it is not known or the repository is
    archived. See docs/scoring.md.
    """
    stars: Optional[int]
    forks: Optional[int]
    open_issues: Optional[int]
    contributors: Optional[int]
    downloads: Optional[int]
    downloads_period: str
    downloads_breakdown: dict[str, Optional[int]]
    """By registry type"""
    downloads_at: Optional[dt.datetime]
    """When the oldest of these counts was read."""
    repository: RepositoryDetail
    homepage: Optional[str]
    icon: Optional[str]
    owner: Optional[Owner]
    transports: list[Transport]
    packages: list[Package]
    """As in the official server.json, schema 2025-12-11."""
    remotes: list[Remote]
    liveness: Optional[ServerLiveness]
    """The best of the remotes: alive (answers without a login), gated (requires a
    login, credentials or a payment), down, unknown. Null without remotes.
    """
    environment_variables: list[Variable]
    tools: Optional[list[Tool]]
    """Null if unknown."""
    tool_count: Optional[int]
    tool_tokens: Optional[int]
    """About how many tokens the tools take of a model's context (o200k_base)."""
    tool_list: Optional[ToolList]
    """Where the tools are from; null if they are unknown."""
    suspicious_rules: Optional[list[str]]
    """Rules for hidden or manipulative text (R1 to R8, see docs/tools.md) that the
    tools break, each once. Findings of rules, not verdicts; null if the tools are
    unknown.
    """
    suspicious_texts: list[SuspiciousText]
    """Parts of the tools' texts that may hide something or manipulate a model.
    Findings of rules, not verdicts.
    """
    install: Install
    status: Status
    status_message: Optional[str]
    successor: Optional[str]
    """The replacement that the owner of a deprecated or archived server links."""
    official: bool
    """The vendor of the product itself publishes the server."""
    official_reason: Optional[str]
    """Why it is official, as a sentence; null if it is not."""
    copy_of: Optional[str]
    """Slug of an older server of another owner that this one looks like a copy of."""
    look_alike_of: Optional[str]
    """Slug of a better known server whose name or namespace this one imitates."""
    copy_reason: Optional[str]
    """Why it looks like a copy or look-alike, in sentences."""
    copy_since: Optional[dt.datetime]
    """When copyOf or lookAlikeOf was first found."""
    verified: bool
    """Linked: the package or registry entry and the repository name each other. Not a
    safety review.
    """
    verified_reason: Optional[str]
    """Which name each other, as a sentence; null if not verified."""
    latest_version: Optional[str]
    released_at: Optional[dt.datetime]
    sources: list[Source]
    created_at: Optional[dt.datetime]
    updated_at: Optional[dt.datetime]
    last_commit_at: Optional[dt.datetime]
    last_crawled_at: Optional[dt.datetime]
    scored_at: Optional[dt.datetime]
    links: Links
    """Relative to the base address."""


@dataclass(frozen=True, repr=False)
class ServerEntry(Model):
    server: ServerJSON
    """A server.json: as its owner published it in the official registry, or made from
    what this registry knows (schema 2025-12-11). See
    https://github.com/modelcontextprotocol/registry.
    """
    meta: dict[str, Any] = field(metadata={"wire": "_meta"})
    """`io.modelcontextprotocol.registry/official` is an OfficialMeta. The member of
    this registry's namespace is a RegistryMeta.
    """


@dataclass(frozen=True, repr=False)
class ServerEntryList(Model):
    servers: list[ServerEntry]
    metadata: EntryMetadata


@dataclass(frozen=True, repr=False)
class ServerJSON(Model):
    """A server.json: as its owner published it in the official registry, or made from
    what this registry knows (schema 2025-12-11). See
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
"""The best of the remotes: alive (answers without a login), gated (requires a login,
credentials or a payment), down, unknown. Null without remotes.
"""


@dataclass(frozen=True, repr=False)
class ServerPage(Model):
    servers: list[Server]
    pagination: Pagination
    warnings: Optional[list[str]]
    """Present while the search index is unavailable. All servers are then scanned
    without READMEs and descriptions of tools, so results may be missing.
    """


@dataclass(frozen=True, repr=False)
class Source(Model):
    name: str
    first_seen_at: Optional[dt.datetime]
    last_seen_at: Optional[dt.datetime]

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
    """Invisible characters are shown as their code points."""


@dataclass(frozen=True, repr=False)
class Tool(Model):
    name: str
    title: Optional[str]
    description: Optional[str]
    input_schema: Optional[dict[str, Any]]
    """JSON Schema of the parameters; null if unknown. A schema read from prose says so
    in $comment, and may omit types and required parameters.
    """
    annotations: Optional[dict[str, Any]]
    """The hints of the tool, as MCP defines them; null if it has none or they are
    unknown.
    """
    hash: Optional[str]
    """SHA-256 of name, description, inputSchema and annotations as canonical JSON (RFC
    8785).
    """
    tokens: Optional[int]
    """About how many tokens the definition takes of a model's context (o200k_base)."""
    description_source: Optional[str]
    """Source of the description, if that is not the source of the list."""
    input_schema_source: Optional[str]
    """Source of the input schema, if that is not the source of the list."""


@dataclass(frozen=True, repr=False)
class ToolChange(Model):
    name: str
    kind: ToolChangeKind
    fields: list[ToolChangeField]
    """What was changed."""
    before: Optional[ToolDefinition]
    """Null before a tool was added and after it was removed."""
    after: Optional[ToolDefinition]
    """Null before a tool was added and after it was removed."""

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
    """The slug."""
    changes: list[ToolListChange]
    """Newest first."""


@dataclass(frozen=True, repr=False)
class ToolDefinition(Model):
    """Null before a tool was added and after it was removed."""

    description: Optional[str]
    annotations: Optional[dict[str, Any]]
    hash: Optional[str]


@dataclass(frozen=True, repr=False)
class ToolEntry(Model):
    name: str
    """The name of the server, or with level=tool the slug and the tool, "server/tool"."""
    description: str
    source: str
    """URL of the repository, or of the folder of the server in it."""
    installation: Optional[str]
    """Command that starts the server; null if unknown."""
    quality_score: Optional[int] = field(metadata={"wire": "quality_score"})
    input_schema: Optional[dict[str, Any]]
    meta: dict[str, ToolEntryMeta] = field(metadata={"wire": "_meta"})
    """One member, named by the registry."""


@dataclass(frozen=True, repr=False)
class ToolEntryMeta(Model):
    id: str
    owner: Optional[str]
    """Owner of the repository."""
    official: bool
    """The vendor of the product itself publishes the server."""
    status: Status
    category: Category
    transports: list[Transport]
    remotes: list[Endpoint]
    liveness: Optional[ServerLiveness]
    """The best of the remotes: alive (answers without a login), gated (requires a
    login, credentials or a payment), down, unknown. Null without remotes.
    """
    install: Optional[ToolEntryMetaInstall]
    last_crawled_at: Optional[dt.datetime]
    """When the repository was read."""
    scored_at: Optional[dt.datetime]
    tool: Optional[str]
    """With level=tool: name of the tool."""
    tool_list: Optional[ToolsRead]
    """Where the tools are from, and when they were read; null if they are unknown."""


@dataclass(frozen=True, repr=False)
class ToolEntryMetaInstall(Model):
    command: str
    args: list[str]
    env: dict[str, str]


@dataclass(frozen=True, repr=False)
class ToolList(Model):
    """Where the tools are from; null if they are unknown."""

    source: ToolSource
    """From the most to the least reliable: a remote endpoint answered, the published
    package answered in a sandbox, a manifest lists them, the source code registers
    them, the README lists them.
    """
    package: Optional[ToolPackage]
    """The published package whose archive was read, if source is `source`; null if the
    repository was read, and for other sources.
    """
    version: Optional[str]
    """The version of the server that has these tools."""
    read_at: Optional[dt.datetime]
    hash: Optional[str]
    """Changes if and only if the hash of a tool changes."""
    tokens: Optional[int]
    """Sum over the tools. Sort by it with sort=toolTokens."""
    endpoint: Optional[str]
    """URL of the endpoint that listed the tools, if one did."""


@dataclass(frozen=True, repr=False)
class ToolListChange(Model):
    at: dt.datetime
    """When the list was first seen."""
    source: ToolSource
    package: Optional[ToolPackage]
    """The published package whose archive was read, if source is `source`; null if the
    repository was read, and for other sources.
    """
    version: Optional[str]
    """Of the server that has these tools; null if unknown."""
    former_source: Optional[str]
    """The source of the list before, if it is another one: then the change may be one
    of the source only. It is `source` for both if one list is from the repository
    and the other from the archive of a package.
    """
    former_version: Optional[str]
    """The last version with the former list of the same source or, if there is none,
    with the list of `formerSource`; null if unknown.
    """
    without_new_version: bool
    """The tools changed while the version stayed the same."""
    tool_count: int
    hash: Optional[str]
    """Hash of the new list."""
    tools: list[ToolChange]
    """The tools that differ, by name; empty if there is no former list of the same
    source.
    """


@dataclass(frozen=True, repr=False)
class ToolPackage(Model):
    """The published package whose archive was read, if source is `source`; null if the
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
    """Present while the search index is unavailable. All servers are then scanned
    without READMEs and descriptions of tools, so results may be missing.
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
    """Where the tools are from, and when they were read; null if they are unknown."""

    source: ToolSource
    version: Optional[str]
    """The version of the server that has these tools."""
    read_at: Optional[dt.datetime]

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
    """A deleted key has neither name nor prefix."""
    calls: int


@dataclass(frozen=True, repr=False)
class UsageEntryKey(Model):
    """A deleted key has neither name nor prefix."""

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
    """Against what: JSON, the JSON schema, the rules of the official registry, or the
    rules about clients.
    """
    path: str
    """Where: `packages[0].transport.url`; empty for the whole file."""
    message: str
    severity: ValidationIssueSeverity
    reference: str
    """The name of the rule, or the place in the schema."""
    column: Optional[int]
    """In characters. Absent if unknown."""
    docs: Optional[str]
    """URL of an explanation."""
    line: Optional[int]
    """Where the value begins. Absent if unknown."""

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
"""Against what: JSON, the JSON schema, the rules of the official registry, or the
rules about clients.
"""


@dataclass(frozen=True, repr=False)
class ValidationResult(Model):
    valid: bool
    """Whether no issue has the severity error."""
    issues: list[ValidationIssue]
    """At most 200, errors first. If there are more, the last one says how many."""


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
    """What the {names} in the value mean."""


@dataclass(frozen=True, repr=False)
class View(Model):
    name: str
    title: str
    description: str
    url: str
    """The base URL for clients."""
    max: int
    """The most servers that the view has."""


@dataclass(frozen=True, repr=False)
class Views(Model):
    views: list[View]


@dataclass(frozen=True, repr=False)
class WebhookAdvisoryData(Model):
    """Data of `server.advisory`."""

    server: WebhookServer
    advisories: list[WebhookAdvisoryItem]
    count: int
    """The number of all."""


@dataclass(frozen=True, repr=False)
class WebhookAdvisoryItem(Model):
    id: str
    severity: str
    fixed_in: Optional[str]
    """The first version without it."""
    package: Optional[str]
    title: Optional[str]
    url: Optional[str]


@dataclass(frozen=True, repr=False)
class WebhookDeliveries(Model):
    deliveries: list[WebhookDelivery]
    before: Optional[int]
    """The parameter of the next page; null on the last."""


@dataclass(frozen=True, repr=False)
class WebhookDelivery(Model):
    id: int
    event_id: str
    """The header `webhook-id`."""
    state: WebhookDeliveryState
    attempts: int
    """Since it was created or resent."""
    next_attempt_at: Optional[dt.datetime]
    last_attempt_at: Optional[dt.datetime]
    response_status: Optional[int]
    """Null if there was no response."""
    error: Optional[str]
    duration_ms: Optional[int]
    delivered_at: Optional[dt.datetime]
    created_at: dt.datetime
    payload: WebhookPayload
    """The body of a delivery, less than 20 kB. `data` depends on `type`, of which
    there may be more in future. Events of servers have the server as it is after
    the event, or was before it was gone. Long lists are shortened; `count` is the
    number of all.
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
    """Null for all."""
    servers: Optional[list[str]]
    """Null for all."""
    search: Optional[str]
    enabled: bool
    disabled_at: Optional[dt.datetime]
    disabled_reason: Optional[WebhookEndpointDisabledReason]
    """`owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed
    for five days. `search`: its custom endpoint was deleted.
    """
    failing_since: Optional[dt.datetime]
    """Null if the last attempt succeeded."""
    created_at: dt.datetime
    updated_at: dt.datetime
    links: WebhookEndpointLinks

WebhookEndpointDisabledReason = Union[
    Literal[
        "owner",
        "gone",
        "failing",
        "search",
    ],
    str,
]
"""`owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed for
five days. `search`: its custom endpoint was deleted.
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
    """Null for all."""
    servers: Optional[list[str]]
    """Null for all."""
    search: Optional[str]
    enabled: bool
    disabled_at: Optional[dt.datetime]
    disabled_reason: Optional[WebhookEndpointDisabledReason]
    """`owner`: by you. `gone`: it responded with 410. `failing`: all deliveries failed
    for five days. `search`: its custom endpoint was deleted.
    """
    failing_since: Optional[dt.datetime]
    """Null if the last attempt succeeded."""
    created_at: dt.datetime
    updated_at: dt.datetime
    links: WebhookEndpointLinks
    secret: str
    """`whsec_` and base64. Signs the deliveries."""


@dataclass(frozen=True, repr=False)
class WebhookEndpoints(Model):
    webhooks: list[WebhookEndpoint]
    count: int
    max: int
    """Of the plan. Beyond it, the newest endpoints receive nothing."""

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
        "view.changed",
    ],
    str,
]


@dataclass(frozen=True, repr=False)
class WebhookPayload(Model):
    """The body of a delivery, less than 20 kB. `data` depends on `type`, of which
    there may be more in future. Events of servers have the server as it is after
    the event, or was before it was gone. Long lists are shortened; `count` is the
    number of all.
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
    """The URL."""
    status: Status
    score: Optional[int]
    grade: Optional[str]
    """Absent without a score."""
    version: Optional[str]
    """The latest version; absent if it is unknown."""


@dataclass(frozen=True, repr=False)
class WebhookServerData(Model):
    """Data of `server.listed` and `server.gone`."""

    server: WebhookServer


@dataclass(frozen=True, repr=False)
class WebhookStatusData(Model):
    """Data of `server.deprecated` and `server.archived`."""

    server: WebhookServer
    message: Optional[str]
    """What its owner says; absent if nothing."""
    successor_url: Optional[str]
    """The repository that replaces it; absent if it is unknown."""


@dataclass(frozen=True, repr=False)
class WebhookTestData(Model):
    """Data of `webhook.test`."""

    message: str


@dataclass(frozen=True, repr=False)
class WebhookToolsData(Model):
    """Data of `server.tools_changed`. The lists have names of tools."""

    server: WebhookServer
    source: str
    """Where the list is from."""
    package: Optional[str]
    without_new_version: bool
    """Whether the list before was of the same version."""
    added: list[str]
    removed: list[str]
    changed: list[str]
    count: int
    """The number of all."""
    version: Optional[str]


@dataclass(frozen=True, repr=False)
class WebhookUpdatedData(Model):
    """Data of `server.updated`."""

    server: WebhookServer
    changed: list[str]
    """Names of members."""


@dataclass(frozen=True, repr=False)
class WebhookVersionData(Model):
    """Data of `server.version`."""

    server: WebhookServer
    before: str
    after: str


@dataclass(frozen=True, repr=False)
class WebhookViewData(Model):
    """Data of `view.changed`. The lists have IDs of servers."""

    view: str
    """The name of the custom endpoint."""
    added: list[str]
    removed: list[str]
    count: int
    """The number of all."""


WebhookData = Union[
    WebhookServerData,
    WebhookUpdatedData,
    WebhookVersionData,
    WebhookScoreData,
    WebhookStatusData,
    WebhookAdvisoryData,
    WebhookToolsData,
    WebhookViewData,
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
    "view.changed": WebhookViewData,
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
    "Categories",
    "Category",
    "CategoryCount",
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
    "Dump",
    "Dumps",
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
    "Improvement",
    "Inspection",
    "InspectionOutcome",
    "Install",
    "KeyScope",
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
    "RecordChange",
    "RecordChangePage",
    "RegistryAppVersion",
    "RegistryHealth",
    "RegistryMeta",
    "RegistryPing",
    "Remote",
    "Repository",
    "RepositoryDetail",
    "Sdk",
    "SearchPage",
    "Server",
    "ServerChange",
    "ServerDetail",
    "ServerEntry",
    "ServerEntryList",
    "ServerJSON",
    "ServerLiveness",
    "ServerPage",
    "Source",
    "Status",
    "SuspiciousText",
    "Tool",
    "ToolChange",
    "ToolChangeField",
    "ToolChangeKind",
    "ToolChanges",
    "ToolDefinition",
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
    "WebhookViewData",
]
