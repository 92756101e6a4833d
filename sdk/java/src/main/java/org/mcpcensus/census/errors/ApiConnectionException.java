package org.mcpcensus.census.errors;

/** There was no complete response: the connection failed. */
public class ApiConnectionException extends CensusException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message the error message
     * @param cause the cause, or null
     */
    public ApiConnectionException(String message, Throwable cause) {
        super(message, cause);
    }
}
