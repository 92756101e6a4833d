package org.mcpcensus.census.params;

import java.time.Duration;
import java.util.Objects;

/** Parameters of {@code health}: one of {@code githubUrl} and {@code server}. */
public final class HealthParams extends Params {
    private final boolean waitUntilDone;
    private final Duration maxWait;

    private HealthParams(Builder builder) {
        super(builder);
        this.waitUntilDone = builder.waitUntilDone;
        this.maxWait = builder.maxWait;
    }

    /** Returns a builder without parameters. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the parameters for a repository, by URL or owner/name. */
    public static HealthParams ofGithubUrl(String githubUrl) {
        return builder().githubUrl(githubUrl).build();
    }

    /** Returns the parameters for a server, by its slug or name in the official registry. */
    public static HealthParams ofServer(String server) {
        return builder().server(server).build();
    }

    /** Reports whether the call waits for a running check. */
    public boolean waitUntilDone() {
        return waitUntilDone;
    }

    /** Returns the maximum wait for a check. */
    public Duration maxWait() {
        return maxWait;
    }

    /** Builds HealthParams. */
    public static final class Builder extends Params.Builder<Builder, HealthParams> {
        private boolean waitUntilDone = true;
        private Duration maxWait = Duration.ofMinutes(5);

        private Builder() {}

        /** URL of the repository, or owner/name. */
        public Builder githubUrl(String githubUrl) {
            return set("githubUrl", githubUrl);
        }

        /** Slug of the server, or name in the official registry. */
        public Builder server(String server) {
            return set("server", server);
        }

        /**
         * Whether to wait for a running check instead of throwing {@link
         * org.mcpcensus.census.errors.CheckPendingException}. Default: true.
         */
        public Builder waitUntilDone(boolean waitUntilDone) {
            this.waitUntilDone = waitUntilDone;
            return this;
        }

        /** Maximum wait for a check. Default: 5 minutes. */
        public Builder maxWait(Duration maxWait) {
            this.maxWait = Objects.requireNonNull(maxWait, "maxWait");
            return this;
        }

        @Override
        public HealthParams build() {
            return new HealthParams(this);
        }
    }
}
