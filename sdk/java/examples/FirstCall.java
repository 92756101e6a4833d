import org.mcpcensus.census.Census;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.params.DiscoverParams;

public class FirstCall {
    public static void main(String[] args) {
        DiscoverParams params = DiscoverParams.builder().search("postgres").limit(5).build();
        for (Server server : Census.create().discover(params).items()) {
            System.out.println(server.id() + " " + server.qualityScore());
        }
    }
}
