package org.mcpcensus.census.errors;

import org.mcpcensus.census.RawResponse;

/** Status 400: a parameter is invalid. See {@link #errors}. */
public class BadRequestException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public BadRequestException(RawResponse response) {
        super(response);
    }
}
