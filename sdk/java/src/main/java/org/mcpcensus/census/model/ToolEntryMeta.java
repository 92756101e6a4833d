// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class ToolEntryMeta extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("id", "owner", "official", "status", "descriptionSource", "kind", "category",
                    "transports", "remotes", "liveness", "risks", "install", "checkedAt",
                    "schemaKnown", "tool", "toolList");

    /** Wraps a decoded object. */
    public ToolEntryMeta(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member id. */
    public String id() {
        return required("id", JsonObject::text);
    }

    /** Owner of the repository. */
    public Optional<String> owner() {
        return optional("owner", JsonObject::text);
    }

    /** Whether the vendor of the product publishes the server. */
    public boolean official() {
        return required("official", JsonObject::bool);
    }

    /** Returns the member status. */
    public String status() {
        return required("status", JsonObject::text);
    }

    /** composed if made of the name and the tools. */
    public Optional<String> descriptionSource() {
        return optional("descriptionSource", JsonObject::text);
    }

    /** server or proxy. */
    public Optional<String> kind() {
        return optional("kind", JsonObject::text);
    }

    /** Returns the member category. */
    public String category() {
        return required("category", JsonObject::text);
    }

    /** Returns the member transports. */
    public List<String> transports() {
        return required("transports", list(JsonObject::text));
    }

    /** Returns the member remotes. */
    public List<Endpoint> remotes() {
        return required("remotes", list(object(Endpoint::new)));
    }

    /**
     * Best state of any remote: alive (responds without a login), gated (requires a login,
     * credentials or a payment), down, or unknown. Null if the server has no remotes.
     */
    public Optional<String> liveness() {
        return optional("liveness", JsonObject::text);
    }

    /** Reasons not to use the server, as in `/api/health`. */
    public List<Risk> risks() {
        return required("risks", list(object(Risk::new)));
    }

    /** Returns the member install. */
    public Optional<ToolEntryMetaInstall> install() {
        return optional("install", object(ToolEntryMetaInstall::new));
    }

    /** When the repository was last read. */
    public Optional<Instant> checkedAt() {
        return optional("checkedAt", JsonObject::instant);
    }

    /** Returns the member schemaKnown. */
    public Optional<Boolean> schemaKnown() {
        return optional("schemaKnown", JsonObject::bool);
    }

    /** Name of the tool, with level=tool. */
    public Optional<String> tool() {
        return optional("tool", JsonObject::text);
    }

    /** Source of the tools; null if the tools are unknown. */
    public Optional<ToolsRead> toolList() {
        return optional("toolList", object(ToolsRead::new));
    }
}
