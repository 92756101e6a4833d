// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** The setting that makes a command or an endpoint read-only. */
public final class ReadOnlySwitch extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("kind", "name", "default", "evidence", "lifted", "value");

    /** Wraps a decoded object. */
    public ReadOnlySwitch(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** The last three are of endpoints: a parameter, the end of the path, a header. */
    public String kind() {
        return required("kind", JsonObject::text);
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Whether that is the default. */
    public Optional<Boolean> defaultValue() {
        return optional("default", JsonObject::bool);
    }

    /** Returns the member evidence. */
    public Optional<String> evidence() {
        return optional("evidence", JsonObject::text);
    }

    /** How a documented configuration lets the server write. */
    public Optional<String> lifted() {
        return optional("lifted", JsonObject::text);
    }

    /** Returns the member value. */
    public Optional<String> value() {
        return optional("value", JsonObject::text);
    }
}
