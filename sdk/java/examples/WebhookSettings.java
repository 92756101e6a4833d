import org.mcpcensus.census.Census;
import org.mcpcensus.census.model.WebhookDelivery;
import org.mcpcensus.census.model.WebhookEndpointWithSecret;
import org.mcpcensus.census.params.WebhookEventTypeParam;
import org.mcpcensus.census.params.WebhookParams;

public class WebhookSettings {
    public static void main(String[] args) {
        try (Census census = Census.create()) { // reads CENSUS_API_KEY
            WebhookEndpointWithSecret endpoint = census.webhooks().create(WebhookParams.builder()
                    .url("https://hooks.example.com/mcp")
                    .events(WebhookEventTypeParam.SERVER_VERSION, WebhookEventTypeParam.SERVER_ADVISORY)
                    .servers("octo-labs-weather-mcp")
                    .build());
            System.out.println("store it now: " + endpoint.secret().substring(0, 6));

            census.webhooks().test(endpoint.id());
            for (WebhookDelivery delivery : census.webhooks().deliveries(endpoint.id()).autoPager()) {
                System.out.println(delivery.payload().type() + " " + delivery.state());
            }
            census.webhooks().delete(endpoint.id());
        }
    }
}
