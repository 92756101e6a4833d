// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class OfficialMetaStatus {
    private OfficialMetaStatus() {}

    /** active */
    public static final String ACTIVE = "active";

    /** deprecated */
    public static final String DEPRECATED = "deprecated";

    /** deleted */
    public static final String DELETED = "deleted";
}
