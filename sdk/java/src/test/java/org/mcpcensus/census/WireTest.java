package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mcpcensus.census.errors.ApiConnectionException;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.errors.ApiTimeoutException;
import org.mcpcensus.census.errors.InternalServerException;
import org.mcpcensus.census.model.Categories;

/** Real connections to servers that misbehave. */
@Timeout(60)
class WireTest {
    private static final String CATEGORIES = "{\"categories\":[],\"total\":7}";
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";

    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable c : open) {
            c.close();
        }
    }

    /** What a server does with a connection whose request has been read. */
    private interface Misbehaviour {
        void respond(Socket socket, OutputStream out) throws IOException, InterruptedException;
    }

    /** Starts a server with a behaviour for each connection, the last one repeatedly. */
    private Census.Builder server(Misbehaviour... behaviours) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        open.add(listener);
        Thread acceptor = new Thread(() -> {
            for (int i = 0; !listener.isClosed(); i++) {
                Misbehaviour behaviour = behaviours[Math.min(i, behaviours.length - 1)];
                try {
                    Socket socket = listener.accept();
                    open.add(socket);
                    Thread t = new Thread(() -> serve(socket, behaviour));
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) {
                    return;
                }
            }
        });
        acceptor.setDaemon(true);
        acceptor.start();
        return Census.builder().baseUrl("http://127.0.0.1:" + listener.getLocalPort()).apiKey("");
    }

    private static void serve(Socket socket, Misbehaviour behaviour) {
        try (socket) {
            InputStream in = socket.getInputStream();
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int c = in.read();
                if (c < 0) {
                    return;
                }
                head.append((char) c);
            }
            behaviour.respond(socket, socket.getOutputStream());
        } catch (IOException | InterruptedException e) {
            // The client is gone.
        }
    }

    private static Misbehaviour responds(String response) {
        return (socket, out) -> out.write(response.getBytes(StandardCharsets.UTF_8));
    }

    private static Misbehaviour ok() {
        return responds(HEAD + CATEGORIES.length() + "\r\nConnection: close\r\n\r\n" + CATEGORIES);
    }

    private static Misbehaviour reset() {
        return (socket, out) -> socket.setSoLinger(true, 0);
    }

    @Test
    void brokenConnections() throws IOException {
        Misbehaviour shortBody = responds(HEAD + "1000\r\n\r\n{\"categories\":[");
        Misbehaviour noHttp = responds("SSH-2.0-x\r\n\r\n");
        Misbehaviour noChunk = responds("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
        for (Misbehaviour bad : List.of(reset(), shortBody, noHttp, noChunk)) {
            Census twice = server(bad, ok()).build();
            assertEquals(7, twice.directory().categories().total());
            assertThrows(ApiConnectionException.class,
                    () -> server(bad).maxRetries(0).build().directory().categories());
        }
    }

    @RepeatedTest(50)
    void truncatedError() throws IOException {
        ApiException e = assertThrows(InternalServerException.class, () -> server(
                responds("HTTP/1.1 500 Oops\r\nContent-Length: 1000\r\n\r\n{\"code\":\"x\"")).maxRetries(0).build()
                .directory().categories());
        assertEquals("{\"code\":\"x\"", e.response().text());
    }

    @Test
    void longerThanContentLength() throws IOException {
        Census census = server(responds(
                HEAD + CATEGORIES.length() + "\r\n\r\n" + CATEGORIES + "HTTP/1.1 200 OK")).build();
        assertEquals(7, census.directory().categories().total());
        assertEquals(7, census.directory().categories().total());
    }

    @Test
    void timeouts() throws IOException {
        Misbehaviour silent = (socket, out) -> Thread.sleep(20_000);
        Misbehaviour slowBody = (socket, out) -> {
            out.write((HEAD + "1000\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < 1000; i++) {
                out.write(' ');
                out.flush();
                Thread.sleep(50);
            }
        };
        for (Misbehaviour slow : List.of(silent, slowBody)) {
            long began = System.nanoTime();
            assertThrows(ApiTimeoutException.class, () -> server(slow).timeout(Duration.ofMillis(300)).maxRetries(0)
                    .build().directory().categories());
            Census second = server(slow, ok()).timeout(Duration.ofMillis(300)).build();
            assertEquals(7, second.directory().categories().total());
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertTrue(took < 5000, took + " ms");
        }
    }

    @Test
    void refused() throws IOException {
        int port;
        try (ServerSocket unused = new ServerSocket(0)) {
            port = unused.getLocalPort();
        }
        ApiConnectionException e = assertThrows(ApiConnectionException.class, () -> Census.builder()
                .baseUrl("http://127.0.0.1:" + port).apiKey("").maxRetries(0).build().directory().categories());
        assertTrue(e.getMessage().startsWith("cannot connect to http://127.0.0.1:" + port), e.getMessage());
    }

    @Test
    void cancelled() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        Census census = server((socket, out) -> {
            received.countDown();
            if (socket.getInputStream().read() < 0) {
                gone.countDown();
            }
        }).maxRetries(9).build();
        CompletableFuture<Categories> call = census.async().directory().categories();
        assertTrue(received.await(10, TimeUnit.SECONDS));
        assertTrue(call.cancel(true));
        assertTrue(gone.await(10, TimeUnit.SECONDS), "the connection stays open");
    }

    @Test
    void interrupted() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        Census census = server((socket, out) -> {
            received.countDown();
            Thread.sleep(20_000);
        }).build();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                census.directory().categories();
            } catch (ApiConnectionException e) {
                interrupted.complete(Thread.currentThread().isInterrupted());
            }
        });
        caller.start();
        assertTrue(received.await(10, TimeUnit.SECONDS));
        caller.interrupt();
        assertTrue(interrupted.get(10, TimeUnit.SECONDS));
    }

    private HttpServer http(com.sun.net.httpserver.HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", handler);
        server.start();
        open.add(() -> server.stop(0));
        open.add(threads::shutdownNow);
        return server;
    }

    private static Census.Builder builder(HttpServer server) {
        return Census.builder().baseUrl("http://127.0.0.1:" + server.getAddress().getPort()).apiKey("");
    }

    private static void respond(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void gzip() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            out.write(CATEGORIES.getBytes(StandardCharsets.UTF_8));
        }
        AtomicInteger length = new AtomicInteger(packed.size());
        Census census = builder(http(exchange -> {
            assertEquals("gzip", exchange.getRequestHeaders().getFirst("Accept-Encoding"));
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            byte[] body = new byte[length.get()];
            System.arraycopy(packed.toByteArray(), 0, body, 0, body.length);
            respond(exchange, 200, body);
        })).maxRetries(0).build();
        Response<Categories> response = census.withResponse(c -> c.directory().categories());
        assertEquals(7, response.data().total());
        assertArrayEquals(CATEGORIES.getBytes(StandardCharsets.UTF_8), response.raw().body());
        length.addAndGet(-5);
        assertThrows(ApiConnectionException.class, () -> census.directory().categories());
    }

    @Test
    void redirects() throws IOException {
        AtomicInteger elsewhere = new AtomicInteger();
        HttpServer other = http(exchange -> {
            elsewhere.incrementAndGet();
            respond(exchange, 200, CATEGORIES.getBytes(StandardCharsets.UTF_8));
        });
        Map<String, String> targets = new ConcurrentHashMap<>();
        HttpServer server = http(exchange -> {
            String path = exchange.getRequestURI().getPath();
            assertEquals("Bearer " + StubClient.KEY, exchange.getRequestHeaders().getFirst("Authorization"));
            String target = targets.get(path);
            if (target != null) {
                exchange.getResponseHeaders().set("Location", target);
                respond(exchange, 308, new byte[0]);
                return;
            }
            respond(exchange, 200, CATEGORIES.getBytes(StandardCharsets.UTF_8));
        });
        Census census = builder(server).apiKey(StubClient.KEY).build();
        targets.put("/api/categories", "../moved?x=1");
        assertEquals(7, census.directory().categories().total());
        targets.put("/moved", "/api/categories");
        ApiException loop = assertThrows(ApiException.class, () -> census.directory().categories());
        assertEquals(308, loop.status());
        for (String target : List.of("http://127.0.0.1:" + other.getAddress().getPort() + "/", "//other.example/",
                "https://127.0.0.1:" + server.getAddress().getPort() + "/", "http://%zz")) {
            targets.put("/api/categories", target);
            assertEquals(308, assertThrows(ApiException.class, () -> census.directory().categories()).status());
        }
        assertEquals(0, elsewhere.get());
    }

    @Test
    void etags() throws IOException {
        AtomicInteger revalidated = new AtomicInteger();
        Census census = builder(http(exchange -> {
            exchange.getResponseHeaders().set("ETag", "\"v1\"");
            exchange.getResponseHeaders().set("X-RateLimit-Remaining", String.valueOf(9 - revalidated.get()));
            if ("\"v1\"".equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
                revalidated.incrementAndGet();
                respond(exchange, 304, new byte[0]);
                return;
            }
            respond(exchange, 200, CATEGORIES.getBytes(StandardCharsets.UTF_8));
        })).etagCache(true).build();
        List<Response<Categories>> got = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            got.add(census.withResponse(c -> c.directory().categories()));
        }
        assertEquals(2, revalidated.get());
        assertFalse(got.get(0).raw().fromCache());
        assertTrue(got.get(2).raw().fromCache());
        assertEquals(200, got.get(2).raw().status());
        assertEquals(got.get(0).data(), got.get(2).data());
        assertEquals(8, got.get(2).raw().rateLimit().remaining().orElseThrow());
        // A validator of the user is not replaced, and its 304 is reported.
        Census own = census.withOptions(RequestOptions.builder().header("If-None-Match", "\"v1\"").build());
        assertEquals(304, assertThrows(ApiException.class, () -> own.directory().categories()).status());
    }

    @Test
    void manyThreads() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = http(exchange -> {
            requests.incrementAndGet();
            respond(exchange, 200, CATEGORIES.getBytes(StandardCharsets.UTF_8));
        });
        Census census = builder(server).build();
        ExecutorService tasks = Executors.newFixedThreadPool(50);
        open.add(tasks::shutdownNow);
        List<Future<Long>> sums = new ArrayList<>();
        for (int task = 0; task < 50; task++) {
            sums.add(tasks.submit(() -> {
                long sum = 0;
                for (int i = 0; i < 20; i++) {
                    sum += census.directory().categories().total();
                }
                return sum;
            }));
        }
        for (Future<Long> sum : sums) {
            assertEquals(140, sum.get());
        }
        List<CompletableFuture<Categories>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            calls.add(census.async().directory().categories());
        }
        CompletableFuture.allOf(calls.toArray(new CompletableFuture<?>[0])).join();
        assertEquals(1200, requests.get());
    }

    @Test
    void continuationsMayBlock() throws Exception {
        Census census = server((socket, out) -> Thread.sleep(20_000))
                .timeout(Duration.ofMillis(200)).maxRetries(0).build();
        List<CompletableFuture<Throwable>> calls = new ArrayList<>();
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            calls.add(census.async().directory().categories().<Throwable>thenApply(c -> null).exceptionally(e -> {
                both.countDown();
                try {
                    both.await(10, TimeUnit.SECONDS);
                } catch (InterruptedException interrupt) {
                    Thread.currentThread().interrupt();
                }
                return Futures.unwrap(e);
            }));
        }
        for (CompletableFuture<Throwable> call : calls) {
            assertInstanceOf(ApiTimeoutException.class, call.get(10, TimeUnit.SECONDS));
        }
        assertEquals(0, both.getCount());
    }

    @Test
    void ownHttpClient() throws IOException {
        HttpServer server = http(exchange -> respond(exchange, 200, CATEGORIES.getBytes(StandardCharsets.UTF_8)));
        HttpClient own = HttpClient.newHttpClient();
        Census first = builder(server).httpClient(own).build();
        assertEquals(7, first.directory().categories().total());
        first.close();
        assertEquals(7, builder(server).httpClient(own).build().directory().categories().total());
    }
}
