package org.mcpcensus.census.errors;

import org.mcpcensus.census.RawResponse;

/** Status 401: the key is missing, unknown or revoked. */
public class AuthenticationException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public AuthenticationException(RawResponse response) {
        super(response);
    }
}
