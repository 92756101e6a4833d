// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Values of parameters. */
public enum DiscoverSort {
    /** qualityScore */
    QUALITY_SCORE("qualityScore"),

    /** stars */
    STARS("stars"),

    /** downloads */
    DOWNLOADS("downloads");

    private final String value;

    DiscoverSort(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
