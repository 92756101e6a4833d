// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Usage extends JsonObject {
    /** Wraps a decoded object. */
    public Usage(Map<String, Object> members) {
        super(members);
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
