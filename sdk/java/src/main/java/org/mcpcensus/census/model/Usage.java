// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Usage extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("period", "total", "days", "usage");

    /** Wraps a decoded object. */
    public Usage(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member period. */
    public UsagePeriod period() {
        return required("period", object(UsagePeriod::new));
    }

    /** Returns the member total. */
    public long total() {
        return required("total", JsonObject::integer);
    }

    /** Returns the member days. */
    public List<UsageDay> days() {
        return required("days", list(object(UsageDay::new)));
    }

    /** Returns the member usage. */
    public List<UsageEntry> usage() {
        return required("usage", list(object(UsageEntry::new)));
    }
}
