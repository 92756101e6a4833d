// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class CheckState {
    private CheckState() {}

    /** ok */
    public static final String OK = "ok";

    /** unknown */
    public static final String UNKNOWN = "unknown";

    /** na */
    public static final String NA = "na";

    /** withheld */
    public static final String WITHHELD = "withheld";
}
