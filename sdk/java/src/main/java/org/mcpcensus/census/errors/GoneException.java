package org.mcpcensus.census.errors;

import org.mcpcensus.census.RawResponse;

/** Status 410: the server was deleted. */
public class GoneException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public GoneException(RawResponse response) {
        super(response);
    }
}
