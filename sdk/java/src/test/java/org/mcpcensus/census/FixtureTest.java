package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.json.Json;
import org.mcpcensus.census.json.JsonObject;
import org.mcpcensus.census.model.AnalyticsTotalsDownloads;
import org.mcpcensus.census.model.ServerJSON;
import org.mcpcensus.census.params.Condition;
import org.mcpcensus.census.params.Filters;
import org.mcpcensus.census.params.Params;

/** The calls that all SDKs have in common: equal requests, and recorded responses are readable. */
class FixtureTest {
    @TestFactory
    Stream<DynamicTest> synchronous() {
        return calls(false);
    }

    @TestFactory
    Stream<DynamicTest> asynchronous() {
        return calls(true);
    }

    private static Stream<DynamicTest> calls(boolean async) {
        assumeTrue(Fixtures.exist(), "SKIPPED: ../fixtures is not in this copy");
        return Fixtures.list(Fixtures.read("calls").get("calls")).stream().map(Fixtures::object)
                .map(call -> DynamicTest.dynamicTest((String) call.get("name"), () -> check(call, async)));
    }

    private static void check(Map<String, Object> call, boolean async) throws Throwable {
        Map<String, Object> recorded = Fixtures.read((String) call.get("name"));
        int status = ((Long) recorded.get("status")).intValue();
        Map<String, Object> headers = Fixtures.object(recorded.get("headers"));
        StubClient stub = new StubClient(StubClient.reply(status, recorded.get("body"),
                headers.entrySet().stream().flatMap(e -> Stream.of(e.getKey(), (String) e.getValue()))
                        .toArray(String[]::new)));
        Census census = stub.census();
        Object client = async ? census.async() : census;
        if (status < 300) {
            checkResult(invoke(client, call), recorded.get("body"));
        } else {
            checkError(assertThrows(ApiException.class, () -> invoke(client, call)), recorded);
        }
        checkRequest(stub.last(), call);
    }

