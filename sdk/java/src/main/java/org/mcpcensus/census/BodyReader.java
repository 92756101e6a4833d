package org.mcpcensus.census;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.zip.GZIPInputStream;

/**
 * Reads the body of a response and decompresses it. For an error response, a truncated body is
 * accepted.
 */
final class BodyReader implements HttpResponse.BodySubscriber<byte[]> {
    private static final int MAX_ERROR = 1 << 20;

    /** The response is too large; retrying does not help. */
    static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1;

        TooLargeException(int max) {
            super("the response is larger than " + max + " bytes");
        }
    }

    private final HttpResponse.ResponseInfo info;
    private final boolean error;
    private final boolean gzip;
    private final int max;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private volatile Flow.Subscription subscription;

    BodyReader(HttpResponse.ResponseInfo info, int max) {
        this.info = info;
        this.error = info.statusCode() >= 400;
        this.gzip = info.headers().firstValue("Content-Encoding").filter("gzip"::equalsIgnoreCase).isPresent();
        this.max = error ? Math.min(max, MAX_ERROR) : max;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    /** Returns the response. The body of an error response may be truncated. */
    Received received() {
        return new Received(info.statusCode(), info.headers(), body.join());
    }

    /** Truncates the body of an error response; false for other responses. */
    boolean endError() {
        if (error) {
            onComplete();
        }
        return error;
    }

    /** A response whose body was read. */
    static final class Received {
        final int status;
        final HttpHeaders headers;
        final byte[] body;

        Received(int status, HttpHeaders headers, byte[] body) {
            this.status = status;
            this.headers = headers;
            this.body = body;
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        this.subscription = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (body.isDone()) {
            return; // sent before the cancellation
        }
        for (ByteBuffer buffer : buffers) {
            byte[] part = new byte[buffer.remaining()];
            buffer.get(part);
            received.writeBytes(part);
        }
        if (received.size() > max) {
            subscription.cancel();
            onComplete();
        }
    }

    @Override
    public void onError(Throwable cause) {
        if (error) {
            onComplete();
        } else {
            body.completeExceptionally(cause);
        }
    }

    @Override
    public void onComplete() {
        if (body.isDone()) {
            return;
        }
        try {
            body.complete(decoded(received.toByteArray()));
        } catch (IOException e) {
            body.completeExceptionally(e);
        }
    }

    private byte[] decoded(byte[] raw) throws IOException {
        if (!gzip || raw.length == 0) {
            return limited(new ByteArrayInputStream(raw));
        }
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(raw))) {
            return limited(in);
        } catch (IOException e) {
            if (error) {
                return new byte[0];
            }
            throw e;
        }
    }

    private byte[] limited(InputStream in) throws IOException {
        byte[] bytes = in.readNBytes(max);
        if (!error && in.read() >= 0) {
            throw new TooLargeException(max);
        }
        return bytes;
    }
}
