// Generated from api/openapi.yaml by internal/sdkgen. DO NOT EDIT.
package org.mcpcensus.census.model;

/** Known values. A newer registry may have others. */
public final class WebhookDeliveryState {
    private WebhookDeliveryState() {}

    /** pending */
    public static final String PENDING = "pending";

    /** delivered */
    public static final String DELIVERED = "delivered";

    /** failed */
    public static final String FAILED = "failed";
}
