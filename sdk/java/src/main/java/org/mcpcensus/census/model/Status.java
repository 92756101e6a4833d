// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class Status {
    private Status() {}

    /** active */
    public static final String ACTIVE = "active";

    /** deprecated */
    public static final String DEPRECATED = "deprecated";

    /** archived */
    public static final String ARCHIVED = "archived";

    /** unreachable */
    public static final String UNREACHABLE = "unreachable";

    /** deleted */
    public static final String DELETED = "deleted";
}
