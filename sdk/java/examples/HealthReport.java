import org.mcpcensus.census.Census;
import org.mcpcensus.census.errors.CheckPendingException;
import org.mcpcensus.census.model.Health;
import org.mcpcensus.census.model.Improvement;
import org.mcpcensus.census.params.HealthParams;

public class HealthReport {
    public static void main(String[] args) {
        try (Census census = Census.create()) {
            Health report = census.health(
                    HealthParams.ofGithubUrl("https://github.com/octo-labs/weather-mcp"));
            System.out.println(report.score() + " " + report.grade());
            for (Improvement step : report.improve()) {
                System.out.println("+" + step.gain() + ": " + step.text());
            }

            // Without waiting for a check that is still running:
            try {
                report = census.health(HealthParams.builder()
                        .githubUrl("octo-labs/weather-mcp").waitUntilDone(false).build());
            } catch (CheckPendingException e) {
                System.out.println("running; retry in " + e.retryAfter() + ": check(" + e.checkId() + ")");
            }
        }
    }
}
