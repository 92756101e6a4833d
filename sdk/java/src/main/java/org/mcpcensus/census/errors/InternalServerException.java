package org.mcpcensus.census.errors;

import org.mcpcensus.census.RawResponse;

/** Status 500 or above: the registry failed, or is unavailable. */
public class InternalServerException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public InternalServerException(RawResponse response) {
        super(response);
    }
}
