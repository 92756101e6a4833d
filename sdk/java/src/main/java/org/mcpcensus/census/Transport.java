package org.mcpcensus.census;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.mcpcensus.census.errors.ApiConnectionException;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.errors.ApiTimeoutException;
import org.mcpcensus.census.errors.CensusException;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.json.Json;
import org.mcpcensus.census.json.JsonException;

/** Sends requests: retries, timeouts, errors and the ETag cache. It is safe for concurrent use. */
final class Transport {
    private static final Logger LOG = System.getLogger("org.mcpcensus.census");
    private static final int MAX_BODY = 64 << 20;
    private static final int MAX_REDIRECTS = 5;

    final Options options;
    final Clock clock;
    private final HttpClient http;
    private final Executor executor;
    private final ETagCache cache; // null if there is none
    private final Consumer<RawResponse> recorder;
    private final AtomicBoolean closed;

    Transport(Options options, HttpClient http, Executor executor, ETagCache cache, Clock clock) {
        this(options, http, executor, cache, clock, response -> {}, new AtomicBoolean());
    }

    private Transport(Options options, HttpClient http, Executor executor, ETagCache cache, Clock clock,
            Consumer<RawResponse> recorder, AtomicBoolean closed) {
        this.options = options;
        this.http = http;
        this.executor = executor;
        this.cache = cache;
        this.clock = clock;
        this.recorder = recorder;
        this.closed = closed;
    }

    /** Returns a transport with different settings and the same connections. */
    Transport with(RequestOptions changes) {
        return new Transport(options.with(changes), http, executor, cache, clock, recorder, closed);
    }

    /** Returns a transport that passes each successful response to a recorder. */
    Transport recording(Consumer<RawResponse> recorder) {
        return new Transport(options, http, executor, cache, clock, recorder, closed);
    }

    /** Rejects further requests. Returns false if it was already closed. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }

    /** Sends a request and decodes the response. */
    <T> CompletableFuture<T> fetch(Request request, Function<Map<String, Object>, T> wrap) {
        return Futures.map(send(request), response -> decode(response, wrap));
    }

    /** Sends a request and decodes the response, which must be an array of JSON objects. */
    <T> CompletableFuture<List<T>> fetchList(Request request, Function<Map<String, Object>, T> wrap) {
        return Futures.map(send(request), response -> decodeList(response, wrap));
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> decodeList(RawResponse response, Function<Map<String, Object>, T> wrap) {
        try {
            List<T> items = new ArrayList<>();
            for (Object item : (List<?>) Json.read(response.text())) {
                items.add(wrap.apply((Map<String, Object>) item));
            }
            return Collections.unmodifiableList(items);
        } catch (JsonException | ClassCastException | NullPointerException e) {
            throw new InvalidResponseException(response, "the response is not an array of JSON objects");
        }
    }

    /** Decodes a response, which must be a JSON object. */
    static <T> T decode(RawResponse response, Function<Map<String, Object>, T> wrap) {
        try {
            return wrap.apply(Json.readObject(response.text()));
        } catch (JsonException e) {
            throw new InvalidResponseException(response, "the response is not a JSON object");
        }
    }

    /** Completes after a delay. */
    CompletableFuture<Void> sleep(Duration wait) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        clock.after(wait, executor, () -> done.complete(null));
        return done;
    }

    /** Sends a request with retries; the result is a 2xx response. */
    CompletableFuture<RawResponse> send(Request request) {
        if (closed.get()) {
            throw new IllegalStateException("the client is closed");
        }
        Call call = new Call(request, request.url(options.baseUrl), request.content());
        call.attempt();
        return call.result;
    }

    /** A request with its consecutive attempts. */
    private final class Call {
        final CompletableFuture<RawResponse> result = new CompletableFuture<>();
        private final Request request;
        private final byte[] content;
        private String url;
        private int attempt;
        private int redirects;

        Call(Request request, String url, byte[] content) {
            this.request = request;
            this.url = url;
            this.content = content;
        }

        void attempt() {
            if (result.isDone()) {
                return; // cancelled
            }
            RawResponse stored = cached();
            HttpRequest sent;
            try {
                sent = httpRequest(stored);
            } catch (IllegalArgumentException e) { // of the HTTP client, for some URLs of redirects
                result.completeExceptionally(new ApiConnectionException("cannot request " + url, e));
                return;
            }
            long began = System.nanoTime();
            exchange(sent).whenComplete((response, error) -> {
                Throwable cause = error == null ? null : Futures.unwrap(error);
                LOG.log(Level.DEBUG, () -> request.method + " " + url + ": "
                        + (cause == null ? response.status : cause) + " in "
                        + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) + " ms");
                if (cause instanceof TimeoutException) {
                    // All timeouts share this thread: continuations must not block it.
                    executor.execute(() -> finish(stored, response, cause));
                } else {
                    finish(stored, response, cause);
                }
            });
        }

