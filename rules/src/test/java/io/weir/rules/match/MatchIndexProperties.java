package io.weir.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The index finds what asking every match finds, in the same order. */
class MatchIndexProperties {
  /** Small vocabularies make matches overlap; large ones make them many and rare. */
  @ParameterizedTest
  @CsvSource({"0, 2000", "1, 2000", "5, 2000", "20, 1000", "100, 300", "1000, 40", "5000, 10"})
  void findsWhatTheModelFinds(int max, int indexes) {
    int found = 0;
    for (int i = 0; i < indexes; i++) {
      long seed = max * 1_000_003L + i;
      Draw draw = new Draw(new Random(seed), i % 2 == 0 ? 3 : 40);
      List<MatchIndex.Entry<Integer>> entries = new ArrayList<>();
      for (int size = max == 0 ? 0 : 1 + draw.random.nextInt(max); entries.size() < size; ) {
        entries.add(new MatchIndex.Entry<>(draw.match(), entries.size()));
      }
      MatchIndex<Integer> index = MatchIndex.of(entries, RequestModel::place);
      for (int j = 0; j < 20; j++) {
        found += compare(index, entries, draw.request(), seed);
      }
    }
    assertThat(found > 0).as("something was found, else nothing was tested").isEqualTo(max > 0);
  }

  private static int compare(
      MatchIndex<Integer> index,
      List<MatchIndex.Entry<Integer>> entries,
      RequestModel request,
      long seed) {
    List<Integer> expected =
        entries.stream()
            .filter(entry -> NaiveMatching.holds(entry.match(), request))
            .map(MatchIndex.Entry::value)
            .toList();
    List<Integer> actual = new ArrayList<>();
    index.all(request, actual);
    String about = "seed " + seed + ", request " + request;
    assertThat(actual).as(about).isEqualTo(expected);
    assertThat(index.first(request))
        .as(about)
        .isEqualTo(expected.isEmpty() ? null : expected.get(0));
    assertThat(index.any(request)).as(about).isEqualTo(!expected.isEmpty());
    return expected.size();
  }

  /** Draws matches and requests that have a fair chance to meet. */
  private static final class Draw {
    final Random random;
    private final int words;

    Draw(Random random, int words) {
      this.random = random;
      this.words = words;
    }

    Match match() {
      List<Condition> conditions = new ArrayList<>();
      int max = random.nextInt(5);
      for (String attribute : RequestModel.ATTRIBUTES) {
        if (random.nextInt(RequestModel.ATTRIBUTES.size()) < max) {
          conditions.add(new Condition(attribute, tests(attribute)));
        }
      }
      return new Match(conditions);
    }

    private List<ValueMatcher> tests(String attribute) {
      int count = random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(random.nextInt(5) == 0 ? 20 : 4);
      List<ValueMatcher> valueMatchers = new ArrayList<>();
      while (valueMatchers.size() < count) {
        valueMatchers.add(test(attribute));
      }
      return valueMatchers;
    }

    private ValueMatcher test(String attribute) {
      int kind = random.nextInt(20);
      if (kind == 0) {
        return new ValueMatcher.Present();
      }
      if (kind == 1) {
        return new ValueMatcher.Absent();
      }
      return switch (attribute) {
        case "ip" -> new ValueMatcher.InNetwork(network());
        case "path" -> kind < 4 ? new ValueMatcher.Is(path()) : new ValueMatcher.OnPath(pattern());
        default -> kind < 8 ? new ValueMatcher.StartsWith(prefix()) : new ValueMatcher.Is(word());
      };
    }

    /** Words such as w, wa, wab, that start with one another. */
    private String word() {
      StringBuilder word = new StringBuilder("w");
      for (int i = random.nextInt(5); i > 0; i--) {
        word.append((char) ('a' + random.nextInt(words)));
      }
      return word.toString();
    }

    private String prefix() {
      String word = word();
      return word.substring(0, random.nextInt(word.length() + 1));
    }

    private String path() {
      StringBuilder path = new StringBuilder();
      for (int i = random.nextInt(5); i > 0; i--) {
        path.append('/').append(literal());
      }
      return path.isEmpty() ? "/" : path.toString();
    }

    private String literal() {
      return "s" + random.nextInt(words);
    }

    private PathPattern pattern() {
      StringBuilder pattern = new StringBuilder();
      int segments = random.nextInt(5);
      for (int i = 0; i < segments; i++) {
        pattern.append('/').append(one("*", "{n" + i + "}", literal(), literal(), literal()));
      }
      pattern.append(one("", "", "/**"));
      return PathPattern.parse(pattern.isEmpty() ? "/" : pattern.toString());
    }

    private String one(String... of) {
      return of[random.nextInt(of.length)];
    }

    private Network network() {
      boolean isIpv4 = random.nextBoolean();
      int maxLength = isIpv4 ? 32 : 128;
      int length = random.nextInt(4) == 0 ? maxLength : random.nextInt(maxLength + 1);
      Address address = Address.parse(isIpv4 ? ipv4() : ipv6());
      int shared = isIpv4 ? 96 + length : length;
      long high = address.high() & (shared == 0 ? 0 : shared >= 64 ? -1 : -1L << 64 - shared);
      long low = address.low() & (shared <= 64 ? 0 : -1L << 128 - shared);
      return Network.parse(spelled(high, low) + "/" + shared);
    }

    /** In groups, whatever kind of address it is. */
    private static String spelled(long high, long low) {
      List<String> groups = new ArrayList<>();
      for (int shift = 48; shift >= 0; shift -= 16) {
        groups.add(Long.toHexString(high >>> shift & 0xffff));
      }
      for (int shift = 48; shift >= 0; shift -= 16) {
        groups.add(Long.toHexString(low >>> shift & 0xffff));
      }
      return String.join(":", groups);
    }

    private String ipv4() {
      return "10." + random.nextInt(2) + "." + random.nextInt(words) + "." + random.nextInt(4);
    }

    private String ipv6() {
      return "2001:db8:%x:%x::%x"
          .formatted(random.nextInt(2), random.nextInt(words), random.nextInt(4));
    }

    RequestModel request() {
      Map<String, String> values = new HashMap<>();
      put(values, "ip", () -> random.nextInt(9) == 0 ? "host" : one(ipv4(), ipv6()));
      put(values, "path", () -> random.nextInt(20) == 0 ? "*" : path());
      for (String attribute : List.of("tier", "user", "method", "region")) {
        put(values, attribute, this::word);
      }
      return new RequestModel(values);
    }

    private void put(Map<String, String> values, String attribute, Supplier<String> value) {
      if (random.nextInt(5) > 0) {
        values.put(attribute, value.get());
      }
    }
  }
}
