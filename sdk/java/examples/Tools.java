import org.mcpcensus.census.Census;
import org.mcpcensus.census.model.ToolEntry;
import org.mcpcensus.census.model.ToolListChange;
import org.mcpcensus.census.params.DiscoverToolsParams;

public class Tools {
    public static void main(String[] args) {
        try (Census census = Census.create()) {
            // Tools for a task, in the format of MCP's tools/list.
            DiscoverToolsParams params = DiscoverToolsParams.builder()
                    .search("forecast").level("tool").minScore(50).limit(10).build();
            for (ToolEntry tool : census.discoverTools(params).items()) {
                System.out.println(tool.name() + " " + tool.installation());
            }

            // Changes to the tools of a server.
            for (ToolListChange change : census.directory().toolChanges("octo-labs-weather-mcp").changes()) {
                System.out.println(change.at() + " " + change.tools());
            }
        }
    }
}
