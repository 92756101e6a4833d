package org.mcpcensus.census;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.mcpcensus.census.json.JsonObject;
import org.mcpcensus.census.model.CustomPage;
import org.mcpcensus.census.model.NumberedPage;
import org.mcpcensus.census.model.PartialServer;
import org.mcpcensus.census.model.SearchPage;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.model.ToolEntry;
import org.mcpcensus.census.model.ToolPage;

/** Where a response has its items and where it says what follows. */
final class PageType<T, B extends JsonObject> {
    static final PageType<Server, ServerPage> SERVERS =
            new PageType<>(ServerPage::new, ServerPage::servers, ServerPage::pagination);
    static final PageType<ToolEntry, ToolPage> TOOLS =
            new PageType<>(ToolPage::new, ToolPage::tools, ToolPage::pagination);
    static final PageType<Server, NumberedPage> NUMBERED =
            new PageType<>(NumberedPage::new, NumberedPage::servers, NumberedPage::pagination);
    static final PageType<Server, SearchPage> SEARCH =
            new PageType<>(SearchPage::new, SearchPage::servers, SearchPage::pagination);
    static final PageType<PartialServer, CustomPage> CUSTOM =
            new PageType<>(CustomPage::new, CustomPage::servers, CustomPage::pagination);

    final Function<Map<String, Object>, B> wrap;
    final Function<B, List<T>> items;
    final Function<B, JsonObject> pagination; // has total and nextCursor

    private PageType(Function<Map<String, Object>, B> wrap, Function<B, List<T>> items,
            Function<B, JsonObject> pagination) {
        this.wrap = wrap;
        this.items = items;
        this.pagination = pagination;
    }
}
