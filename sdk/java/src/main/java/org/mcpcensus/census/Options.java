package org.mcpcensus.census;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** Complete, valid settings of a client. They are immutable. */
final class Options {
    static final String DEFAULT_URL = "http://127.0.0.1:8080";
    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);
    static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);
    static final int DEFAULT_MAX_RETRIES = 2;

    static final String USER_AGENT = "census-java/" + Version.TEXT + " (Java "
            + System.getProperty("java.version") + "; " + System.getProperty("os.name") + ")";

    final String baseUrl;
    final ApiKey key;
    final Duration timeout;
    final Duration connectTimeout;
    final int maxRetries;
    final Map<String, String> headers;

    /** Checks the settings; throws IllegalArgumentException if they are invalid. */
    Options(String baseUrl, ApiKey key, Duration timeout, Duration connectTimeout, int maxRetries,
            Map<String, String> headers) {
        this.baseUrl = baseUrl;
        this.key = key;
        this.timeout = timeout;
        this.connectTimeout = connectTimeout;
        this.maxRetries = maxRetries;
        this.headers = headers;
        URI uri = checkedUri(baseUrl);
        if (key != null && uri.getScheme().equalsIgnoreCase("http") && !isLoopback(uri.getHost())) {
            throw new IllegalArgumentException("the API key is not sent to " + uri.getHost()
                    + " over http, where others can read it: use https, or apiKey(\"\") for requests"
                    + " without a key");
        }
        if (timeout.isNegative() || timeout.isZero()
                || connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("timeouts must be more than 0");
        }
        if (maxRetries < 0) {
            throw new IllegalArgumentException("maxRetries must be at least 0, got " + maxRetries);
        }
        HttpRequest.Builder probe = HttpRequest.newBuilder(uri);
        headers.forEach(probe::setHeader); // throws for names and values that HTTP does not allow
    }

    /** Returns the settings with those of a call. */
    Options with(RequestOptions changes) {
        return new Options(baseUrl, key, changes.timeout().orElse(timeout), connectTimeout,
                changes.maxRetries().orElse(maxRetries), Headers.with(headers, changes.headers()));
    }

    /** Reports whether the registry is on this machine. */
    boolean isLocal() {
        return isLoopback(URI.create(baseUrl).getHost());
    }

    HttpClient.Version version() {
        // Without TLS, the client would try to upgrade each connection to HTTP/2.
        return baseUrl.startsWith("https:") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
    }

    private static URI checkedUri(String baseUrl) {
        URI uri;
        try {
            uri = URI.create(baseUrl);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the base URL is not a URL", e);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme();
        if (!scheme.equals("http") && !scheme.equals("https") || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "the base URL must be an http or https URL such as " + DEFAULT_URL);
        }
        if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "the base URL must not have a user name, a query string or a fragment");
        }
        return uri;
    }

    private static boolean isLoopback(String host) {
        if (host.equalsIgnoreCase("localhost") || host.toLowerCase(Locale.ROOT).endsWith(".localhost")) {
            return true;
        }
        if (!host.startsWith("[") && !host.matches("127(\\.\\d{1,3}){3}")) {
            return false; // a name is not resolved
        }
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
