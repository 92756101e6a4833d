// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Grade of the health score. A is 80 or more, B 65, C 50, D 30; F is below 30. */
public final class Grade {
    private Grade() {}

    /** A */
    public static final String A = "A";

    /** B */
    public static final String B = "B";

    /** C */
    public static final String C = "C";

    /** D */
    public static final String D = "D";

    /** F */
    public static final String F = "F";
}
