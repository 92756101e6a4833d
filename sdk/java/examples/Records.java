import java.util.List;
import org.mcpcensus.census.Census;
import org.mcpcensus.census.model.Analytics;
import org.mcpcensus.census.model.BulkAnswer;
import org.mcpcensus.census.model.ServerDetail;
import org.mcpcensus.census.model.Tool;
import org.mcpcensus.census.params.AnalyticsParams;
import org.mcpcensus.census.params.BulkParams;
import org.mcpcensus.census.params.DetailMemberParam;

public class Records {
    public static void main(String[] args) {
        try (Census census = Census.create()) { // reads CENSUS_API_KEY
            ServerDetail server = census.servers().retrieve("octo-labs-weather-mcp");
            System.out.println(server.name() + " " + server.grade().orElse("no grade"));
            for (Tool tool : server.tools().orElse(List.of())) {
                System.out.println("- " + tool.name() + " " + tool.tokens());
            }

            // Bulk requests and analytics require the Professional plan.
            BulkAnswer several = census.servers().bulk(BulkParams.builder()
                    .ids("octo-labs-weather-mcp")
                    .githubUrls("https://github.com/harbor-data/postgres-navigator")
                    .fields(DetailMemberParam.ID, DetailMemberParam.QUALITY_SCORE, DetailMemberParam.STARS)
                    .build());
            System.out.println(several.servers() + ", unknown: " + several.notFound());

            Analytics figures = census.servers().analytics(
                    "octo-labs-weather-mcp", AnalyticsParams.builder().period("7d").build());
            System.out.println(figures.totals().stars() + " stars, rank " + figures.rank().overall());
        }
    }
}
