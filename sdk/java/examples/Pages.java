import org.mcpcensus.census.Census;
import org.mcpcensus.census.Page;
import org.mcpcensus.census.model.Server;
import org.mcpcensus.census.model.ServerPage;
import org.mcpcensus.census.params.CategoryParam;
import org.mcpcensus.census.params.DirectoryParams;

public class Pages {
    public static void main(String[] args) {
        try (Census census = Census.create()) {
            DirectoryParams databases = DirectoryParams.builder().category(CategoryParam.DATABASE).limit(10).build();

            // All items, requested page by page as you go.
            for (Server server : census.directory().list(databases).autoPager()) {
                System.out.println(server.id());
            }
            System.out.println(census.directory().list(databases).stream().filter(Server::official).count());

            // All pages.
            for (Page<Server, ServerPage> page : census.directory().list(databases).pages()) {
                System.out.println(page.items().size());
            }

            // One page, and the next.
            Page<Server, ServerPage> first = census.directory().list(databases);
            System.out.println(first.total() + " servers " + first.hasNextPage());
            first.nextPage().ifPresent(second -> System.out.println(second.items()));
        }
    }
}
