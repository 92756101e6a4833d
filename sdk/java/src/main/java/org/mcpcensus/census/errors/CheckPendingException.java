package org.mcpcensus.census.errors;

import java.time.Duration;

/** The check of a repository is still running. {@code check(checkId())} returns its result. */
public class CheckPendingException extends CensusException {
    private static final long serialVersionUID = 1;

    private final String checkId;
    private final String statusUrl;
    private final String githubUrl;
    private final Duration retryAfter;

    /**
     * Creates an exception.
     *
     * @param checkId the ID of the check
     * @param statusUrl the URL of its status
     * @param githubUrl the repository
     * @param retryAfter the wait before the next request
     */
    public CheckPendingException(
            String checkId, String statusUrl, String githubUrl, Duration retryAfter) {
        super("the check " + checkId + " of " + githubUrl + " is still running");
        this.checkId = checkId;
        this.statusUrl = statusUrl;
        this.githubUrl = githubUrl;
        this.retryAfter = retryAfter;
    }

    /**
     * Returns the ID of the check.
     *
     * @return for {@code check}
     */
    public String checkId() {
        return checkId;
    }

    /**
     * Returns the URL of the check's status.
     *
     * @return as received; it may be relative to the registry
     */
    public String statusUrl() {
        return statusUrl;
    }

    /**
     * Returns the repository.
     *
     * @return its URL
     */
    public String githubUrl() {
        return githubUrl;
    }

    /**
     * Returns the wait before the next request.
     *
     * @return half a second to a minute
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
