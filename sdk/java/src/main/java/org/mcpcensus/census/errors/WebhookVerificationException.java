package org.mcpcensus.census.errors;

/** The signature of a webhook is invalid, or the webhook is too old or too new. */
public class WebhookVerificationException extends CensusException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message the error message
     */
    public WebhookVerificationException(String message) {
        super(message);
    }
}
