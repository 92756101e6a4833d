package org.mcpcensus.census;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.errors.CheckPendingException;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.json.JsonException;
import org.mcpcensus.census.model.Health;
import org.mcpcensus.census.model.Pending;
import org.mcpcensus.census.model.SearchPage;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.model.ToolEntry;
import org.mcpcensus.census.model.ToolPage;
import org.mcpcensus.census.params.DiscoverParams;
import org.mcpcensus.census.params.DiscoverToolsParams;
import org.mcpcensus.census.params.HealthParams;
import org.mcpcensus.census.params.SearchParams;

/**
 * Asynchronous client: {@link Census} with futures. Futures fail with the exceptions that the
 * methods of {@code Census} throw; cancelling one cancels its request. Continuations run in threads
 * of the client and may block.
 */
public final class CensusAsync {
    private static final Duration DEFAULT_POLL = Duration.ofSeconds(2);
    private static final Duration MIN_POLL = Duration.ofMillis(500);

    private final Transport transport;
    private final DirectoryServiceAsync directory;
    private final ServersServiceAsync servers;
    private final AccountServiceAsync account;
    private final CustomServiceAsync custom;
    private final RegistryServiceAsync registry;
    private final WebhooksServiceAsync webhooks;

    CensusAsync(Transport transport) {
        this.transport = transport;
        this.directory = new DirectoryServiceAsync(transport);
        this.servers = new ServersServiceAsync(transport);
        this.account = new AccountServiceAsync(transport);
        this.custom = new CustomServiceAsync(transport);
        this.registry = new RegistryServiceAsync(transport);
        this.webhooks = new WebhooksServiceAsync(transport);
    }

    /** The public directory. */
    public DirectoryServiceAsync directory() {
        return directory;
    }

    /** Servers with full records; requires a key. */
    public ServersServiceAsync servers() {
        return servers;
    }

    /** The account of the key. */
    public AccountServiceAsync account() {
        return account;
    }

    /** Custom endpoints; requires a key. */
    public CustomServiceAsync custom() {
        return custom;
    }

    /** The registry and its views, through the official registry's API. */
    public RegistryServiceAsync registry() {
        return registry;
    }

    /** The webhook endpoints of the account; needs a key. */
    public WebhooksServiceAsync webhooks() {
        return webhooks;
    }

    /** Finds servers, best first: {@code GET /api/discover}. No key required. */
    public CompletableFuture<AsyncPage<Server, ServerPage>> discover(DiscoverParams params) {
        return AsyncPage.fetch(transport, Request.get("/api/discover", params.values()), PageType.SERVERS);
    }

    /**
     * Finds servers or tools, in the format of MCP's {@code tools/list}: {@code GET
     * /api/discover?format=mcp}. No key required.
     */
    public CompletableFuture<AsyncPage<ToolEntry, ToolPage>> discoverTools(DiscoverToolsParams params) {
        Request request = Request.get("/api/discover",
                DiscoverToolsParams.builder().parameters(params).parameter("format", "mcp").build().values());
        return AsyncPage.fetch(transport, request, PageType.TOOLS);
    }

    /**
     * Returns the health report of a server or of any repository: {@code GET /api/health}. A
     * repository that is not listed is checked; by default, the result waits for it, and a check
     * that fails is repeated once. It fails with {@link CheckPendingException} if the check takes
     * longer than the maximum wait.
     */
    public CompletableFuture<Health> health(HealthParams params) {
        long limit = params.waitUntilDone() ? params.maxWait().toMillis() : 0;
        Request request = Request.get("/api/health", params.values());
        long deadline = transport.clock.millis() + limit;
        return Futures.recover(poll(request, deadline),
                error -> hasEnded(error) ? poll(request, deadline) : CompletableFuture.failedFuture(error));
    }

    /**
     * Returns the result of a check: {@code GET /api/checks/{id}}. It fails with {@link
     * CheckPendingException} while the check is running.
     *
     * @param id the ID or status URL of the check
     */
    public CompletableFuture<Health> check(String id) {
        return poll(Request.get(Request.path("api", "checks", checkId(id))), Long.MIN_VALUE);
    }

    /** Searches with filters and facets: {@code POST /v1/search}. Requires a key. */
    public CompletableFuture<AsyncPage<Server, SearchPage>> search(SearchParams params) {
        return AsyncPage.fetch(
                transport, Request.withBody("POST", "/v1/search", params.values()), PageType.SEARCH);
    }

    /** Returns a client with different settings that shares the connections of this one. */
    public CensusAsync withOptions(RequestOptions options) {
        return new CensusAsync(transport.with(options));
    }

    /**
     * Returns the result of a call with its last response: status, headers, rate limit and body.
     *
     * @param call the call, which receives a client, such as
     *     {@code c -> c.directory().categories()}
     */
    public <T> CompletableFuture<Response<T>> withResponse(
            Function<CensusAsync, CompletableFuture<T>> call) {
        AtomicReference<RawResponse> last = new AtomicReference<>();
        return Futures.map(call.apply(new CensusAsync(transport.recording(last::set))),
                data -> new Response<>(data, last.get()));
    }

    Transport transport() {
        return transport;
    }

    /** Polls until the check is done or the deadline (in milliseconds) has passed. */
    private CompletableFuture<Health> poll(Request request, long deadline) {
        return Futures.then(transport.send(request), raw -> {
            if (raw.status() != 202) {
                return CompletableFuture.completedFuture(Transport.decode(raw, Health::new));
            }
            CheckPendingException pending = pending(raw);
            if (transport.clock.millis() + pending.retryAfter().toMillis() > deadline) {
                return CompletableFuture.failedFuture(pending);
            }
            // Only the ID is used: the key is never sent to a URL from a response.
            Request next = Request.get(Request.path("api", "checks", pending.checkId()));
            return Futures.then(transport.sleep(pending.retryAfter()), slept -> poll(next, deadline));
        });
    }

    /** Reports whether the check of an error will have no result. */
    private static boolean hasEnded(Throwable error) {
        String code = error instanceof ApiException ? ((ApiException) error).code().orElse("") : "";
        return code.equals("check_failed") || code.equals("check_not_found");
    }

    private static CheckPendingException pending(RawResponse raw) {
        try {
            Pending body = Transport.decode(raw, Pending::new);
            Duration wait = raw.retryAfter().orElse(DEFAULT_POLL);
            wait = wait.compareTo(MIN_POLL) < 0 ? MIN_POLL : wait;
            wait = wait.compareTo(Retry.MAX_WAIT) > 0 ? Retry.MAX_WAIT : wait;
            return new CheckPendingException(
                    checkId(body.statusUrl()), body.statusUrl(), body.githubUrl(), wait);
        } catch (JsonException | IllegalArgumentException e) {
            throw new InvalidResponseException(raw, "the response has no check ID");
        }
    }

    /** Returns the ID of a check from an ID or a status URL. */
    private static String checkId(String text) {
        int at = text.indexOf("/api/checks/");
        if (at < 0) {
            return text;
        }
        String path = URI.create(text.substring(at)).getRawPath();
        // URLDecoder decodes a plus as a space, which is wrong in paths.
        return URLDecoder.decode(path.substring("/api/checks/".length()).replace("+", "%2B"),
                StandardCharsets.UTF_8);
    }
}
