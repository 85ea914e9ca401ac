package io.weir.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An address as a person types it: {@code https://shop.example/a?b=c}, or only {@code /a?b=c}. What
 * follows the host is left as it is, for a request with a bad path is worth asking about.
 *
 * @param host null if only a path was typed
 * @param target path and query
 */
record TypedUrl(@Nullable String host, String target) {
  private static final Pattern FORM = Pattern.compile("(?i)(https?)://([^/?#]*)(.*)");

  static TypedUrl parse(String text) {
    if (text.chars().anyMatch(c -> c <= ' ' || c == 127)) {
      throw new TypeConversionException("a URL has no blanks; write %20");
    }
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      String host = form.group(2).substring(form.group(2).lastIndexOf('@') + 1);
      if (host.isEmpty()) {
        throw new TypeConversionException("'" + text + "' is no URL: the host is missing");
      }
      String target = form.group(3);
      return new TypedUrl(host, sent(target.startsWith("/") ? target : "/" + target));
    }
    if (!text.startsWith("/")) {
      String scheme = text.toLowerCase(Locale.ROOT);
      throw new TypeConversionException(
          "'"
              + text
              + (scheme.contains("://") ? "' is no http or https URL" : "' is no URL")
              + "; write https://host/path, or only /path");
    }
    return new TypedUrl(null, sent(text));
  }

  /** No client sends the part after the {@code #}. */
  private static String sent(String target) {
    int fragment = target.indexOf('#');
    return fragment < 0 ? target : target.substring(0, fragment);
  }

  /** Reads a URL. */
  static final class Option implements ITypeConverter<TypedUrl> {
    @Override
    public TypedUrl convert(String text) {
      return parse(text);
    }
  }
}
