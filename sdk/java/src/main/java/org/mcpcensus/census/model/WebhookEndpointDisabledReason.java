// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/**
 * `owner`: you disabled it. `gone`: it responded with 410. `failing`: all deliveries failed
 * for five days. `search`: its custom endpoint was deleted. `events`: the events that it had
 * chosen no longer exist.
 */
public final class WebhookEndpointDisabledReason {
    private WebhookEndpointDisabledReason() {}

    /** owner */
    public static final String OWNER = "owner";

    /** gone */
    public static final String GONE = "gone";

    /** failing */
    public static final String FAILING = "failing";

    /** search */
    public static final String SEARCH = "search";

    /** events */
    public static final String EVENTS = "events";
}
