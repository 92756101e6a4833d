package org.mcpcensus.census.errors;

import org.mcpcensus.census.RawResponse;

/** A successful response that does not match the API, such as an error page of a proxy. */
public class InvalidResponseException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     * @param reason the reason
     */
    public InvalidResponseException(RawResponse response, String reason) {
        super(response, reason + ": " + response.uri() + " responded " + response.status() + " with "
                + response.body().length + " bytes ("
                + response.header("Content-Type").orElse("no content type")
                + "). Check that the base URL is that of a Census registry.");
    }
}
