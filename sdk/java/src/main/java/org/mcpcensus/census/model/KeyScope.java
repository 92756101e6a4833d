// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class KeyScope {
    private KeyScope() {}

    /** read */
    public static final String READ = "read";

    /** analytics */
    public static final String ANALYTICS = "analytics";

    /** custom */
    public static final String CUSTOM = "custom";

    /** webhooks */
    public static final String WEBHOOKS = "webhooks";
}
