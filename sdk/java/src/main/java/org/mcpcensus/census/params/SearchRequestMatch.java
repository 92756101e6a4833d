// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Which words of `q` must match; see GET /v1/search. Default: some. */
public enum SearchRequestMatch {
    /** all */
    ALL("all"),

    /** some */
    SOME("some");

    private final String value;

    SearchRequestMatch(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
