// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ValidationIssue extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "path", "message", "severity", "reference", "column", "docs", "line");

    /** Wraps a decoded object. */
    public ValidationIssue(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /**
     * Violated rules: JSON syntax, the JSON schema, the official registry's requirements, or
     * known problems with clients.
     */
    public String type() {
        return required("type", JsonObject::text);
    }

    /** Location in the file, such as `packages[0].transport.url`; empty for the whole file. */
    public String path() {
        return required("path", JsonObject::text);
    }

    /** Returns the member message. */
    public String message() {
        return required("message", JsonObject::text);
    }

    /** Returns the member severity. */
    public String severity() {
        return required("severity", JsonObject::text);
    }

    /** Name of the rule, or location in the schema. */
    public String reference() {
        return required("reference", JsonObject::text);
    }

    /** Column where the value begins, in characters. Absent if unknown. */
    public OptionalLong column() {
        return optionalLong("column", JsonObject::integer);
    }

    /** URL of an explanation. */
    public Optional<String> docs() {
        return optional("docs", JsonObject::text);
    }

    /** Line where the value begins. Absent if unknown. */
    public OptionalLong line() {
        return optionalLong("line", JsonObject::integer);
    }
}
