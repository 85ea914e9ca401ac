package io.weir.decision;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.ValueMatcher;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Describes the callers that a rule of a domain applies to, without revealing possible credentials.
 * For example, an API key that is exempt or has limits of its own stands in the rules in plain
 * text.
 *
 * <p>Methods, paths, hosts and addresses are shown. Values looked up in a table are shown too,
 * because they are names of tiers. Of all other values only the ends are shown, {@code ab…9f}.
 * Values with fewer than eight characters become {@code …} and four digits, which distinguish them
 * while the process runs.
 */
public final class CredentialMasking {
  private static final Set<String> OPEN = Set.of("method", "path", "host", "ip");
  private static final Set<String> ADDRESSES = Set.of("remote_address", "masked_remote_address");
  private static final int MIN_LENGTH = 8;
  private static final int END_LENGTH = 2;
  private static final byte[] SECRET = new byte[32];

  static {
    new SecureRandom().nextBytes(SECRET);
  }

  private final Map<String, AttributeSource> sources;

  private CredentialMasking(Map<String, AttributeSource> sources) {
    this.sources = sources;
  }

  /** For the rules of {@code domain}. */
  public static CredentialMasking over(Domain domain) {
    return new CredentialMasking(domain.attributes());
  }

  /** A copy of the match that may be shown. */
  public Match of(Match match) {
    return new Match(match.conditions().stream().map(this::of).toList());
  }

  /** The name of an override, or else the callers that it applies to. */
  public String id(RuleOverride ruleOverride) {
    return ruleOverride.name().orElseGet(() -> of(ruleOverride.match()).toString());
  }

  /** The unique names of a rule's overrides, in their order. */
  public List<String> names(Rule rule) {
    List<String> names = new ArrayList<>();
    for (RuleOverride ruleOverride : rule.ruleOverrides()) {
      String name = id(ruleOverride);
      String unique = name;
      for (int i = 2; names.contains(unique); i++) {
        unique = name + " #" + i;
      }
      names.add(unique);
    }
    return names;
  }

  /** How much may be shown of each value of a rule's keys, in the order of its {@code per}. */
  public List<Visibility> ofKeys(Rule rule) {
    return rule.per().stream().map(each -> visibility(each, new HashSet<>())).toList();
  }

  private Visibility visibility(String attribute, Set<String> seen) {
    if (isOpen(attribute)) {
      return Visibility.OPEN;
    }
    AttributeSource source = sources.get(attribute);
    if (source == null) {
      return ADDRESSES.contains(attribute) ? Visibility.ADDRESS : Visibility.MASKED;
    }
    if (!(source instanceof AttributeSource.FirstOf) || !seen.add(attribute)) {
      return Visibility.MASKED;
    }
    boolean isAllOpen = true;
    boolean hasAddress = false;
    for (String each : source.attributes()) {
      Visibility one = visibility(each, seen);
      isAllOpen &= one == Visibility.OPEN;
      hasAddress |= one == Visibility.ADDRESS || (one == Visibility.OPEN && each.equals("ip"));
    }
    return isAllOpen ? Visibility.OPEN : hasAddress ? Visibility.ADDRESS : Visibility.MASKED;
  }

  /** Whether a value may be shown to read-only viewers. */
  public enum Visibility {
    /** Shown as it is. */
    OPEN,
    /** Shown as it is if it is an address; any other value may be a credential. */
    ADDRESS,
    /** Only the ends are shown: the value may be a credential. */
    MASKED
  }

  private Condition of(Condition condition) {
    return isOpen(condition.attribute())
        ? condition
        : new Condition(
            condition.attribute(), condition.anyOf().stream().map(CredentialMasking::of).toList());
  }

  private boolean isOpen(String attribute) {
    AttributeSource source = sources.get(attribute);
    return source == null || source instanceof AttributeSource.LowerCasePath
        ? OPEN.contains(attribute)
        : source instanceof AttributeSource.Lookup;
  }

  private static ValueMatcher of(ValueMatcher valueMatcher) {
    if (valueMatcher instanceof ValueMatcher.Is is) {
      return new ValueMatcher.Is(ends(is.value()));
    } else if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
      return new ValueMatcher.StartsWith(ends(starts.prefix()));
    }
    return valueMatcher;
  }

  private static String ends(String value) {
    int[] letters = value.codePoints().toArray();
    return letters.length < MIN_LENGTH
        ? "…" + digits(value)
        : new String(letters, 0, END_LENGTH)
            + "…"
            + new String(letters, letters.length - END_LENGTH, END_LENGTH);
  }

  private static String digits(String value) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(SECRET);
      return HexFormat.of().formatHex(hash.digest(value.getBytes(UTF_8)), 0, 2);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is part of every Java", e);
    }
  }
}
