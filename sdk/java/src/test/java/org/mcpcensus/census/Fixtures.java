package org.mcpcensus.census;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.mcpcensus.census.json.Json;

/** The recorded calls that all SDKs share. */
final class Fixtures {
    static final Path FOLDER = Path.of("../fixtures");

    private Fixtures() {}

    static boolean exist() {
        return Files.isDirectory(FOLDER);
    }

    static Map<String, Object> read(String name) {
        try {
            return Json.readObject(Files.readString(FOLDER.resolve(name + ".json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return value == null ? List.of() : (List<Object>) value;
    }
}
