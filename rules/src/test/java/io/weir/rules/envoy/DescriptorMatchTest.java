package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.DescriptorNode.RateLimit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits that take the place of others by name. */
class DescriptorMatchTest {
  private static RateLimit limit(String name) {
    return RateLimit.of(Limit.fixedWindow(1).perMinute()).named(name);
  }

  private static final RuleSet RULES =
      RuleSet.of(
          new Domain(
              "d",
              Map.of(),
              List.of(),
              DescriptorTree.of(
                  "d",
                  List.of(
                      DescriptorNode.of("k", "a").limited(limit("a")),
                      DescriptorNode.of("k", "a2").limited(limit("a")),
                      DescriptorNode.of("k", "b").limited(limit("b").replacing("a")),
                      DescriptorNode.of("k", "c").limited(limit("c").replacing("b")),
                      DescriptorNode.of("k", "x").limited(limit("x").replacing("y")),
                      DescriptorNode.of("k", "y").limited(limit("y").replacing("x")),
                      DescriptorNode.of("k", "lost").limited(limit("l").replacing("nobody")),
                      DescriptorNode.of("k", "path").limited(limit("p").replacing("d.k_plain")),
                      DescriptorNode.of("k", "free")
                          .limited(RateLimit.of().named("free").replacing("a").replacing("b")),
                      DescriptorNode.of("k", "none"),
                      DescriptorNode.of("k", "anti").limited(limit("anti").replacing("free")),
                      DescriptorNode.of("k", "plain")
                          .limited(RateLimit.of(Limit.fixedWindow(1).perMinute()))))));

  @ParameterizedTest(name = "{0} → {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "a             | Limited",
        "a b           | Replaced Limited",
        "b a           | Limited Replaced",
        "a a2 b        | Replaced Replaced Limited",
        "a b c         | Replaced Replaced Limited", // the replaced one replaces all the same
        "a c           | Limited Limited",
        "x y           | Replaced Replaced",
        "x             | Limited",
        "lost a        | Limited Limited",
        "path plain    | Limited Limited", // only a name that was given can be replaced
        "free a b plain | Unlimited Replaced Replaced Limited",
        "anti free     | Limited Unlimited", // nothing to drop
        "none b a      | NoLimit Limited Replaced",
        "b b           | Limited Limited",
      })
  void findsKindOfEachDescriptor(String values, String expected) {
    List<Descriptor> descriptors =
        List.of(values.split(" ")).stream().map(value -> Descriptor.of("k", value)).toList();

    assertThat(RULES.find("d", descriptors))
        .extracting(found -> found.getClass().getSimpleName())
        .containsExactly(expected.split(" "));
  }
}
