import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A receiver of Touchline's webhooks, for Java 17 and Jackson 2. Put TLS in front of it.
 *
 * <pre>WEBHOOK_SECRET=(32 characters) PORT=8090 STORE=messages.jsonl java -cp 'libs/*' Receiver.java</pre>
 */
public final class Receiver {
  private static final int MAX_BODY_BYTES = 5 * 1024 * 1024;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SecretKeySpec secret;
  private final MessageLog log;

  private record Answer(int status, String text) {}

  private Receiver(String secret, MessageLog log) {
    this.secret = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
    this.log = log;
  }

  public static void main(String[] arguments) throws IOException {
    Map<String, String> settings = new HashMap<>(Map.of("WEBHOOK_SECRET", "", "PORT", "8090", "STORE", "messages.jsonl"));
    settings.putAll(System.getenv());
    if (settings.get("WEBHOOK_SECRET").length() != 32) {
      throw new IllegalArgumentException("WEBHOOK_SECRET must have 32 characters");
    }
    Receiver receiver = new Receiver(settings.get("WEBHOOK_SECRET"), new MessageLog(Path.of(settings.get("STORE"))));
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(settings.get("PORT"))), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/", receiver::handle);
    server.start();
    System.out.println("listening on " + server.getAddress().getPort());
  }

  /** Checks a delivery in the order of the contract: expiration, signature, and only then the JSON. */
  private Answer receive(Headers headers, byte[] body) throws IOException, GeneralSecurityException {
    String expiration = String.valueOf(headers.getFirst("X-Signature-Expiration-Timestamp"));
    if (!expiration.matches("[1-9][0-9]{0,15}") || Long.parseLong(expiration) < Instant.now().getEpochSecond()) {
      return new Answer(401, "expired");
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(secret);
    mac.update(body);
    String expected = HexFormat.of().formatHex(mac.doFinal(("." + expiration).getBytes(StandardCharsets.UTF_8)));
    String signature = String.valueOf(headers.getFirst("X-Signature-SHA256"));
    if (!MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8))) {
      return new Answer(401, "not authentic");
    }
    Map<String, JsonNode> messages = parse(body);
    if (messages == null) return new Answer(400, "not an array of messages with an id");
    for (String id : log.append(messages)) System.out.println("applied " + id);
    return new Answer(200, "Accepted");
  }

  /** Returns the messages by id, in their order; null for another body. */
  private static Map<String, JsonNode> parse(byte[] body) {
    try {
      JsonNode batch = JSON.readTree(body);
      if (!batch.isArray()) return null;
      Map<String, JsonNode> messages = new LinkedHashMap<>();
      for (JsonNode message : batch) {
        JsonNode id = message.has("id") ? message.get("id") : message.get("uuid");
        if (id == null) return null;
        messages.putIfAbsent(id.asText(), message);
      }
      return messages;
    } catch (IOException notJson) {
      return null;
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      byte[] text = answer.text().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain");
      exchange.sendResponseHeaders(answer.status(), text.length);
      exchange.getResponseBody().write(text);
    }
  }

  private Answer answer(HttpExchange exchange) {
    try {
      if (!exchange.getRequestMethod().equals("POST")) return new Answer(405, "POST only");
      byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
      if (body.length > MAX_BODY_BYTES) return new Answer(413, "too large");
      return receive(exchange.getRequestHeaders(), body);
    } catch (IOException | GeneralSecurityException error) {
      System.err.println(error);
      return new Answer(500, "not stored, repeat it");
    }
  }

  /**
   * Applied messages, one line each, with their ids in memory. In production use a database with a unique key on the id, and
   * write the effects of a message in the transaction that adds its id. Start slow work from the table afterwards.
   */
  private static final class MessageLog {
    private final FileChannel file;
    private final Set<String> applied = new HashSet<>();

    MessageLog(Path path) throws IOException {
      if (Files.exists(path)) Files.readAllLines(path).forEach(this::remember);
      file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Drops a line that a crash cut: it was never acknowledged, so its message comes again. */
    private void remember(String line) {
      try {
        applied.add(JSON.readTree(line).path("key").asText());
      } catch (IOException cut) {
        System.err.println("a line of the log is not whole");
      }
    }

    /** Stores the new messages, and returns their ids once they are on the disk. */
    synchronized List<String> append(Map<String, JsonNode> messages) throws IOException {
      List<String> added = new ArrayList<>();
      StringBuilder lines = new StringBuilder();
      messages.forEach((id, message) -> {
        if (applied.contains(id)) return;
        added.add(id);
        // The line end comes first, so that a line which a crash cut is not extended.
        lines.append('\n').append(JSON.createObjectNode().put("key", id).set("message", message).toString());
      });
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(lines.toString());
      while (bytes.hasRemaining()) file.write(bytes);
      file.force(false);
      applied.addAll(added);
      return added;
    }
  }
}
