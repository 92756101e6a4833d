// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.params;

/** Values of parameters. */
public enum SdkParam {
    /** typescript */
    TYPESCRIPT("typescript"),

    /** python */
    PYTHON("python"),

    /** go */
    GO("go"),

    /** java */
    JAVA("java"),

    /** kotlin */
    KOTLIN("kotlin"),

    /** csharp */
    CSHARP("csharp"),

    /** rust */
    RUST("rust"),

    /** swift */
    SWIFT("swift"),

    /** ruby */
    RUBY("ruby"),

    /** php */
    PHP("php"),

    /** other */
    OTHER("other"),

    /** js */
    JS("js"),

    /** javascript */
    JAVASCRIPT("javascript"),

    /** ts */
    TS("ts"),

    /** node */
    NODE("node"),

    /** nodejs */
    NODEJS("nodejs"),

    /** node.js */
    NODE_JS("node.js"),

    /** py */
    PY("py"),

    /** golang */
    GOLANG("golang"),

    /** c# */
    C_("c#"),

    /** dotnet */
    DOTNET("dotnet"),

    /** .net */
    _NET(".net"),

    /** rs */
    RS("rs"),

    /** kt */
    KT("kt"),

    /** rb */
    RB("rb");

    private final String value;

    SdkParam(String value) {
        this.value = value;
    }

    /** Returns the value in the API. */
    @Override
    public String toString() {
        return value;
    }
}
