package org.mcpcensus.census;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.mcpcensus.census.json.JsonException;
import org.mcpcensus.census.json.JsonObject;
import org.mcpcensus.census.model.ChangePage;
import org.mcpcensus.census.model.CustomPage;
import org.mcpcensus.census.model.NumberedPage;
import org.mcpcensus.census.model.PartialServer;
import org.mcpcensus.census.model.RecordChange;
import org.mcpcensus.census.model.RecordChangePage;
import org.mcpcensus.census.model.SearchPage;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerChange;
import org.mcpcensus.census.model.ServerEntry;
import org.mcpcensus.census.model.ServerEntryList;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.model.ToolEntry;
import org.mcpcensus.census.model.ToolPage;
import org.mcpcensus.census.model.WebhookDeliveries;
import org.mcpcensus.census.model.WebhookDelivery;

/** Members of a response that contain the items and the cursor. */
final class PageType<T, B extends JsonObject> {
    static final PageType<Server, ServerPage> SERVERS =
            counted(ServerPage::new, ServerPage::servers, ServerPage::pagination);
    static final PageType<ToolEntry, ToolPage> TOOLS =
            counted(ToolPage::new, ToolPage::tools, ToolPage::pagination);
    static final PageType<Server, NumberedPage> NUMBERED =
            counted(NumberedPage::new, NumberedPage::servers, NumberedPage::pagination);
    static final PageType<Server, SearchPage> SEARCH =
            counted(SearchPage::new, SearchPage::servers, SearchPage::pagination);
    static final PageType<PartialServer, CustomPage> CUSTOM =
            counted(CustomPage::new, CustomPage::servers, CustomPage::pagination);
    static final PageType<ServerEntry, ServerEntryList> ENTRIES = new PageType<>(ServerEntryList::new,
            ServerEntryList::servers, "cursor", body -> cursor(body.metadata()), body -> -1);
    static final PageType<ServerChange, ChangePage> CHANGES = new PageType<>(ChangePage::new,
            ChangePage::changes, "after", body -> body.hasMore() ? body.next() : null, body -> -1);
    static final PageType<RecordChange, RecordChangePage> RECORD_CHANGES = new PageType<>(
            RecordChangePage::new, RecordChangePage::changes, "after",
            body -> body.hasMore() ? body.next() : null, body -> -1);
    static final PageType<WebhookDelivery, WebhookDeliveries> DELIVERIES = new PageType<>(
            WebhookDeliveries::new, WebhookDeliveries::deliveries, "before",
            body -> number(body.before()), body -> -1);

    final Function<Map<String, Object>, B> wrap;
    final Function<B, List<T>> items;
    final String parameter; // which continues
    final Function<B, Object> next; // null on the last page
    final ToLongFunction<B> total; // -1 if the list does not say it

    private PageType(Function<Map<String, Object>, B> wrap, Function<B, List<T>> items,
            String parameter, Function<B, Object> next, ToLongFunction<B> total) {
        this.wrap = wrap;
        this.items = items;
        this.parameter = parameter;
        this.next = next;
        this.total = total;
    }

    /** Returns the type of lists with a total. */
    private static <T, B extends JsonObject> PageType<T, B> counted(Function<Map<String, Object>, B> wrap,
            Function<B, List<T>> items, Function<B, JsonObject> pagination) {
        return new PageType<>(wrap, items, "cursor", body -> cursor(pagination.apply(body)), body -> {
            Object total = pagination.apply(body).toMap().get("total");
            if (!(total instanceof Long)) {
                throw new JsonException("the response has no total");
            }
            return (Long) total;
        });
    }

    private static String cursor(JsonObject pagination) {
        Object cursor = pagination.toMap().get("nextCursor");
        return cursor instanceof String && !((String) cursor).isEmpty() ? (String) cursor : null;
    }

    private static Long number(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
