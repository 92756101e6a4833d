package org.mcpcensus.census.json;

import org.mcpcensus.census.errors.CensusException;

/** Invalid JSON, or a required member is missing or has another type. */
public class JsonException extends CensusException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message the error message
     */
    public JsonException(String message) {
        super(message);
    }
}
