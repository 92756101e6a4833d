import java.time.LocalDate;
import org.mcpcensus.census.Census;
import org.mcpcensus.census.model.OwnAccount;
import org.mcpcensus.census.model.Usage;
import org.mcpcensus.census.params.UsageParams;

public class AccountUsage {
    public static void main(String[] args) {
        try (Census census = Census.create()) { // reads CENSUS_API_KEY
            OwnAccount account = census.account().retrieve();
            System.out.println(account.plan().name() + " " + account.limits().remaining());
            Usage usage = census.account().usage(UsageParams.builder()
                    .from(LocalDate.of(2026, 10, 1)).to(LocalDate.of(2026, 10, 31)).build());
            usage.days().forEach(day -> System.out.println(day.date() + " " + day.calls()));
            census.account().plans().plans().forEach(plan -> System.out.println(plan.name()));
        }
    }
}
