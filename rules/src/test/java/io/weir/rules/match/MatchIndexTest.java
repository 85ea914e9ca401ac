package io.weir.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MatchIndexTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void findsAllInTheirOrder() {
    MatchIndex<String> index =
        index(
            entry("tier", Match.of(is("tier", "pro"))),
            entry("always", Match.EVERYTHING),
            entry("path", Match.of(on("/a/**"))),
            entry("other", Match.of(is("tier", "free"))),
            entry("both", Match.of(is("tier", "pro"), on("/a/{id}"))));

    assertThat(all(index, Map.of("tier", "pro", "path", "/a/b")))
        .containsExactly("tier", "always", "path", "both");
    assertThat(all(index, Map.of())).containsExactly("always");
    assertThat(index.first(new RequestModel(Map.of("path", "/a")))).isEqualTo("always");
  }

  @Test
  void anEntryThatIsReachedTwiceIsFoundOnce() {
    List<MatchIndex.Entry<String>> entries = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String stem = "u" + i;
      entries.add(
          entry(
              stem,
              Match.of(
                  new Condition(
                      "user",
                      List.of(
                          new io.weir.rules.match.ValueMatcher.StartsWith(stem + "-"),
                          new io.weir.rules.match.ValueMatcher.StartsWith(stem + "-a"),
                          new io.weir.rules.match.ValueMatcher.Is(stem + "-ab"),
                          new io.weir.rules.match.ValueMatcher.Present())))));
    }
    assertThat(all(MatchIndex.of(entries, RequestModel::place), Map.of("user", "u7-ab")))
        .hasSize(50)
        .doesNotHaveDuplicates();
  }

  @Test
  void readsOnlyAttributesOnThePath() {
    MatchIndex<Integer> index =
        index(1000, i -> Match.of(on("/p" + i), is("user", "u"), is("region", "r" + i % 2)));

    RequestModel otherPath = new RequestModel(Map.of("path", "/x", "user", "u", "region", "r1"));
    assertThat(index.any(otherPath)).isFalse();
    assertThat(otherPath.read()).containsOnly("path");

    RequestModel onPath = new RequestModel(Map.of("path", "/p7", "user", "u", "region", "r1"));
    assertThat(index.first(onPath)).isEqualTo(7);
    assertThat(onPath.read()).containsOnly("path", "region", "user").hasSize(3);
  }

  @Test
  void theFirstMayStandInAnyBranch() {
    for (int first = 0; first < 100; first++) {
      int at = first;
      MatchIndex<Integer> index =
          index(
              100,
              i ->
                  i < at
                      ? Match.of(is("user", "nobody" + i))
                      : i % 3 == 0
                          ? Match.of(is("user", "u"))
                          : i % 3 == 1 ? Match.of(on("/a/*")) : Match.of(is("tier", "t")));
      RequestModel request = new RequestModel(Map.of("user", "u", "path", "/a/b", "tier", "t"));
      assertThat(index.first(request)).isEqualTo(first);
      assertThat(index.any(request)).isTrue();
    }
  }

  /** Steps, not time: how often an attribute of a request is read. */
  @Test
  void aLookUpDoesNotDependOnHowManyEntriesThereAre() {
    for (int size : new int[] {100, 10_000}) {
      MatchIndex<Integer> index =
          index(
              size,
              i ->
                  switch (i % 4) {
                    case 0 -> Match.of(on("/s" + i + "/{id}/**"), is("method", "GET"));
                    case 1 -> Match.of(in("10." + i / 250 + "." + i % 250 + ".0/24"));
                    case 2 -> Match.of(is("tier", "t" + i % 3), is("user", "u" + i));
                    default -> Match.of(is("method", "GET"), is("region", "r" + i));
                  });
      RequestModel request =
          new RequestModel(
              Map.of(
                  "path",
                  "/s0/1/2",
                  "ip",
                  "10.0.1.9",
                  "method",
                  "GET",
                  "tier",
                  "t2",
                  "user",
                  "u2",
                  "region",
                  "r3"));
      List<Integer> found = new ArrayList<>();
      index.all(request, found);
      assertThat(found).containsExactly(0, 1, 2, 3);
      assertThat(request.read()).hasSizeLessThanOrEqualTo(10);
    }
  }

  @Test
  void listsOnSeveralAttributesDoNotMultiply() {
    List<io.weir.rules.match.ValueMatcher> list = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      list.add(new io.weir.rules.match.ValueMatcher.Is("v" + i));
    }
    MatchIndex<Integer> index =
        index(
            10_000,
            i ->
                Match.of(
                    new Condition("tier", list),
                    new Condition("user", list),
                    new Condition("method", list),
                    new Condition("region", list)));
    Map<String, String> values = Map.of("tier", "v1", "user", "v2", "method", "v3", "region", "v4");
    assertThat(all(index, values)).hasSize(10_000);
    assertThat(index.any(new RequestModel(Map.of("tier", "v1")))).isFalse();
  }

  @Test
  void conditionMayHaveManyValues() {
    List<io.weir.rules.match.ValueMatcher> networks =
        IntStream.range(0, 10_000)
            .<io.weir.rules.match.ValueMatcher>mapToObj(
                i ->
                    new io.weir.rules.match.ValueMatcher.InNetwork(
                        Network.parse("10." + i / 250 + "." + i % 250 + ".0/24")))
            .toList();
    MatchIndex<String> index = index(entry("x", Match.of(new Condition("ip", networks))));

    for (int i = 0; i < 10_000; i++) {
      String ip = "10." + i / 250 + "." + i % 250 + ".7";
      assertThat(index.any(new RequestModel(Map.of("ip", ip)))).isTrue();
    }
    assertThat(index.any(new RequestModel(Map.of("ip", "10.40.0.7")))).isFalse();
  }

  @Test
  void aHundredThousandEntriesAreBuilt() {
    List<MatchIndex.Entry<Integer>> entries = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      entries.add(
          new MatchIndex.Entry<>(
              switch (i % 3) {
                case 0 -> Match.of(on("/api/v" + i % 7 + "/r" + i + "/{id}"), is("method", "GET"));
                case 1 -> Match.of(in("10." + i / 400 + "." + i % 250 + ".0/24"), is("tier", "a"));
                default -> Match.of(is("tier", "t" + i % 5), is("user", "u" + i));
              },
              i));
    }
    MatchIndex<Integer> index = MatchIndex.of(entries, RequestModel::place);

    List<Integer> found = new ArrayList<>();
    index.all(new RequestModel(Map.of("path", "/api/v1/r99996/7", "method", "GET")), found);
    index.all(new RequestModel(Map.of("tier", "t1", "user", "u99986")), found);
    assertThat(found).containsExactly(99_996, 99_986);
  }

  @Test
  void theFirstIsFoundWithoutAllocation() {
    MatchIndex<Integer> index =
        index(
            1000,
            i ->
                i % 2 == 0
                    ? Match.of(on("/p/{x}/s" + i + "/**"), is("method", "GET"))
                    : Match.of(in("10.0." + i % 250 + ".0/24"), is("method", "GET")));
    Address address = Address.parse("10.0.3.4");
    String[] values = {"10.0.3.4", "/p/1/s998/x", null, null, "GET", null};
    AttributeValues attributeValues =
        new AttributeValues() {
          @Override
          public @Nullable String value(int place) {
            return values[place];
          }

          @Override
          public @Nullable Address address() {
            return address;
          }
        };
    assertThat(bytes(() -> index.first(attributeValues))).isLessThan(1);
    assertThat(bytes(() -> index.any(attributeValues))).isLessThan(1);
    List<Integer> found = new ArrayList<>(16);
    double all =
        bytes(
            () -> {
              found.clear();
              index.all(attributeValues, found);
            });
    assertThat(found).contains(3, 998);
    assertThat(all).isLessThanOrEqualTo(72 + 1);
  }

  private static double bytes(Runnable lookUp) {
    int times = 20_000;
    double min = Double.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < times; i++) {
        lookUp.run();
      }
      min = Math.min(min, (THREADS.getCurrentThreadAllocatedBytes() - before) / (double) times);
    }
    return min;
  }

  private static MatchIndex<Integer> index(int size, IntFunction<Match> matches) {
    return MatchIndex.of(
        IntStream.range(0, size)
            .mapToObj(i -> new MatchIndex.Entry<>(matches.apply(i), i))
            .toList(),
        RequestModel::place);
  }

  @SafeVarargs
  private static MatchIndex<String> index(MatchIndex.Entry<String>... entries) {
    return MatchIndex.of(Arrays.asList(entries), RequestModel::place);
  }

  private static MatchIndex.Entry<String> entry(String name, Match match) {
    return new MatchIndex.Entry<>(match, name);
  }

  private static <T> List<T> all(MatchIndex<T> index, Map<String, String> values) {
    List<T> found = new ArrayList<>();
    index.all(new RequestModel(values), found);
    return found;
  }

  private static Condition is(String attribute, String value) {
    return Condition.of(attribute, new io.weir.rules.match.ValueMatcher.Is(value));
  }

  private static Condition on(String pattern) {
    return Condition.of(
        "path", new io.weir.rules.match.ValueMatcher.OnPath(PathPattern.parse(pattern)));
  }

  private static Condition in(String network) {
    return Condition.of(
        "ip", new io.weir.rules.match.ValueMatcher.InNetwork(Network.parse(network)));
  }
}
