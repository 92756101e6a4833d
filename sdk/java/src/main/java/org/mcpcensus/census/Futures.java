package org.mcpcensus.census;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.mcpcensus.census.errors.ApiConnectionException;

/** Futures that propagate cancellation to the request in progress. */
final class Futures {
    private Futures() {}

    /** Returns the result of next, applied to the result of first. */
    static <A, B> CompletableFuture<B> then(
            CompletableFuture<A> first, Function<A, CompletableFuture<B>> next) {
        CompletableFuture<B> result = new CompletableFuture<>();
        cancelWith(result, first);
        first.whenComplete((a, error) -> {
            if (error != null) {
                result.completeExceptionally(unwrap(error));
                return;
            }
            try {
                CompletableFuture<B> second = next.apply(a);
                cancelWith(result, second);
                second.whenComplete((b, e) -> complete(result, b, e));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Returns the result of convert, applied to the result of first. */
    static <A, B> CompletableFuture<B> map(CompletableFuture<A> first, Function<A, B> convert) {
        return then(first, a -> CompletableFuture.completedFuture(convert.apply(a)));
    }

    /** Returns the result of first, or that of next, applied to its error. */
    static <A> CompletableFuture<A> recover(
            CompletableFuture<A> first, Function<Throwable, CompletableFuture<A>> next) {
        CompletableFuture<A> result = then(
                first.handle((a, error) -> error == null ? first : next.apply(unwrap(error))), Function.identity());
        cancelWith(result, first);
        return result;
    }

    /** Completes a future with an error or, if it is null, with a value. */
    static <T> void complete(CompletableFuture<T> future, T value, Throwable error) {
        if (error == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(unwrap(error));
        }
    }

    /** Cancels inner when outer is cancelled. */
    static void cancelWith(CompletableFuture<?> outer, CompletableFuture<?> inner) {
        outer.whenComplete((value, error) -> {
            if (outer.isCancelled()) {
                inner.cancel(true);
            }
        });
    }

    /**
     * Waits for a result. Interrupting the thread cancels the request; the interrupt status is
     * preserved.
     */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new ApiConnectionException("the thread was interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = unwrap(e);
            if (cause instanceof RuntimeException) {
                cause.fillInStackTrace(); // of the caller, not of a thread of the HTTP client
                throw (RuntimeException) cause;
            }
            if (cause instanceof Error) {
                throw (Error) cause;
            }
            throw new ApiConnectionException("the request failed: " + cause, cause);
        }
    }

    static Throwable unwrap(Throwable error) {
        Throwable e = error;
        while ((e instanceof CompletionException || e instanceof ExecutionException) && e.getCause() != null) {
            e = e.getCause();
        }
        return e;
    }
}
