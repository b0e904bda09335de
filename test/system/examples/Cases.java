import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plays the cases of standard input through the rule of the Java example; prints what it says of each. */
final class Cases {
  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    JsonNode given = json.readTree(System.in);
    List<Object> said = new ArrayList<>();
    for (JsonNode one : given.get("cases")) said.add(said(one, given.get("event_id").asLong()));
    List<Object> held = new ArrayList<>();
    for (JsonNode one : given.get("state_cases")) held.add(held(one));
    System.out.println(json.writeValueAsString(Map.of("trading", said, "held", held)));
  }

  private static Map<String, Object> held(JsonNode one) {
    TradingRule.Held known = null;
    for (JsonNode read : one.get("read")) known = TradingRule.next(known, read.get(0).asLong(), read.get(1).asLong());
    return Map.of("version", known.version(), "reasons", known.inDoubt() ? List.of("version_went_back") : List.of());
  }

  private static Map<String, Object> said(JsonNode one, long eventId) {
    var table = new TradingRule.HealthTable(new TradingRule.Limits(seconds(one, "maxAgeSeconds"), seconds(one, "maxDelaySeconds")));
    for (JsonNode entry : one.get("health"))
      table.apply(entry.get("key").asText(), healthOf(entry.get("record")), entry.get("at").asDouble());
    JsonNode now = one.get("now");
    var feed = table.match(eventId, now.get("wall").asLong(), now.get("steady").asDouble());
    var halts = new TradingRule.HaltTable();
    for (JsonNode halt : one.get("halts"))
      halts.apply(text(halt, "scope"), new TradingRule.Halt(halt.get("halted").asBoolean(), number(halt, "until")));
    halts.of(eventId, null, one.get("seen").get("wall").asLong(), one.get("seen").get("steady").asDouble());
    double steady = now.get("steady").asDouble();
    halts.readTo(steady - one.get("unreadFor").asDouble());
    Long competition = one.get("match").isNull() ? null : number(one.get("match"), "competition_id");
    var byHand = halts.of(eventId, competition, now.get("wall").asLong(), steady);
    var trading = TradingRule.trading(matchOf(one.get("match")), feed, byHand, texts(one.get("doubts")));
    Map<String, Object> said = new LinkedHashMap<>();
    said.put("permission", trading.permission());
    said.put("reasons", trading.reasons());
    said.put("feed", feed);
    return said;
  }

  private static TradingRule.Health healthOf(JsonNode of) {
    return new TradingRule.Health(
        text(of, "source"), number(of, "event_id"), text(of, "state"), text(of, "reason"), number(of, "since"),
        number(of, "delay"), number(of, "heard_at"), of.get("clock_runs").asBoolean(), number(of, "clock_since"), number(of, "term"), number(of, "valid_until"), number(of, "written_at"));
  }

  private static TradingRule.Match matchOf(JsonNode of) {
    if (of.isNull()) return null;
    JsonNode guard = of.get("guard");
    return new TradingRule.Match(
        text(of, "status_type"), !of.get("firm").isNull(), guard.get("safe").asBoolean(), texts(guard.get("reasons")));
  }

  private static List<String> texts(JsonNode of) {
    List<String> texts = new ArrayList<>();
    for (JsonNode one : of) texts.add(one.asText());
    return texts;
  }

  private static String text(JsonNode of, String field) {
    return of.get(field).isNull() ? null : of.get(field).asText();
  }

  private static Double seconds(JsonNode one, String limit) {
    JsonNode of = one.get("limits").get(limit);
    return of == null ? null : Double.valueOf(of.asDouble());
  }

  private static Long number(JsonNode of, String field) {
    return of.get(field).isNull() ? null : of.get(field).asLong();
  }
}
