import java.util.concurrent.CompletableFuture;
import org.mcpcensus.census.Census;
import org.mcpcensus.census.CensusAsync;
import org.mcpcensus.census.model.Categories;
import org.mcpcensus.census.model.Health;
import org.mcpcensus.census.params.DiscoverParams;
import org.mcpcensus.census.params.HealthParams;

public class Asynchronous {
    public static void main(String[] args) {
        try (Census client = Census.create()) {
            CensusAsync census = client.async();

            // All pages, requested as you go.
            CompletableFuture<Void> all = census.discover(DiscoverParams.builder().search("weather").build())
                    .thenCompose(page -> page.forEach(server -> System.out.println(server.id())));

            // Several calls at the same time.
            CompletableFuture<Categories> categories = census.directory().categories();
            CompletableFuture<Health> report = census.health(HealthParams.ofServer("octo-labs-weather-mcp"));
            CompletableFuture.allOf(all, categories, report).join();
            System.out.println(categories.join().total() + " " + report.join().score());
        }
    }
}
