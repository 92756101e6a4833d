// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Values of parameters. */
public enum DirectorySort {
    /** qualityScore */
    QUALITY_SCORE("qualityScore"),

    /** recommended */
    RECOMMENDED("recommended"),

    /** stars */
    STARS("stars"),

    /** downloads */
    DOWNLOADS("downloads"),

    /** name */
    NAME("name"),

    /** updated */
    UPDATED("updated"),

    /** created */
    CREATED("created");

    private final String value;

    DirectorySort(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
