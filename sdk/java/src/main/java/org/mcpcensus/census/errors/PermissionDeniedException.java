package org.mcpcensus.census.errors;

import java.util.List;
import org.mcpcensus.census.RawResponse;

/** Status 403: the plan of the account does not include the endpoint. */
public class PermissionDeniedException extends ApiException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public PermissionDeniedException(RawResponse response) {
        super(response);
    }

    /**
     * Returns the plans that include the endpoint.
     *
     * @return IDs, cheapest first
     */
    public List<String> requiredPlans() {
        return problem().requiredPlans().orElse(List.of());
    }
}
