package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.errors.ApiTimeoutException;
import org.mcpcensus.census.errors.AuthenticationException;
import org.mcpcensus.census.errors.BadRequestException;
import org.mcpcensus.census.errors.CheckPendingException;
import org.mcpcensus.census.errors.InternalServerException;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.errors.NotFoundException;
import org.mcpcensus.census.errors.PermissionDeniedException;
import org.mcpcensus.census.errors.RateLimitException;
import org.mcpcensus.census.model.Analytics;
import org.mcpcensus.census.model.BulkAnswer;
import org.mcpcensus.census.model.Categories;
import org.mcpcensus.census.model.Custom;
import org.mcpcensus.census.model.OwnAccount;
import org.mcpcensus.census.model.RecordChange;
import org.mcpcensus.census.model.RecordChangePage;
import org.mcpcensus.census.model.SearchPage;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerDetail;
import org.mcpcensus.census.model.ServerEntry;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.model.ToolEntry;
import org.mcpcensus.census.model.Usage;
import org.mcpcensus.census.model.WebhookDelivery;
import org.mcpcensus.census.model.WebhookEndpointWithSecret;
import org.mcpcensus.census.params.AnalyticsParams;
import org.mcpcensus.census.params.BulkParams;
import org.mcpcensus.census.params.ChangesParams;
import org.mcpcensus.census.params.Condition;
import org.mcpcensus.census.params.CustomParams;
import org.mcpcensus.census.params.DetailMemberParam;
import org.mcpcensus.census.params.DirectoryParams;
import org.mcpcensus.census.params.DirectorySort;
import org.mcpcensus.census.params.DiscoverParams;
import org.mcpcensus.census.params.DiscoverSort;
import org.mcpcensus.census.params.DiscoverToolsParams;
import org.mcpcensus.census.params.EntriesParams;
import org.mcpcensus.census.params.Filters;
import org.mcpcensus.census.params.HealthParams;
import org.mcpcensus.census.params.RecordChangesParams;
import org.mcpcensus.census.params.SearchParams;
import org.mcpcensus.census.params.ServersParams;
import org.mcpcensus.census.params.WebhookEventTypeParam;
import org.mcpcensus.census.params.WebhookParams;

/**
 * Every method against a running registry, and a proxy before it that misbehaves.
 * {@code make sdk-test} in the root of the repository sets the variables.
 */
class LiveTest {
    private static final String URL = variable("CENSUS_SDK_TEST_URL");
    private static final String KEY = variable("CENSUS_SDK_TEST_KEY");
    private static final String FREE_KEY = variable("CENSUS_SDK_TEST_FREE_KEY");
    private static final String PROXY = variable("CENSUS_SDK_TEST_PROXY");
    private static final String SLOW_URL = variable("CENSUS_SDK_TEST_SLOW_URL");
    private static final String WEATHER = "octo-labs-weather-mcp";

    private static Census census;

    private static String variable(String name) {
        return Objects.requireNonNullElse(System.getenv(name), "");
    }

