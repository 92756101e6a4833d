// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class ToolPackageRegistryType {
    private ToolPackageRegistryType() {}

    /** npm */
    public static final String NPM = "npm";

    /** pypi */
    public static final String PYPI = "pypi";
}
