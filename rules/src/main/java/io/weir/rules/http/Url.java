package io.weir.rules.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A URL as a person writes it: {@code https://shop.example/a?b=c}, or only {@code /a?b=c}. The part
 * after the host is not validated, because a request with an invalid path is worth testing.
 *
 * @param host null if only a path was written
 * @param target path and query
 */
public record Url(@Nullable String host, String target) {
  private static final Pattern FORM = Pattern.compile("(?i)https?://([^/?#]*)(.*)");

  /**
   * Reads a URL.
   *
   * @throws IllegalArgumentException if it is invalid; the message contains the reason
   */
  public static Url parse(String text) {
    if (text.chars().anyMatch(c -> c <= ' ' || c == 127)) {
      throw new IllegalArgumentException("a URL has no blanks; write %20");
    }
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      String host = form.group(1).substring(form.group(1).lastIndexOf('@') + 1);
      if (host.isEmpty()) {
        throw new IllegalArgumentException("'" + text + "' is no URL: the host is missing");
      }
      String target = form.group(2);
      return new Url(host, sent(target.startsWith("/") ? target : "/" + target));
    }
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException(
          "'"
              + text
              + (text.contains("://") ? "' is no http or https URL" : "' is no URL")
              + "; write https://host/path, or only /path");
    }
    return new Url(null, sent(text));
  }

  /** Removes the part after {@code #}, which no client sends. */
  private static String sent(String target) {
    int fragment = target.indexOf('#');
    return fragment < 0 ? target : target.substring(0, fragment);
  }
}
