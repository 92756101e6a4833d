package org.mcpcensus.census;

import java.util.Map;
import java.util.Optional;
import org.mcpcensus.census.model.OfficialMeta;
import org.mcpcensus.census.model.RecordChange;
import org.mcpcensus.census.model.RegistryMeta;
import org.mcpcensus.census.model.ServerChange;
import org.mcpcensus.census.model.ServerEntry;

/** Functions for registry records and changes. */
public final class Entries {
    private static final String OFFICIAL = "io.modelcontextprotocol.registry/official";

    private Entries() {}

    /** Returns the metadata in the format of the official registry, such as the status. */
    public static Optional<OfficialMeta> officialMeta(ServerEntry entry) {
        return object(entry.meta().get(OFFICIAL)).map(OfficialMeta::new);
    }

    /**
     * Returns the registry's metadata of a server, such as score, tools and flags. Empty for
     * deleted servers.
     */
    public static Optional<RegistryMeta> registryMeta(ServerEntry entry) {
        return entry.meta().entrySet().stream()
                .filter(e -> !e.getKey().equals(OFFICIAL) && e.getKey().endsWith("/server"))
                .findFirst().flatMap(e -> object(e.getValue())).map(RegistryMeta::new);
    }

    /**
     * Reports whether a change is the removal of a server. Removals only have an ID, status and
     * time.
     */
    public static boolean isDeleted(ServerChange change) {
        return change.status().equals("deleted");
    }

    /**
     * Reports whether a change is the removal of a server. Removals only have an ID, status and
     * time.
     */
    public static boolean isDeleted(RecordChange change) {
        return change.status().equals("deleted");
    }

    @SuppressWarnings("unchecked")
    private static Optional<Map<String, Object>> object(Object value) {
        return value instanceof Map ? Optional.of((Map<String, Object>) value) : Optional.empty();
    }
}
