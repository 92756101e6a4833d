package org.mcpcensus.census.json;

import java.util.Map;
import java.util.Set;

/** An object of a type that this version does not know. */
public final class UnknownObject extends JsonObject {
    /** Wraps a decoded object. */
    public UnknownObject(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return Set.of();
    }
}
