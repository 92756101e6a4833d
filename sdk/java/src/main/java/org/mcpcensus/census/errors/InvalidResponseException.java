package org.mcpcensus.census.errors;

import org.mcpcensus.census.RawResponse;

/** A successful response is not what the API describes, such as a page of a proxy. */
public class InvalidResponseException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     * @param reason what is wrong
     */
    public InvalidResponseException(RawResponse response, String reason) {
        super(response, reason + ": " + response.uri() + " responded " + response.status() + " with "
                + response.body().length + " bytes ("
                + response.header("Content-Type").orElse("no content type")
                + "). Check that the base URL is that of a Census registry.");
    }
}
