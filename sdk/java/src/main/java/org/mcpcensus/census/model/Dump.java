// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.LocalDate;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Dump extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("date", "bytes", "sha256", "url");

    /** Wraps a decoded object. */
    public Dump(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** UTC. */
    public LocalDate date() {
        return required("date", JsonObject::date);
    }

    /** Returns the member bytes. */
    public long bytes() {
        return required("bytes", JsonObject::integer);
    }

    /** Returns the member sha256. */
    public String sha256() {
        return required("sha256", JsonObject::text);
    }

    /** Returns the member url. */
    public String url() {
        return required("url", JsonObject::text);
    }
}
