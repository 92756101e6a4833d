// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolEntry extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "description", "source", "installation", "quality_score", "inputSchema",
                    "_meta", "title");

    /** Wraps a decoded object. */
    public ToolEntry(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Name of the server. With level=tool, a unique one of the tool. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member description. */
    public String description() {
        return required("description", JsonObject::text);
    }

    /** URL of the repository, or of the server's folder in it. */
    public String source() {
        return required("source", JsonObject::text);
    }

    /** Command that starts the server. */
    public Optional<String> installation() {
        return optional("installation", JsonObject::text);
    }

    /** Returns the member quality_score. */
    public OptionalLong qualityScore() {
        return optionalLong("quality_score", JsonObject::integer);
    }

    /** Returns the member inputSchema. */
    public Map<String, Object> inputSchema() {
        return required("inputSchema", JsonObject::members);
    }

    /** Contains one member, named after the registry. */
    public Map<String, ToolEntryMeta> meta() {
        return required("_meta", map(object(ToolEntryMeta::new)));
    }

    /** Returns the member title. */
    public Optional<String> title() {
        return optional("title", JsonObject::text);
    }
}
