package org.mcpcensus.census;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.mcpcensus.census.errors.CheckPendingException;
import org.mcpcensus.census.model.Health;
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
 * Client for a registry. It is safe for concurrent use; create one and share it. Methods throw
 * {@link org.mcpcensus.census.errors.CensusException}. Interrupting the thread cancels its request.
 */
public final class Census implements AutoCloseable {
    private final HttpClient http;
    private final boolean owned;
    private final CensusAsync async;
    private final DirectoryService directory;
    private final ServersService servers;
    private final AccountService account;
    private final CustomService custom;
    private final RegistryService registry;
    private final WebhooksService webhooks;

    private Census(HttpClient http, boolean owned, CensusAsync async) {
        this.http = http;
        this.owned = owned;
        this.async = async;
        this.directory = new DirectoryService(async.directory());
        this.servers = new ServersService(async.servers());
        this.account = new AccountService(async.account());
        this.custom = new CustomService(async.custom());
        this.registry = new RegistryService(async.registry());
        this.webhooks = new WebhooksService(async.webhooks());
    }

    /** Returns a client with the settings of the environment. */
    public static Census create() {
        return builder().build();
    }

    /** Returns a builder with the settings of the environment. */
    public static Builder builder() {
        return new Builder();
    }

    /** The same methods with futures. */
    public CensusAsync async() {
        return async;
    }

    /** The public directory. */
    public DirectoryService directory() {
        return directory;
    }

    /** Servers with full records; requires a key. */
    public ServersService servers() {
        return servers;
    }

    /** The account of the key. */
    public AccountService account() {
        return account;
    }

    /** Custom endpoints; requires a key. */
    public CustomService custom() {
        return custom;
    }

    /** The registry and its views, through the official registry's API. */
    public RegistryService registry() {
        return registry;
    }

    /** The webhook endpoints of the account; needs a key. */
    public WebhooksService webhooks() {
        return webhooks;
    }

    /** Finds servers, best first: {@code GET /api/discover}. No key required. */
    public Page<Server, ServerPage> discover(DiscoverParams params) {
        return new Page<>(Futures.await(async.discover(params)));
    }

    /**
     * Finds servers or tools, in the format of MCP's {@code tools/list}: {@code GET
     * /api/discover?format=mcp}. No key required.
     */
    public Page<ToolEntry, ToolPage> discoverTools(DiscoverToolsParams params) {
        return new Page<>(Futures.await(async.discoverTools(params)));
    }

    /**
     * Returns the health report of a server or of any repository: {@code GET /api/health}. A
     * repository that is not listed is checked; by default, the method waits for the result.
     *
     * @throws CheckPendingException if the check takes longer than the maximum wait
     */
    public Health health(HealthParams params) {
        return Futures.await(async.health(params));
    }

    /**
     * Returns the result of a check: {@code GET /api/checks/{id}}.
     *
     * @param id the ID or status URL of the check
     * @throws CheckPendingException while the check is running
     */
    public Health check(String id) {
        return Futures.await(async.check(id));
    }

    /** Searches with filters and facets: {@code POST /v1/search}. Requires a key. */
    public Page<Server, SearchPage> search(SearchParams params) {
        return new Page<>(Futures.await(async.search(params)));
    }

    /**
     * Returns a client with different settings that shares the connections of this one. Closing
     * either closes both.
     */
    public Census withOptions(RequestOptions options) {
        return new Census(http, owned, async.withOptions(options));
    }

    /**
     * Returns the result of a call with its last response: status, headers, rate limit and body.
     *
     * @param call the call, which receives a client, such as
     *     {@code c -> c.directory().categories()}
     */
    public <T> Response<T> withResponse(Function<Census, T> call) {
        AtomicReference<RawResponse> last = new AtomicReference<>();
        CensusAsync recorded = new CensusAsync(async.transport().recording(last::set));
        return new Response<>(call.apply(new Census(http, false, recorded)), last.get());
    }

    /** Returns the URL of the registry, without a trailing slash. */
    public String baseUrl() {
        return async.transport().options.baseUrl;
    }

    /**
     * Rejects further calls and closes idle connections: immediately on Java 21 and newer,
     * otherwise when the client is garbage collected. Calls in progress complete normally. A custom
     * HTTP client is not closed.
     */
    @Override
    public void close() {
        if (!async.transport().close() || !owned) {
            return;
        }
        try {
            HttpClient.class.getMethod("shutdown").invoke(http);
        } catch (ReflectiveOperationException e) {
            // Before Java 21.
        }
    }

    /** Returns the URL of the registry and the beginning of the key. */
    @Override
    public String toString() {
        ApiKey key = async.transport().options.key;
        return "Census(" + baseUrl() + (key == null ? "" : ", " + key) + ")";
    }

