package touchline.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/** Minimal JSON functions: the members of a canonical object as text, and values. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  /** The largest number that JSON readers agree on. */
  private static final long MAX_SAFE = (1L << 53) - 1;

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

  /** The items of a canonical list, each as its text. */
  static List<String> items(String json) {
    List<String> out = new ArrayList<>(2);
    int at = 1;
    while (json.charAt(at) != ']') {
      int end = valueEnd(json, at);
      out.add(json.substring(at, end));
      if (json.charAt(end) == ']') break;
      at = end + 1;
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

  /** The text of a string; null for anything else. */
  static String text(String json) {
    if (json == null || json.charAt(0) != '"') return null;
    if (json.indexOf('\\') < 0) return json.substring(1, json.length() - 1);
    return tree(json).asText();
  }

  static String text(JsonNode value) {
    return value.isTextual() ? value.asText() : null;
  }

  /** A whole number, given as a number or as text; null for anything else. */
  static Long number(String json) {
    if (json == null) return null;
    boolean quoted = json.charAt(0) == '"';
    return parse(quoted ? json.substring(1, json.length() - 1) : json);
  }

  static Long number(JsonNode value) {
    if (value.isIntegralNumber()) return value.canConvertToLong() ? safe(value.longValue()) : null;
    return value.isTextual() ? parse(value.asText()) : null;
  }

  static Integer integer(String json) {
    return integer(number(json));
  }

  static Integer integer(JsonNode value) {
    return integer(number(value));
  }

  private static Integer integer(Long number) {
    return number == null || Math.abs(number) > Integer.MAX_VALUE ? null : number.intValue();
  }

  /** The id of a message that is a whole number; null for any other. */
  static Long messageId(String id) {
    return id.startsWith("-") ? null : parse(id);
  }

  private static Long parse(String digits) {
    int start = digits.startsWith("-") ? 1 : 0;
    int count = digits.length() - start;
    if (count < 1 || count > 16) return null;
    for (int i = start; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') return null;
    }
    return safe(Long.parseLong(digits));
  }

  private static Long safe(long number) {
    return Math.abs(number) > MAX_SAFE ? null : number;
  }
}
