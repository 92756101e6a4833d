// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** MCP SDK, from the dependency manifests; null if unknown. */
public final class Sdk {
    private Sdk() {}

    /** typescript */
    public static final String TYPESCRIPT = "typescript";

    /** python */
    public static final String PYTHON = "python";

    /** go */
    public static final String GO = "go";

    /** java */
    public static final String JAVA = "java";

    /** kotlin */
    public static final String KOTLIN = "kotlin";

    /** csharp */
    public static final String CSHARP = "csharp";

    /** rust */
    public static final String RUST = "rust";

    /** swift */
    public static final String SWIFT = "swift";

    /** ruby */
    public static final String RUBY = "ruby";

    /** php */
    public static final String PHP = "php";

    /** other */
    public static final String OTHER = "other";
}
