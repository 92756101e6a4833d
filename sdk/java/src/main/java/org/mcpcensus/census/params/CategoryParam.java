// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Values of parameters. */
public enum CategoryParam {
    /** database */
    DATABASE("database"),

    /** tools */
    TOOLS("tools"),

    /** communication */
    COMMUNICATION("communication"),

    /** integration */
    INTEGRATION("integration"),

    /** api */
    API("api"),

    /** security */
    SECURITY("security"),

    /** analytics */
    ANALYTICS("analytics"),

    /** automation */
    AUTOMATION("automation"),

    /** data */
    DATA("data"),

    /** productivity */
    PRODUCTIVITY("productivity");

    private final String value;

    CategoryParam(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
