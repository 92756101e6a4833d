package org.mcpcensus.census.errors;

/** There was no connection or no complete response in time. */
public class ApiTimeoutException extends ApiConnectionException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message what failed
     * @param cause why, or null
     */
    public ApiTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
