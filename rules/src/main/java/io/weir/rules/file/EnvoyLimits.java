package io.weir.rules.file;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.Policy;
import io.weir.rules.SourceLocation;
import io.weir.rules.envoy.DescriptorNode.RateLimit;
import io.weir.rules.envoy.RateUnit;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Sequence;
import io.weir.text.DidYouMean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads {@code rate_limit} of a descriptor: a map, or a list of maps that apply together. */
final class EnvoyLimits {
  private static final List<String> OF_A_LIMIT =
      List.of("unit", "window", "algorithm", "burst", "queue", "epochs", "count_rejected");

  private final ProblemCollector problemCollector;
  private final LimitReader reader;

  EnvoyLimits(ProblemCollector problemCollector) {
    this.problemCollector = problemCollector;
    this.reader = new LimitReader(problemCollector);
  }

  /** The limits of a descriptor; empty if it has none, or if they have errors. */
  Optional<RateLimit> read(EnvoyFields descriptor) {
    List<EnvoyFields> items = new ArrayList<>();
    for (Mapping each : maps(descriptor)) {
      items.add(EnvoyFields.of(each, EnvoyLevel.RATE_LIMIT, problemCollector));
    }
    Optional<OnFailure> onFailure = onFailure(descriptor, items);
    if (items.isEmpty()) {
      return Optional.empty();
    }
    EnvoyFields first = items.get(0);
    String name = first.text("name");
    List<String> replaces = replaces(first, name);
    items.stream().skip(1).forEach(this::refuseName);
    return Optional.of(
        new RateLimit(
            Optional.of(name).filter(Predicate.not(String::isEmpty)),
            replaces,
            limits(items),
            onFailure.orElse(Policy.DEFAULT.onFailure())));
  }

  private List<Mapping> maps(EnvoyFields descriptor) {
    YamlNode value = descriptor.value("rate_limit");
    if (value instanceof Mapping map) {
      return List.of(map);
    }
    if (value instanceof Sequence list) {
      if (list.items().isEmpty()) {
        descriptor.error("rate_limit", "'rate_limit' is a list without a limit");
      }
      return descriptor.maps(list);
    }
    if (value != null) {
      descriptor.error(
          "rate_limit",
          "error loading config file: 'rate_limit' must be a map or a list of maps, but is "
              + value.inWords());
    }
    return List.of();
  }

  private void refuseName(EnvoyFields item) {
    for (String field : List.of("name", "replaces")) {
      if (item.has(field)) {
        item.error(field, "'" + field + "' belongs to the first limit of a list; it is for all");
      }
    }
  }

  private List<String> replaces(EnvoyFields limit, String own) {
    List<String> names = new ArrayList<>();
    for (Mapping each : limit.maps("replaces")) {
      EnvoyFields entry = EnvoyFields.of(each, EnvoyLevel.REPLACES, problemCollector);
      String name = entry.text("name");
      if (name.isEmpty()) {
        entry.error("name", "should not have an empty replaces entry");
      } else if (name.equals(own)) {
        entry.error("name", "replaces should not contain name of same descriptor");
      }
      names.add(name);
    }
    return names;
  }

  private Optional<OnFailure> onFailure(EnvoyFields descriptor, List<EnvoyFields> items) {
    Optional<OnFailure> found = Optional.empty();
    List<EnvoyFields> places = new ArrayList<>(items);
    places.add(0, descriptor);
    for (EnvoyFields fields : places) {
      if (!fields.has("on_failure")) {
        continue;
      }
      if (found.isPresent()) {
        fields.error("on_failure", "'on_failure' is given twice for one descriptor");
      }
      found = onFailure(fields);
    }
    return found;
  }

  private static Optional<OnFailure> onFailure(EnvoyFields fields) {
    String text = fields.text("on_failure");
    List<String> known = Arrays.stream(OnFailure.values()).map(OnFailure::toString).toList();
    int place = known.indexOf(text);
    if (place < 0) {
      fields.error(
          "on_failure",
          "unknown on_failure " + Excerpt.quoted(text) + ScalarReader.guessOrList(text, known));
      return Optional.empty();
    }
    return Optional.of(OnFailure.values()[place]);
  }

  private List<Limit> limits(List<EnvoyFields> items) {
    List<Limit> limits = new ArrayList<>();
    for (EnvoyFields item : items) {
      if (item.flag("unlimited")) {
        refuseLimit(item, items.size() > 1);
        continue;
      }
      Limit limit = limit(item);
      if (limit == null) {
        continue;
      }
      if (limits.stream().anyMatch(other -> LimitReader.isAlike(limit, other))) {
        problemCollector.error(
            item.sourceLocation(),
            "the same algorithm and period as another limit of the list; keep the stricter");
      }
      limits.add(limit);
    }
    return limits;
  }

  private static void refuseLimit(EnvoyFields unlimited, boolean isOneOfSeveral) {
    if (isOneOfSeveral) {
      unlimited.error("unlimited", "'unlimited' cannot stand in a list with limits");
    }
    for (String field : OF_A_LIMIT) {
      if (unlimited.has(field)) {
        unlimited.error(
            field,
            field.equals("unit")
                ? "should not specify rate limit unit when unlimited"
                : "'" + field + "' has no meaning when unlimited");
      }
    }
  }

  private @Nullable Limit limit(EnvoyFields fields) {
    Optional<Duration> length = length(fields);
    // Capped at what a limit can count.
    long requests = Math.min(fields.number("requests_per_unit").orElse(0L), Limit.MAX_PERMITS);
    AlgorithmSyntax algorithmSyntax =
        reader.algorithm(fields.known(), AlgorithmSyntax.FIXED_WINDOW);
    if (algorithmSyntax == null) {
      return null;
    }
    reader.refuseParametersOfOthers(algorithmSyntax, fields.known());
    SourceLocation at = fields.place(fields.has("window") ? "window" : "requests_per_unit");
    return length
        .map(exactly -> new RateSpec(requests, new Period(Optional.of(exactly), Optional.empty())))
        .map(rateSpec -> reader.build(algorithmSyntax, rateSpec, at, fields.known()))
        .orElse(null);
  }

  private static Optional<Duration> length(EnvoyFields fields) {
    if (fields.has("window")) {
      if (fields.has("unit")) {
        fields.error("window", "'unit' and 'window' exclude each other; leave one of them out");
      }
      return window(fields);
    }
    String unit = fields.text("unit");
    Optional<RateUnit> known = RateUnit.named(unit);
    if (known.isEmpty()) {
      fields.error(
          "unit",
          "invalid rate limit unit " + Excerpt.quoted(unit) + DidYouMean.of(unit, RateUnit.NAMES));
    }
    return known.map(RateUnit::period);
  }

  /**
   * A duration; calendar units of a day or longer are given by name, because their length varies.
   */
  private static Optional<Duration> window(EnvoyFields fields) {
    String text = fields.text("window");
    try {
      Period period = Period.parse(text);
      if (period.calendar().isEmpty()) {
        return period.length();
      }
      fields.error("window", "'window' is a duration such as 30s or 7d; write unit: " + text);
    } catch (IllegalArgumentException e) {
      fields.error("window", String.valueOf(e.getMessage()));
    }
    return Optional.empty();
  }
}
