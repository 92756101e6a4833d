package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mcpcensus.census.StubClient.reply;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.mcpcensus.census.errors.InternalServerException;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.params.CategoryParam;
import org.mcpcensus.census.params.DiscoverParams;
import org.mcpcensus.census.params.DiscoverToolsParams;
import org.mcpcensus.census.params.SearchParams;

class PagesTest {
    private static final DiscoverParams PARAMS =
            DiscoverParams.builder().category(CategoryParam.DATA).minScore(0.5).limit(2).build();

    private static StubClient.Reply page(String next, String... ids) {
        Map<String, Object> pagination = new HashMap<>();
        pagination.put("total", 5);
        pagination.put("nextCursor", next);
        List<Object> items = Arrays.stream(ids).map(id -> Map.of("id", id, "name", id)).collect(Collectors.toList());
        return reply(200, Map.of("servers", items, "tools", items, "pagination", pagination));
    }

    private static StubClient three() {
        return new StubClient(page("c1", "a", "b"), page("c2"), page(null, "c"));
    }

    @Test
    void allItems() {
        StubClient stub = three();
        Page<Server, ServerPage> first = stub.census().discover(PARAMS);
        List<String> ids = new ArrayList<>();
        first.autoPager().forEach(server -> ids.add(server.id()));
        assertEquals(List.of("a", "b", "c"), ids);
        assertEquals(List.of("category=data&minScore=0.5&limit=2", "limit=2&cursor=c1", "limit=2&cursor=c2"),
                stub.requests.stream().map(r -> r.uri().getRawQuery()).collect(Collectors.toList()));
        assertEquals(5, first.total());
        assertTrue(first.hasNextPage());
    }

    @Test
    void lazily() {
        StubClient stub = three();
        Page<Server, ServerPage> first = stub.census().discover(PARAMS);
        assertEquals(List.of("a", "b"), first.stream().limit(2).map(Server::id).collect(Collectors.toList()));
        assertEquals(1, stub.requests.size());
        assertEquals(List.of("a", "b", "c"), first.stream().map(Server::id).collect(Collectors.toList()));
        assertEquals(3, stub.requests.size());
    }

    @Test
    void pages() {
        List<Integer> sizes = new ArrayList<>();
        Page<Server, ServerPage> last = null;
        for (Page<Server, ServerPage> page : three().census().discover(PARAMS).pages()) {
            sizes.add(page.items().size());
            last = page;
        }
        assertEquals(List.of(2, 0, 1), sizes);
        assertEquals(Optional.empty(), last.nextPage());
        Iterator<Server> items = last.autoPager().iterator();
        items.next();
        assertThrows(NoSuchElementException.class, items::next);
    }

    @Test
    void failure() {
        StubClient stub = new StubClient(page("c1", "a"), reply(500, null), page(null, "b"));
        Iterator<Server> items = stub.builder().maxRetries(0).build().discover(PARAMS).autoPager().iterator();
        assertEquals("a", items.next().id());
        assertThrows(InternalServerException.class, items::hasNext);
        assertEquals("b", items.next().id()); // it continues with the same page
        assertFalse(items.hasNext());
    }

    @Test
    void sameCursor() {
        StubClient stub = new StubClient(page("c1", "a"));
        Iterator<Server> items = stub.census().discover(PARAMS).autoPager().iterator();
        assertEquals("a", items.next().id());
        assertEquals("a", items.next().id());
        assertThrows(InvalidResponseException.class, items::next);
    }

    @Test
    void otherLists() {
        StubClient stub = three();
        DiscoverToolsParams tools = DiscoverToolsParams.builder().level("tool").build();
        assertEquals(3, stub.census().discoverTools(tools).stream().count());
        assertEquals("format=mcp&cursor=c2", stub.last().uri().getRawQuery());

        stub = three();
        SearchParams search = SearchParams.builder().q("x").facets(false).sort("name").build();
        assertEquals(3, stub.census().search(search).stream().count());
        assertEquals("{\"facets\":false,\"cursor\":\"c2\"}", StubClient.bodyOf(stub.last()));
    }

    @Test
    void asynchronous() {
        List<String> ids = new ArrayList<>();
        three().census().async().discover(PARAMS)
                .thenCompose(page -> page.forEach(server -> ids.add(server.id()))).join();
        assertEquals(List.of("a", "b", "c"), ids);
        assertEquals(3, three().census().async().discover(PARAMS).thenCompose(AsyncPage::allItems).join().size());

        StubClient failing = new StubClient(page("c1", "a"), reply(500, null));
        List<String> before = new ArrayList<>();
        CompletionException e = assertThrows(CompletionException.class, () -> failing.census().async().discover(PARAMS)
                .thenCompose(page -> page.forEach(server -> before.add(server.id()))).join());
        assertEquals(InternalServerException.class, e.getCause().getClass());
        assertEquals(List.of("a"), before);

        assertThrows(CompletionException.class, () -> three().census().async().discover(PARAMS)
                .thenCompose(page -> page.forEach(server -> Integer.parseInt(server.id()))).join());
    }

    @Test
    void manyPages() {
        Object[] replies = new Object[300];
        for (int i = 0; i < replies.length; i++) {
            replies[i] = page(i + 1 < replies.length ? "c" + i : null, "s" + i);
        }
        assertEquals(300, new StubClient(replies).census().discover(PARAMS).stream().count());
        assertEquals(300, new StubClient(replies).census().async().discover(PARAMS)
                .thenCompose(AsyncPage::allItems).join().size());
    }
}