    /** Calls the method of a call, with its arguments set by the methods of builders. */
    private static Object invoke(Object client, Map<String, Object> call) throws Throwable {
        Object target = client;
        String[] path = ((String) call.get("call")).split("\\.");
        Map<String, Object> args = new LinkedHashMap<>(Fixtures.object(call.get("args")));
        for (int i = 0; i < path.length - 1; i++) {
            target = path[i].equals("view")
                    ? target.getClass().getMethod("view", String.class).invoke(target, args.remove("view"))
                    : target.getClass().getMethod(path[i]).invoke(target);
        }
        Method method = Arrays.stream(target.getClass().getMethods())
                .filter(m -> m.getName().equals(path[path.length - 1]))
                .max((a, b) -> Integer.compare(a.getParameterCount(), b.getParameterCount())).orElseThrow();
        List<Object> values = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            if (type == String.class) {
                values.add(args.remove(args.containsKey("id") ? "id" : "name"));
            } else if (type == long.class) {
                values.add(args.remove(args.containsKey("id") ? "id" : "delivery"));
            } else if (type == Map.class) {
                values.add(args.remove("document"));
            } else {
                values.add(params(type, args));
                args.clear();
            }
        }
        assertTrue(args.isEmpty(), "no parameters " + args.keySet());
        try {
            Object result = method.invoke(target, values.toArray());
            return result instanceof CompletableFuture ? Futures.await((CompletableFuture<?>) result) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Params params(Class<?> type, Map<String, Object> args) throws Exception {
        Object builder = type.getMethod("builder").invoke(null);
        for (Map.Entry<String, Object> arg : args.entrySet()) {
            if (arg.getKey().equals("filters")
                    && !Fixtures.object(arg.getValue()).keySet().stream().allMatch(f -> filter(f).isPresent())) {
                Params.Builder.class.getMethod("parameter", String.class, Object.class)
                        .invoke(builder, arg.getKey(), arg.getValue());
                continue;
            }
            Method setter = Arrays.stream(builder.getClass().getMethods())
                    .filter(m -> m.getName().equals(arg.getKey()) && m.getParameterCount() == 1)
                    .filter(m -> !m.getParameterTypes()[0].isArray()).findFirst().orElseThrow();
            setter.invoke(builder, argument(setter.getParameterTypes()[0], arg.getValue()));
        }
        return (Params) builder.getClass().getMethod("build").invoke(builder);
    }

    private static Object argument(Class<?> type, Object value) throws ReflectiveOperationException {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants()).filter(c -> c.toString().equals(value)).findFirst()
                    .orElseThrow();
        }
        if (type == int.class) {
            return ((Long) value).intValue();
        }
        if (type == Instant.class) {
            return Instant.parse((String) value);
        }
        if (type == LocalDate.class) {
            return LocalDate.parse((String) value);
        }
        if (type == Filters.class) {
            Filters.Builder filters = Filters.builder();
            for (Map.Entry<String, Object> each : Fixtures.object(value).entrySet()) {
                filter(each.getKey()).orElseThrow().invoke(filters, Condition.of(each.getValue()));
            }
            return filters.build();
        }
        return value;
    }

    /** Returns the method of a filter. */
    private static Optional<Method> filter(String name) {
        return Arrays.stream(Filters.Builder.class.getMethods())
                .filter(m -> m.getName().equals(name) && m.getParameterTypes()[0] == Condition.class).findFirst();
    }

    private static void checkRequest(HttpRequest request, Map<String, Object> call) {
        Map<String, Object> want = Fixtures.object(call.get("request"));
        String body = StubClient.bodyOf(request);
        assertEquals(
                Arrays.asList(want.get("method"), want.get("path"), Fixtures.object(want.get("query")),
                        want.get("body")),
                Arrays.asList(request.method(), request.uri().getRawPath(), query(request),
                        body.isEmpty() ? null : Json.read(body)));
        if (call.get("keyed").equals(true)) {
            assertEquals("Bearer " + StubClient.KEY, request.headers().firstValue("Authorization").orElse(""));
        }
    }

    private static Map<String, String> query(HttpRequest request) {
        Map<String, String> query = new HashMap<>();
        String text = request.uri().getRawQuery();
        for (String pair : text == null ? new String[0] : text.split("&")) {
            String[] parts = pair.split("=", 2);
            query.put(decode(parts[0]), decode(parts[1]));
        }
        return query;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static void checkResult(Object result, Object body) throws Exception {
        if (body == null) {
            assertNull(result);
            return;
        }
        if (result instanceof List) {
            for (int i = 0; i < ((List<?>) result).size(); i++) {
                checkResult(((List<?>) result).get(i), ((List<?>) body).get(i));
            }
            return;
        }
        if (result instanceof Page) {
            result = ((Page<?, ?>) result).response().data();
        } else if (result instanceof AsyncPage) {
            AsyncPage<?, ?> list = (AsyncPage<?, ?>) result;
            checkPage(list, Fixtures.object(body));
            result = list.body();
        }
        JsonObject object = assertInstanceOf(JsonObject.class, result);
        assertEquals(body, object.toMap());
        assertEquals(body, Json.read(object.toJson()));
        checkMembers(object);
    }

    private static void checkPage(AsyncPage<?, ?> list, Map<String, Object> body) {
        Map<String, Object> page = Fixtures.object(body.get("pagination"));
        assertEquals(page.getOrDefault("total", -1L), list.total());
        boolean more = page.get("nextCursor") != null || body.get("before") != null
                || Fixtures.object(body.get("metadata")).get("nextCursor") != null
                || Boolean.TRUE.equals(body.get("hasMore"));
        assertEquals(more, list.hasNextPage());
    }

    /** Calls each accessor: it returns what was received. */
    private static void checkMembers(JsonObject object) throws Exception {
        Class<?> type = object.getClass();
        if (type != AnalyticsTotalsDownloads.class && type != ServerJSON.class) {
            assertEquals(Map.of(), object.additionalProperties(), type.getSimpleName() + " lacks members");
        }
        int present = 0;
        for (Method accessor : type.getDeclaredMethods()) {
            if (!Modifier.isPublic(accessor.getModifiers()) || accessor.getName().equals("others")) {
                continue;
            }
            Object value = opened(accessor.invoke(object));
            present += value == null ? 0 : 1;
            checkValue(value);
        }
        long known = object.toMap().entrySet().stream().filter(e -> e.getValue() != null).count()
                - object.additionalProperties().values().stream().filter(v -> v != null).count();
        assertEquals(known, present, type.getSimpleName() + " has members of other types: " + object);
    }

    private static void checkValue(Object value) throws Exception {
        if (value instanceof JsonObject) {
            checkMembers((JsonObject) value);
        } else if (value instanceof Collection) {
            for (Object item : (Collection<?>) value) {
                checkValue(item);
            }
        } else if (value instanceof Map) {
            for (Object item : ((Map<?, ?>) value).values()) {
                checkValue(item);
            }
        }
    }

    private static Object opened(Object value) {
        if (value instanceof Optional) {
            return ((Optional<?>) value).orElse(null);
        }
        if (value instanceof OptionalLong) {
            OptionalLong n = (OptionalLong) value;
            return n.isPresent() ? n.getAsLong() : null;
        }
        if (value instanceof OptionalDouble) {
            OptionalDouble n = (OptionalDouble) value;
            return n.isPresent() ? n.getAsDouble() : null;
        }
        return value;
    }

    private static void checkError(ApiException error, Map<String, Object> recorded) {
        Map<String, Object> body = Fixtures.object(recorded.get("body"));
        List<Object> errors = new ArrayList<>();
        error.errors().forEach(e -> errors.add(e.toMap()));
        assertEquals(
                Arrays.asList(recorded.get("status"), body.get("code"), body.get("title"), body.get("detail"),
                        Fixtures.list(body.get("errors")), body.get("requestId"), body),
                Arrays.asList((long) error.status(), error.code().orElse(null), error.title().orElse(null),
                        error.detail().orElse(null), errors, error.requestId().orElse(null),
                        error.problem().toMap()));
        assertFalse(error.getMessage().contains(StubClient.KEY));
    }
}
