package org.mcpcensus.census.errors;

/** The base class of all exceptions of a call. */
public class CensusException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message the error message
     */
    public CensusException(String message) {
        super(message);
    }

    /**
     * Creates an exception.
     *
     * @param message the error message
     * @param cause the cause, or null
     */
    public CensusException(String message, Throwable cause) {
        super(message, cause);
    }
}
