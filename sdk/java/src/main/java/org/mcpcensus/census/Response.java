package org.mcpcensus.census;

/**
 * The result of a call with the response that it is from.
 *
 * @param <T> the type of the result
 */
public final class Response<T> {
    private final T data;
    private final RawResponse raw;

    Response(T data, RawResponse raw) {
        this.data = data;
        this.raw = raw;
    }

    /** Returns the result. */
    public T data() {
        return data;
    }

    /** Returns the response: status, headers, rate limit and body. */
    public RawResponse raw() {
        return raw;
    }

    @Override
    public String toString() {
        return "Response(" + raw.status() + ", " + data + ")";
    }
}
