import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.mcpcensus.census.WebhookEvent;
import org.mcpcensus.census.Webhooks;
import org.mcpcensus.census.errors.WebhookVerificationException;
import org.mcpcensus.census.model.WebhookVersionData;

public class WebhookReceiver {
    public static void main(String[] args) throws IOException {
        String secret = System.getenv("CENSUS_WEBHOOK_SECRET");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 8000), 0);
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            int status = 204;
            try {
                WebhookEvent event = Webhooks.unwrap(body, exchange.getRequestHeaders(), secret);
                if (event.data().orElse(null) instanceof WebhookVersionData) {
                    WebhookVersionData data = (WebhookVersionData) event.data().get();
                    System.out.println(data.server().id() + " " + data.before() + " " + data.after());
                } else {
                    System.out.println(event.id() + " " + event.type() + " " + event.data());
                }
            } catch (WebhookVerificationException e) {
                System.out.println(e.getMessage());
                status = 400;
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }
}
