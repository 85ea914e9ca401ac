package io.weir.server.rls;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.JsonInput;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@code RateLimitRequest} in the JSON of protocol buffers: names in either spelling,
 * numbers with or without quotes, units by name or number, null for missing fields.
 */
final class JsonRequestReader {
  private static final long MAX_UINT32 = 0xFFFF_FFFFL;
  private static final int MAX_NUMBER_DIGITS = 20;
  private static final int MAX_BYTES_OF_A_CHAR = 3;

  private static final Fields REQUEST = Fields.of("domain", "descriptors", "hitsAddend");
  private static final Fields DESCRIPTOR =
      Fields.of("entries", "limit", "hitsAddend", "isNegativeHits");
  private static final Fields ENTRY = Fields.of("key", "value");
  private static final Fields LIMIT = Fields.of("requestsPerUnit", "unit");

  private final JsonInput in;
  private final RlsRequestBuilder builder = new RlsRequestBuilder();

  private JsonRequestReader(JsonInput in) {
    this.in = in;
  }

  static DescriptorRequest read(byte[] body) {
    JsonInput in = JsonInput.of(body);
    if (in.isEmpty()) {
      throw new MalformedRequestException(
          "the body is empty; it must be JSON such as"
              + " {\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"k\",\"value\":\"v\"}]}]}");
    }
    return new JsonRequestReader(in).request();
  }

  private DescriptorRequest request() {
    in.beginObject("the body");
    Names names = new Names(REQUEST);
    for (String name = names.next(in); name != null; name = names.next(in)) {
      switch (name) {
        case "domain" -> builder.domain(text("the domain", RlsRequestBuilder.MAX_NAME_BYTES));
        case "descriptors" -> descriptors();
        default -> builder.hits(uint32(name));
      }
    }
    in.end();
    return builder.build();
  }

  private void descriptors() {
    in.beginList("descriptors");
    while (in.hasNext()) {
      descriptor();
    }
  }

  private void descriptor() {
    in.beginObject("a descriptor");
    Names names = new Names(DESCRIPTOR);
    for (String name = names.next(in); name != null; name = names.next(in)) {
      switch (name) {
        case "entries" -> entries();
        case "limit" -> limit();
        case "hitsAddend" -> builder.ownHits(uint64(name));
        default -> builder.isNegative(in.truth(name));
      }
    }
    builder.descriptor();
  }

  private void entries() {
    in.beginList("entries");
    while (in.hasNext()) {
      in.beginObject("an entry");
      Names names = new Names(ENTRY);
      String key = "";
      String value = "";
      for (String name = names.next(in); name != null; name = names.next(in)) {
        if (name.equals("key")) {
          key = text("a key", RlsRequestBuilder.MAX_NAME_BYTES);
        } else {
          value = text("a value", RlsRequestBuilder.MAX_VALUE_BYTES);
        }
      }
      builder.entry(key, value);
    }
  }

  private void limit() {
    in.beginObject("limit");
    Names names = new Names(LIMIT);
    long requests = 0;
    EnvoyUnit envoyUnit = EnvoyUnit.UNKNOWN;
    for (String name = names.next(in); name != null; name = names.next(in)) {
      if (name.equals("unit")) {
        envoyUnit = envoyUnit();
      } else {
        requests = uint32(name);
      }
    }
    builder.limit(requests, envoyUnit);
  }

  private EnvoyUnit envoyUnit() {
    String text = in.textOrNumber("unit");
    for (EnvoyUnit envoyUnit : EnvoyUnit.values()) {
      if (envoyUnit.name().equals(text) || Integer.toString(envoyUnit.ordinal()).equals(text)) {
        return envoyUnit;
      }
    }
    return EnvoyUnit.UNKNOWN;
  }

  private String text(String what, int maxBytes) {
    String text = in.text(what);
    boolean isShort = text.length() <= maxBytes / MAX_BYTES_OF_A_CHAR; // most are
    if (!isShort && text.getBytes(UTF_8).length > maxBytes) {
      throw new MalformedRequestException(what + " must have at most " + maxBytes + " bytes");
    }
    return text;
  }

  private long uint32(String name) {
    long number = uint64(name);
    if (number < 0 || number > MAX_UINT32) {
      throw new MalformedRequestException(name + " must be from 0 to " + MAX_UINT32);
    }
    return number;
  }

  private long uint64(String name) {
    String text = in.textOrNumber(name);
    if (text == null || text.length() > MAX_NUMBER_DIGITS || !isDigits(text)) {
      throw new MalformedRequestException(name + " must be a whole number that is not negative");
    }
    try {
      return Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw new MalformedRequestException(name + " must have at most 64 bits");
    }
  }

  private static boolean isDigits(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** The field names of an object, in the JSON spelling and in the protocol's. */
  private record Fields(List<String> names, List<String> snakes) {
    static Fields of(String... names) {
      return new Fields(List.of(names), Stream.of(names).map(Fields::snake).toList());
    }

    private static String snake(String name) {
      return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    int place(String name) {
      int place = names.indexOf(name);
      return place < 0 ? snakes.indexOf(name) : place;
    }
  }

  /** The fields seen in one object: each may occur once, in either spelling. */
  private static final class Names {
    private final Fields known;
    private int seen;

    Names(Fields known) {
      this.known = known;
    }

    /** The next field that is not null, in the JSON spelling; null at the end. */
    @Nullable String next(JsonInput in) {
      for (String name = in.name(); name != null; name = in.name()) {
        int place = known.place(name);
        if (place < 0) {
          throw in.unknown(name, String.join(", ", known.names()));
        }
        String field = known.names().get(place);
        if ((seen & 1 << place) != 0) {
          throw new MalformedRequestException("'" + field + "' is there twice");
        }
        seen |= 1 << place;
        if (!in.skipNull()) {
          return field;
        }
      }
      return null;
    }
  }
}
