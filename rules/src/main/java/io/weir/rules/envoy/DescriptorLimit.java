package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.rules.Policy;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.engine.KeyJoiner;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The limit of a descriptor: from a node of the tree, or from the request itself. */
public final class DescriptorLimit {
  private static final int BROUGHT_ALONG = -1;

  private final int number;
  private final Rule rule;
  private final Optional<String> name;
  private final List<String> replaces;
  private final boolean quotaMode;
  private final boolean postPaid;
  private final Map<String, @Nullable Object> metadata;
  private final Function<Descriptor, String> metricName;
  private final DescriptorPath path;
  private final Optional<DescriptorLimit> configured;

  /**
   * The limit of the last node of {@code path}.
   *
   * @param number its index among all limits of its tree, from 0
   */
  DescriptorLimit(int number, String domain, DescriptorPath path, DescriptorNode.RateLimit limit) {
    DescriptorNode node = path.last();
    this.number = number;
    this.rule = rule(domain, path, limit);
    this.name = limit.name();
    this.replaces = limit.replaces();
    this.quotaMode = node.is(DescriptorNode.Flag.QUOTA_MODE);
    this.postPaid = node.is(DescriptorNode.Flag.POST_PAID);
    this.metadata = node.metadata();
    this.metricName = descriptor -> path.metricName(domain, descriptor);
    this.path = path;
    this.configured = Optional.empty();
  }

  private DescriptorLimit(
      Rule override,
      Function<Descriptor, String> metricName,
      Optional<DescriptorLimit> configured) {
    this.number = BROUGHT_ALONG;
    this.rule = override;
    this.name = Optional.empty();
    this.replaces = List.of();
    this.quotaMode = false;
    this.postPaid = configured.map(DescriptorLimit::isPostPaid).orElse(false);
    this.metadata = Map.of();
    this.metricName = metricName;
    this.path = DescriptorPath.TOP;
    this.configured = configured;
  }

  private static Rule rule(String domain, DescriptorPath path, DescriptorNode.RateLimit limit) {
    Policy.Mode mode =
        path.last().is(DescriptorNode.Flag.SHADOW_MODE) ? Policy.Mode.SHADOW : Policy.Mode.ENFORCE;
    return Rule.named(limit.name().orElseGet(() -> path.name(domain)))
        .domain(domain)
        .id(path.id())
        .per(path.keys())
        .limits(limit.limits())
        .policy(new Policy(mode, limit.onFailure(), Policy.DEFAULT.consistency()))
        .place(path.last().sourceLocation())
        .form(Rule.Form.DESCRIPTORS)
        .build();
  }

  /**
   * The limit that {@code descriptor} carries. Descriptors with the same keys and the same limit
   * share a rule. The rule's name contains no values, so that the number of names stays small.
   *
   * @param configured the limit of the tree that it replaces, with the same counter; empty if there
   *     is none
   * @throws io.weir.rules.match.MalformedRequestException if there is no such limit
   */
  static DescriptorLimit ofCaller(
      String domain,
      Descriptor descriptor,
      LimitOverride override,
      Optional<DescriptorLimit> configured) {
    Limit limit = override.limit();
    List<String> keys = descriptor.entries().stream().map(Descriptor.Entry::key).toList();
    // No node has an empty key, so no node's id begins with an empty part.
    KeyJoiner id = new KeyJoiner().add("").add(limit.toString()).add(KeyJoiner.of(keys));
    Rule rule =
        Rule.named(domain + "." + String.join(".", keys))
            .domain(domain)
            .id(id.toString())
            .per(keys)
            .limit(limit)
            .build();
    return new DescriptorLimit(rule, any -> DescriptorPath.nameWithValues(domain, any), configured);
  }

  /** The limit of the tree with the same counter. */
  Optional<DescriptorLimit> configured() {
    return configured;
  }

  /**
   * Whether a limit of a request uses this limit's counter. As in envoyproxy/ratelimit, a counter
   * belongs to a descriptor's entries and a window.
   */
  boolean sharesCounterWith(Limit override) {
    List<Limit> own = rule.limits();
    return own.size() == 1 && own.get(0).sharesBucketsWith(override) && !path.isShared();
  }

  /** Its index among all limits of its tree, from 0. */
  public int number() {
    return number;
  }

  /** Whether the request carries it, so that it is in no tree. */
  public boolean isOverride() {
    return number == BROUGHT_ALONG;
  }

  /**
   * The key of the bucket for {@code caller}, with the keys of descriptors as attributes. Values
   * that the tree fixes may be missing.
   *
   * @throws io.weir.rules.match.MalformedRequestException if a value is missing
   */
  public String keyOf(Request caller) {
    return path.key(path.descriptor(caller, rule));
  }

  /** The limits as a rule, which can be charged like any other; without limits: unlimited. */
  public Rule rule() {
    return rule;
  }

  /** Its configured name, which responses show and other limits use to replace it. */
  public Optional<String> name() {
    return name;
  }

  /** The names of limits that this one replaces. */
  public List<String> replaces() {
    return replaces;
  }

  /** Whether it refuses only if all other limits in quota mode refuse too. */
  public boolean quotaMode() {
    return quotaMode;
  }

  /**
   * Whether hits are charged in full, even if they do not fit; a descriptor without hits only
   * checks.
   */
  public boolean isPostPaid() {
    return postPaid;
  }

  /** The metadata of the response. */
  public Map<String, @Nullable Object> metadata() {
    return metadata;
  }

  /**
   * Its name in the statistics of envoyproxy/ratelimit: {@code domain.key_value.key}. Flags of its
   * nodes add values of {@code descriptor}, and so does a limit in the request. The rule's name
   * never contains values.
   */
  public String metricName(Descriptor descriptor) {
    return metricName.apply(descriptor);
  }

  @Override
  public String toString() {
    return rule.name() + " " + rule.limits();
  }
}
