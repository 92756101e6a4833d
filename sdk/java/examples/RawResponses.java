import org.mcpcensus.census.Census;
import org.mcpcensus.census.RawResponse;
import org.mcpcensus.census.Response;
import org.mcpcensus.census.model.Categories;
import org.mcpcensus.census.model.CategoryCount;

public class RawResponses {
    public static void main(String[] args) {
        try (Census census = Census.builder().etagCache(true).build()) {
            Response<Categories> response = census.withResponse(c -> c.directory().categories());
            RawResponse raw = response.raw();
            System.out.println(raw.status() + " " + raw.requestId() + " " + raw.etag());
            System.out.println(raw.rateLimit().remaining() + " requests left until " + raw.rateLimit().resetAt());

            // The second response is from the cache, because nothing has changed.
            System.out.println(census.withResponse(c -> c.directory().categories()).raw().fromCache());

            // Members unknown to this version, and the raw JSON:
            CategoryCount category = response.data().categories().get(0);
            System.out.println(category.additionalProperties() + " " + category.toJson());
        }
    }
}
