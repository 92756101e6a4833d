package org.mcpcensus.census;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The examples are compiled and run against recorded responses, and the README has their texts. */
class ExamplesTest {
    private static final Path FOLDER = Path.of("examples");
    private static final Path README = Path.of("README.md");
    private static final Pattern BLOCK =
            Pattern.compile("<!-- examples/(\\w+)\\.java -->\n```java\n(.*?)```", Pattern.DOTALL);

    private static Set<String> names() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @TestFactory
    Stream<DynamicTest> examples(@TempDir Path classes) throws IOException {
        assumeTrue(Fixtures.exist(), "SKIPPED: ../fixtures is not in this copy");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> args = new ArrayList<>(List.of("--release", "11", "-Xlint:deprecation,rawtypes,unchecked", "-Werror", "-d",
                classes.toString(), "-cp", Path.of("target", "classes").toString()));
        names().forEach(name -> args.add(FOLDER.resolve(name + ".java").toString()));
        assertEquals(0, compiler.run(null, null, null, args.toArray(new String[0])), "see the errors above");
        URL[] path = {classes.toUri().toURL()};
        return names().stream().filter(name -> !name.equals("WebhookReceiver")) // serves until it is stopped
                .map(name -> DynamicTest.dynamicTest(name, () -> run(path, name)));
    }

    private static void run(URL[] path, String name) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (RecordedRegistry registry = new RecordedRegistry();
                URLClassLoader loader = new URLClassLoader(path, ExamplesTest.class.getClassLoader())) {
            System.setProperty("census.url", registry.url());
            System.setProperty("census.apiKey", StubClient.KEY);
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            assertEquals(List.of(), registry.unknown);
        } finally {
            System.setOut(out);
            System.clearProperty("census.url");
            System.clearProperty("census.apiKey");
        }
        String text = printed.toString(StandardCharsets.UTF_8);
        assertFalse(text.isBlank());
        assertFalse(text.contains(StubClient.KEY));
    }

    @Test
    void readme() throws IOException {
        String text = Files.readString(README);
        Set<String> shown = new TreeSet<>();
        Matcher blocks = BLOCK.matcher(text);
        StringBuilder current = new StringBuilder();
        while (blocks.find()) {
            shown.add(blocks.group(1));
            blocks.appendReplacement(current, Matcher.quoteReplacement(block(blocks.toMatchResult())));
        }
        blocks.appendTail(current);
        if (Boolean.getBoolean("readme.update")) {
            Files.writeString(README, current);
            return;
        }
        assertTrue(current.toString().equals(text), "README.md is stale: run with -Dreadme.update=true");
        assertEquals(names(), shown);
        assertEquals(shown.size(), text.split("```java\n", -1).length - 1);
    }

    private static String block(MatchResult found) throws IOException {
        return "<!-- examples/" + found.group(1) + ".java -->\n```java\n"
                + Files.readString(FOLDER.resolve(found.group(1) + ".java")) + "```";
    }
}
