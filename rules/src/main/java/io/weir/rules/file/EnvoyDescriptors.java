package io.weir.rules.file;

import io.weir.rules.envoy.DescriptorNode;
import io.weir.rules.envoy.DescriptorNode.Flag;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlNode.Mapping;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the descriptors of a file of the Envoy form. */
final class EnvoyDescriptors {
  private final ProblemCollector problemCollector;
  private final EnvoyLimits limits;

  EnvoyDescriptors(ProblemCollector problemCollector) {
    this.problemCollector = problemCollector;
    this.limits = new EnvoyLimits(problemCollector);
  }

  /** The descriptors directly below {@code parent}: the file, or a descriptor. */
  List<DescriptorNode> read(EnvoyFields parent) {
    List<DescriptorNode> nodes = new ArrayList<>();
    for (Mapping each : parent.maps(EnvoyForm.KEY)) {
      DescriptorNode node = node(each);
      if (node != null) {
        nodes.add(node);
      }
    }
    return nodes;
  }

  private @Nullable DescriptorNode node(Mapping mapping) {
    EnvoyFields fields = EnvoyFields.of(mapping, EnvoyLevel.DESCRIPTOR, problemCollector);
    String key = fields.text("key");
    String value = fields.text("value");
    if (fields.isBlank("key")) {
      fields.error("key", "descriptor has empty key");
    }
    Set<Flag> flags = flags(fields);
    if (isSettledByRequest(fields)) {
      flags.add(Flag.POST_PAID);
    }
    boolean sharesNothing = flags.contains(Flag.SHARE_THRESHOLD) && !(key + value).contains("*");
    if (sharesNothing) {
      fields.error(
          "share_threshold",
          "share_threshold can only be used with wildcard values (containing '*'), but found key "
              + Excerpt.quoted(DescriptorNode.label(key, value)));
    }
    Optional<DescriptorNode.RateLimit> limit = limits.read(fields);
    if (flags.contains(Flag.POST_PAID) && !limits(limit)) {
      fields.error("settle", "'settle' has no meaning without a limit in 'rate_limit'");
    }
    Map<String, @Nullable Object> metadata = EnvoyMetadata.read(fields);
    List<DescriptorNode> children = read(fields);
    return key.isEmpty() || sharesNothing
        ? null
        : new DescriptorNode(key, value, flags, limit, metadata, children, fields.sourceLocation());
  }

  private static boolean limits(Optional<DescriptorNode.RateLimit> limit) {
    return limit.isPresent() && !limit.get().limits().isEmpty();
  }

  private static boolean isSettledByRequest(EnvoyFields fields) {
    if (!fields.has("settle")) {
      return false;
    }
    String text = fields.text("settle");
    boolean isKnown = text.equals("request");
    if (!isKnown) {
      fields.error(
          "settle",
          "unknown settle "
              + Excerpt.quoted(text)
              + ScalarReader.guessOrList(text, List.of("request")));
    }
    return isKnown;
  }

  private static Set<Flag> flags(EnvoyFields fields) {
    Set<Flag> flags = EnumSet.noneOf(Flag.class);
    for (Flag flag : EnumSet.complementOf(EnumSet.of(Flag.POST_PAID))) {
      if (fields.flag(flag.name().toLowerCase(Locale.ROOT))) {
        flags.add(flag);
      }
    }
    return flags;
  }
}
