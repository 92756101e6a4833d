package org.mcpcensus.census;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Clock and randomness, replaceable in tests. */
class Clock {
    /** Unix time in milliseconds. */
    long millis() {
        return System.currentTimeMillis();
    }

    /** At least 0 and less than 1. */
    double random() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** Runs a task after a delay. */
    void after(Duration wait, Executor executor, Runnable task) {
        CompletableFuture.delayedExecutor(wait.toMillis(), TimeUnit.MILLISECONDS, executor).execute(task);
    }
}
