package io.weir.rules.envoy;

import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.engine.KeyJoiner;
import io.weir.rules.envoy.DescriptorNode.Flag;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The nodes from the top of a descriptor tree to one of them, and the names and keys derived from
 * them.
 */
final class DescriptorPath {
  static final DescriptorPath TOP = new DescriptorPath(List.of());

  private final List<DescriptorNode> nodes;
  private final boolean isNamedByValues;

  private DescriptorPath(List<DescriptorNode> nodes) {
    this.nodes = nodes;
    this.isNamedByValues =
        (!nodes.isEmpty() && last().is(Flag.DETAILED_METRIC))
            || nodes.stream().anyMatch(node -> node.is(Flag.VALUE_TO_METRIC));
  }

  DescriptorPath to(DescriptorNode child) {
    List<DescriptorNode> longer = new ArrayList<>(nodes);
    longer.add(child);
    return new DescriptorPath(List.copyOf(longer));
  }

  DescriptorNode last() {
    return nodes.get(nodes.size() - 1);
  }

  List<String> keys() {
    return nodes.stream().map(DescriptorNode::key).toList();
  }

  /** Whether several values share one bucket. */
  boolean isShared() {
    return nodes.stream().anyMatch(node -> node.is(Flag.SHARE_THRESHOLD));
  }

  /** The name, as in the file: {@code domain.key_value.key}. Two paths may share it. */
  String name(String domain) {
    return nodes.stream()
        .map(DescriptorNode::label)
        .collect(Collectors.joining(".", domain + ".", ""));
  }

  /** Alternating keys and values: unique for each path, and never the name of a rule. */
  String id() {
    KeyJoiner id = new KeyJoiner();
    nodes.forEach(node -> id.add(node.key()).add(node.value()));
    return id.toString();
  }

  /**
   * The key of the bucket: the values of {@code descriptor}, with the pattern in place of a value
   * if all values share the bucket. If the key is a pattern, the descriptor's key precedes its
   * value.
   */
  String key(Descriptor descriptor) {
    if (nodes.size() == 1 && last().key().indexOf('*') < 0) {
      return KeyJoiner.of(bucketValue(last(), descriptor.entries().get(0)));
    }
    KeyJoiner key = new KeyJoiner();
    for (int i = 0; i < nodes.size(); i++) {
      DescriptorNode node = nodes.get(i);
      Descriptor.Entry entry = descriptor.entries().get(i);
      if (node.key().indexOf('*') >= 0) {
        key.add(node.is(Flag.SHARE_THRESHOLD) ? node.key() : entry.key());
      }
      key.add(bucketValue(node, entry));
    }
    return key.toString();
  }

  /** The descriptor for {@code caller}: see {@link DescriptorLimit#keyOf}. */
  Descriptor descriptor(Request caller, Rule rule) {
    List<Descriptor.Entry> entries = new ArrayList<>(nodes.size());
    for (DescriptorNode node : nodes) {
      boolean isKnown = !node.value().isEmpty() && node.value().indexOf('*') < 0;
      boolean isShared = node.is(Flag.SHARE_THRESHOLD);
      String value =
          isKnown || isShared
              ? node.value()
              : KeyJoiner.required(caller.attribute(node.key()), node.key(), rule);
      entries.add(new Descriptor.Entry(node.key(), value));
    }
    return Descriptor.of(entries);
  }

  private static String bucketValue(DescriptorNode node, Descriptor.Entry entry) {
    return node.is(Flag.SHARE_THRESHOLD) ? node.value() : entry.value();
  }

  /** See {@link DescriptorLimit#metricName}. */
  String metricName(String domain, Descriptor descriptor) {
    if (!isNamedByValues) {
      return name(domain);
    }
    boolean all = last().is(Flag.DETAILED_METRIC);
    StringBuilder name = new StringBuilder(domain);
    for (int i = 0; i < nodes.size(); i++) {
      DescriptorNode node = nodes.get(i);
      Descriptor.Entry entry = descriptor.entries().get(i);
      boolean byValue = (all || node.is(Flag.VALUE_TO_METRIC)) && !node.is(Flag.SHARE_THRESHOLD);
      name.append('.')
          .append(byValue ? DescriptorNode.label(entry.key(), entry.value()) : node.label());
    }
    return name.toString();
  }

  /** The name of a limit that the request carries: all values of the descriptor. */
  static String nameWithValues(String domain, Descriptor descriptor) {
    return descriptor.entries().stream()
        .map(entry -> DescriptorNode.label(entry.key(), entry.value()))
        .collect(Collectors.joining(".", domain + ".", ""));
  }
}
