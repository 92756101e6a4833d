package org.mcpcensus.census.errors;

/** Timeout while connecting or waiting for the response. */
public class ApiTimeoutException extends ApiConnectionException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message the error message
     * @param cause the cause, or null
     */
    public ApiTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
