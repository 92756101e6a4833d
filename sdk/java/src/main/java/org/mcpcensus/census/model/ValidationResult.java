// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ValidationResult extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("valid", "issues");

    /** Wraps a decoded object. */
    public ValidationResult(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Whether there are no issues of severity error. */
    public boolean valid() {
        return required("valid", JsonObject::bool);
    }

    /** At most 200, errors first. If there are more, the last issue reports how many. */
    public List<ValidationIssue> issues() {
        return required("issues", list(object(ValidationIssue::new)));
    }
}
