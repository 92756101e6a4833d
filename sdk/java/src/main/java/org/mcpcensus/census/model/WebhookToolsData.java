// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** Data of `server.tools_changed`. The lists contain tool names. */
public final class WebhookToolsData extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("server", "source", "package", "withoutNewVersion", "added", "removed",
                    "changed", "count", "version");

    /** Wraps a decoded object. */
    public WebhookToolsData(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member server. */
    public WebhookServer server() {
        return required("server", object(WebhookServer::new));
    }

    /** Source of the list. */
    public String source() {
        return required("source", JsonObject::text);
    }

    /** Returns the member package. */
    public Optional<String> packageValue() {
        return optional("package", JsonObject::text);
    }

    /** Whether the tools changed while the version stayed the same. */
    public boolean withoutNewVersion() {
        return required("withoutNewVersion", JsonObject::bool);
    }

    /** Returns the member added. */
    public List<String> added() {
        return required("added", list(JsonObject::text));
    }

    /** Returns the member removed. */
    public List<String> removed() {
        return required("removed", list(JsonObject::text));
    }

    /** Returns the member changed. */
    public List<String> changed() {
        return required("changed", list(JsonObject::text));
    }

    /** Full number, if the lists are truncated. */
    public long count() {
        return required("count", JsonObject::integer);
    }

    /** Returns the member version. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }
}
