package io.weir.rules.envoy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one level of a descriptor tree, compiled for lookup. A node is found by key and
 * value, else by the first pattern in the order of the file, else by the key alone.
 */
final class DescriptorLevel {
  private static final DescriptorLevel NOTHING =
      new DescriptorLevel("", DescriptorPath.TOP, List.of(), List.of());

  private final Map<String, OfKey> keys = new HashMap<>();
  private final List<Branch> keyPatterns = new ArrayList<>();

  private DescriptorLevel(
      String domain,
      DescriptorPath parent,
      List<DescriptorNode> nodes,
      List<DescriptorLimit> limits) {
    for (int i = 0; i < nodes.size(); i++) {
      DescriptorNode node = nodes.get(i);
      DescriptorPath path = parent.to(node);
      Optional<DescriptorLimit> limit =
          node.limit().map(each -> new DescriptorLimit(limits.size(), domain, path, each));
      limit.ifPresent(limits::add);
      add(new Branch(i, node, path, limit, of(domain, path, node.children(), limits)));
    }
  }

  /** The level below {@code parent}. Adds the limits of its nodes, in the order of the file. */
  static DescriptorLevel of(
      String domain,
      DescriptorPath parent,
      List<DescriptorNode> nodes,
      List<DescriptorLimit> limits) {
    return nodes.isEmpty() ? NOTHING : new DescriptorLevel(domain, parent, nodes, limits);
  }

  private void add(Branch branch) {
    String key = branch.node.key();
    String value = branch.node.value();
    if (key.indexOf('*') >= 0) {
      keyPatterns.add(branch);
      return;
    }
    OfKey ofKey = keys.computeIfAbsent(key, any -> new OfKey());
    if (value.isEmpty()) {
      ofKey.otherwise = branch;
    } else if (value.indexOf('*') >= 0) {
      ofKey.patterns.add(branch);
    } else {
      ofKey.values.put(value, branch);
    }
  }

  /** The node for an entry; null if there is none. */
  @Nullable Branch find(Descriptor.Entry entry) {
    OfKey ofKey = keys.get(entry.key());
    if (ofKey == null) {
      return first(keyPatterns, entry);
    }
    Branch exact = ofKey.values.get(entry.value());
    if (exact != null) {
      return exact;
    }
    Branch pattern = earlier(ofKey.patterns.first(entry), first(keyPatterns, entry));
    return pattern == null ? ofKey.otherwise : pattern;
  }

  private static @Nullable Branch first(List<Branch> patterns, Descriptor.Entry entry) {
    for (Branch branch : patterns) {
      if (branch.matches(entry)) {
        return branch;
      }
    }
    return null;
  }

  private static @Nullable Branch earlier(@Nullable Branch a, @Nullable Branch b) {
    return a == null || (b != null && b.order < a.order) ? b : a;
  }

  /** The nodes of one key. */
  private static final class OfKey {
    private final Map<String, Branch> values = new HashMap<>(2);
    private final Patterns patterns = new Patterns();
    private @Nullable Branch otherwise;
  }

  /**
   * Patterns of values, indexed by their prefix. A value is compared only with patterns that share
   * its beginning, however many there are.
   */
  private static final class Patterns {
    private final Map<String, List<Branch>> byStart = new HashMap<>(2);
    private int[] lengths = {};

    void add(Branch branch) {
      String pattern = branch.node.value();
      String start = pattern.substring(0, pattern.indexOf('*'));
      byStart.computeIfAbsent(start, any -> new ArrayList<>(1)).add(branch);
      if (IntStream.of(lengths).noneMatch(length -> length == start.length())) {
        lengths =
            IntStream.concat(IntStream.of(lengths), IntStream.of(start.length()))
                .sorted()
                .toArray();
      }
    }

    /** The first match in the order of the file; null if there is none. */
    @Nullable Branch first(Descriptor.Entry entry) {
      Branch found = null;
      for (int length : lengths) {
        if (length > entry.value().length()) {
          break;
        }
        List<Branch> alike = byStart.get(entry.value().substring(0, length));
        if (alike != null) {
          found = earlier(found, DescriptorLevel.first(alike, entry));
        }
      }
      return found;
    }
  }

  /** A node and its children. */
  static final class Branch {
    private final int order;
    private final DescriptorNode node;
    private final @Nullable StarPattern keys;
    private final @Nullable StarPattern values;
    private final DescriptorPath path;
    private final Optional<DescriptorLimit> limit;
    private final DescriptorLevel children;

    private Branch(
        int order,
        DescriptorNode node,
        DescriptorPath path,
        Optional<DescriptorLimit> limit,
        DescriptorLevel children) {
      this.order = order;
      this.node = node;
      this.keys = pattern(node.key());
      this.values = pattern(node.value());
      this.path = path;
      this.limit = limit;
      this.children = children;
    }

    /** The pattern of a text with stars; null for a text without. */
    private static @Nullable StarPattern pattern(String text) {
      return text.indexOf('*') < 0 ? null : new StarPattern(text);
    }

    private boolean matches(Descriptor.Entry entry) {
      return matches(keys, node.key(), entry.key())
          && (node.value().isEmpty() || matches(values, node.value(), entry.value()));
    }

    private static boolean matches(@Nullable StarPattern pattern, String text, String value) {
      return pattern == null ? text.equals(value) : pattern.matches(value);
    }

    DescriptorLevel children() {
      return children;
    }

    /** The result for a descriptor that ends here. */
    DescriptorMatch match(Descriptor descriptor) {
      if (limit.isEmpty()) {
        return new DescriptorMatch.NoLimit();
      }
      DescriptorLimit found = limit.get();
      return found.rule().limits().isEmpty()
          ? new DescriptorMatch.Unlimited(found)
          : new DescriptorMatch.Limited(found, path.key(descriptor));
    }
  }
}
