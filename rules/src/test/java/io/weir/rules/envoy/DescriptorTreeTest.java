package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.DescriptorNode.Flag;
import io.weir.rules.envoy.DescriptorNode.RateLimit;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DescriptorTreeTest {
  private static DescriptorNode node(String key, String value, long perMinute) {
    return DescriptorNode.of(key, value).limited(limit(perMinute));
  }

  private static RateLimit limit(long perMinute) {
    return RateLimit.of(Limit.fixedWindow(perMinute).perMinute());
  }

  private static DescriptorTree tree(DescriptorNode... nodes) {
    return DescriptorTree.of("d", List.of(nodes));
  }

  private static long permits(DescriptorTree tree, Descriptor descriptor) {
    return limited(tree, descriptor).rule().limits().get(0).permits();
  }

  private static DescriptorMatch.Limited limited(DescriptorTree tree, Descriptor descriptor) {
    assertThat(tree.find(descriptor)).isInstanceOf(DescriptorMatch.Limited.class);
    return (DescriptorMatch.Limited) tree.find(descriptor);
  }

  private static final DescriptorMatch NO_LIMIT = new DescriptorMatch.NoLimit();

  @Test
  void exactThenPatternsInOrderThenTheKeyAlone() {
    DescriptorTree tree =
        tree(
            node("path", "", 1),
            node("path", "/a*", 2),
            node("path", "/ab*", 3),
            node("path", "*c", 4),
            node("path", "/abc", 5));

    assertThat(permits(tree, Descriptor.of("path", "/abc"))).isEqualTo(5);
    assertThat(permits(tree, Descriptor.of("path", "/abd"))).isEqualTo(2); // not the most specific
    assertThat(permits(tree, Descriptor.of("path", "/xc"))).isEqualTo(4);
    assertThat(permits(tree, Descriptor.of("path", "/x"))).isEqualTo(1);
    assertThat(permits(tree, Descriptor.of("path", ""))).isEqualTo(1);
    assertThat(tree.find(Descriptor.of("Path", "/abc"))).isEqualTo(NO_LIMIT);
  }

  @Test
  void manyPatternsAreTriedInOrderToo() {
    List<DescriptorNode> nodes = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      nodes.add(node("path", "/" + i + "/*", i));
    }
    nodes.add(node("path", "*/end", 1000));
    nodes.add(node("path", "/7*", 1001));
    nodes.add(node("path", "/*", 1002));
    nodes.add(node("p*", "", 1003));
    DescriptorTree tree = DescriptorTree.of("d", nodes);

    assertThat(permits(tree, Descriptor.of("path", "/7/x"))).isEqualTo(7);
    assertThat(permits(tree, Descriptor.of("path", "/77/end"))).isEqualTo(77);
    assertThat(permits(tree, Descriptor.of("path", "/7x/end"))).isEqualTo(1000);
    assertThat(permits(tree, Descriptor.of("path", "/7x"))).isEqualTo(1001);
    assertThat(permits(tree, Descriptor.of("path", "/x"))).isEqualTo(1002);
    assertThat(permits(tree, Descriptor.of("path", "x"))).isEqualTo(1003);
    assertThat(permits(tree, Descriptor.of("page", "x"))).isEqualTo(1003);
  }

  @Test
  void matchingDoesNotBacktrack() {
    DescriptorTree tree =
        tree(
            DescriptorNode.of("foo", "a").with(List.of(node("bar", "", 1))),
            DescriptorNode.of("foo", "a*").with(List.of(node("baz", "", 2))),
            DescriptorNode.of("foo", "").with(List.of(node("baz", "", 3), node("bar", "", 4))));

    assertThat(permits(tree, Descriptor.of("foo", "a").and("bar", "x"))).isEqualTo(1);
    assertThat(tree.find(Descriptor.of("foo", "a").and("baz", "x"))).isEqualTo(NO_LIMIT);
    assertThat(tree.find(Descriptor.of("foo", "ab").and("bar", "x"))).isEqualTo(NO_LIMIT);
    assertThat(permits(tree, Descriptor.of("foo", "b").and("baz", "x"))).isEqualTo(3);
  }

  @Test
  void theDescriptorEndsWhereTheLimitIs() {
    DescriptorTree tree =
        tree(node("foo", "", 2).with(List.of(node("bar", "", 3), node("bar", "banned", 0))));

    assertThat(permits(tree, Descriptor.of("foo", "a"))).isEqualTo(2);
    assertThat(permits(tree, Descriptor.of("foo", "a").and("bar", "b"))).isEqualTo(3);
    assertThat(permits(tree, Descriptor.of("foo", "a").and("bar", "banned"))).isZero();
    assertThat(tree.find(Descriptor.of("foo", "a").and("bar", "b").and("c", "d")))
        .isEqualTo(NO_LIMIT);
    assertThat(tree.find(Descriptor.of("bar", "b").and("foo", "a"))).isEqualTo(NO_LIMIT);
  }

  @Test
  void aStarInTheKeyMatchesKeysAndKeepsThemApart() {
    DescriptorTree tree =
        tree(
            node("x-*", "", 1),
            node("x-a", "1*", 2),
            node("y-*", "v", 3),
            node("z-*", "", 4).with(Flag.SHARE_THRESHOLD));

    assertThat(permits(tree, Descriptor.of("x-b", "v"))).isEqualTo(1);
    assertThat(permits(tree, Descriptor.of("x-a", "1"))).isEqualTo(1); // first in the file
    assertThat(permits(tree, Descriptor.of("y-a", "v"))).isEqualTo(3);
    assertThat(tree.find(Descriptor.of("y-a", "w"))).isEqualTo(NO_LIMIT);
    assertThat(limited(tree, Descriptor.of("x-b", "v")).key())
        .isNotEqualTo(limited(tree, Descriptor.of("x-c", "v")).key());
    assertThat(limited(tree, Descriptor.of("z-b", "v")).key())
        .isEqualTo(limited(tree, Descriptor.of("z-c", "w")).key());
  }

  @Test
  void differentValuesHaveDifferentKeys() {
    DescriptorTree tree = tree(DescriptorNode.of("a", "").with(List.of(node("b", "", 1))));
    Set<String> keys = new HashSet<>();
    List<String> hostile = List.of("", "|", "\\", "\\|", "||", "x", "x|", "|x", "x\\", "\\x", "_");
    for (String one : hostile) {
      for (String other : hostile) {
        keys.add(limited(tree, Descriptor.of("a", one).and("b", other)).key());
      }
    }

    assertThat(keys).hasSize(hostile.size() * hostile.size());
  }

  @Test
  void differentNodesHaveDifferentIdsWhateverTheirNames() {
    DescriptorTree tree =
        tree(
            node("a", "b_c", 1).limited(limit(1).named("same")),
            node("a_b", "c", 1).limited(limit(1).named("same")),
            node("a_b_c", "", 1),
            node("a|b", "c", 1),
            node("a", "b|c", 1),
            node("a", "b", 1).with(List.of(node("c", "", 1))),
            node("a.b", "c", 1),
            node("a", "", 1).with(List.of(node("b.c", "", 1), node("b", "c", 1))));

    assertThat(tree.limits()).hasSize(11);
    assertThat(tree.limits()).extracting(limit -> limit.rule().id()).doesNotHaveDuplicates();
  }

  @Test
  void aLimitIsARule() {
    DescriptorTree tree =
        tree(
            DescriptorNode.of("user", "")
                .with(List.of(node("path", "/a", 5).with(Flag.SHADOW_MODE, Flag.QUOTA_MODE))));
    DescriptorMatch.Limited limited = limited(tree, Descriptor.of("user", "u|1").and("path", "/a"));
    Rule rule = limited.rule();

    assertThat(rule.domain()).isEqualTo("d");
    assertThat(rule.name()).isEqualTo("d.user.path_/a");
    assertThat(rule.per()).containsExactly("user", "path");
    assertThat(rule.limits()).containsExactly(Limit.fixedWindow(5).perMinute());
    assertThat(rule.policy().mode()).isEqualTo(Policy.Mode.SHADOW);
    assertThat(limited.limit().quotaMode()).isTrue();
    assertThat(limited.key()).isEqualTo("u\\|1|/a");
    assertThat(tree.limits()).extracting(DescriptorLimit::rule).containsExactly(rule);
  }

  @Test
  void unlimitedIsFoundAsSuch() {
    DescriptorTree tree = tree(DescriptorNode.of("a", "").limited(RateLimit.of().named("free")));

    assertThat(tree.find(Descriptor.of("a", "x"))).isInstanceOf(DescriptorMatch.Unlimited.class);
  }

  @Test
  void refusesTheSameNodeTwice() {
    assertThatThrownBy(() -> tree(node("a", "", 1), node("a", "", 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("duplicate descriptor composite key 'd.a'");
    assertThatThrownBy(
            () ->
                tree(
                    DescriptorNode.of("p", "v")
                        .with(List.of(node("a", "b", 1), node("a", "b", 2)))))
        .hasMessage("duplicate descriptor composite key 'd.p_v.a_b'");
    assertThatThrownBy(() -> DescriptorNode.of("a", "b").with(Flag.SHARE_THRESHOLD))
        .hasMessageContaining("share_threshold can only be used with wildcard values");
    assertThatThrownBy(() -> DescriptorNode.of("", "b")).hasMessage("descriptor has empty key");
  }

  // Limits that a caller brings along.

  @Test
  void aLimitOfTheCallerBeatsTheTree() {
    DescriptorTree tree = tree(node("a", "", 1));
    Descriptor descriptor = Descriptor.of("a", "x").and("b", "y");
    DescriptorMatch.Limited limited =
        limited(tree, descriptor.limitedTo(new LimitOverride(7, "hour")));

    assertThat(limited.rule().limits())
        .containsExactly(Limit.fixedWindow(7).per(Duration.ofHours(1)));
    assertThat(limited.key()).isEqualTo("x|y");
    assertThat(limited.rule().name()).isEqualTo("d.a.b"); // values would make too many names
    assertThat(limited.rule().per()).containsExactly("a", "b");
    assertThat(limited.limit().name()).isEmpty();
    assertThat(limited.rule().policy()).isEqualTo(Policy.DEFAULT);
  }

  @Test
  void rulesOfCallersAreApartByLimitAndKeys() {
    DescriptorTree tree = tree(node("a", "", 1));
    Descriptor descriptor = Descriptor.of("a", "x");
    String id = limited(tree, descriptor.limitedTo(new LimitOverride(7, "hour"))).rule().id();

    assertThat(limited(tree, Descriptor.of("a", "z").limitedTo(new LimitOverride(7, "HOUR"))))
        .extracting(found -> found.rule().id())
        .isEqualTo(id);
    for (Descriptor other :
        List.of(
            descriptor.limitedTo(new LimitOverride(8, "hour")),
            descriptor.limitedTo(new LimitOverride(7, "day")),
            Descriptor.of("b", "x").limitedTo(new LimitOverride(7, "hour")),
            descriptor)) {
      assertThat(limited(tree, other).rule().id()).isNotEqualTo(id);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10, UNKNOWN",
    "10, ''",
    "10, fortnight",
    "10, 0",
    "-1, MINUTE",
    "4294967296, MINUTE",
  })
  void invalidLimitOverrideIsAMalformedRequest(long requests, String unit) {
    RuleSet rules = RuleSet.of(new Domain("d", Map.of(), List.of()));
    List<Descriptor> descriptors =
        List.of(Descriptor.of("a", "x").limitedTo(new LimitOverride(requests, unit)));

    assertThatThrownBy(() -> rules.find("d", descriptors))
        .isInstanceOf(MalformedRequestException.class);
    assertThat(rules.find("unknown", descriptors))
        .containsExactly(new DescriptorMatch.UnknownDomain());
  }

  @Test
  void limitOverrideIsCappedAtTheMaximum() {
    DescriptorTree tree = tree();

    assertThat(
            permits(tree, Descriptor.of("a", "x").limitedTo(new LimitOverride(4294967295L, "day"))))
        .isEqualTo(Limit.MAX_PERMITS);
    assertThat(permits(tree, Descriptor.of("a", "x").limitedTo(new LimitOverride(0, "day"))))
        .isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "second, 1",
    "minute, 60",
    "hour, 3600",
    "day, 86400",
    "week, 604800",
    "month, 2592000",
    "year, 31536000",
    "Year, 31536000",
    "SECOND, 1",
  })
  void countsInEveryUnit(String name, long seconds) {
    RateUnit unit = RateUnit.named(name).orElseThrow();

    assertThat(unit.period()).isEqualTo(Duration.ofSeconds(seconds));
    assertThat(RateUnit.lasting(Duration.ofSeconds(seconds))).contains(unit);
    assertThat(RateUnit.lasting(Duration.ofSeconds(seconds).plusMillis(1))).isEmpty();
  }

  // Hits, and what native rules see.

  @Test
  void hits() {
    Descriptor descriptor = Descriptor.of("a", "x");

    assertThat(descriptor.cost(0)).isEqualTo(1);
    assertThat(descriptor.cost(5)).isEqualTo(5);
    assertThat(descriptor.withHits(0).cost(5)).isZero();
    assertThat(descriptor.withHits(3).cost(5)).isEqualTo(3);
    assertThatThrownBy(() -> descriptor.withHits(-1)).isInstanceOf(MalformedRequestException.class);
  }

  @Test
  void entriesAreAttributes() {
    Request request =
        Descriptor.of("user", "1").and("path", "/a").and("user", "2").withHits(3).toRequest(5);

    assertThat(request.attribute("user")).isEqualTo("1");
    assertThat(request.attribute("path")).isEqualTo("/a");
    assertThat(request.attribute("ip")).isNull();
    assertThat(request.cost()).isEqualTo(3);
  }

  @Test
  void eachOfAHundredThousandNodesIsFound() {
    List<DescriptorNode> nodes = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      List<DescriptorNode> children = new ArrayList<>();
      for (int j = 0; j < 333; j++) {
        children.add(node("path", "/p" + j, j));
      }
      nodes.add(DescriptorNode.of("user", "u" + i).with(children));
    }
    DescriptorTree tree = DescriptorTree.of("d", nodes);

    for (int i = 0; i < 300; i++) {
      for (int j = 0; j < 333; j++) {
        Descriptor descriptor = Descriptor.of("user", "u" + i).and("path", "/p" + j);
        assertThat(permits(tree, descriptor)).isEqualTo(j);
      }
    }
    assertThat(tree.limits()).hasSize(300 * 333);
  }
}
