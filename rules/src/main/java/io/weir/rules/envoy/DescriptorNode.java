package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.Policy;
import io.weir.rules.SourceLocation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node of a descriptor tree, as written in a file of the Envoy form.
 *
 * @param key the key of entries that it matches; {@code *} matches any text
 * @param value the value that it matches; {@code *} matches any text; empty: all values that match
 *     no other node of the level
 * @param limit empty: descriptors that end here are not limited
 * @param metadata returned with the response: texts, numbers, booleans, null, and lists and maps of
 *     them
 * @param children for descriptors with more entries
 */
public record DescriptorNode(
    String key,
    String value,
    Set<Flag> flags,
    Optional<RateLimit> limit,
    Map<String, @Nullable Object> metadata,
    List<DescriptorNode> children,
    SourceLocation sourceLocation) {
  /** Copies the collections. */
  public DescriptorNode {
    if (key.isEmpty()) {
      throw new IllegalArgumentException("descriptor has empty key");
    }
    if (flags.contains(Flag.SHARE_THRESHOLD) && !isPattern(key, value)) {
      throw new IllegalArgumentException(
          "share_threshold can only be used with wildcard values (containing '*'), but found key '"
              + (label(key, value) + "'"));
    }
    flags = Set.copyOf(flags);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    children = List.copyOf(children);
  }

  /** Options of a node. */
  public enum Flag {
    /** Charged and reported, but never refuses. */
    SHADOW_MODE,
    /** Refuses only if all other limits in this mode refuse too. */
    QUOTA_MODE,
    /** {@code settle: request}: hits are charged in full, even if they do not fit. */
    POST_PAID,
    /** The metric name contains all values of the descriptor. */
    DETAILED_METRIC,
    /** The metric name contains the value of this level. */
    VALUE_TO_METRIC,
    /** All values that match the value's pattern share one bucket. */
    SHARE_THRESHOLD
  }

  /**
   * The limits of a node.
   *
   * @param name its name in responses, which other limits use to replace it
   * @param replaces the names of limits that this one replaces
   * @param limits none: unlimited
   */
  public record RateLimit(
      Optional<String> name, List<String> replaces, List<Limit> limits, OnFailure onFailure) {
    /** Copies the lists. */
    public RateLimit {
      replaces = List.copyOf(replaces);
      limits = List.copyOf(limits);
    }

    /** These limits, without a name. */
    public static RateLimit of(Limit... limits) {
      return new RateLimit(
          Optional.empty(), List.of(), List.of(limits), Policy.DEFAULT.onFailure());
    }

    /** The same limits with a name. */
    public RateLimit named(String name) {
      return new RateLimit(Optional.of(name), replaces, limits, onFailure);
    }

    /** The same limits, which replace one more by name. */
    public RateLimit replacing(String name) {
      List<String> more = new ArrayList<>(replaces);
      more.add(name);
      return new RateLimit(this.name, more, limits, onFailure);
    }
  }

  /** A node for one value of a key, without a limit; empty: for all other values. */
  public static DescriptorNode of(String key, String value) {
    return new DescriptorNode(
        key, value, Set.of(), Optional.empty(), Map.of(), List.of(), SourceLocation.NOWHERE);
  }

  /** The same node with a limit. */
  public DescriptorNode limited(RateLimit limit) {
    return new DescriptorNode(
        key, value, flags, Optional.of(limit), metadata, children, sourceLocation);
  }

  /** The same node with other flags. */
  public DescriptorNode with(Flag... others) {
    return new DescriptorNode(
        key, value, Set.of(others), limit, metadata, children, sourceLocation);
  }

  /** The same node with other children. */
  public DescriptorNode with(List<DescriptorNode> others) {
    return new DescriptorNode(key, value, flags, limit, metadata, others, sourceLocation);
  }

  /** Whether the flag is set. */
  public boolean is(Flag flag) {
    return flags.contains(flag);
  }

  /** Whether its key or value contains a star. */
  public boolean isPattern() {
    return isPattern(key, value);
  }

  private static boolean isPattern(String key, String value) {
    return key.indexOf('*') >= 0 || value.indexOf('*') >= 0;
  }

  /** The key and the value as shown in messages and metrics: {@code key_value}. */
  public String label() {
    return label(key, value);
  }

  /** The label of a key and a value. */
  public static String label(String key, String value) {
    return value.isEmpty() ? key : key + "_" + value;
  }
}
