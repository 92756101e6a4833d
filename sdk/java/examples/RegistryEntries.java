import java.util.Map;
import org.mcpcensus.census.Census;
import org.mcpcensus.census.Entries;
import org.mcpcensus.census.model.ServerEntry;
import org.mcpcensus.census.model.ValidationResult;

public class RegistryEntries {
    public static void main(String[] args) {
        try (Census census = Census.create()) {
            // One server, in the format of the official registry.
            ServerEntry entry = census.registry().retrieve("io.github.octo-labs/weather-mcp");
            System.out.println(entry.server().name() + " " + entry.server().version());
            Entries.registryMeta(entry).ifPresent(meta -> System.out.println(meta.score()));

            // All servers of a view.
            for (ServerEntry each : census.registry().view("healthy").list().autoPager()) {
                System.out.println(each.server().name());
            }

            // Check a server.json before you publish it.
            ValidationResult result = census.registry().validate(Map.of("name", "io.github.octo/weather-mcp"));
            result.issues().forEach(issue -> System.out.println(issue.path() + " " + issue.message()));
        }
    }
}
