package io.weir.rules.file;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.Cost;
import io.weir.rules.Place;
import io.weir.rules.Policy;
import io.weir.rules.Policy.Mode;
import io.weir.rules.Rule;
import io.weir.rules.Variant;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.match.Match;
import io.weir.rules.text.Excerpt;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads one entry of {@code rules}. */
final class RuleReader {
  /** The fields of a rule. */
  static final List<String> FIELDS =
      List.of(
          "name",
          "match",
          "exempt",
          "per",
          "limit",
          "limits",
          "overrides",
          "cost",
          "mode",
          "on_failure",
          "consistency");

  /** The fields of an override. */
  static final List<String> OVERRIDE_FIELDS = List.of("name", "match", "limit", "limits");

  /** Fields that are reserved for later. */
  static final List<String> LATER = List.of("on_limit", "soft", "priority", "count", "adapt");

  private static final List<String> KNOWN = Stream.concat(FIELDS.stream(), LATER.stream()).toList();
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,100}");
  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9][0-9._,]*");

  private final Problems problems;
  private final OnFailure onFailure;
  private final Values values;
  private final MatchReader matches;
  private final LimitReader limits;

  RuleReader(Problems problems, OnFailure onFailure) {
    this.problems = problems;
    this.onFailure = onFailure;
    this.values = new Values(problems);
    this.matches = new MatchReader(problems);
    this.limits = new LimitReader(problems);
  }

  /** A rule; null if it has no name. */
  @Nullable Rule rule(Node node, String domain) {
    Fields fields = Fields.of(node, "a rule", KNOWN, problems);
    if (fields == null) {
      return null;
    }
    for (String field : LATER) {
      Place key = fields.keyOf(field);
      if (key != null) {
        problems.error(key, "'" + field + "' is not supported yet; remove it");
      }
    }
    Scalar name = name(fields, "a rule");
    Node match = fields.get("match");
    Node exempt = fields.get("exempt");
    Node per = fields.get("per");
    Node overrides = fields.get("overrides");
    List<Limit> own = limits.limits(fields, "a rule");
    List<Variant> variants = overrides == null ? List.of() : variants(overrides);
    Stream<Limit> all =
        Stream.concat(own.stream(), variants.stream().flatMap(each -> each.limits().stream()));
    Rule.Builder rule =
        Rule.named(name == null ? "" : name.text())
            .domain(domain)
            .place(name == null ? fields.place() : name.place())
            .match(match == null ? Match.EVERYTHING : matches.match(match))
            .exempt(exempt == null ? List.of() : values.list("exempt", exempt, this::exemption))
            .per(per == null ? List.of() : values.names("per", per))
            .limits(own)
            .variants(variants)
            .cost(cost(fields))
            .policy(policy(fields, all));
    return name == null ? null : rule.build();
  }

  private @Nullable Scalar name(Fields fields, String what) {
    if (fields.get("name") == null) {
      problems.error(fields.place(), what + " needs a 'name'");
      return null;
    }
    return checkedName(fields);
  }

  private @Nullable Scalar checkedName(Fields fields) {
    Scalar name = fields.scalar("name");
    if (name != null && !NAME.matcher(name.text()).matches()) {
      problems.error(
          name.place(),
          "bad name "
              + Excerpt.quoted(name.text())
              + "; a name is 1 to 100 of A-Z a-z 0-9 . _ : -");
      return null;
    }
    return name;
  }

  private Match exemption(Node node) {
    Match match = matches.match(node);
    if (node instanceof Node.Mapping mapping && mapping.entries().isEmpty()) {
      problems.error(node.place(), "an empty match exempts every request; name an attribute");
    }
    return match;
  }

  private List<Variant> variants(Node node) {
    Map<String, Place> ids = new HashMap<>();
    List<Variant> variants = values.list("overrides", node, this::variant);
    for (Variant variant : variants) {
      // The buckets of an override are stored under its name or match, so two equal ones would
      // share them.
      Place first = ids.putIfAbsent(variant.id(), variant.place());
      if (first != null) {
        problems.error(
            variant.place(),
            variant.name().isPresent()
                ? "duplicate override name "
                    + Excerpt.quoted(variant.id())
                    + "; the first is at "
                    + first
                : "the same match as the override at " + first + ", which is always taken first");
      }
    }
    return variants;
  }

  private @Nullable Variant variant(Node node) {
    int before = problems.count();
    Fields fields = Fields.of(node, "an override", OVERRIDE_FIELDS, problems);
    if (fields == null) {
      return null;
    }
    Scalar name = fields.get("name") == null ? null : checkedName(fields);
    Node match = fields.get("match");
    if (match == null) {
      problems.error(fields.place(), "an override needs a 'match': the requests that it is for");
    }
    Match when = match == null ? Match.EVERYTHING : matches.match(match);
    List<Limit> own = limits.limits(fields, "an override");
    return problems.count() > before
        ? null
        : new Variant(Optional.ofNullable(name).map(Scalar::text), when, own, fields.place());
  }

  private Cost cost(Fields fields) {
    Scalar cost = fields.scalar("cost");
    if (cost == null) {
      return new Cost.OfRequest();
    }
    if (!NUMBER.matcher(cost.text()).matches()) {
      String attribute = values.name("cost", cost);
      return attribute == null ? new Cost.OfRequest() : new Cost.OfAttribute(attribute);
    }
    Long permits = values.wholeNumber("'cost'", cost);
    if (permits != null && permits < 0) {
      problems.error(cost.place(), "'cost' must not be negative, but is " + permits);
    }
    return permits == null || permits < 0 ? new Cost.OfRequest() : new Cost.Fixed(permits);
  }

  private Policy policy(Fields fields, Stream<Limit> all) {
    Mode mode = values.choice(fields, "mode", Mode.values(), Mode.ENFORCE);
    Consistency promise = consistency(fields, all);
    OnFailure usual = promise.onFailure(onFailure);
    OnFailure own = values.choice(fields, "on_failure", OnFailure.values(), usual);
    Scalar written = fields.scalar("on_failure");
    if (written != null && promise.onFailure(own) != own) {
      problems.error(
          written.place(),
          "consistency '%s' needs on_failure '%s', but it is '%s'; remove it"
              .formatted(promise, promise.onFailure(own), own));
      own = usual;
    }
    return new Policy(mode, own, promise);
  }

  /** Rejects a consistency that some limit does not support. */
  private Consistency consistency(Fields fields, Stream<Limit> all) {
    Consistency wanted =
        values.choice(fields, "consistency", Consistency.values(), Consistency.EXACT);
    Limit unfit = all.filter(limit -> !wanted.isFor(limit)).findFirst().orElse(null);
    Scalar written = fields.scalar("consistency");
    if (written == null || unfit == null) {
      return wanted;
    }
    problems.error(
        written.place(),
        "consistency '%s' is not for %s"
            .formatted(
                wanted,
                unfit.countRejected()
                    ? "limits with 'count_rejected'; remove either"
                    : unfit.algorithm() + "; remove it, or choose another algorithm"));
    return Consistency.EXACT;
  }
}
