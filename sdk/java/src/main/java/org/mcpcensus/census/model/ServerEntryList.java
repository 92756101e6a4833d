// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ServerEntryList extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("servers", "metadata");

    /** Wraps a decoded object. */
    public ServerEntryList(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member servers. */
    public List<ServerEntry> servers() {
        return required("servers", list(object(ServerEntry::new)));
    }

    /** Returns the member metadata. */
    public EntryMetadata metadata() {
        return required("metadata", object(EntryMetadata::new));
    }
}
