package io.weir.cli.serve;

import io.weir.rules.match.Network;
import io.weir.server.ServerSettings.Secret;
import io.weir.text.DidYouMean;
import io.weir.text.DurationParser;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text given for a setting. Parsing it throws an {@link IllegalArgumentException} with a
 * message that can follow the setting's name: {@code '8o' is no port; …}.
 *
 * @param texts one, or several for a list
 * @param base the directory that relative file names are resolved against
 */
record RawSetting(List<String> texts, Path base) {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,9})(b|kb|mb|gb|)");
  private static final Pattern ORIGIN = Pattern.compile("https?://[^/\\s,]+");
  private static final Set<String> SCHEMES = Set.of("http", "https", "h2c");
  private static final int MAX_URLS = 60;
  private static final DurationParser DURATION = DurationParser.of(9, "ms", "s", "m", "h");

  /** The only text. */
  String text() {
    if (texts.size() != 1) {
      throw new IllegalArgumentException("takes one value");
    }
    if (texts.get(0).isEmpty()) {
      throw new IllegalArgumentException("is empty; give it a value, or leave it out");
    }
    return texts.get(0);
  }

  /** The texts, split at commas. */
  private List<String> all() {
    List<String> all = new ArrayList<>();
    for (String text : texts) {
      for (String part : text.split(",", -1)) {
        if (part.isBlank()) {
          throw new IllegalArgumentException("has an empty item; give it a value, or leave it out");
        }
        all.add(part.strip());
      }
    }
    return all;
  }

  int port() {
    return (int) number(0, 65535);
  }

  long number(long min, long max) {
    String text = text();
    boolean isNumber = text.matches("\\d{1,18}");
    long number = isNumber ? Long.parseLong(text) : -1;
    if (number < min || number > max) {
      throw new IllegalArgumentException(
          "'" + text + "' must be a whole number from " + min + " to " + max);
    }
    return number;
  }

  boolean isOn() {
    return switch (text()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("'" + text() + "' must be true or false");
    };
  }

  Duration duration(Duration min, Duration max) {
    Duration duration =
        DURATION
            .parse(text())
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "'" + text() + "' is no length of time; write 250ms, 30s or 15m"));
    if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
      throw new IllegalArgumentException(
          "'%s' must be from %dms to %ds".formatted(text(), min.toMillis(), max.toSeconds()));
    }
    return duration;
  }

  /** An address to listen on. */
  String address() {
    String text = text();
    try {
      InetAddress.getByName(text);
      return text;
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no address; write 127.0.0.1, 0.0.0.0, ::1 or ::");
    }
  }

  List<Network> networks() {
    return all().stream().map(Network::parse).toList();
  }

  /** Words with the values that they stand for. */
  <T> List<T> words(Map<String, T> known) {
    return all().stream().map(word -> word(word, known)).toList();
  }

  /** A word with the value that it stands for. */
  <T> T word(Map<String, T> known) {
    return word(text(), known);
  }

  private static <T> T word(String word, Map<String, T> known) {
    T meant = known.get(word);
    if (meant == null) {
      String guess = DidYouMean.of(word, known.keySet());
      throw new IllegalArgumentException(
          "'"
              + word
              + "' is unknown"
              + (guess.isEmpty() ? "; valid are " + String.join(", ", known.keySet()) : guess));
    }
    return meant;
  }

  /** A text that is never shown, not even in error messages. */
  Secret secret() {
    String text = text();
    if (text.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "has a blank or a character beyond ASCII, which no header can carry");
    }
    return new Secret(text);
  }

  /** The content of the file named here, without its last line end. */
  RawSetting content() {
    return new RawSetting(List.of(SecretFile.read(path(text()))), base);
  }

  /** A number of bytes; empty: unlimited. */
  OptionalLong size() {
    if (text().equals("unlimited")) {
      return OptionalLong.empty();
    }
    Matcher form = SIZE.matcher(text().toLowerCase(Locale.ROOT));
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text() + "' is no size; write 512kb, 10mb, 2gb or unlimited");
    }
    int shift =
        switch (form.group(2)) {
          case "kb" -> 10;
          case "mb" -> 20;
          case "gb" -> 30;
          default -> 0;
        };
    return OptionalLong.of(Long.parseLong(form.group(1)) << shift);
  }

  /** Origins of web pages, as browsers write them. */
  List<String> origins() {
    for (String origin : all()) {
      if (!origin.equals("*") && !ORIGIN.matcher(origin).matches()) {
        throw new IllegalArgumentException(
            "'" + origin + "' is no origin; write https://shop.example, or * for all");
      }
    }
    return all();
  }

  /** The URLs of equivalent upstreams. */
  List<URI> urls() {
    List<URI> urls = all().stream().map(RawSetting::url).toList();
    if (urls.size() > MAX_URLS) {
      throw new IllegalArgumentException("has more than " + MAX_URLS + " URLs");
    }
    if (new HashSet<>(urls).size() < urls.size()) {
      throw new IllegalArgumentException("has the same URL twice");
    }
    return urls;
  }

  /** The URL of an upstream; an invalid one is not shown, because it may have a password in it. */
  private static URI url(String text) {
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("is no URL; write http://127.0.0.1:9000");
    }
    if (url.getScheme() == null
        || !SCHEMES.contains(url.getScheme().toLowerCase(Locale.ROOT))
        || url.getHost() == null
        || url.getPort() == 0
        || url.getPort() > 65535) {
      throw new IllegalArgumentException("is no URL of a server; write http://127.0.0.1:9000");
    }
    if (url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
      throw new IllegalArgumentException("must be a URL without user, query and fragment");
    }
    return url;
  }

  /** Existing files or directories. */
  List<Path> paths() {
    return all().stream().map(this::path).toList();
  }

  /** An existing file. */
  Path file() {
    Path path = path(text());
    if (Files.isDirectory(path)) {
      throw new IllegalArgumentException("'" + path + "' is a directory; name a file");
    }
    return path;
  }

  /** A percentage greater than 0. */
  double percent() {
    String text = text();
    String number = text.endsWith("%") ? text.substring(0, text.length() - 1).strip() : text;
    double percent = number.matches("\\d{1,3}(\\.\\d{1,6})?") ? Double.parseDouble(number) : 0;
    if (percent <= 0 || percent > 100) {
      throw new IllegalArgumentException(
          "'" + text + "' must be a percentage above 0% and at most 100%, such as 0.1%");
    }
    return percent;
  }

  /** An output file, which may exist. */
  Path output() {
    Path path = place(text()).toAbsolutePath();
    if (Files.isDirectory(path)) {
      throw new IllegalArgumentException("'" + path + "' is a directory; name a file");
    }
    Path parent = path.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new IllegalArgumentException(
          "'" + path + "' cannot be written: its directory does not exist");
    }
    return path;
  }

  /** A directory, which may not exist yet. */
  Path directory() {
    Path path = place(text());
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new IllegalArgumentException("'" + path + "' is not a directory");
    }
    return path;
  }

  private Path place(String text) {
    try {
      return base.resolve(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("is no name of a file", e);
    }
  }

  /** An existing file or directory. */
  Path path(String text) {
    Path path = place(text);
    if (!Files.exists(path)) {
      throw new IllegalArgumentException("'" + path + "' does not exist");
    }
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException("'" + path + "' cannot be read: no permission");
    }
    return path;
  }

  @Override
  public String toString() {
    return "Given"; // it may be a secret
  }
}
