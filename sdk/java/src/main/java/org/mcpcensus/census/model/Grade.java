// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** A from 80, B from 65, C from 50, D from 30. */
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