    /** Builds clients. */
    public static final class Builder {
        private String apiKey;
        private String baseUrl;
        private Duration timeout = Options.DEFAULT_TIMEOUT;
        private Duration connectTimeout = Options.DEFAULT_CONNECT_TIMEOUT;
        private int maxRetries = Options.DEFAULT_MAX_RETRIES;
        private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        private boolean etagCache;
        private HttpClient http;
        private Clock clock = new Clock();

        private Builder() {}

        /**
         * The API key; "" means none. Default: the system property {@code census.apiKey}, or the
         * variable CENSUS_API_KEY. It is only sent to the registry, and over plain HTTP only on
         * this machine.
         */
        public Builder apiKey(String apiKey) {
            this.apiKey = apiKey;
            return this;
        }

        /**
         * The URL of the registry. Default: the system property {@code census.url}, the variable
         * CENSUS_URL, or {@code http://127.0.0.1:8080}.
         */
        public Builder baseUrl(String baseUrl) {
            this.baseUrl = baseUrl;
            return this;
        }

        /** The timeout of each attempt, including the body of the response. Default: 60 seconds. */
        public Builder timeout(Duration timeout) {
            this.timeout = Objects.requireNonNull(timeout, "timeout");
            return this;
        }

        /** The timeout of connecting. Default: 10 seconds. */
        public Builder connectTimeout(Duration connectTimeout) {
            this.connectTimeout = Objects.requireNonNull(connectTimeout, "connectTimeout");
            return this;
        }

        /**
         * Maximum number of retries after connection errors and the statuses 408, 409, 429 and 500
         * and above. Default: 2.
         */
        public Builder maxRetries(int maxRetries) {
            this.maxRetries = maxRetries;
            return this;
        }

        /** A header to send with each request. */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /**
         * Whether to cache up to 256 responses and 16 MB in memory and revalidate them by ETag.
         * This saves transfer and time, but counts against the rate limit. Default: false.
         */
        public Builder etagCache(boolean etagCache) {
            this.etagCache = etagCache;
            return this;
        }

        /**
         * Sends the requests, for example through a proxy; {@link #connectTimeout} then has no
         * effect. It must not follow redirects. Default: a client with daemon threads and the
         * proxies of the JVM, except for a registry on this machine.
         */
        public Builder httpClient(HttpClient http) {
            this.http = http;
            return this;
        }

        Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Returns a client.
         *
         * @throws IllegalArgumentException if settings are invalid, or the key would be sent
         *     unencrypted to another machine
         */
        public Census build() {
            String key = apiKey != null ? apiKey : setting("census.apiKey", "CENSUS_API_KEY", "");
            String url = baseUrl != null && !baseUrl.isBlank() ? baseUrl
                    : setting("census.url", "CENSUS_URL", Options.DEFAULT_URL);
            Options options = new Options(url.strip().replaceAll("/+$", ""), ApiKey.of(key), timeout,
                    connectTimeout, maxRetries, Headers.with(headers, Map.of()));
            if (http != null && http.followRedirects() != HttpClient.Redirect.NEVER) {
                throw new IllegalArgumentException(
                        "the HTTP client must not follow redirects, since it would send the key to other hosts");
            }
            Executor executor = http == null ? newExecutor() : http.executor().orElseGet(Builder::newExecutor);
            HttpClient client = http == null ? newClient(options, executor) : http;
            ETagCache cache = etagCache ? new ETagCache(256, 16 << 20) : null;
            Transport transport = new Transport(options, client, executor, cache, clock);
            return new Census(client, http == null, new CensusAsync(transport));
        }

        /** Returns the settings without the key. */
        @Override
        public String toString() {
            return "Census.Builder(" + baseUrl + ")";
        }

        private static HttpClient newClient(Options options, Executor executor) {
            HttpClient.Builder b = HttpClient.newBuilder().executor(executor)
                    .connectTimeout(options.connectTimeout).followRedirects(HttpClient.Redirect.NEVER);
            if (options.isLocal()) {
                b.proxy(HttpClient.Builder.NO_PROXY); // the key would leave this machine unencrypted
            }
            return b.build();
        }

        /** Returns an executor with daemon threads. */
        private static Executor newExecutor() {
            return Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "census");
                thread.setDaemon(true);
                return thread;
            });
        }

        private static String setting(String property, String variable, String otherwise) {
            String value = System.getProperty(property, "");
            value = value.isBlank() ? Objects.requireNonNullElse(System.getenv(variable), "") : value;
            return value.isBlank() ? otherwise : value;
        }
    }
}
