package org.mcpcensus.census.errors;

/** A webhook was not signed with the secret, was changed, or is too old or new. */
public class WebhookVerificationException extends CensusException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message what is wrong
     */
    public WebhookVerificationException(String message) {
        super(message);
    }
}
