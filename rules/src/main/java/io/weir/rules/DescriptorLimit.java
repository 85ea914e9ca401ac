package io.weir.rules;

import io.weir.Limit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a descriptor is limited by: a node of the tree, or what its caller brought along. */
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
   * @param number its place among all limits of its tree, from 0
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
        .place(path.last().place())
        .form(Rule.Form.DESCRIPTORS)
        .build();
  }

  /**
   * The limit that the caller of {@code descriptor} brought along. Descriptors of the same keys and
   * the same limit share a rule; its name has no values, so that there are not too many of them.
   *
   * @param configured in place of which it counts, on the same counter; empty if there is none
   * @throws io.weir.rules.match.MalformedRequestException if there is no such limit
   */
  static DescriptorLimit ofCaller(
      String domain,
      Descriptor descriptor,
      LimitOverride override,
      Optional<DescriptorLimit> configured) {
    Limit limit = override.limit();
    List<String> keys = descriptor.entries().stream().map(Descriptor.Entry::key).toList();
    // No node has an empty key, so no node has an id that begins like this.
    Keys id = new Keys().add("").add(limit.toString()).add(Keys.of(keys));
    Rule rule =
        Rule.named(domain + "." + String.join(".", keys))
            .domain(domain)
            .id(id.toString())
            .per(keys)
            .limit(limit)
            .build();
    return new DescriptorLimit(
        rule, asked -> DescriptorPath.nameWithValues(domain, asked), configured);
  }

  /** The limit of the tree whose counter it shares. */
  Optional<DescriptorLimit> configured() {
    return configured;
  }

  /**
   * Whether a limit that a caller brings along counts where this one does: as in
   * envoyproxy/ratelimit, where a counter is a descriptor's entries in a window.
   */
  boolean sharesCounterWith(Limit override) {
    List<Limit> own = rule.limits();
    return own.size() == 1 && own.get(0).sharesBucketsWith(override) && !path.isShared();
  }

  /** Its place among all limits of its tree, from 0. */
  int number() {
    return number;
  }

  /** Whether its caller brought it along, so that it is in no tree. */
  public boolean isOverride() {
    return number == BROUGHT_ALONG;
  }

  /**
   * Whose bucket it is that {@code who} describes by the keys of descriptors as attributes. What
   * the tree has the value of need not be said.
   *
   * @throws io.weir.rules.match.MalformedRequestException if a value is missing
   */
  String keyOf(Request who) {
    return path.key(path.descriptor(who, rule));
  }

  /** The limits as a rule, which can be charged like any other. None: unlimited. */
  public Rule rule() {
    return rule;
  }

  /** The name that it was given, which answers show and others replace it by. */
  public Optional<String> name() {
    return name;
  }

  /** The names of limits that do not count where this one does. */
  public List<String> replaces() {
    return replaces;
  }

  /** Whether it refuses only if all others in this mode refuse too. */
  public boolean quotaMode() {
    return quotaMode;
  }

  /** Whether hits are charged in full, there or not; without hits it only looks. */
  public boolean isPostPaid() {
    return postPaid;
  }

  /** What goes with the answer. */
  public Map<String, @Nullable Object> metadata() {
    return metadata;
  }

  /**
   * What envoyproxy/ratelimit calls it in statistics: {@code domain.key_value.key}. Flags of its
   * nodes put values of {@code descriptor} into it, which was found to be limited by it, and so
   * does a limit that a caller brought along; the rule's name has none.
   */
  public String metricName(Descriptor descriptor) {
    return metricName.apply(descriptor);
  }

  @Override
  public String toString() {
    return rule.name() + " " + rule.limits();
  }
}
