package io.weir.rules.envoy;

import io.weir.rules.engine.KeyJoiner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a domain by descriptors: the Envoy form, compiled for lookup. Immutable.
 *
 * <p>A descriptor is followed entry by entry from the top of the tree. At each level the node with
 * the entry's key and value is taken; else the first with a matching pattern, in the order of the
 * file; else the one with the key alone. There is no backtracking: a chosen node that leads nowhere
 * means no limit. The limit is that of the node where the descriptor ends.
 *
 * <p>The cost is one table lookup per entry, however many nodes there are. If a key has patterns,
 * add a lookup per length of their prefixes, and a comparison with each pattern that shares the
 * prefix.
 */
public final class DescriptorTree {
  private final String domain;
  private final List<DescriptorNode> nodes;
  private final List<DescriptorLimit> limits = new ArrayList<>();
  private final DescriptorLevel top;

  private DescriptorTree(String domain, List<DescriptorNode> nodes) {
    this.domain = domain;
    this.nodes = List.copyOf(nodes);
    requireUnique(nodes, domain + ".");
    this.top = DescriptorLevel.of(domain, DescriptorPath.TOP, nodes, limits);
  }

  /**
   * The tree of a domain.
   *
   * @param nodes of the first level, in the order of the files
   * @throws IllegalArgumentException if a level has two nodes of the same key and value
   */
  public static DescriptorTree of(String domain, List<DescriptorNode> nodes) {
    return new DescriptorTree(domain, nodes);
  }

  private static void requireUnique(List<DescriptorNode> nodes, String prefix) {
    Set<Descriptor.Entry> entries = new HashSet<>();
    for (DescriptorNode node : nodes) {
      if (!entries.add(new Descriptor.Entry(node.key(), node.value()))) {
        throw new IllegalArgumentException(
            "duplicate descriptor composite key '" + prefix + node.label() + "'");
      }
      requireUnique(node.children(), prefix + node.label() + ".");
    }
  }

  /**
   * The limit of a descriptor. A limit in the descriptor itself takes precedence over the tree.
   *
   * @throws io.weir.rules.match.MalformedRequestException if such a limit is invalid
   */
  public DescriptorMatch find(Descriptor descriptor) {
    DescriptorMatch configured = findConfigured(descriptor);
    return descriptor.limit().isPresent()
        ? override(descriptor, descriptor.limit().get(), configured)
        : configured;
  }

  private DescriptorMatch override(
      Descriptor descriptor, LimitOverride override, DescriptorMatch configured) {
    if (configured instanceof DescriptorMatch.Limited limited
        && limited.limit().sharesCounterWith(override.limit())) {
      DescriptorLimit limit =
          DescriptorLimit.ofCaller(domain, descriptor, override, Optional.of(limited.limit()));
      return new DescriptorMatch.Limited(limit, limited.key());
    }
    DescriptorLimit limit =
        DescriptorLimit.ofCaller(domain, descriptor, override, Optional.empty());
    List<String> values = descriptor.entries().stream().map(Descriptor.Entry::value).toList();
    return new DescriptorMatch.Limited(limit, KeyJoiner.of(values));
  }

  private DescriptorMatch findConfigured(Descriptor descriptor) {
    DescriptorLevel level = top;
    DescriptorLevel.@Nullable Branch branch = null;
    for (Descriptor.Entry entry : descriptor.entries()) {
      branch = level.find(entry);
      if (branch == null) {
        return new DescriptorMatch.NoLimit();
      }
      level = branch.children();
    }
    return branch == null ? new DescriptorMatch.NoLimit() : branch.match(descriptor);
  }

  /** The nodes of the first level. */
  public List<DescriptorNode> nodes() {
    return nodes;
  }

  /** All limits of its nodes, in the order of the files. */
  public List<DescriptorLimit> limits() {
    return List.copyOf(limits);
  }
}
