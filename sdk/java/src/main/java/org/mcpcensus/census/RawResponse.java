package org.mcpcensus.census;

import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** A response before it is decoded. */
public final class RawResponse {
    private final int status;
    private final HttpHeaders headers;
    private final byte[] body;
    private final URI uri;
    private final int retries;
    private final boolean fromCache;
    private final Duration retryAfter;

    /**
     * Creates a response. Users get one from {@link Response} or an exception.
     *
     * @param status the HTTP status
     * @param headers the headers
     * @param body the body, without content encoding; not copied
     * @param uri the URI of the request
     * @param retries the number of retries
     * @param fromCache whether the body is from the ETag cache
     * @param millis when the response was received, in milliseconds since 1970
     */
    RawResponse(int status, HttpHeaders headers, byte[] body, URI uri, int retries, boolean fromCache,
            long millis) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.uri = uri;
        this.retries = retries;
        this.fromCache = fromCache;
        this.retryAfter = Retry.after(headers, millis);
    }

    /** Returns the HTTP status; 200 if the body is from the ETag cache. */
    public int status() {
        return status;
    }

    /** Returns the headers. */
    public HttpHeaders headers() {
        return headers;
    }

    /** Returns the first value of a header (case-insensitive); empty if it is absent or empty. */
    public Optional<String> header(String name) {
        return headers.firstValue(name).filter(value -> !value.isEmpty());
    }

    /** Returns a copy of the body, without content encoding. */
    public byte[] body() {
        return body.clone();
    }

    /** Returns the body as text in UTF-8. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** Returns the URI of the request. */
    public URI uri() {
        return uri;
    }

    /** Returns the number of retries. */
    public int retries() {
        return retries;
    }

    /** Reports whether the registry responded 304 and the body is from the ETag cache. */
    public boolean fromCache() {
        return fromCache;
    }

    /** Returns the ID of the request in the registry's log. */
    public Optional<String> requestId() {
        return header("X-Request-Id");
    }

    /** Returns the entity tag of the body. */
    public Optional<String> etag() {
        return header("ETag");
    }

    /** Returns the remaining requests. */
    public RateLimit rateLimit() {
        return new RateLimit(this);
    }

    /** Returns the wait before a retry that the registry requests; empty if none. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Returns the status and the URI. */
    @Override
    public String toString() {
        return "RawResponse(" + status + " " + uri + ")";
    }

    /** Returns the cached body with the headers of this 304 response. */
    RawResponse revalidated(RawResponse stored, long millis) {
        HttpHeaders merged = HttpHeaders.of(Headers.merged(stored.headers, headers), (name, value) -> true);
        return new RawResponse(stored.status, merged, stored.body, uri, retries, true, millis);
    }

    /** Returns the size of the body in bytes. */
    int size() {
        return body.length;
    }
}
