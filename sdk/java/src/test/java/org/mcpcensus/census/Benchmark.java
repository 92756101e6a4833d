package org.mcpcensus.census;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.mcpcensus.census.json.Json;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.params.DiscoverParams;

/** Prints figures against a constant handler in the same process. */
final class Benchmark {
    private static final int REQUESTS = 10_000;

    private Benchmark() {}

    public static void main(String[] args) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        byte[] body = Json.write(Fixtures.read("discover").get("body")).getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        long began = System.nanoTime();
        try (Census census = Census.builder().baseUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .apiKey("").build()) {
            call(census);
            System.out.printf("first call of the process: %d ms%n",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            one(census); // warms up
            System.out.printf("1 thread: %.0f requests/s%n", one(census));
            System.out.printf("16 in flight: %.0f requests/s%n", many(census, 16));
        } finally {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    private static void call(Census census) {
        for (Server s : census.discover(DiscoverParams.builder().limit(5).build()).items()) {
            s.id();
        }
    }

    private static double one(Census census) {
        long began = System.nanoTime();
        for (int i = 0; i < REQUESTS; i++) {
            call(census);
        }
        return REQUESTS * 1e9 / (System.nanoTime() - began);
    }

    private static double many(Census census, int width) {
        long began = System.nanoTime();
        List<CompletableFuture<Void>> lanes = new ArrayList<>();
        for (int lane = 0; lane < width; lane++) {
            lanes.add(CompletableFuture.runAsync(() -> {}));
            for (int i = 0; i < REQUESTS / width; i++) {
                int at = lanes.size() - 1;
                lanes.set(at, lanes.get(at).thenCompose(v -> census.async().discover(
                        DiscoverParams.builder().limit(5).build())).thenAccept(page -> page.items().get(0).id()));
            }
        }
        CompletableFuture.allOf(lanes.toArray(new CompletableFuture<?>[0])).join();
        return REQUESTS * 1e9 / (System.nanoTime() - began);
    }
}
