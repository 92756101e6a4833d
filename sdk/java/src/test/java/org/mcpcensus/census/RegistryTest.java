package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mcpcensus.census.StubClient.reply;
import static org.mcpcensus.census.StubClient.text;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mcpcensus.census.errors.CensusException;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.model.OfficialMeta;
import org.mcpcensus.census.model.RecordChange;
import org.mcpcensus.census.model.RecordChangePage;
import org.mcpcensus.census.model.RegistryMeta;
import org.mcpcensus.census.model.WebhookDelivery;
import org.mcpcensus.census.params.ChangesParams;
import org.mcpcensus.census.params.DeliveriesParams;
import org.mcpcensus.census.params.DetailMemberParam;
import org.mcpcensus.census.params.EntriesParams;
import org.mcpcensus.census.params.RecordChangesParams;
import org.mcpcensus.census.params.WebhookParams;

/** Lists that continue in other ways, entries of views, and requests that are sent once. */
class RegistryTest {
    private static List<String> requested(StubClient stub) {
        return stub.requests.stream().map(r -> r.uri().getRawPath() + "?" + r.uri().getRawQuery())
                .collect(Collectors.toList());
    }

    @Test
    void changes() {
        StubClient stub = new StubClient(
                text(200, "{\"changes\":[{\"id\":\"a\",\"status\":\"active\"}],\"next\":7,\"hasMore\":true}"),
                text(200, "{\"changes\":[{\"id\":\"b\",\"status\":\"deleted\","
                        + "\"changedAt\":\"2026-10-31T12:00:00Z\"}],\"next\":9,\"hasMore\":false}"));
        RecordChangesParams params = RecordChangesParams.builder().limit(1).fields(DetailMemberParam.NAME, DetailMemberParam.STARS).build();
        List<Optional<Instant>> deleted = new ArrayList<>();
        long next = 0;
        for (Page<RecordChange, RecordChangePage> page : stub.census().servers().changes(params).pages()) {
            page.items().stream().filter(Entries::isDeleted).forEach(c -> deleted.add(c.changedAt()));
            next = page.body().next();
            assertEquals(-1, page.total());
        }
        assertEquals(9, next);
        assertEquals(List.of(Optional.of(Instant.parse("2026-10-31T12:00:00Z"))), deleted);
        assertEquals(List.of("/v1/changes?limit=1&fields=name%2Cstars",
                "/v1/changes?limit=1&fields=name%2Cstars&after=7"), requested(stub));
    }

    @Test
    void changesThatDoNotGoOn() {
        StubClient stub = new StubClient(text(200, "{\"changes\":[],\"next\":7,\"hasMore\":true}"));
        assertThrows(InvalidResponseException.class, () -> stub.census().directory()
                .changes(ChangesParams.builder().after(7).build()).stream().count());
        assertEquals(1, stub.requests.size());
    }

    @Test
    void deliveries() {
        StubClient stub = new StubClient(
                text(200, "{\"deliveries\":[{\"id\":9},{\"id\":8}],\"before\":8}"),
                text(200, "{\"deliveries\":[{\"id\":2}],\"before\":null}"));
        DeliveriesParams params = DeliveriesParams.builder().limit(2).build();
        assertEquals(List.of(9L, 8L, 2L), stub.census().webhooks().deliveries(3, params).stream()
                .map(WebhookDelivery::id).collect(Collectors.toList()));
        assertEquals("limit=2&before=8", stub.last().uri().getRawQuery());
    }

    @Test
    void entriesOfView() {
        String official = "\"io.modelcontextprotocol.registry/official\":";
        StubClient stub = new StubClient(
                text(200, "{\"servers\":[{\"server\":{\"name\":\"a.b/c\"},\"_meta\":{" + official
                        + "{\"status\":\"active\"},\"org.example/server\":{\"id\":\"c\"}}}],"
                        + "\"metadata\":{\"count\":1,\"nextCursor\":\"n1\"}}"),
                text(200, "{\"servers\":[{\"server\":{\"name\":\"a.b/d\"},\"_meta\":{" + official
                        + "{\"status\":\"deleted\"}}}],\"metadata\":{\"count\":1}}"));
        EntriesParams params = EntriesParams.builder().updatedSince(Instant.parse("2026-10-31T12:00:00Z"))
                .includeDeleted(true).limit(1).build();
        List<String> found = stub.census().registry().view("my view").list(params).stream()
                .map(e -> e.server().name() + " " + Entries.officialMeta(e).map(OfficialMeta::status).orElse("")
                        + " " + Entries.registryMeta(e).map(RegistryMeta::id).orElse("-"))
                .collect(Collectors.toList());
        assertEquals(List.of("a.b/c active c", "a.b/d deleted -"), found);
        assertEquals(List.of(
                "/r/my%20view/v0.1/servers?updated_since=2026-10-31T12%3A00%3A00Z&include_deleted=true&limit=1",
                "/r/my%20view/v0.1/servers?limit=1&cursor=n1"), requested(stub));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[1]", "null", "x"})
    void documentsThatAreNoArray(String body) {
        StubClient stub = new StubClient(text(200, body));
        assertThrows(InvalidResponseException.class, () -> stub.census().registry().view("x").documents());
    }

    @ParameterizedTest
    @CsvSource({"0,1", "409,1", "500,1", "429,3"})
    void requestsThatCreateSomething(int status, int attempts) {
        StubClient stub = new StubClient(status == 0 ? new IOException("reset") : reply(status, null));
        assertThrows(CensusException.class,
                () -> stub.census().webhooks().create(WebhookParams.builder().url("x").build()));
        assertEquals(attempts, stub.requests.size());
    }

    @Test
    void numbers() {
        StubClient stub = new StubClient(reply(200, null));
        assertThrows(IllegalArgumentException.class, () -> stub.census().webhooks().retrieve(0));
    }
}
