package org.mcpcensus.census;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Headers of requests and responses. Names are case-insensitive. */
final class Headers {
    private Headers() {}

    /** Merges two sets of headers; the second replaces the first. */
    static Map<String, List<String>> merged(HttpHeaders first, HttpHeaders second) {
        Map<String, List<String>> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(first.map());
        all.putAll(second.map());
        return all;
    }

    /** Returns a copy of the first map with the entries of the second. */
    static Map<String, String> with(Map<String, String> first, Map<String, String> second) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(first);
        all.putAll(second);
        return all;
    }
}
