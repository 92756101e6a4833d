package org.mcpcensus.census.errors;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.mcpcensus.census.RawResponse;
import org.mcpcensus.census.json.Json;
import org.mcpcensus.census.json.JsonException;
import org.mcpcensus.census.model.FieldError;
import org.mcpcensus.census.model.Problem;

/**
 * An error response. Handle it by class and {@link #code}, because texts may change. The response
 * is not serialized.
 */
public class ApiException extends CensusException {
    private static final long serialVersionUID = 1;
    private static final int EXCERPT = 200;

    private final transient RawResponse response;
    private final transient Problem problem;

    /**
     * Creates an exception.
     *
     * @param response the response
     */
    public ApiException(RawResponse response) {
        this(response, problemOf(response));
    }

    private ApiException(RawResponse response, Problem problem) {
        super(message(response, problem));
        this.response = response;
        this.problem = problem;
    }

    /**
     * Creates an exception.
     *
     * @param response the response
     * @param message the error message
     */
    protected ApiException(RawResponse response, String message) {
        super(message);
        this.response = response;
        this.problem = problemOf(response);
    }

    /**
     * Returns the exception for an error response.
     *
     * @param response the response
     * @return the exception of the class for its status
     */
    public static ApiException of(RawResponse response) {
        switch (response.status()) {
            case 400:
                return new BadRequestException(response);
            case 401:
                return new AuthenticationException(response);
            case 403:
                return new PermissionDeniedException(response);
            case 404:
                return new NotFoundException(response);
            case 410:
                return new GoneException(response);
            case 429:
                return new RateLimitException(response);
            default:
                return response.status() >= 500
                        ? new InternalServerException(response)
                        : new ApiException(response);
        }
    }

    /**
     * Returns the HTTP status.
     *
     * @return such as 404
     */
    public int status() {
        return response.status();
    }

    /**
     * Returns the code of the error, such as {@code invalid_parameter}.
     *
     * @return empty if the response is not a problem document of a registry
     */
    public Optional<String> code() {
        return text("code");
    }

    /**
     * Returns the short description of the error.
     *
     * @return empty if the response is not a problem document
     */
    public Optional<String> title() {
        return text("title").or(() -> text("error"));
    }

    /**
     * Returns the description of the error.
     *
     * @return empty if the response is not a problem document
     */
    public Optional<String> detail() {
        return text("detail");
    }

    /**
     * Returns the invalid parameters.
     *
     * @return empty unless parameters are invalid
     */
    public List<FieldError> errors() {
        return problem.errors().orElse(List.of());
    }

    /**
     * Returns the ID of the request in the registry's log.
     *
     * @return empty if the response has none
     */
    public Optional<String> requestId() {
        return response.requestId().or(() -> text("requestId"));
    }

    /**
     * Returns the wait before a retry that the registry requests.
     *
     * @return empty if none
     */
    public Optional<Duration> retryAfter() {
        return response.retryAfter();
    }

    /**
     * Returns the problem document.
     *
     * @return without members if the response is not one
     */
    public Problem problem() {
        return problem;
    }

    /**
     * Returns the response, with its headers and body.
     *
     * @return the response
     */
    public RawResponse response() {
        return response;
    }

    private Optional<String> text(String name) {
        return text(problem, name);
    }

    private static Optional<String> text(Problem problem, String name) {
        Object value = problem.toMap().get(name);
        return Optional.ofNullable(value instanceof String ? (String) value : null)
                .filter(text -> !text.isEmpty());
    }

    private static Problem problemOf(RawResponse response) {
        try {
            return new Problem(Json.readObject(response.text()));
        } catch (JsonException e) {
            return new Problem(Map.of());
        }
    }

    private static String message(RawResponse response, Problem problem) {
        StringBuilder text = new StringBuilder().append(response.status());
        Optional<String> code = text(problem, "code");
        code.ifPresent(c -> text.append(' ').append(c));
        text.append(": ").append(text(problem, "detail").or(() -> text(problem, "title"))
                .or(() -> text(problem, "error")).orElseGet(() -> plain(response)));
        Object candidates = problem.toMap().get("candidates");
        if (candidates instanceof List && !((List<?>) candidates).isEmpty()
                && text.indexOf(String.valueOf(((List<?>) candidates).get(0))) < 0) {
            text.append(" Did you mean ").append(((List<?>) candidates).stream()
                    .map(String::valueOf).collect(Collectors.joining(", "))).append('?');
        }
        if (code.filter("missing_api_key"::equals).isPresent()) {
            text.append(" Set CENSUS_API_KEY, or apiKey of the client.");
        }
        if (response.status() == 429) {
            response.retryAfter().ifPresent(
                    d -> text.append(" (retry after ").append(d.toSeconds()).append(" s)"));
        }
        response.requestId().or(() -> text(problem, "requestId"))
                .ifPresent(id -> text.append(" (request ").append(id).append(')'));
        return text.toString();
    }

    /** Returns the message of a response that is not a problem document. */
    private static String plain(RawResponse response) {
        Optional<String> target = response.header("Location");
        if (response.status() / 100 == 3 && target.isPresent()) {
            return "redirected to " + target.get() + ": set the base URL to that registry";
        }
        String kind = response.header("Content-Type").orElse("");
        String body = kind.contains("html") ? "" : response.text().strip();
        if (body.isEmpty()) {
            return "error response without an explanation";
        }
        String start = body.length() > EXCERPT ? body.substring(0, EXCERPT) + "…" : body;
        return start.replaceAll("[\\s\\p{Cntrl}]+", " ");
    }
}
