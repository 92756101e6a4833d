package org.mcpcensus.census;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.mcpcensus.census.json.JsonObject;

/**
 * A page of a list. Following pages are requested by cursor, when the items of a page have been
 * consumed: items are neither skipped nor repeated while data changes.
 *
 * @param <T> the type of the items
 * @param <B> the type of the whole response
 */
public final class Page<T, B extends JsonObject> {
    private final AsyncPage<T, B> page;

    Page(AsyncPage<T, B> page) {
        this.page = page;
    }

    /** Returns the items of this page. */
    public List<T> items() {
        return page.items();
    }

    /** Returns the number of items on all pages; -1 if the list does not report it. */
    public long total() {
        return page.total();
    }

    /** Returns the cursor of the next page; empty on the last page. */
    public Optional<String> nextCursor() {
        return page.nextCursor();
    }

    /** Reports whether there is a next page. */
    public boolean hasNextPage() {
        return page.hasNextPage();
    }

    /** Requests the next page; empty after the last one. */
    public Optional<Page<T, B>> nextPage() {
        return Futures.await(page.nextPage()).map(Page::new);
    }

    /**
     * Returns the items of this and all following pages, for a loop. If a page fails, {@code next}
     * and {@code hasNext} throw its exception after the previous items; calling them again retries
     * the page.
     */
    public Iterable<T> autoPager() {
        return () -> new Items<>(this);
    }

    /** Returns the items of this and all following pages, requested as they are consumed. */
    public Stream<T> stream() {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(
                new Items<>(this), Spliterator.ORDERED | Spliterator.NONNULL), false);
    }

    /** Returns this and all following pages, for a loop. */
    public Iterable<Page<T, B>> pages() {
        return () -> new Pages<>(this);
    }

    /** Returns the whole response body. */
    public B body() {
        return page.body();
    }

    /** Returns the response with its headers. */
    public Response<B> response() {
        return page.response();
    }

    @Override
    public String toString() {
        return page.toString();
    }

    private static final class Pages<T, B extends JsonObject> implements Iterator<Page<T, B>> {
        private final Page<T, B> first;
        private Page<T, B> last;

        Pages(Page<T, B> first) {
            this.first = first;
        }

        @Override
        public boolean hasNext() {
            return last == null || last.hasNextPage();
        }

        @Override
        public Page<T, B> next() {
            last = last == null ? first : last.nextPage().orElseThrow(NoSuchElementException::new);
            return last;
        }
    }

    private static final class Items<T, B extends JsonObject> implements Iterator<T> {
        private final Iterator<Page<T, B>> pages;
        private Iterator<T> items = List.<T>of().iterator();

        Items(Page<T, B> first) {
            this.pages = new Pages<>(first);
        }

        @Override
        public boolean hasNext() {
            while (!items.hasNext() && pages.hasNext()) {
                items = pages.next().items().iterator();
            }
            return items.hasNext();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return items.next();
        }
    }
}