        private void finish(RawResponse stored, BodyReader.Received response, Throwable cause) {
            try {
                if (cause != null) {
                    failed(cause);
                } else {
                    received(stored, response);
                }
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        }

        private RawResponse cached() {
            boolean usable = cache != null && request.method.equals("GET")
                    && !options.headers.containsKey("If-None-Match");
            return usable ? cache.get(url) : null;
        }

        private HttpRequest httpRequest(RawResponse stored) {
            HttpRequest.Builder b = HttpRequest.newBuilder(URI.create(url)).timeout(options.timeout)
                    .version(options.version())
                    .method(request.method, content == null
                            ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(content));
            b.setHeader("Accept", "application/json");
            b.setHeader("Accept-Encoding", "gzip");
            b.setHeader("User-Agent", Options.USER_AGENT);
            if (content != null) {
                b.setHeader("Content-Type", "application/json");
            }
            options.headers.forEach(b::setHeader);
            if (stored != null) {
                stored.etag().ifPresent(etag -> b.setHeader("If-None-Match", etag));
            }
            if (options.key != null) {
                b.setHeader("Authorization", options.key.header());
            }
            return b.build();
        }

        /** Sends a request once and reads the whole response within the timeout. */
        private CompletableFuture<BodyReader.Received> exchange(HttpRequest sent) {
            CompletableFuture<BodyReader.Received> timed = new CompletableFuture<>();
            AtomicReference<BodyReader> reader = new AtomicReference<>();
            CompletableFuture<HttpResponse<byte[]>> exchange = http.sendAsync(sent, info -> {
                reader.set(new BodyReader(info, MAX_BODY));
                return reader.get();
            });
            exchange.whenComplete((response, error) -> {
                BodyReader read = reader.get();
                // The client fails if a connection closes early, even if the subscriber does not.
                boolean complete = error == null || read != null && read.endError();
                Futures.complete(timed, complete ? read.received() : null, complete ? null : error);
            });
            timed.orTimeout(options.timeout.toMillis(), TimeUnit.MILLISECONDS);
            timed.whenComplete((response, error) -> exchange.cancel(true)); // no effect if it is done
            Futures.cancelWith(result, timed);
            return timed;
        }

        private void received(RawResponse stored, BodyReader.Received response) {
            int status = response.status;
            byte[] body = response.body;
            if (status >= 300 && options.key != null) {
                body = options.key.redact(body);
            }
            RawResponse raw = new RawResponse(status, response.headers, body, URI.create(url), attempt,
                    false, clock.millis());
            if (status == 304 && stored != null) {
                raw = raw.revalidated(stored, clock.millis());
            } else if (status == 200 && cache != null && request.method.equals("GET")) {
                cache.put(url, raw);
            }
            if (raw.status() >= 200 && raw.status() < 300) {
                recorder.accept(raw);
                result.complete(raw);
                return;
            }
            String target = redirected(raw);
            if (target != null && redirects < MAX_REDIRECTS) {
                url = target;
                redirects++;
                attempt();
                return;
            }
            retry(ApiException.of(raw), wait(raw));
        }

        /** Returns the delay before the next attempt, or null for no retry. */
        private Duration wait(RawResponse response) {
            if (!Retry.isRetryable(response) || request.once && response.status() != 429) {
                return null;
            }
            Duration wait = response.retryAfter().orElseGet(() -> Retry.backoff(attempt, clock.random()));
            return wait.compareTo(Retry.MAX_WAIT) <= 0 ? wait : null;
        }

        /**
         * Returns the redirect target of a GET response; null for other hosts, which must not
         * receive the key.
         */
        private String redirected(RawResponse response) {
            int status = response.status();
            boolean moved = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
            if (!moved || !request.method.equals("GET") || response.header("Location").isEmpty()) {
                return null;
            }
            try {
                URI from = URI.create(url);
                URI to = from.resolve(response.header("Location").get());
                boolean same = from.getScheme().equals(to.getScheme())
                        && from.getRawAuthority().equals(to.getRawAuthority());
                return same ? to.toString() : null;
            } catch (IllegalArgumentException e) {
                return null;
            }
        }

        private void failed(Throwable cause) {
            if (!(cause instanceof IOException || cause instanceof TimeoutException)) {
                result.completeExceptionally(cause);
                return;
            }
            boolean again = !request.once && !(cause instanceof BodyReader.TooLargeException)
                    && !(cause.getCause() instanceof BodyReader.TooLargeException);
            retry(connectionError(cause), again ? Retry.backoff(attempt, clock.random()) : null);
        }

        private void retry(CensusException error, Duration wait) {
            if (wait == null || attempt >= options.maxRetries) {
                result.completeExceptionally(error);
                return;
            }
            LOG.log(Level.DEBUG, () -> request.method + " " + url + ": " + error.getMessage()
                    + "; retry in " + wait.toMillis() + " ms");
            attempt++;
            clock.after(wait, executor, this::attempt);
        }
    }

    private ApiConnectionException connectionError(Throwable cause) {
        String base = options.baseUrl;
        if (cause instanceof HttpConnectTimeoutException) {
            return new ApiTimeoutException("no connection to " + base + " within "
                    + seconds(options.connectTimeout) + " s", cause);
        }
        if (cause instanceof HttpTimeoutException || cause instanceof TimeoutException) {
            return new ApiTimeoutException("no response from " + base + " within "
                    + seconds(options.timeout) + " s", cause);
        }
        String text = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        if (cause instanceof ConnectException) {
            return new ApiConnectionException("cannot connect to " + base + ": " + text
                    + ". Is that your registry? Set CENSUS_URL, or baseUrl of the client.", cause);
        }
        return new ApiConnectionException("the connection to " + base + " failed: " + text, cause);
    }

    private static String seconds(Duration d) {
        return BigDecimal.valueOf(d.toMillis(), 3).stripTrailingZeros().toPlainString();
    }
}
