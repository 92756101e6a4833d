// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/**
 * What the server can do when it is started with its default settings. Absent members are not
 * known to be used.
 */
public final class Capabilities extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("effect", "guessed", "read", "write", "destructive", "execute", "unknown",
                    "complete", "secrets", "files", "hosts", "listens", "processes", "readOnly",
                    "readOnlyDefault", "readOnlyEndpoint", "sourceRead", "telemetry");

    /** Wraps a decoded object. */
    public Capabilities(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /**
     * What a tool, or the most severe tool of a server, may do: change nothing (`read`), add
     * or send something (`write`), change, overwrite or delete something that exists
     * (`destructive`, as in MCP), or run commands or code of its caller.
     */
    public String effect() {
        return required("effect", JsonObject::text);
    }

    /** Whether the effect follows only from names and parameters. */
    public boolean guessed() {
        return required("guessed", JsonObject::bool);
    }

    /** Number of tools with this effect. */
    public long read() {
        return required("read", JsonObject::integer);
    }

    /** Returns the member write. */
    public long write() {
        return required("write", JsonObject::integer);
    }

    /** Returns the member destructive. */
    public long destructive() {
        return required("destructive", JsonObject::integer);
    }

    /** Returns the member execute. */
    public long execute() {
        return required("execute", JsonObject::integer);
    }

    /** Returns the member unknown. */
    public long unknown() {
        return required("unknown", JsonObject::integer);
    }

    /** Whether all tools are counted. */
    public boolean complete() {
        return required("complete", JsonObject::bool);
    }

    /** Names of secrets that it accepts: variables, arguments and headers. */
    public List<String> secrets() {
        return required("secrets", list(JsonObject::text));
    }

    /** Operations on files. */
    public Optional<List<SourceUse>> files() {
        return optional("files", list(object(SourceUse::new)));
    }

    /** Returns the member hosts. */
    public Optional<List<HostUse>> hosts() {
        return optional("hosts", list(object(HostUse::new)));
    }

    /** Operations that listen on a port. */
    public Optional<List<SourceUse>> listens() {
        return optional("listens", list(object(SourceUse::new)));
    }

    /** Operations that start processes. */
    public Optional<List<SourceUse>> processes() {
        return optional("processes", list(object(SourceUse::new)));
    }

    /** The setting that makes a command or an endpoint read-only. */
    public Optional<ReadOnlySwitch> readOnly() {
        return optional("readOnly", object(ReadOnlySwitch::new));
    }

    /** Returns the member readOnlyDefault. */
    public Optional<Boolean> readOnlyDefault() {
        return optional("readOnlyDefault", JsonObject::bool);
    }

    /** The setting that makes a command or an endpoint read-only. */
    public Optional<ReadOnlySwitch> readOnlyEndpoint() {
        return optional("readOnlyEndpoint", object(ReadOnlySwitch::new));
    }

    /** How much source code was read. Only with `whole` is what is absent not used. */
    public Optional<String> sourceRead() {
        return optional("sourceRead", JsonObject::text);
    }

    /** Libraries that report usage or errors. */
    public Optional<List<SourceUse>> telemetry() {
        return optional("telemetry", list(object(SourceUse::new)));
    }
}
