// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Tool extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("name", "title", "description", "inputSchema", "annotations", "effect", "hash",
                    "tokens", "conditional", "contradicts", "descriptionSource",
                    "inputSchemaSource");

    /** Wraps a decoded object. */
    public Tool(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member name. */
    public String name() {
        return required("name", JsonObject::text);
    }

    /** Returns the member title. */
    public Optional<String> title() {
        return optional("title", JsonObject::text);
    }

    /** Returns the member description. */
    public Optional<String> description() {
        return optional("description", JsonObject::text);
    }

    /**
     * JSON Schema of the parameters. A schema derived from prose has a $comment and may lack
     * types and required parameters.
     */
    public Optional<Map<String, Object>> inputSchema() {
        return optional("inputSchema", JsonObject::members);
    }

    /** Annotations (hints) as defined by MCP; null if absent or unknown. */
    public Optional<Map<String, Object>> annotations() {
        return optional("annotations", JsonObject::members);
    }

    /** Returns the member effect. */
    public ToolEffect effect() {
        return required("effect", object(ToolEffect::new));
    }

    /** SHA-256 of name, description, inputSchema and annotations as canonical JSON (RFC 8785). */
    public Optional<String> hash() {
        return optional("hash", JsonObject::text);
    }

    /** Approximate number of tokens that the definition uses in a model's context (o200k_base). */
    public OptionalLong tokens() {
        return optionalLong("tokens", JsonObject::integer);
    }

    /** Condition under which the source code registers the tool; absent if there is none. */
    public Optional<ToolCondition> conditional() {
        return optional("conditional", object(ToolCondition::new));
    }

    /** True if the tool is declared to be read-only and its source code is not. */
    public Optional<Boolean> contradicts() {
        return optional("contradicts", JsonObject::bool);
    }

    /** Source of the description, if it differs from the source of the list. */
    public Optional<String> descriptionSource() {
        return optional("descriptionSource", JsonObject::text);
    }

    /** Source of the input schema, if it differs from the source of the list. */
    public Optional<String> inputSchemaSource() {
        return optional("inputSchemaSource", JsonObject::text);
    }
}
