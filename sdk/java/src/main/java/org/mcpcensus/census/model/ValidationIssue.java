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
     * Against what: JSON, the JSON schema, the rules of the official registry, or the rules
     * about clients.
     */
    public String type() {
        return required("type", JsonObject::text);
    }

    /** Where: `packages[0].transport.url`; empty for the whole file. */
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

    /** The name of the rule, or the place in the schema. */
    public String reference() {
        return required("reference", JsonObject::text);
    }

    /** In characters. Absent if unknown. */
    public OptionalLong column() {
        return optionalLong("column", JsonObject::integer);
    }

    /** URL of an explanation. */
    public Optional<String> docs() {
        return optional("docs", JsonObject::text);
    }

    /** Where the value begins. Absent if unknown. */
    public OptionalLong line() {
        return optionalLong("line", JsonObject::integer);
    }
}
