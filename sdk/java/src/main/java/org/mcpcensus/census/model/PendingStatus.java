// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class PendingStatus {
    private PendingStatus() {}

    /** pending */
    public static final String PENDING = "pending";
}
