package org.mcpcensus.census;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.mcpcensus.census.json.Json;

/** A registry that replies with the recorded responses. Its main method prints its URL. */
final class RecordedRegistry implements AutoCloseable {
    private static final Map<String, String> ROUTES = new LinkedHashMap<>();

    static {
        ROUTES.put("GET /api/discover\\?(?=.*format=mcp)(?=.*level=tool).*", "discover_tools_level");
        ROUTES.put("GET /api/discover.*", "discover");
        ROUTES.put("GET /api/servers/[^/?]+/tools/changes", "directory_tool_changes");
        ROUTES.put("GET /api/servers.*", "directory_list");
        ROUTES.put("GET /api/categories", "directory_categories");
        ROUTES.put("GET /api/health.*", "health_server");
        ROUTES.put("GET /v1/servers/octo-labs-weather-mcp/analytics.*", "servers_analytics");
        ROUTES.put("GET /v1/servers/octo-labs-weather-mcp", "servers_retrieve");
        ROUTES.put("GET /v1/servers/octo-labs-wether-mcp", "servers_retrieve_not_found");
        ROUTES.put("POST /v1/servers/bulk", "servers_bulk");
        ROUTES.put("POST /v1/search", "search");
        ROUTES.put("GET /v1/account", "account_retrieve");
        ROUTES.put("GET /v1/usage\\?from=2026-10-01&to=2026-10-31", "account_usage");
        ROUTES.put("GET /v1/plans", "account_plans");
        ROUTES.put("PUT /v1/custom/good-databases/definition", "custom_put");
        ROUTES.put("DELETE /v1/custom/good-databases/definition", "custom_delete");
        ROUTES.put("POST /v1/custom/good-databases/view", "custom_view");
        ROUTES.put("GET /v1/custom/good-databases.*", "custom_run");
        ROUTES.put("GET /v1/custom", "custom_list");
        ROUTES.put("GET /api/changes.*", "directory_changes");
        ROUTES.put("GET /v0.1/servers/io.github.octo-labs%2Fweather-mcp/versions/latest", "registry_retrieve");
        ROUTES.put("GET /r/healthy/v0.1/servers.*", "registry_view_list");
        ROUTES.put("POST /v0.1/validate", "registry_validate");
        ROUTES.put("POST /v1/webhooks", "webhooks_create");
        ROUTES.put("POST /v1/webhooks/1/test", "webhooks_test");
        ROUTES.put("GET /v1/webhooks/1/deliveries.*", "webhooks_deliveries");
        ROUTES.put("DELETE /v1/webhooks/1", "webhooks_delete");
    }

    final List<String> unknown = Collections.synchronizedList(new ArrayList<>());
    private final HttpServer server;

    RecordedRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 50);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        boolean continued = request.contains("cursor=")
                || new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8).contains("\"cursor\"");
        String name = ROUTES.entrySet().stream().filter(r -> request.matches(r.getKey()))
                .map(Map.Entry::getValue).findFirst().orElse(null);
        if (name == null
                || request.contains(" /v1/") && exchange.getRequestHeaders().getFirst("Authorization") == null) {
            unknown.add(request);
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
            return;
        }
        Map<String, Object> recorded = Fixtures.read(name);
        Object body = recorded.get("body");
        if (continued && body != null) { // the second page is the last
            Map<String, Object> page = new LinkedHashMap<>(Fixtures.object(body));
            Map<String, Object> pagination = new LinkedHashMap<>(Fixtures.object(page.get("pagination")));
            pagination.put("nextCursor", null);
            page.put("pagination", pagination);
            body = page;
        }
        byte[] content = body == null ? new byte[0] : Json.write(body).getBytes(StandardCharsets.UTF_8);
        Fixtures.object(recorded.get("headers"))
                .forEach((header, value) -> exchange.getResponseHeaders().set(header, (String) value));
        String etag = '"' + Integer.toHexString(content.length) + '"';
        exchange.getResponseHeaders().set("ETag", etag);
        if (etag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
            exchange.sendResponseHeaders(304, -1);
        } else {
            int status = ((Long) recorded.get("status")).intValue();
            exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
            exchange.getResponseBody().write(content);
        }
        exchange.close();
    }

    /** Serves until standard input ends. */
    public static void main(String[] args) throws IOException {
        try (RecordedRegistry registry = new RecordedRegistry()) {
            System.out.println(registry.url());
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }
}
