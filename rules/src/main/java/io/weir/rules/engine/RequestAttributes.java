package io.weir.rules.engine;

import io.weir.rules.AttributeSource;
import io.weir.rules.Request;
import io.weir.rules.match.Address;
import io.weir.rules.match.AttributeValues;
import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The attributes of one request under the rules of one domain, computed on first use. */
final class RequestAttributes implements AttributeValues {
  @SuppressWarnings("StringConstructor") // a separate object, compared by identity
  private static final String UNKNOWN = new String("unknown");

  private final AttributeIndex attributeIndex;
  private final Request request;
  private final @Nullable String[] values;
  private @Nullable Address address;

  RequestAttributes(AttributeIndex attributeIndex, Request request) {
    this.attributeIndex = attributeIndex;
    this.request = request;
    this.values = new String[attributeIndex.count()];
    java.util.Arrays.fill(values, UNKNOWN);
  }

  Request request() {
    return request;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // see UNKNOWN
  public @Nullable String value(int place) {
    String value = values[place];
    if (value == UNKNOWN) {
      value = find(attributeIndex.name(place), attributeIndex.source(place));
      if (value != null && value.isEmpty()) {
        value = null;
      }
      values[place] = value;
    }
    return value;
  }

  @Override
  public @Nullable Address address() {
    value(AttributeIndex.IP);
    return address;
  }

  private @Nullable String find(String name, @Nullable AttributeSource source) {
    if (source == null || source instanceof AttributeSource.LowerCasePath) {
      String given = request.attribute(name);
      String found = given == null || given.isEmpty() ? null : canonical(name, given);
      return found == null || source == null ? found : found.toLowerCase(Locale.ROOT);
    }
    if (source instanceof AttributeSource.Field field) {
      return request.attribute(name, field);
    }
    if (source instanceof AttributeSource.Lookup lookup) {
      String key = value(attributeIndex.place(lookup.attribute()));
      String found = key == null ? null : lookup.table().get(key);
      return found == null ? lookup.otherwise().orElse(null) : found;
    }
    return first(name, ((AttributeSource.FirstOf) source).attributes());
  }

  private @Nullable String first(String name, List<String> members) {
    for (int i = 0; i < members.size(); i++) {
      String member = members.get(i);
      String value = value(attributeIndex.place(member));
      if (value != null) {
        if (isAddress(value) && isChosen(member) && isAddressIn(members, i + 1)) {
          throw new MalformedRequestException(
              "'"
                  + member
                  + "' is an IP address, which stands for the client with that address in '"
                  + name
                  + "'; addresses in headers of proxies are for trusted_proxies");
        }
        return value;
      }
    }
    return null;
  }

  /** Whether a client without the attributes before {@code ip} could be known by this text. */
  private static boolean isAddress(String value) {
    if (value.indexOf('.') < 0 && !value.endsWith("/64")) {
      return false;
    }
    Address known =
        Address.parse(value.endsWith("/64") ? value.substring(0, value.length() - 3) : value);
    return known != null && known.client().equals(value);
  }

  /** Whether a client chooses the value: not values from connections and tables. */
  private boolean isChosen(String member) {
    if (member.equals("ip") || member.equals("host") || member.equals("method")) {
      return false;
    }
    AttributeSource source = attributeIndex.source(attributeIndex.place(member));
    return !(source instanceof AttributeSource.Lookup) && !isAddressIn(List.of(member), 0);
  }

  private boolean isAddressIn(List<String> members, int from) {
    for (int i = from; i < members.size(); i++) {
      String member = members.get(i);
      if (member.equals("ip")
          || (attributeIndex.source(attributeIndex.place(member))
                  instanceof AttributeSource.FirstOf first
              && isAddressIn(first.attributes(), 0))) {
        return true;
      }
    }
    return false;
  }

  private String canonical(String name, String given) {
    return switch (name) {
      case "ip" -> client(given);
      case "path" -> CanonicalPath.of(given);
      case "method" -> method(given);
      case "host" -> host(given);
      default -> given;
    };
  }

  /** A value that is not an address, such as a host name in a log, still identifies a client. */
  private String client(String given) {
    address = Address.parse(given);
    return address == null ? given : address.client();
  }

  private static String method(String given) {
    String method = given.toUpperCase(Locale.ROOT);
    return method.equals("HEAD") ? "GET" : method;
  }

  private static String host(String given) {
    int end = given.length();
    int colon = given.lastIndexOf(':');
    if (colon >= 0 && given.indexOf(']', colon) < 0 && isPort(given, colon + 1)) {
      end = colon;
    }
    if (end > 1 && given.charAt(end - 1) == '.') {
      end--;
    }
    return given.substring(0, end).toLowerCase(Locale.ROOT);
  }

  private static boolean isPort(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }
}
