package org.mcpcensus.census;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Time and chance, for tests to replace. */
class Clock {
    /** Milliseconds since 1970. */
    long millis() {
        return System.currentTimeMillis();
    }

    /** At least 0 and less than 1. */
    double random() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** Runs a task after a wait. */
    void after(Duration wait, Executor executor, Runnable task) {
        CompletableFuture.delayedExecutor(wait.toMillis(), TimeUnit.MILLISECONDS, executor).execute(task);
    }
}
