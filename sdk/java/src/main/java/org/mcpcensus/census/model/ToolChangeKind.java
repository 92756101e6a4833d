// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class ToolChangeKind {
    private ToolChangeKind() {}

    /** added */
    public static final String ADDED = "added";

    /** removed */
    public static final String REMOVED = "removed";

    /** changed */
    public static final String CHANGED = "changed";
}
