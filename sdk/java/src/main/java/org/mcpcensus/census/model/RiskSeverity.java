// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * How an installation is offered: beside the text (`notice`), behind it (`caution`), or not at
 * all (`harmful`: the API returns no command).
 */
public final class RiskSeverity {
    private RiskSeverity() {}

    /** notice */
    public static final String NOTICE = "notice";

    /** caution */
    public static final String CAUTION = "caution";

    /** harmful */
    public static final String HARMFUL = "harmful";
}
