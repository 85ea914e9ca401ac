package io.weir.tck;

import io.weir.Limit;
import io.weir.text.DurationParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the vectors that come with the suite.
 *
 * <p>Their rules have one small form, and this reader accepts only that form. Anything else is an
 * error, so that no vector is misread.
 */
final class TestVectorReader {
  private static final Pattern RATE = Pattern.compile("(\\d+) per (\\d*)([a-z]+)");

  private final String where;
  private final Map<String, String> fields;

  private TestVectorReader(String where, Map<String, String> fields) {
    this.where = where;
    this.fields = fields;
  }

  /** All vectors, by name. */
  static List<TestVector> all() {
    URL root = Objects.requireNonNull(TestVectorReader.class.getResource("vectors"), "vectors");
    try {
      URI uri = root.toURI();
      if (!uri.getScheme().equals("jar")) {
        return readAll(Path.of(uri));
      }
      try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
        return readAll(jar.provider().getPath(uri));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new AssertionError(root + " is not a URI", e);
    }
  }

  private static List<TestVector> readAll(Path root) throws IOException {
    List<Path> directories;
    try (Stream<Path> found = Files.list(root)) {
      directories = found.sorted().toList();
    }
    List<TestVector> testVectors = new ArrayList<>();
    for (Path directory : directories) {
      testVectors.add(read(directory));
    }
    return testVectors;
  }

  private static TestVector read(Path directory) throws IOException {
    String name = directory.getFileName().toString().replace("/", "");
    List<Limit> limits = rules(directory, "rules.yaml");
    List<TestVector.Reload> reloads = new ArrayList<>();
    if (Files.exists(directory.resolve("reloads.csv"))) {
      for (String[] row : csv(directory.resolve("reloads.csv"), "time,rules")) {
        reloads.add(new TestVector.Reload(Long.parseLong(row[0]), rules(directory, row[1])));
      }
    }
    List<String[]> trace = csv(directory.resolve("trace.csv"), "time,user,cost");
    List<String[]> expected =
        csv(directory.resolve("expected.csv"), "allowed,remaining,retry_after_ms,delay_ms");
    if (trace.size() != expected.size()) {
      throw new IllegalStateException(
          directory + ": " + trace.size() + " requests, but " + expected.size() + " answers");
    }
    List<TestVector.Line> lines = new ArrayList<>();
    for (int i = 0; i < trace.size(); i++) {
      String[] request = trace.get(i);
      String[] outcome = expected.get(i);
      lines.add(
          new TestVector.Line(
              Long.parseLong(request[0]),
              request[1],
              Long.parseLong(request[2]),
              new TestVector.Expected(
                  parseBoolean(outcome[0]),
                  Long.parseLong(outcome[1]),
                  Long.parseLong(outcome[2]),
                  Long.parseLong(outcome[3]))));
    }
    return new TestVector(name, limits, reloads, lines);
  }

  private static List<Limit> rules(Path directory, String file) throws IOException {
    return rules(directory.toString(), Files.readAllLines(directory.resolve(file)));
  }

  private static List<String[]> csv(Path file, String header) throws IOException {
    List<String> lines = Files.readAllLines(file);
    if (lines.isEmpty() || !lines.get(0).equals(header)) {
      throw new IllegalStateException(file + " does not begin with " + header);
    }
    int columns = header.split(",").length;
    List<String[]> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      if (cells.length != columns) {
        throw new IllegalStateException(file + ": not " + columns + " cells: " + line);
      }
      rows.add(cells);
    }
    return rows;
  }

  private static boolean parseBoolean(String cell) {
    if (cell.equals("true") || cell.equals("false")) {
      return cell.equals("true");
    }
    throw new IllegalStateException("neither true nor false: " + cell);
  }

  /** One rule per user with {@code limit: {…}}, or {@code limits:} and a list of such maps. */
  static List<Limit> rules(String where, List<String> text) {
    List<String> lines = new ArrayList<>(text);
    lines.removeIf(line -> line.startsWith("#") || line.isBlank());
    List<String> head = List.of("rules:", "  - name: case", "    per: user");
    if (lines.size() < 4 || !lines.subList(0, 3).equals(head)) {
      throw new IllegalStateException(where + ": does not begin with " + head);
    }
    List<Limit> limits = new ArrayList<>();
    boolean many = lines.get(3).equals("    limits:");
    String marker = many ? "      - " : "    limit: ";
    for (String line : lines.subList(many ? 4 : 3, lines.size())) {
      if (!line.startsWith(marker)) {
        throw new IllegalStateException(where + ": expected '" + marker + "', but found: " + line);
      }
      limits.add(limit(where, line.substring(marker.length())));
    }
    if (many ? limits.isEmpty() : limits.size() != 1) {
      throw new IllegalStateException(where + ": " + limits.size() + " limits");
    }
    return limits;
  }

  private static Limit limit(String where, String map) {
    if (!map.startsWith("{ ") || !map.endsWith(" }")) {
      throw new IllegalStateException(where + ": no map: " + map);
    }
    Map<String, String> fields = new HashMap<>();
    for (String field : map.substring(2, map.length() - 2).split(", ", -1)) {
      String[] pair = field.split(": ", -1);
      if (pair.length != 2 || fields.put(pair[0], pair[1]) != null) {
        throw new IllegalStateException(where + ": no 'name: value', or twice: " + field);
      }
    }
    return new TestVectorReader(where, fields).limit();
  }

  private Limit limit() {
    String algorithm = take("algorithm");
    Matcher rate = RATE.matcher(take("rate"));
    if (!rate.matches()) {
      throw new IllegalStateException(where + ": no rate: " + rate);
    }
    long permits = Long.parseLong(rate.group(1));
    String unit = rate.group(3);
    if (algorithm.equals("fixed-window") && unit.equals("day")) {
      throw new IllegalStateException(where + ": no vector has a calendar window");
    }
    Duration period = period(rate.group(2), unit);
    Limit limit =
        switch (algorithm) {
          case "token-bucket" ->
              Limit.tokenBucket(permits).per(period).burst(Long.parseLong(take("burst")));
          case "leaky-bucket" ->
              Limit.leakyBucket(permits).per(period).queue(Long.parseLong(take("queue")));
          case "fixed-window" -> Limit.fixedWindow(permits).per(period);
          case "sliding-window" -> Limit.slidingWindow(permits).per(period);
          case "sliding-log" -> new Limit.SlidingLog(permits, period, countRejected());
          case "sliding-epochs" ->
              new Limit.SlidingEpochs(
                  permits, period, Integer.parseInt(take("epochs")), countRejected());
          default -> throw new IllegalStateException(where + ": unknown algorithm " + algorithm);
        };
    if (!fields.isEmpty()) {
      throw new IllegalStateException(where + ": unknown " + fields.keySet() + " of " + algorithm);
    }
    return limit;
  }

  private Duration period(String count, String unit) {
    if (count.isEmpty()) {
      return switch (unit) {
        case "second" -> Duration.ofSeconds(1);
        case "minute" -> Duration.ofMinutes(1);
        case "day" -> Duration.ofDays(1);
        default -> throw new IllegalStateException(where + ": unknown unit " + unit);
      };
    }
    return DurationParser.unit(unit).multipliedBy(Long.parseLong(count));
  }

  private boolean countRejected() {
    return fields.containsKey("count_rejected") && parseBoolean(take("count_rejected"));
  }

  private String take(String name) {
    String value = fields.remove(name);
    if (value == null) {
      throw new IllegalStateException(where + ": no " + name);
    }
    return value;
  }
}