    @BeforeAll
    static void start() {
        assumeTrue(!URL.isEmpty() && !KEY.isEmpty(),
                "SKIPPED: CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY are not set");
        long began = System.nanoTime();
        census = Census.builder().baseUrl(URL).apiKey(KEY).build();
        census.directory().categories();
        System.out.println("first call: " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) + " ms");
    }

    @Test
    void lists() {
        Map<String, List<Server>> lists = new LinkedHashMap<>();
        lists.put("discover", census.discover(DiscoverParams.builder().limit(7).build())
                .stream().collect(Collectors.toList()));
        lists.put("directory", census.directory().list(DirectoryParams.builder().limit(10).sort(DirectorySort.NAME).build())
                .stream().collect(Collectors.toList()));
        lists.put("servers", census.servers().list(ServersParams.builder().limit(9).build())
                .stream().collect(Collectors.toList()));
        lists.put("search", census.search(SearchParams.builder().limit(8).facets(false).build())
                .stream().collect(Collectors.toList()));
        lists.put("asynchronous", census.async().discover(DiscoverParams.builder().limit(20).build())
                .thenCompose(AsyncPage::allItems).join());
        long total = census.directory().list().total();
        assertTrue(total > 10);
        Set<String> all = new HashSet<>();
        lists.get("discover").forEach(server -> all.add(server.id()));
        lists.forEach((name, servers) -> {
            assertEquals(total, servers.size(), name);
            assertEquals(all, servers.stream().map(Server::id).collect(Collectors.toSet()), name);
        });
    }

    @Test
    void discover() {
        Page<Server, ServerPage> page = census.discover(DiscoverParams.builder()
                .search("weather").minScore(50).sort(DiscoverSort.STARS).limit(3).build());
        assertTrue(page.items().stream().anyMatch(server -> server.id().equals(WEATHER)));
        assertEquals(Optional.of("enterprise"), page.response().raw().rateLimit().plan());
        List<String> tools = census.discoverTools(
                        DiscoverToolsParams.builder().search("weather").level("tool").limit(2).build())
                .stream().map(ToolEntry::name).collect(Collectors.toList());
        assertTrue(tools.contains(WEATHER + "__get_forecast"), tools.toString());
    }

    @Test
    void directory() {
        Categories categories = census.directory().categories();
        assertEquals(categories.total(), categories.categories().stream().mapToLong(c -> c.count()).sum());
        assertEquals(WEATHER, census.directory().toolChanges(WEATHER).server());
    }

    @Test
    void health() {
        assertEquals(Optional.of("A"), census.health(HealthParams.ofServer(WEATHER)).grade());
        assertEquals(Optional.of(true), census.health(
                HealthParams.ofGithubUrl("https://github.com/quietcorner/tides-mcp")).isMcpServer());
        NotFoundException e = assertThrows(NotFoundException.class,
                () -> census.health(HealthParams.ofServer("octo-labs-wether-mcp")));
        assertEquals(List.of(WEATHER), e.candidates());
        assertThrows(NotFoundException.class, () -> census.check("A".repeat(26)));
    }

    @Test
    void slowCodeHost() {
        assumeTrue(!SLOW_URL.isEmpty(), "SKIPPED: CENSUS_SDK_TEST_SLOW_URL is not set");
        try (Census slow = Census.builder().baseUrl(SLOW_URL).apiKey("").maxRetries(0).build()) {
            assertEquals(Optional.of(false),
                    slow.health(HealthParams.ofGithubUrl("sdk/slow")).isMcpServer());
            HealthParams failing = HealthParams.builder().githubUrl("sdk/failing").waitUntilDone(false).build();
            String id = assertThrows(CheckPendingException.class, () -> slow.health(failing)).checkId();
            // Another check cannot be started within a minute after a failure.
            InternalServerException e = assertThrows(InternalServerException.class,
                    () -> slow.health(HealthParams.ofGithubUrl("sdk/failing")));
            assertEquals(503, e.status());
            e = assertThrows(InternalServerException.class, () -> slow.check(id));
            assertEquals(Optional.of("check_failed"), e.code());
        }
    }

    @Test
    void servers() {
        ServerDetail server = census.servers().retrieve("io.github.octo-labs/weather-mcp");
        assertEquals(WEATHER, server.id());
        assertEquals(Map.of(), server.additionalProperties());
        BulkAnswer bulk = census.servers().bulk(
                BulkParams.builder().ids(WEATHER, "größe").fields(DetailMemberParam.ID, DetailMemberParam.STARS).build());
        assertEquals(Set.of("id", "stars"), bulk.servers().get(0).toMap().keySet());
        assertEquals(List.of("größe"), bulk.notFound());
        Analytics figures = census.servers().analytics(
                WEATHER, AnalyticsParams.builder().period("7d").interval("week").build());
        assertEquals("week", figures.period().interval());
        assertEquals(WEATHER, census.servers().toolChanges(WEATHER).server());
    }

    @Test
    void search() {
        Filters filters = Filters.builder().category(Condition.oneOf("data", "tools"))
                .qualityScore(Condition.between(50, 100)).toolCount(Condition.exists(true)).official(false)
                .updatedAt(Condition.above(java.time.Instant.parse("2000-01-01T00:00:00Z"))).build();
        Page<Server, SearchPage> page = census.search(
                SearchParams.builder().q("weather").filters(filters).sort("-stars,name").limit(2).build());
        assertEquals("stars:desc,name:asc", page.body().sort());
        assertFalse(page.body().facets().orElseThrow().category().isEmpty());
        BadRequestException e = assertThrows(BadRequestException.class, () -> census.search(SearchParams.builder()
                .parameter("filters", Map.of("colour", "red")).build()));
        assertEquals("filters.colour", e.errors().get(0).field());
    }

    @Test
    void account() {
        OwnAccount account = census.account().retrieve();
        assertEquals("enterprise", account.plan().id());
        Usage usage = census.account().usage();
        assertEquals(29, ChronoUnit.DAYS.between(usage.period().from(), usage.period().to()));
        assertEquals(3, census.account().plans().plans().size());
    }

    @Test
    void custom() {
        String name = "java-" + UUID.randomUUID().toString().substring(0, 8);
        Custom made = census.custom().put(name, CustomParams.builder()
                .filters(Filters.builder().stars(Condition.atLeast(1)).build()).fields(DetailMemberParam.ID).limit(5).build());
        assertEquals(made, census.custom().retrieve(name));
        assertTrue(census.custom().list().customs().stream().anyMatch(c -> c.name().equals(name)));
        assertTrue(census.custom().run(name).stream().count() > 5);
        assertEquals(204, census.withResponse(c -> {
            c.custom().delete(name);
            return name;
        }).raw().status());
        assertThrows(NotFoundException.class, () -> census.custom().delete(name));
    }

    @Test
    void etag() {
        try (Census caching = Census.builder().baseUrl(URL).apiKey(KEY).etagCache(true).build()) {
            Response<ServerDetail> first = caching.withResponse(c -> c.servers().retrieve(WEATHER));
            Response<ServerDetail> second = caching.withResponse(c -> c.servers().retrieve(WEATHER));
            assertFalse(first.raw().fromCache());
            assertTrue(second.raw().fromCache());
            assertEquals(first.data(), second.data());
            assertFalse(first.raw().requestId().equals(second.raw().requestId()));
        }
    }

    @Test
    void registry() {
        ServerEntry entry = census.registry().retrieve("io.github.octo-labs/weather-mcp");
        assertEquals(WEATHER, Entries.registryMeta(entry).orElseThrow().id());
        assertEquals("active", Entries.officialMeta(entry).orElseThrow().status());
        List<String> names = census.registry().list(EntriesParams.builder().limit(7).build()).stream()
                .map(e -> e.server().name()).collect(Collectors.toList());
        assertTrue(names.size() > 20);
        assertEquals(names.size(), new HashSet<>(names).size());
        RegistryView view = census.registry().view("healthy");
        assertEquals(1, view.versions(entry.server().name()).servers().size());
        assertTrue(view.documents().size() > 5);
        assertFalse(view.managedSettings().allowedMcpServers().isEmpty());
        assertTrue(census.registry().views().views().stream().anyMatch(v -> v.name().equals("healthy")));
        assertTrue(census.registry().ping().pong());
        assertFalse(census.registry().validate(Map.of("name", "a")).issues().isEmpty());
        assertThrows(NotFoundException.class, () -> census.registry().retrieve("a.b/c"));
    }

    @Test
    void changes() {
        Set<String> seen = new HashSet<>();
        long next = 0;
        RecordChangesParams params = RecordChangesParams.builder().limit(10).fields(DetailMemberParam.NAME).build();
        for (Page<RecordChange, RecordChangePage> page : census.servers().changes(params).pages()) {
            page.items().forEach(change -> seen.add(change.id()));
            next = page.body().next();
        }
        assertTrue(seen.size() >= 40);
        assertEquals(List.of(), census.directory().changes(ChangesParams.builder().after(next).build()).items());
    }

    @Test
    void webhooks() {
        WebhooksService webhooks = census.webhooks();
        WebhookParams params = WebhookParams.builder().url("https://hooks.example.com/java")
                .events(WebhookEventTypeParam.SERVER_GONE).build(); // the demo has none
        WebhookEndpointWithSecret made = webhooks.create(params);
        assertTrue(made.secret().startsWith("whsec_"));
        assertEquals(made.url(), webhooks.retrieve(made.id()).url());
        assertTrue(webhooks.list().webhooks().stream().anyMatch(w -> w.id() == made.id()));
        assertEquals(Optional.of(List.of("server.gone")), webhooks.replace(made.id(), params).events());
        assertFalse(webhooks.rotate(made.id()).secret().equals(made.secret()));
        WebhookDelivery sent = webhooks.test(made.id());
        assertEquals("webhook.test", sent.payload().type());
        assertEquals(List.of(sent.id()), webhooks.deliveries(made.id()).stream()
                .map(WebhookDelivery::id).collect(Collectors.toList()));
        assertEquals(sent.id(), webhooks.resend(made.id(), sent.id()).id());
        webhooks.delete(made.id());
        assertThrows(NotFoundException.class, () -> webhooks.retrieve(made.id()));
    }

    @Test
    void errors() {
        BadRequestException bad = assertThrows(BadRequestException.class, () -> census.discover(
                DiscoverParams.builder().limit(500).parameter("category", "weather").build()));
        assertEquals(List.of("category", "limit"),
                bad.errors().stream().map(e -> e.field()).sorted().collect(Collectors.toList()));
        NotFoundException unknown = assertThrows(NotFoundException.class,
                () -> census.servers().retrieve("octo-labs/wether-mcp?x=#y"));
        assertEquals(Optional.of("server_not_found"), unknown.code());
        AuthenticationException without = assertThrows(AuthenticationException.class,
                () -> Census.builder().baseUrl(URL).apiKey("").build().servers().list());
        assertEquals(Optional.of("missing_api_key"), without.code());
        AuthenticationException wrong = assertThrows(AuthenticationException.class,
                () -> Census.builder().baseUrl(URL).apiKey(StubClient.KEY).build().servers().list());
        assertEquals(Optional.of("invalid_api_key"), wrong.code());
        assertThrows(BadRequestException.class,
                () -> census.servers().list(ServersParams.builder().cursor("ü&=").build()));
        for (ApiException e : List.of(bad, unknown, without, wrong)) {
            assertTrue(e.getMessage().contains("(request "), e.getMessage());
        }
    }

    @Test
    void plan() {
        assumeTrue(!FREE_KEY.isEmpty(), "SKIPPED: CENSUS_SDK_TEST_FREE_KEY is not set");
        try (Census free = Census.builder().baseUrl(URL).apiKey(FREE_KEY).build()) {
            ApiException e = assertThrows(ApiException.class, () -> free.servers().analytics(WEATHER));
            if (!(e instanceof RateLimitException)) { // other tests use the key
                assertEquals(List.of("professional", "enterprise"), ((PermissionDeniedException) e).requiredPlans());
            }
        }
    }

    private static Census faulty(String fault, int times, int retries, Duration timeout) {
        assumeTrue(!PROXY.isEmpty(), "SKIPPED: CENSUS_SDK_TEST_PROXY is not set");
        return Census.builder().baseUrl(PROXY).apiKey(KEY).maxRetries(retries).timeout(timeout)
                .header("X-Fault", fault).header("X-Fault-Times", String.valueOf(times))
                .header("X-Fault-Id", UUID.randomUUID().toString()).build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"500", "503", "429", "408", "short-body", "retry-after-seconds"})
    void retriedFaults(String fault) {
        Census c = faulty(fault, 2, 2, Duration.ofSeconds(60));
        assertEquals(2, c.withResponse(x -> x.directory().categories()).raw().retries());
    }

    /** The JDK repeats a GET once by itself if the connection ends before a response. */
    @Test
    void reset() {
        Census c = faulty("reset", 2, 2, Duration.ofSeconds(60));
        int retries = c.withResponse(x -> x.directory().categories()).raw().retries();
        assertTrue(retries == 1 || retries == 2, retries + " retries");
    }

    @ParameterizedTest
    @CsvSource({"500,InternalServerException", "retry-after-date,InternalServerException",
        "reset,ApiConnectionException", "short-body,ApiConnectionException"})
    void exhaustedRetries(String fault, String error) {
        RuntimeException e = assertThrows(RuntimeException.class,
                () -> faulty(fault, 9, 1, Duration.ofSeconds(60)).directory().categories());
        assertEquals(error, e.getClass().getSimpleName());
    }

    @Test
    void slow() {
        assertThrows(ApiTimeoutException.class,
                () -> faulty("slow", 1, 0, Duration.ofMillis(500)).directory().categories());
        Census c = faulty("slow", 1, 1, Duration.ofSeconds(1));
        assertEquals(1, c.withResponse(x -> x.directory().categories()).raw().retries());
    }

    @Test
    void abandoned() {
        CompletableFuture<Categories> call =
                faulty("slow", 1, 0, Duration.ofSeconds(60)).async().directory().categories();
        assertThrows(TimeoutException.class, () -> call.get(200, TimeUnit.MILLISECONDS));
        assertTrue(call.cancel(true));
    }

    @Test
    void garbage() {
        assertThrows(InvalidResponseException.class,
                () -> faulty("garbage", 1, 2, Duration.ofSeconds(60)).directory().categories());
    }

    @Test
    void longWait() {
        RateLimitException e = assertThrows(RateLimitException.class,
                () -> faulty("retry-after-long", 1, 2, Duration.ofSeconds(60)).directory().categories());
        assertEquals(Optional.of(Duration.ofHours(1)), e.retryAfter());
    }
}
