// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.mcpcensus.census.json.JsonObject;

/** An object of the API. */
public final class Package extends JsonObject {
    private static final Set<String> KNOWN =
            Set.of("registryType", "identifier", "transport", "environmentVariables", "fileSha256",
                    "inspection", "packageArguments", "registryBaseUrl", "runtimeArguments",
                    "runtimeHint", "version");

    /** Wraps a decoded object. */
    public Package(Map<String, Object> members) {
        super(members);
    }

    @Override
    protected Set<String> known() {
        return KNOWN;
    }

    /** Returns the member registryType. */
    public String registryType() {
        return required("registryType", JsonObject::text);
    }

    /** Returns the member identifier. */
    public String identifier() {
        return required("identifier", JsonObject::text);
    }

    /** Returns the member transport. */
    public PackageTransport transport() {
        return required("transport", object(PackageTransport::new));
    }

    /** Returns the member environmentVariables. */
    public Optional<List<Variable>> environmentVariables() {
        return optional("environmentVariables", list(object(Variable::new)));
    }

    /** Returns the member fileSha256. */
    public Optional<String> fileSha256() {
        return optional("fileSha256", JsonObject::text);
    }

    /**
     * Result of starting a package in a sandbox, without network access and with made-up
     * values. The check starts of the score uses it. Absent from a package that was not
     * started.
     */
    public Optional<Inspection> inspection() {
        return optional("inspection", object(Inspection::new));
    }

    /** Returns the member packageArguments. */
    public Optional<List<Argument>> packageArguments() {
        return optional("packageArguments", list(object(Argument::new)));
    }

    /** Returns the member registryBaseUrl. */
    public Optional<String> registryBaseUrl() {
        return optional("registryBaseUrl", JsonObject::text);
    }

    /** Returns the member runtimeArguments. */
    public Optional<List<Argument>> runtimeArguments() {
        return optional("runtimeArguments", list(object(Argument::new)));
    }

    /** Returns the member runtimeHint. */
    public Optional<String> runtimeHint() {
        return optional("runtimeHint", JsonObject::text);
    }

    /** Returns the member version. */
    public Optional<String> version() {
        return optional("version", JsonObject::text);
    }
}
