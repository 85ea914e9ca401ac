package io.weir.rules;

import io.weir.Limit;
import io.weir.OnFailure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node of a tree of descriptors, as it is written in a file of the Envoy form.
 *
 * @param key which entries it is for; {@code *} in it stands for any text
 * @param value which values of the key; {@code *} in it stands for any text; empty: all that no
 *     other node of the level is for
 * @param limit empty: descriptors that end here are not limited
 * @param metadata goes with the answer: texts, numbers, booleans, null, and lists and maps of them
 * @param children for descriptors with more entries
 */
public record DescriptorNode(
    String key,
    String value,
    Set<Flag> flags,
    Optional<RateLimit> limit,
    Map<String, @Nullable Object> metadata,
    List<DescriptorNode> children,
    Place place) {
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

  /** What a node may be besides. */
  public enum Flag {
    /** Charged and reported, but refuses nobody. */
    SHADOW_MODE,
    /** Refuses only if all others in this mode refuse too. */
    QUOTA_MODE,
    /** {@code settle: request}: hits are charged in full, whether they fit or not. */
    POST_PAID,
    /** All values of the descriptor are in its metrics' name. */
    DETAILED_METRIC,
    /** The value of this level is in the metrics' name. */
    VALUE_TO_METRIC,
    /** All values that match the value's pattern share one bucket. */
    SHARE_THRESHOLD
  }

  /**
   * The limits of a node.
   *
   * @param name what answers call it, and what others replace it by
   * @param replaces the names of limits that do not count where this one does
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

    /** The same limits under a name. */
    public RateLimit named(String name) {
      return new RateLimit(Optional.of(name), replaces, limits, onFailure);
    }

    /** The same limits in place of one more. */
    public RateLimit replacing(String name) {
      List<String> more = new ArrayList<>(replaces);
      more.add(name);
      return new RateLimit(this.name, more, limits, onFailure);
    }
  }

  /** A node for one value of a key, without a limit so far; empty: for all other values. */
  public static DescriptorNode of(String key, String value) {
    return new DescriptorNode(
        key, value, Set.of(), Optional.empty(), Map.of(), List.of(), Place.NOWHERE);
  }

  /** The same node with a limit. */
  public DescriptorNode limited(RateLimit limit) {
    return new DescriptorNode(key, value, flags, Optional.of(limit), metadata, children, place);
  }

  /** The same node with other flags. */
  public DescriptorNode with(Flag... others) {
    return new DescriptorNode(key, value, Set.of(others), limit, metadata, children, place);
  }

  /** The same node with other children. */
  public DescriptorNode with(List<DescriptorNode> others) {
    return new DescriptorNode(key, value, flags, limit, metadata, others, place);
  }

  /** Whether it is this. */
  public boolean is(Flag flag) {
    return flags.contains(flag);
  }

  /** Whether a star in its key or value makes it a pattern. */
  public boolean isPattern() {
    return isPattern(key, value);
  }

  private static boolean isPattern(String key, String value) {
    return key.indexOf('*') >= 0 || value.indexOf('*') >= 0;
  }

  /** The key and the value in one, as messages and metrics show them: {@code key_value}. */
  public String label() {
    return label(key, value);
  }

  /** The label of a key and a value. */
  public static String label(String key, String value) {
    return value.isEmpty() ? key : key + "_" + value;
  }
}
