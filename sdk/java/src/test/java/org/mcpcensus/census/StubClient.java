package org.mcpcensus.census;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.mcpcensus.census.json.Json;

/** An HTTP client that replies with given responses, the last one repeatedly, and runs in one thread. */
final class StubClient extends HttpClient {
    static final String KEY = "mcp_" + "x1y2".repeat(10) + "xyz";

    final List<HttpRequest> requests = new ArrayList<>();
    final List<Duration> waits = new ArrayList<>();
    private final Deque<Object> replies = new ArrayDeque<>();
    private final Clock clock = new Clock() {
        private long millis = 1_700_000_000_000L;

        @Override
        long millis() {
            return millis;
        }

        @Override
        double random() {
            return 0;
        }

        @Override
        void after(Duration wait, Executor executor, Runnable task) {
            waits.add(wait);
            millis += wait.toMillis();
            task.run();
        }
    };

    /** A response. A null body is empty. */
    static final class Reply {
        final int status;
        final byte[] body;
        final Map<String, String> headers = new HashMap<>();

        Reply(int status, byte[] body, String... headers) {
            this.status = status;
            this.body = body;
            for (int i = 0; i < headers.length; i += 2) {
                this.headers.put(headers[i], headers[i + 1]);
            }
        }
    }

    static Reply reply(int status, Object json, String... headers) {
        byte[] body = json == null ? new byte[0] : Json.write(json).getBytes(StandardCharsets.UTF_8);
        return new Reply(status, body, headers);
    }

    static Reply text(int status, String body, String... headers) {
        return new Reply(status, body.getBytes(StandardCharsets.UTF_8), headers);
    }

    /** Replies are of Reply, or exceptions. */
    StubClient(Object... replies) {
        this.replies.addAll(List.of(replies));
    }

    Census.Builder builder() {
        return Census.builder().baseUrl("http://127.0.0.1:1").apiKey(KEY).httpClient(this).clock(clock);
    }

    Census census() {
        return builder().build();
    }

    HttpRequest last() {
        return requests.get(requests.size() - 1);
    }

    /** Returns the body of a request. */
    static String bodyOf(HttpRequest request) {
        if (request.bodyPublisher().isEmpty() || request.bodyPublisher().get().contentLength() == 0) {
            return "";
        }
        HttpResponse.BodySubscriber<String> body = HttpResponse.BodySubscribers.ofString(StandardCharsets.UTF_8);
        request.bodyPublisher().get().subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                body.onSubscribe(subscription);
            }

            @Override
            public void onNext(ByteBuffer item) {
                body.onNext(List.of(item));
            }

            @Override
            public void onError(Throwable error) {
                body.onError(error);
            }

            @Override
            public void onComplete() {
                body.onComplete();
            }
        });
        return body.getBody().toCompletableFuture().join();
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        requests.add(request);
        Object next = replies.size() > 1 ? replies.poll() : replies.peek();
        if (next instanceof Exception) {
            return CompletableFuture.failedFuture((Exception) next);
        }
        Reply reply = (Reply) next;
        Map<String, List<String>> headers = new HashMap<>();
        reply.headers.forEach((name, value) -> headers.put(name, List.of(value)));
        HttpHeaders all = HttpHeaders.of(headers, (name, value) -> true);
        HttpResponse.BodySubscriber<T> subscriber = handler.apply(new Info(reply.status, all));
        subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
        });
        for (int at = 0; at < reply.body.length; at += 1 << 20) {
            int length = Math.min(1 << 20, reply.body.length - at);
            subscriber.onNext(List.of(ByteBuffer.wrap(reply.body, at, length)));
        }
        subscriber.onComplete();
        return subscriber.getBody().toCompletableFuture()
                .thenApply(body -> new StubResponse<>(request, reply.status, all, body));
    }

    private static final class Info implements HttpResponse.ResponseInfo {
        private final int status;
        private final HttpHeaders headers;

        Info(int status, HttpHeaders headers) {
            this.status = status;
            this.headers = headers;
        }

        @Override
        public int statusCode() {
            return status;
        }

        @Override
        public HttpHeaders headers() {
            return headers;
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }
    }

    private static final class StubResponse<T> implements HttpResponse<T> {
        private final HttpRequest request;
        private final int status;
        private final HttpHeaders headers;
        private final T body;

        StubResponse(HttpRequest request, int status, HttpHeaders headers, T body) {
            this.request = request;
            this.status = status;
            this.headers = headers;
            this.body = body;
        }

        @Override
        public int statusCode() {
            return status;
        }

        @Override
        public HttpRequest request() {
            return request;
        }

        @Override
        public Optional<HttpResponse<T>> previousResponse() {
            return Optional.empty();
        }

        @Override
        public HttpHeaders headers() {
            return headers;
        }

        @Override
        public T body() {
            return body;
        }

        @Override
        public Optional<SSLSession> sslSession() {
            return Optional.empty();
        }

        @Override
        public URI uri() {
            return request.uri();
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request,
            HttpResponse.BodyHandler<T> handler, HttpResponse.PushPromiseHandler<T> pushed) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return Optional.empty();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return Optional.empty();
    }

    @Override
    public Redirect followRedirects() {
        return Redirect.NEVER;
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return Optional.empty();
    }

    @Override
    public SSLContext sslContext() {
        return null;
    }

    @Override
    public SSLParameters sslParameters() {
        return null;
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return Optional.empty();
    }

    @Override
    public Version version() {
        return Version.HTTP_1_1;
    }

    @Override
    public Optional<Executor> executor() {
        return Optional.empty();
    }
}
