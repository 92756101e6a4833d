import java.time.Duration;
import org.mcpcensus.census.Census;
import org.mcpcensus.census.RequestOptions;
import org.mcpcensus.census.errors.ApiConnectionException;
import org.mcpcensus.census.errors.ApiException;
import org.mcpcensus.census.errors.BadRequestException;
import org.mcpcensus.census.errors.NotFoundException;
import org.mcpcensus.census.errors.RateLimitException;

public class ErrorsAndRetries {
    public static void main(String[] args) {
        try (Census census = Census.builder().maxRetries(3).timeout(Duration.ofSeconds(20)).build()) {
            try {
                census.servers().retrieve("octo-labs-wether-mcp");
            } catch (NotFoundException e) {
                System.out.println("unknown; perhaps " + e.candidates());
            } catch (BadRequestException e) {
                e.errors().forEach(wrong -> System.out.println(wrong.field() + " " + wrong.message()));
            } catch (RateLimitException e) {
                System.out.println("no requests left until " + e.resetAt());
            } catch (ApiException e) {
                System.out.println(e.status() + " " + e.code() + " " + e.detail() + " " + e.requestId());
            } catch (ApiConnectionException e) { // and its subclass ApiTimeoutException
                System.out.println(e.getMessage());
            }

            // Different settings for some calls, with the same connections:
            RequestOptions fast = RequestOptions.builder().timeout(Duration.ofSeconds(5)).maxRetries(0).build();
            census.withOptions(fast).directory().categories();
        }
    }
}
