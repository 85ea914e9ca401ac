package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.match.ValueMatcher;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The known properties of a domain's attributes, independent of requests. */
final class DomainAttributes {
  /** The attributes that every HTTP front end sets. */
  static final Set<String> GIVEN = Set.of("ip", "method", "path", "host");

  /** A bound for circular sources. */
  private static final int MAX_STEPS = 32;

  private final Map<String, AttributeSource> sources;
  private final Set<String> keys;
  private final Map<String, NavigableSet<String>> values = new HashMap<>();

  /**
   * Describes a domain.
   *
   * @param keys of the entries of its descriptors, which its rules see as attributes
   */
  DomainAttributes(Map<String, AttributeSource> sources, Set<String> keys) {
    this.sources = sources;
    this.keys = keys;
  }

  @Nullable AttributeSource source(String name) {
    return sources.get(name);
  }

  /** Whether it is declared, front ends set it, or descriptors have it. */
  boolean knows(String name) {
    return sources.containsKey(name) || isGiven(name) || isKey(name);
  }

  /** Whether it is a descriptor key without another declaration. */
  boolean isKey(String name) {
    return keys.contains(name) && !sources.containsKey(name);
  }

  /** Whether front ends set it, without another declaration. */
  boolean isGiven(String name) {
    AttributeSource source = sources.get(name);
    return GIVEN.contains(name)
        && (source == null || source instanceof AttributeSource.LowerCasePath);
  }

  /** All known names, in alphabetical order. */
  Collection<String> names() {
    Set<String> names = new TreeSet<>(GIVEN);
    names.addAll(sources.keySet());
    return names;
  }

  /** Whether an HTTP request may lack it. */
  boolean mayBeMissing(String name) {
    return mayBeMissing(name, MAX_STEPS);
  }

  private boolean mayBeMissing(String name, int steps) {
    if (isGiven(name)) {
      return false;
    }
    AttributeSource source = sources.get(name);
    if (source instanceof AttributeSource.Lookup lookup) {
      return lookup.otherwise().isEmpty();
    }
    if (source instanceof AttributeSource.FirstOf first && steps > 0) {
      return first.attributes().stream().allMatch(each -> mayBeMissing(each, steps - 1));
    }
    return true;
  }

  /** Whether {@code valueMatcher} may hold for it in some request, judging by its source. */
  boolean canBe(String name, ValueMatcher valueMatcher) {
    return canBe(name, valueMatcher, MAX_STEPS);
  }

  private boolean canBe(String name, ValueMatcher valueMatcher, int steps) {
    AttributeSource source = sources.get(name);
    if (source instanceof AttributeSource.Lookup lookup) {
      return valueMatcher instanceof ValueMatcher.Absent
          ? lookup.otherwise().isEmpty()
          : mayHold(valueMatcher, values(name, lookup));
    }
    if (source instanceof AttributeSource.FirstOf first && steps > 0) {
      return valueMatcher instanceof ValueMatcher.Absent
          ? first.attributes().stream().allMatch(each -> canBe(each, valueMatcher, steps - 1))
          : first.attributes().stream().anyMatch(each -> canBe(each, valueMatcher, steps - 1));
    }
    return true;
  }

  private static boolean mayHold(ValueMatcher valueMatcher, NavigableSet<String> values) {
    if (valueMatcher instanceof ValueMatcher.Is is) {
      return values.contains(is.value());
    }
    if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
      String next = values.ceiling(starts.prefix());
      return next != null && next.startsWith(starts.prefix());
    }
    return !values.isEmpty();
  }

  /** All values that the lookup attribute {@code name} can have. */
  NavigableSet<String> values(String name, AttributeSource.Lookup lookup) {
    return values.computeIfAbsent(
        name,
        unknown -> {
          NavigableSet<String> all = new TreeSet<>(lookup.table().values());
          lookup.otherwise().ifPresent(all::add);
          return all;
        });
  }

  /** Adds {@code name} and all attributes that it is derived from. */
  void addWithParts(String name, Set<String> names) {
    if (!names.add(name)) {
      return;
    }
    parts(name).forEach(part -> addWithParts(part, names));
  }

  /** The attributes that {@code name} is derived from. */
  Collection<String> parts(String name) {
    AttributeSource source = sources.get(name);
    if (source instanceof AttributeSource.Lookup lookup) {
      return Set.of(lookup.attribute());
    }
    return source instanceof AttributeSource.FirstOf first
        ? new LinkedHashSet<>(first.attributes())
        : Set.of();
  }
}
