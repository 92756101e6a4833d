// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** How much source code was read. Only with `whole` is what is absent not used. */
public final class CapabilitiesSourceRead {
    private CapabilitiesSourceRead() {}

    /** whole */
    public static final String WHOLE = "whole";

    /** part */
    public static final String PART = "part";
}
