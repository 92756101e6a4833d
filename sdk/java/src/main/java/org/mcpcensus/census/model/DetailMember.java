// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class DetailMember {
    private DetailMember() {}

    /** id */
    public static final String ID = "id";

    /** slug */
    public static final String SLUG = "slug";

    /** name */
    public static final String NAME = "name";

    /** registryName */
    public static final String REGISTRY_NAME = "registryName";

    /** title */
    public static final String TITLE = "title";

    /** description */
    public static final String DESCRIPTION = "description";

    /** descriptionSource */
    public static final String DESCRIPTION_SOURCE = "descriptionSource";

    /** kind */
    public static final String KIND = "kind";

    /** category */
    public static final String CATEGORY = "category";

    /** categoryConfidence */
    public static final String CATEGORY_CONFIDENCE = "categoryConfidence";

    /** secondCategory */
    public static final String SECOND_CATEGORY = "secondCategory";

    /** tags */
    public static final String TAGS = "tags";

    /** sdk */
    public static final String SDK = "sdk";

    /** framework */
    public static final String FRAMEWORK = "framework";

    /** language */
    public static final String LANGUAGE = "language";

    /** license */
    public static final String LICENSE = "license";

    /** licenseSource */
    public static final String LICENSE_SOURCE = "licenseSource";

    /** qualityScore */
    public static final String QUALITY_SCORE = "qualityScore";

    /** healthScore */
    public static final String HEALTH_SCORE = "healthScore";

    /** grade */
    public static final String GRADE = "grade";

    /** popularity */
    public static final String POPULARITY = "popularity";

    /** scoreVersion */
    public static final String SCORE_VERSION = "scoreVersion";

    /** scoreLow */
    public static final String SCORE_LOW = "scoreLow";

    /** scoreHigh */
    public static final String SCORE_HIGH = "scoreHigh";

    /** coverage */
    public static final String COVERAGE = "coverage";

    /** confidence */
    public static final String CONFIDENCE = "confidence";

    /** commitChance */
    public static final String COMMIT_CHANCE = "commitChance";

    /** stars */
    public static final String STARS = "stars";

    /** forks */
    public static final String FORKS = "forks";

    /** openIssues */
    public static final String OPEN_ISSUES = "openIssues";

    /** contributors */
    public static final String CONTRIBUTORS = "contributors";

    /** downloads */
    public static final String DOWNLOADS = "downloads";

    /** downloadsPeriod */
    public static final String DOWNLOADS_PERIOD = "downloadsPeriod";

    /** downloadsBreakdown */
    public static final String DOWNLOADS_BREAKDOWN = "downloadsBreakdown";

    /** downloadsAt */
    public static final String DOWNLOADS_AT = "downloadsAt";

    /** repository */
    public static final String REPOSITORY = "repository";

    /** homepage */
    public static final String HOMEPAGE = "homepage";

    /** icon */
    public static final String ICON = "icon";

    /** owner */
    public static final String OWNER = "owner";

    /** transports */
    public static final String TRANSPORTS = "transports";

    /** packages */
    public static final String PACKAGES = "packages";

    /** remotes */
    public static final String REMOTES = "remotes";

    /** liveness */
    public static final String LIVENESS = "liveness";

    /** livenessAt */
    public static final String LIVENESS_AT = "livenessAt";

    /** environmentVariables */
    public static final String ENVIRONMENT_VARIABLES = "environmentVariables";

    /** tools */
    public static final String TOOLS = "tools";

    /** toolCount */
    public static final String TOOL_COUNT = "toolCount";

    /** toolsKnown */
    public static final String TOOLS_KNOWN = "toolsKnown";

    /** toolTokens */
    public static final String TOOL_TOKENS = "toolTokens";

    /** toolList */
    public static final String TOOL_LIST = "toolList";

    /** effect */
    public static final String EFFECT = "effect";

    /** effectGuessed */
    public static final String EFFECT_GUESSED = "effectGuessed";

    /** readOnly */
    public static final String READ_ONLY = "readOnly";

    /** capabilities */
    public static final String CAPABILITIES = "capabilities";

    /** suspiciousRules */
    public static final String SUSPICIOUS_RULES = "suspiciousRules";

    /** suspiciousTexts */
    public static final String SUSPICIOUS_TEXTS = "suspiciousTexts";

    /** risks */
    public static final String RISKS = "risks";

    /** install */
    public static final String INSTALL = "install";

    /** status */
    public static final String STATUS = "status";

    /** statusMessage */
    public static final String STATUS_MESSAGE = "statusMessage";

    /** successor */
    public static final String SUCCESSOR = "successor";

    /** official */
    public static final String OFFICIAL = "official";

    /** officialReason */
    public static final String OFFICIAL_REASON = "officialReason";

    /** copyOf */
    public static final String COPY_OF = "copyOf";

    /** lookAlikeOf */
    public static final String LOOK_ALIKE_OF = "lookAlikeOf";

    /** copyReason */
    public static final String COPY_REASON = "copyReason";

    /** copySince */
    public static final String COPY_SINCE = "copySince";

    /** verified */
    public static final String VERIFIED = "verified";

    /** verifiedReason */
    public static final String VERIFIED_REASON = "verifiedReason";

    /** latestVersion */
    public static final String LATEST_VERSION = "latestVersion";

    /** latestVersionSource */
    public static final String LATEST_VERSION_SOURCE = "latestVersionSource";

    /** releasedAt */
    public static final String RELEASED_AT = "releasedAt";

    /** sources */
    public static final String SOURCES = "sources";

    /** createdAt */
    public static final String CREATED_AT = "createdAt";

    /** updatedAt */
    public static final String UPDATED_AT = "updatedAt";

    /** checkedAt */
    public static final String CHECKED_AT = "checkedAt";

    /** lastCommitAt */
    public static final String LAST_COMMIT_AT = "lastCommitAt";

    /** lastCrawledAt */
    public static final String LAST_CRAWLED_AT = "lastCrawledAt";

    /** scoredAt */
    public static final String SCORED_AT = "scoredAt";

    /** links */
    public static final String LINKS = "links";
}
