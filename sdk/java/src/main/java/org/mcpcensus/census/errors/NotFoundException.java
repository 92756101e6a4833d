package org.mcpcensus.census.errors;

import java.util.List;
import org.mcpcensus.census.RawResponse;

/** Status 404: there is no such server, check or endpoint. */
public class NotFoundException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public NotFoundException(RawResponse response) {
        super(response);
    }

    /**
     * Returns similar servers.
     *
     * @return IDs or names, best match first
     */
    public List<String> candidates() {
        return problem().candidates().orElse(List.of());
    }
}
