// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Values of parameters. */
public enum DetailMemberParam {
    /** id */
    ID("id"),

    /** slug */
    SLUG("slug"),

    /** name */
    NAME("name"),

    /** registryName */
    REGISTRY_NAME("registryName"),

    /** title */
    TITLE("title"),

    /** description */
    DESCRIPTION("description"),

    /** descriptionSource */
    DESCRIPTION_SOURCE("descriptionSource"),

    /** kind */
    KIND("kind"),

    /** category */
    CATEGORY("category"),

    /** categoryConfidence */
    CATEGORY_CONFIDENCE("categoryConfidence"),

    /** secondCategory */
    SECOND_CATEGORY("secondCategory"),

    /** tags */
    TAGS("tags"),

    /** sdk */
    SDK("sdk"),

    /** framework */
    FRAMEWORK("framework"),

    /** language */
    LANGUAGE("language"),

    /** license */
    LICENSE("license"),

    /** licenseSource */
    LICENSE_SOURCE("licenseSource"),

    /** qualityScore */
    QUALITY_SCORE("qualityScore"),

    /** healthScore */
    HEALTH_SCORE("healthScore"),

    /** grade */
    GRADE("grade"),

    /** popularity */
    POPULARITY("popularity"),

    /** scoreVersion */
    SCORE_VERSION("scoreVersion"),

    /** scoreLow */
    SCORE_LOW("scoreLow"),

    /** scoreHigh */
    SCORE_HIGH("scoreHigh"),

    /** coverage */
    COVERAGE("coverage"),

    /** confidence */
    CONFIDENCE("confidence"),

    /** commitChance */
    COMMIT_CHANCE("commitChance"),

    /** stars */
    STARS("stars"),

    /** forks */
    FORKS("forks"),

    /** openIssues */
    OPEN_ISSUES("openIssues"),

    /** contributors */
    CONTRIBUTORS("contributors"),

    /** downloads */
    DOWNLOADS("downloads"),

    /** downloadsPeriod */
    DOWNLOADS_PERIOD("downloadsPeriod"),

    /** downloadsBreakdown */
    DOWNLOADS_BREAKDOWN("downloadsBreakdown"),

    /** downloadsAt */
    DOWNLOADS_AT("downloadsAt"),

    /** repository */
    REPOSITORY("repository"),

    /** homepage */
    HOMEPAGE("homepage"),

    /** icon */
    ICON("icon"),

    /** owner */
    OWNER("owner"),

    /** transports */
    TRANSPORTS("transports"),

    /** packages */
    PACKAGES("packages"),

    /** remotes */
    REMOTES("remotes"),

    /** liveness */
    LIVENESS("liveness"),

    /** livenessAt */
    LIVENESS_AT("livenessAt"),

    /** environmentVariables */
    ENVIRONMENT_VARIABLES("environmentVariables"),

    /** tools */
    TOOLS("tools"),

    /** toolCount */
    TOOL_COUNT("toolCount"),

    /** toolsKnown */
    TOOLS_KNOWN("toolsKnown"),

    /** toolTokens */
    TOOL_TOKENS("toolTokens"),

    /** toolList */
    TOOL_LIST("toolList"),

    /** effect */
    EFFECT("effect"),

    /** effectGuessed */
    EFFECT_GUESSED("effectGuessed"),

    /** readOnly */
    READ_ONLY("readOnly"),

    /** capabilities */
    CAPABILITIES("capabilities"),

    /** suspiciousRules */
    SUSPICIOUS_RULES("suspiciousRules"),

    /** suspiciousTexts */
    SUSPICIOUS_TEXTS("suspiciousTexts"),

    /** risks */
    RISKS("risks"),

    /** install */
    INSTALL("install"),

    /** status */
    STATUS("status"),

    /** statusMessage */
    STATUS_MESSAGE("statusMessage"),

    /** successor */
    SUCCESSOR("successor"),

    /** official */
    OFFICIAL("official"),

    /** officialReason */
    OFFICIAL_REASON("officialReason"),

    /** copyOf */
    COPY_OF("copyOf"),

    /** lookAlikeOf */
    LOOK_ALIKE_OF("lookAlikeOf"),

    /** copyReason */
    COPY_REASON("copyReason"),

    /** copySince */
    COPY_SINCE("copySince"),

    /** verified */
    VERIFIED("verified"),

    /** verifiedReason */
    VERIFIED_REASON("verifiedReason"),

    /** latestVersion */
    LATEST_VERSION("latestVersion"),

    /** latestVersionSource */
    LATEST_VERSION_SOURCE("latestVersionSource"),

    /** releasedAt */
    RELEASED_AT("releasedAt"),

    /** sources */
    SOURCES("sources"),

    /** createdAt */
    CREATED_AT("createdAt"),

    /** updatedAt */
    UPDATED_AT("updatedAt"),

    /** checkedAt */
    CHECKED_AT("checkedAt"),

    /** lastCommitAt */
    LAST_COMMIT_AT("lastCommitAt"),

    /** lastCrawledAt */
    LAST_CRAWLED_AT("lastCrawledAt"),

    /** scoredAt */
    SCORED_AT("scoredAt"),

    /** links */
    LINKS("links");

    private final String value;

    DetailMemberParam(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
