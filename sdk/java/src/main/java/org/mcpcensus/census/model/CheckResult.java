// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Outcome of the check. */
public final class CheckResult {
    private CheckResult() {}

    /** pass */
    public static final String PASS = "pass";

    /** partial */
    public static final String PARTIAL = "partial";

    /** fail */
    public static final String FAIL = "fail";

    /** unknown */
    public static final String UNKNOWN = "unknown";

    /** notApplicable */
    public static final String NOT_APPLICABLE = "notApplicable";
}
