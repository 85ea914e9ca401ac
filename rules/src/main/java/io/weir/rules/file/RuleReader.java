package io.weir.rules.file;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.Cost;
import io.weir.rules.Policy;
import io.weir.rules.Policy.Mode;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.Match;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Scalar;
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

  private final ProblemCollector problemCollector;
  private final OnFailure onFailure;
  private final ScalarReader scalarReader;
  private final MatchReader matches;
  private final LimitReader limits;

  RuleReader(ProblemCollector problemCollector, OnFailure onFailure) {
    this.problemCollector = problemCollector;
    this.onFailure = onFailure;
    this.scalarReader = new ScalarReader(problemCollector);
    this.matches = new MatchReader(problemCollector);
    this.limits = new LimitReader(problemCollector);
  }

  /** A rule; null if it has no name. */
  @Nullable Rule rule(YamlNode yamlNode, String domain) {
    YamlFields yamlFields = YamlFields.of(yamlNode, "a rule", KNOWN, problemCollector);
    if (yamlFields == null) {
      return null;
    }
    for (String field : LATER) {
      SourceLocation key = yamlFields.keyOf(field);
      if (key != null) {
        problemCollector.error(key, "'" + field + "' is not supported yet; remove it");
      }
    }
    Scalar name = name(yamlFields, "a rule");
    YamlNode match = yamlFields.get("match");
    YamlNode exempt = yamlFields.get("exempt");
    YamlNode per = yamlFields.get("per");
    YamlNode overrides = yamlFields.get("overrides");
    List<Limit> own = limits.limits(yamlFields, "a rule");
    List<RuleOverride> ruleOverrides = overrides == null ? List.of() : variants(overrides);
    Stream<Limit> all =
        Stream.concat(own.stream(), ruleOverrides.stream().flatMap(each -> each.limits().stream()));
    Rule.Builder rule =
        Rule.named(name == null ? "" : name.text())
            .domain(domain)
            .place(name == null ? yamlFields.sourceLocation() : name.sourceLocation())
            .match(match == null ? Match.EVERYTHING : matches.match(match))
            .exempt(
                exempt == null ? List.of() : scalarReader.list("exempt", exempt, this::exemption))
            .per(per == null ? List.of() : scalarReader.names("per", per))
            .limits(own)
            .variants(ruleOverrides)
            .cost(cost(yamlFields))
            .policy(policy(yamlFields, all));
    return name == null ? null : rule.build();
  }

  private @Nullable Scalar name(YamlFields yamlFields, String what) {
    if (yamlFields.get("name") == null) {
      problemCollector.error(yamlFields.sourceLocation(), what + " needs a 'name'");
      return null;
    }
    return checkedName(yamlFields);
  }

  private @Nullable Scalar checkedName(YamlFields yamlFields) {
    Scalar name = yamlFields.scalar("name");
    if (name != null && !NAME.matcher(name.text()).matches()) {
      problemCollector.error(
          name.sourceLocation(),
          "bad name "
              + Excerpt.quoted(name.text())
              + "; a name is 1 to 100 of A-Z a-z 0-9 . _ : -");
      return null;
    }
    return name;
  }

  private Match exemption(YamlNode yamlNode) {
    Match match = matches.match(yamlNode);
    if (yamlNode instanceof YamlNode.Mapping mapping && mapping.entries().isEmpty()) {
      problemCollector.error(
          yamlNode.sourceLocation(), "an empty match exempts every request; name an attribute");
    }
    return match;
  }

  private List<RuleOverride> variants(YamlNode yamlNode) {
    Map<String, SourceLocation> ids = new HashMap<>();
    List<RuleOverride> ruleOverrides = scalarReader.list("overrides", yamlNode, this::variant);
    for (RuleOverride ruleOverride : ruleOverrides) {
      // The buckets of an override are stored under its name or match, so two equal ones would
      // share them.
      SourceLocation first = ids.putIfAbsent(ruleOverride.id(), ruleOverride.sourceLocation());
      if (first != null) {
        problemCollector.error(
            ruleOverride.sourceLocation(),
            ruleOverride.name().isPresent()
                ? "duplicate override name "
                    + Excerpt.quoted(ruleOverride.id())
                    + "; the first is at "
                    + first
                : "the same match as the override at " + first + ", which is always taken first");
      }
    }
    return ruleOverrides;
  }

  private @Nullable RuleOverride variant(YamlNode yamlNode) {
    int before = problemCollector.count();
    YamlFields yamlFields =
        YamlFields.of(yamlNode, "an override", OVERRIDE_FIELDS, problemCollector);
    if (yamlFields == null) {
      return null;
    }
    Scalar name = yamlFields.get("name") == null ? null : checkedName(yamlFields);
    YamlNode match = yamlFields.get("match");
    if (match == null) {
      problemCollector.error(
          yamlFields.sourceLocation(), "an override needs a 'match': the requests that it is for");
    }
    Match when = match == null ? Match.EVERYTHING : matches.match(match);
    List<Limit> own = limits.limits(yamlFields, "an override");
    return problemCollector.count() > before
        ? null
        : new RuleOverride(
            Optional.ofNullable(name).map(Scalar::text), when, own, yamlFields.sourceLocation());
  }

  private Cost cost(YamlFields yamlFields) {
    Scalar cost = yamlFields.scalar("cost");
    if (cost == null) {
      return new Cost.OfRequest();
    }
    if (!NUMBER.matcher(cost.text()).matches()) {
      String attribute = scalarReader.name("cost", cost);
      return attribute == null ? new Cost.OfRequest() : new Cost.OfAttribute(attribute);
    }
    Long permits = scalarReader.wholeNumber("'cost'", cost);
    if (permits != null && permits < 0) {
      problemCollector.error(
          cost.sourceLocation(), "'cost' must not be negative, but is " + permits);
    }
    return permits == null || permits < 0 ? new Cost.OfRequest() : new Cost.Fixed(permits);
  }

  private Policy policy(YamlFields yamlFields, Stream<Limit> all) {
    Mode mode = scalarReader.choice(yamlFields, "mode", Mode.values(), Mode.ENFORCE);
    Consistency consistency = consistency(yamlFields, all);
    OnFailure usual = consistency.onFailure(onFailure);
    OnFailure own = scalarReader.choice(yamlFields, "on_failure", OnFailure.values(), usual);
    Scalar written = yamlFields.scalar("on_failure");
    if (written != null && consistency.onFailure(own) != own) {
      problemCollector.error(
          written.sourceLocation(),
          "consistency '%s' needs on_failure '%s', but it is '%s'; remove it"
              .formatted(consistency, consistency.onFailure(own), own));
      own = usual;
    }
    return new Policy(mode, own, consistency);
  }

  /** Rejects a consistency that some limit does not support. */
  private Consistency consistency(YamlFields yamlFields, Stream<Limit> all) {
    Consistency wanted =
        scalarReader.choice(yamlFields, "consistency", Consistency.values(), Consistency.EXACT);
    Limit unfit = all.filter(limit -> !wanted.isFor(limit)).findFirst().orElse(null);
    Scalar written = yamlFields.scalar("consistency");
    if (written == null || unfit == null) {
      return wanted;
    }
    problemCollector.error(
        written.sourceLocation(),
        "consistency '%s' is not for %s"
            .formatted(
                wanted,
                unfit.countRejected()
                    ? "limits with 'count_rejected'; remove either"
                    : unfit.algorithm() + "; remove it, or choose another algorithm"));
    return Consistency.EXACT;
  }
}
