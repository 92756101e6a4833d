package org.mcpcensus.census.json;

import java.util.Map;
import java.util.Set;

/** An object of an unknown type. */
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
