import java.util.HashMap;
import java.util.Map;
import org.mcpcensus.census.Census;
import org.mcpcensus.census.Entries;
import org.mcpcensus.census.Page;
import org.mcpcensus.census.model.ChangePage;
import org.mcpcensus.census.model.ServerChange;
import org.mcpcensus.census.params.ChangesParams;

public class Changes {
    public static void main(String[] args) {
        Map<String, ServerChange> mirror = new HashMap<>();
        long after = 0; // where the last run ended; 0 to start
        try (Census census = Census.create()) {
            ChangesParams params = ChangesParams.builder().after(after).build();
            for (Page<ServerChange, ChangePage> page : census.directory().changes(params).pages()) {
                for (ServerChange change : page.items()) {
                    if (Entries.isDeleted(change)) {
                        mirror.remove(change.id());
                    } else {
                        mirror.put(change.id(), change);
                    }
                }
                after = page.body().next(); // store it with the data
            }
        }
        System.out.println(mirror.size() + " servers; continue after " + after);
    }
}
