// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class ToolChangeField {
    private ToolChangeField() {}

    /** description */
    public static final String DESCRIPTION = "description";

    /** inputSchema */
    public static final String INPUT_SCHEMA = "inputSchema";

    /** annotations */
    public static final String ANNOTATIONS = "annotations";
}
