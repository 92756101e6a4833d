// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Argument extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("type", "choices", "default", "description", "format", "isRepeated",
                    "isRequired", "isSecret", "name", "placeholder", "value", "valueHint",
                    "variables");

    /** Wraps a decoded object. */
    public Argument(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member type. */
    public String type() {
        return required("type", JsonObject::text);
    }

    /** Returns the member choices. */
    public Optional<List<String>> choices() {
        return optional("choices", list(JsonObject::text));
    }

    /** Returns the member default. */
    public Optional<String> defaultValue() {
        return optional("default", JsonObject::text);
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /** Returns the member format. */
    public Optional<String> format() {
        return optional("format", JsonObject::text);
    }

    /** Returns the member isRepeated. */
    public Optional<Boolean> isRepeated() {
        return optional("isRepeated", JsonObject::bool);
    }

    /** Returns the member isRequired. */
    public Optional<Boolean> isRequired() {
        return optional("isRequired", JsonObject::bool);
    }

    /** Returns the member isSecret. */
    public Optional<Boolean> isSecret() {
        return optional("isSecret", JsonObject::bool);
    }

    /** Returns the member name. */
    public Optional<String> name() {
        return optional("name", JsonObject::text);
    }

    /** An example value. */
    public Optional<String> placeholder() {
        return optional("placeholder", JsonObject::text);
    }

    /** Returns the member value. */
    public Optional<String> value() {
        return optional("value", JsonObject::text);
    }

    /** Returns the member valueHint. */
    public Optional<String> valueHint() {
        return optional("valueHint", JsonObject::text);
    }

    /** Variables for the {names} in the value. */
    public Optional<Map<String, Variable>> variables() {
        return optional("variables", map(object(Variable::new)));
    }
}
