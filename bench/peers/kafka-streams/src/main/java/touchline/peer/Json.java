package touchline.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/** Minimal JSON functions: the members of a canonical object as text, and values. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** Name, value, name, value … of a canonical (no spaces) object; each value as its text. */
  static List<String> members(String json) {
    List<String> out = new ArrayList<>(32);
    int at = 1;
    while (json.charAt(at) == '"') {
      int nameEnd = stringEnd(json, at);
      int valueEnd = valueEnd(json, nameEnd + 1);
      out.add(json.substring(at + 1, nameEnd - 1));
      out.add(json.substring(nameEnd + 1, valueEnd));
      if (json.charAt(valueEnd) == '}') break;
      at = valueEnd + 1;
    }
    return out;
  }

  private static int stringEnd(String json, int start) {
    int at = start + 1;
    while (json.charAt(at) != '"') at += json.charAt(at) == '\\' ? 2 : 1;
    return at + 1;
  }

  private static int valueEnd(String json, int start) {
    int depth = 0;
    int at = start;
    while (true) {
      char c = json.charAt(at);
      if (c == '"') {
        at = stringEnd(json, at);
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
      if (c == '{' || c == '[') depth++;
      else if (c == '}' || c == ']') depth--;
      at++;
    }
  }

  static JsonNode tree(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException cause) {
      throw new IllegalArgumentException("Not JSON: " + json, cause);
    }
  }

  /** The text of a string or the digits of a number; null for null and for a missing value. */
  static String text(String json) {
    if (json == null || json.equals("null")) return null;
    if (json.charAt(0) != '"') return json;
    if (json.indexOf('\\') < 0) return json.substring(1, json.length() - 1);
    return tree(json).asText();
  }

  static String text(JsonNode value) {
    return value.isTextual() ? value.asText() : null;
  }

  static Integer integer(JsonNode value) {
    if (value.isInt()) return value.intValue();
    return value.isTextual() ? integer(value.asText()) : null;
  }

  static Long number(String json) {
    String text = text(json);
    return text == null || text.isEmpty() ? null : Long.valueOf(text);
  }

  static Integer integer(String json) {
    String text = text(json);
    return text == null || text.isEmpty() ? null : Integer.valueOf(text);
  }
}
