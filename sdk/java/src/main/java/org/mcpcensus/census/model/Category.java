// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class Category {
    private Category() {}

    /** database */
    public static final String DATABASE = "database";

    /** tools */
    public static final String TOOLS = "tools";

    /** communication */
    public static final String COMMUNICATION = "communication";

    /** integration */
    public static final String INTEGRATION = "integration";

    /** api */
    public static final String API = "api";

    /** security */
    public static final String SECURITY = "security";

    /** analytics */
    public static final String ANALYTICS = "analytics";

    /** automation */
    public static final String AUTOMATION = "automation";

    /** data */
    public static final String DATA = "data";

    /** productivity */
    public static final String PRODUCTIVITY = "productivity";
}
