import org.mcpcensus.census.Census;
import org.mcpcensus.census.model.PartialServer;
import org.mcpcensus.census.params.CategoryParam;
import org.mcpcensus.census.params.Condition;
import org.mcpcensus.census.params.CustomParams;
import org.mcpcensus.census.params.DetailMemberParam;
import org.mcpcensus.census.params.Filters;

public class CustomEndpoints {
    public static void main(String[] args) {
        try (Census census = Census.create()) { // requires a key with the Enterprise plan
            census.custom().put("good-databases", CustomParams.builder()
                    .filters(Filters.builder().category(CategoryParam.DATABASE).stars(Condition.atLeast(100)).build())
                    .sort("-stars")
                    .fields(DetailMemberParam.ID, DetailMemberParam.NAME, DetailMemberParam.STARS)
                    .build());
            for (PartialServer server : census.custom().run("good-databases").autoPager()) {
                System.out.println(server.id().orElse("") + " " + server.stars());
            }
            census.custom().list().customs().forEach(custom -> System.out.println(custom.name()));
            System.out.println(census.custom().createView("good-databases").url()); // for clients without a key
            census.custom().delete("good-databases");
        }
    }
}
