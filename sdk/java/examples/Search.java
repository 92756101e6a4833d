import org.mcpcensus.census.Census;
import org.mcpcensus.census.Page;
import org.mcpcensus.census.model.SearchPage;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.params.Condition;
import org.mcpcensus.census.params.Filters;
import org.mcpcensus.census.params.SearchParams;

public class Search {
    public static void main(String[] args) {
        try (Census census = Census.create()) { // reads CENSUS_API_KEY
            Filters filters = Filters.builder()
                    .category(Condition.oneOf("data", "api"))
                    .qualityScore(Condition.atLeast(70))
                    .toolCount(Condition.exists(true))
                    .build();
            Page<Server, SearchPage> page = census.search(
                    SearchParams.builder().q("weather").filters(filters).sort("-stars,name").limit(10).build());
            System.out.println(page.total() + " servers");
            page.body().facets().ifPresent(facets -> System.out.println(facets.sdk()));
            for (Server server : page.items()) {
                System.out.println(server.name() + " " + server.stars());
            }
        }
    }
}
