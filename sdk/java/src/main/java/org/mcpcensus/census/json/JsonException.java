package org.mcpcensus.census.json;

import org.mcpcensus.census.errors.CensusException;

/** A text is not JSON, or a member that the API requires is missing or has another type. */
public class JsonException extends CensusException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message what is wrong
     */
    public JsonException(String message) {
        super(message);
    }
}
