package org.mcpcensus.census;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The most recently used responses by URL. It is safe for concurrent use. */
final class ETagCache {
    private final int maxEntries;
    private final long maxBytes;
    private final Map<String, RawResponse> responses = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** Creates a cache with a maximum number of responses and total size in bytes. */
    ETagCache(int maxEntries, long maxBytes) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    /** Returns the cached response for a URL, or null. */
    synchronized RawResponse get(String url) {
        return responses.get(url);
    }

    /** Stores a response, unless it has no entity tag or is larger than a quarter of the cache. */
    synchronized void put(String url, RawResponse response) {
        RawResponse former = responses.remove(url);
        bytes -= former == null ? 0 : former.size();
        if (response.etag().isEmpty() || response.size() > maxBytes / 4) {
            return;
        }
        responses.put(url, response);
        bytes += response.size();
        Iterator<RawResponse> oldest = responses.values().iterator();
        while (responses.size() > maxEntries || bytes > maxBytes) {
            bytes -= oldest.next().size();
            oldest.remove();
        }
    }
}
