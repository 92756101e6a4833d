package org.mcpcensus.census.errors;

/** There was no complete response: no connection, or it broke. */
public class ApiConnectionException extends CensusException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message what failed
     * @param cause why, or null
     */
    public ApiConnectionException(String message, Throwable cause) {
        super(message, cause);
    }
}
