// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class AnalyticsTotals extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("stars", "forks", "downloads", "directory");

    /** Wraps a decoded object. */
    public AnalyticsTotals(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member stars. */
    public OptionalLong stars() {
        return optionalLong("stars", JsonObject::integer);
    }

    /** Returns the member forks. */
    public OptionalLong forks() {
        return optionalLong("forks", JsonObject::integer);
    }

    /** Of the last 30 days. Other registry types that the server publishes to are members too. */
    public AnalyticsTotalsDownloads downloads() {
        return required("downloads", object(AnalyticsTotalsDownloads::new));
    }

    /** Events counted by this registry in the period. */
    public AnalyticsTotalsDirectory directory() {
        return required("directory", object(AnalyticsTotalsDirectory::new));
    }
}
