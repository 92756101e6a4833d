package org.mcpcensus.census;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.mcpcensus.census.errors.InvalidResponseException;
import org.mcpcensus.census.json.JsonException;
import org.mcpcensus.census.json.JsonObject;

/**
 * A page of a list. Following pages are requested by cursor: items are neither skipped nor repeated
 * while data changes.
 *
 * @param <T> the type of the items
 * @param <B> the type of the whole response
 */
public final class AsyncPage<T, B extends JsonObject> {
    private final Transport transport;
    private final Request request;
    private final PageType<T, B> type;
    private final Response<B> response;
    private final List<T> items;
    private final Object next; // null on the last page
    private final long total;

    private AsyncPage(Transport transport, Request request, PageType<T, B> type, RawResponse raw) {
        this.transport = transport;
        this.request = request;
        this.type = type;
        this.response = new Response<>(Transport.decode(raw, type.wrap), raw);
        try {
            this.items = type.items.apply(response.data());
            this.next = type.next.apply(response.data());
            this.total = type.total.applyAsLong(response.data());
        } catch (JsonException e) {
            throw new InvalidResponseException(raw, "the response is not a page of a list");
        }
    }

    static <T, B extends JsonObject> CompletableFuture<AsyncPage<T, B>> fetch(
            Transport transport, Request request, PageType<T, B> type) {
        return Futures.map(transport.send(request), raw -> new AsyncPage<>(transport, request, type, raw));
    }

    /** Returns the items of this page. */
    public List<T> items() {
        return items;
    }

    /** Returns the number of items on all pages; -1 if the list does not report it. */
    public long total() {
        return total;
    }

    /** Returns the cursor of the next page; empty on the last page. */
    public Optional<String> nextCursor() {
        return Optional.ofNullable(next).map(Object::toString);
    }

    /** Reports whether there is a next page. */
    public boolean hasNextPage() {
        return next != null;
    }

    /** Requests the next page; empty after the last one. */
    public CompletableFuture<Optional<AsyncPage<T, B>>> nextPage() {
        if (next == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (next.equals(request.parameter(type.parameter))) {
            return CompletableFuture.failedFuture(new InvalidResponseException(response.raw(),
                    "the cursor of the next page is that of this page"));
        }
        return Futures.map(fetch(transport, request.after(next, type.parameter), type), Optional::of);
    }

    /**
     * Calls an action for the items of this and all following pages, in order and never
     * concurrently. If a page or the action fails, the result fails after the previous items.
     * Cancelling the result ends the iteration.
     */
    public CompletableFuture<Void> forEach(Consumer<? super T> action) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        AtomicReference<CompletableFuture<?>> request = new AtomicReference<>();
        done.whenComplete((value, error) -> {
            CompletableFuture<?> current = request.get();
            if (done.isCancelled() && current != null) {
                current.cancel(true);
            }
        });
        walk(this, action, done, request);
        return done;
    }

    private static <T, B extends JsonObject> void walk(AsyncPage<T, B> page, Consumer<? super T> action,
            CompletableFuture<Void> done, AtomicReference<CompletableFuture<?>> request) {
        try {
            page.items.forEach(action);
            if (!page.hasNextPage() || done.isDone()) {
                done.complete(null);
                return;
            }
            CompletableFuture<Optional<AsyncPage<T, B>>> next = page.nextPage();
            request.set(next);
            if (done.isCancelled()) {
                next.cancel(true);
            }
            next.whenComplete((following, error) -> {
                if (error != null) {
                    done.completeExceptionally(Futures.unwrap(error));
                } else {
                    walk(following.orElseThrow(), action, done, request);
                }
            });
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    /** Returns the items of this and all following pages. */
    public CompletableFuture<List<T>> allItems() {
        List<T> all = new ArrayList<>();
        return Futures.map(forEach(all::add), done -> Collections.unmodifiableList(all));
    }

    /** Returns the whole response body. */
    public B body() {
        return response.data();
    }

    /** Returns the response with its headers. */
    public Response<B> response() {
        return response;
    }

    @Override
    public String toString() {
        return "Page(" + items.size() + (total < 0 ? ")" : " of " + total + ")");
    }
}
