package io.weir.client.quota;

import io.weir.client.quota.FieldItems.Item;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a list of strings, tokens and numbers with parameters, by the letter of RFC 9651, section
 * 4.2; values stay as they are written, strings without their quotes.
 */
final class StrictFieldList {
  private static final Pattern STRING = Pattern.compile("\"((?:[ !#-\\[\\]-~]|\\\\[\\\\\"])*+)\"");
  private static final Pattern BARE =
      Pattern.compile(
          "-?[0-9]{1,12}\\.[0-9]{1,3}|-?[0-9]{1,15}(?![0-9.])"
              + "|[A-Za-z*][-!#$%&'*+.^_`|~0-9A-Za-z:/]*+|\\?[01]");
  private static final Pattern KEY = Pattern.compile("[a-z*][-a-z0-9_.*]*+");
  private static final Pattern COMMA = Pattern.compile("[ \t]*,[ \t]*");
  private static final Pattern SPACES = Pattern.compile(" *");

  private final Matcher text;
  private final int end;
  private int at;

  private StrictFieldList(String field) {
    text = SPACES.matcher(field);
    end = field.length();
  }

  /** The members; empty if this is no such list. */
  static Optional<List<Item>> read(String field) {
    StrictFieldList list = new StrictFieldList(field);
    try {
      return Optional.of(list.members());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private List<Item> members() {
    List<Item> items = new ArrayList<>();
    take(SPACES);
    while (at < end) {
      String name = bareItem();
      Map<String, String> parameters = new LinkedHashMap<>();
      while (take(Pattern.compile(";")) != null) {
        take(SPACES);
        String key = require(take(KEY));
        parameters.put(key, take(Pattern.compile("=")) == null ? "" : bareItem());
      }
      items.add(new Item(name, null, parameters));
      int before = at;
      take(Pattern.compile("[ \t]*"));
      if (at == end) {
        requireSpaces(before);
        break;
      }
      at = before;
      require(take(COMMA));
      if (at == end) {
        throw new IllegalArgumentException("a comma at the end");
      }
    }
    return items;
  }

  /** Only spaces may trail a field, no tabs. */
  private void requireSpaces(int from) {
    at = from;
    take(SPACES);
    if (at < end) {
      throw new IllegalArgumentException("more");
    }
  }

  private String bareItem() {
    if (take(STRING) != null) {
      return text.group(1).replaceAll("\\\\(.)", "$1");
    }
    return require(take(BARE));
  }

  private static String require(String found) {
    if (found == null) {
      throw new IllegalArgumentException("not a list");
    }
    return found;
  }

  private String take(Pattern pattern) {
    text.usePattern(pattern).region(at, end);
    if (!text.lookingAt()) {
      return null;
    }
    at = text.end();
    return text.group();
  }
}
