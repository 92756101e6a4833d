// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * How it is known: from the annotations, the code of the tool, its parameters, or a verb of
 * its name or description.
 */
public final class ToolEffectBasis {
    private ToolEffectBasis() {}

    /** declared */
    public static final String DECLARED = "declared";

    /** source */
    public static final String SOURCE = "source";

    /** schema */
    public static final String SCHEMA = "schema";

    /** name */
    public static final String NAME = "name";
}
