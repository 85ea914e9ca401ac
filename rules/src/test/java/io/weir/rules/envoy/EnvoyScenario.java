package io.weir.rules.envoy;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.Cost;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Short texts for rules, requests and decisions of the Envoy form, for tables in tests. */
public final class EnvoyScenario {
  public static final String DOMAIN = "d";

  private EnvoyScenario() {}

  /**
   * Rules, a line each: {@code key 5/minute}, and after it {@code quota}, {@code shadow}, {@code
   * settle=request}, {@code name=N}, {@code replaces=N}, {@code on_failure=P}; or {@code key
   * unlimited}. A line that begins with {@code rule} is one of Weir's own form: {@code rule NAME
   * 5/minute}, and after it {@code per=ATTRIBUTE}, {@code cost=N}, {@code shadow}, {@code
   * on_failure=P}.
   */
  public static RuleSet rules(String lines) {
    List<DescriptorNode> nodes = new ArrayList<>();
    List<Rule> rules = new ArrayList<>();
    for (String line : lines.strip().split("\n")) {
      List<String> words = List.of(line.strip().split(" +"));
      if (words.get(0).equals("rule")) {
        rules.add(rule(words));
      } else if (!line.isBlank()) {
        nodes.add(node(words));
      }
    }
    return RuleSet.of(new Domain(DOMAIN, Map.of(), rules, DescriptorTree.of(DOMAIN, nodes)));
  }

  private static DescriptorNode node(List<String> words) {
    DescriptorNode.RateLimit limit =
        words.contains("unlimited")
            ? DescriptorNode.RateLimit.of()
            : DescriptorNode.RateLimit.of(limit(words.get(1)));
    limit =
        new DescriptorNode.RateLimit(
            option(words, "name"),
            option(words, "replaces").stream().toList(),
            limit.limits(),
            onFailure(words));
    List<DescriptorNode.Flag> flags = new ArrayList<>();
    if (words.contains("quota")) {
      flags.add(DescriptorNode.Flag.QUOTA_MODE);
    }
    if (words.contains("settle=request")) {
      flags.add(DescriptorNode.Flag.POST_PAID);
    }
    if (words.contains("shadow")) {
      flags.add(DescriptorNode.Flag.SHADOW_MODE);
    }
    return DescriptorNode.of(words.get(0), "")
        .limited(limit)
        .with(flags.toArray(DescriptorNode.Flag[]::new));
  }

  private static Rule rule(List<String> words) {
    Rule.Builder rule = Rule.named(words.get(1)).domain(DOMAIN).limit(limit(words.get(2)));
    option(words, "per").ifPresent(rule::per);
    option(words, "cost").ifPresent(cost -> rule.cost(new Cost.Fixed(Long.parseLong(cost))));
    Policy.Mode mode = words.contains("shadow") ? Policy.Mode.SHADOW : Policy.Mode.ENFORCE;
    return rule.policy(new Policy(mode, onFailure(words), Consistency.EXACT)).build();
  }

  private static Limit limit(String rate) {
    String[] parts = rate.split("/");
    long permits = Long.parseLong(parts[0]);
    return parts[1].equals("tokens")
        ? Limit.tokenBucket(permits).perMinute()
        : RateUnit.named(parts[1]).orElseThrow().limit(permits);
  }

  private static Optional<String> option(List<String> words, String name) {
    return words.stream()
        .filter(word -> word.startsWith(name + "="))
        .map(word -> word.substring(name.length() + 1))
        .findFirst();
  }

  private static OnFailure onFailure(List<String> words) {
    return option(words, "on_failure")
        .map(policy -> OnFailure.valueOf(policy.toUpperCase(Locale.ROOT)))
        .orElse(OnFailure.ALLOW);
  }

  /**
   * A request: one or more {@code key=value}, each with {@code *3} for hits of its own, {@code *-3}
   * for hits that it gives back, and {@code @5/minute} for a limit that it carries; {@code *3}
   * alone is for all that have none.
   */
  public static DescriptorRequest request(String text) {
    long hits = 0;
    List<Descriptor> descriptors = new ArrayList<>();
    for (String word : text.strip().split(" +")) {
      if (word.startsWith("*")) {
        hits = Long.parseLong(word.substring(1));
      } else {
        descriptors.add(descriptor(word));
      }
    }
    return new DescriptorRequest(DOMAIN, descriptors, hits);
  }

  private static Descriptor descriptor(String word) {
    String[] parts = word.split("(?=[*@])");
    String[] entry = parts[0].split("=");
    Descriptor descriptor = Descriptor.of(entry[0], entry[1]);
    for (String part : Arrays.asList(parts).subList(1, parts.length)) {
      String value = part.substring(1);
      if (part.startsWith("@")) {
        String[] rate = value.split("/");
        descriptor = descriptor.limitedTo(new LimitOverride(Long.parseLong(rate[0]), rate[1]));
      } else if (value.startsWith("-")) {
        descriptor = descriptor.withHits(Long.parseLong(value.substring(1))).givingBack();
      } else {
        descriptor = descriptor.withHits(Long.parseLong(value));
      }
    }
    return descriptor;
  }

  /** The decision of a limiter, which must be complete at once. */
  public static DescriptorDecision check(RequestLimiter limiter, String request) {
    return limiter.checkAsync(request(request)).toCompletableFuture().getNow(null);
  }

  /**
   * A decision: {@code OK}, {@code OVER} or {@code ERROR}, and the result of each descriptor:
   * {@code 4} left, {@code !0} refused with 0 left, {@code (4)} in shadow mode, {@code -} if not
   * limited, {@code ~} if unlimited, {@code ^} if replaced, {@code ?} if its domain is unknown;
   * those of several rules joined by commas.
   */
  public static String summary(DescriptorDecision decision) {
    String overall = decision.allowed() ? "OK" : decision.isError() ? "ERROR" : "OVER";
    return decision.descriptorResults().stream()
        .map(EnvoyScenario::summary)
        .collect(Collectors.joining(" ", overall + " ", ""));
  }

  private static String summary(DescriptorDecision.DescriptorResult descriptorResult) {
    List<String> parts = new ArrayList<>();
    descriptorResult
        .requestDecision()
        .ruleDecisions()
        .forEach(ruleDecision -> parts.add(summary(ruleDecision)));
    descriptorResult
        .requestDecision()
        .shadows()
        .forEach(ruleDecision -> parts.add("(" + summary(ruleDecision) + ")"));
    if (parts.isEmpty()
        || !(descriptorResult.descriptorMatch() instanceof DescriptorMatch.Limited)) {
      parts.add(0, mark(descriptorResult.descriptorMatch()));
    }
    return String.join(",", parts);
  }

  private static String summary(RuleDecision ruleDecision) {
    return (ruleDecision.decision().allowed() ? "" : "!") + ruleDecision.decision().remaining();
  }

  private static String mark(DescriptorMatch descriptorMatch) {
    return descriptorMatch instanceof DescriptorMatch.Unlimited
        ? "~"
        : descriptorMatch instanceof DescriptorMatch.Replaced
            ? "^"
            : descriptorMatch instanceof DescriptorMatch.UnknownDomain
                ? "?"
                : descriptorMatch instanceof DescriptorMatch.Limited ? "()" : "-";
  }
}
