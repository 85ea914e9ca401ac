package io.weir.rules.file;

import io.weir.rules.text.Excerpt;
import io.weir.text.DidYouMean;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The kind of a map in a file of the Envoy form, which determines its valid keys. */
enum EnvoyLevel {
  FILE("at the top of the file", "domain", "descriptors"),
  DESCRIPTOR(
      "in a descriptor",
      "key",
      "value",
      "rate_limit",
      "descriptors",
      "shadow_mode",
      "quota_mode",
      "detailed_metric",
      "value_to_metric",
      "share_threshold",
      "metadata",
      "on_failure",
      "settle"),
  RATE_LIMIT(
      "in 'rate_limit'",
      "unit",
      "requests_per_unit",
      "unlimited",
      "name",
      "replaces",
      "algorithm",
      "window",
      "burst",
      "queue",
      "epochs",
      "count_rejected",
      "on_failure"),
  REPLACES("in an entry of 'replaces'", "name");

  private final String inWords;
  private final Set<String> keys;

  EnvoyLevel(String inWords, String... keys) {
    this.inWords = inWords;
    this.keys = new LinkedHashSet<>(List.of(keys));
  }

  boolean has(String key) {
    return keys.contains(key);
  }

  /** The error message for a key that is not valid here. */
  String refusal(String key) {
    Optional<EnvoyLevel> otherLevel =
        Arrays.stream(values()).filter(level -> level.has(key)).findFirst();
    if (otherLevel.isPresent()) {
      return "config error, key '" + key + "' does not belong here but " + otherLevel.get().inWords;
    }
    return "config error, unknown key " + Excerpt.quoted(key) + guess(key);
  }

  private String guess(String key) {
    String suggestion = DidYouMean.of(key, keys);
    return suggestion.isEmpty()
        ? DidYouMean.of(key, Arrays.stream(values()).flatMap(level -> level.keys.stream()).toList())
        : suggestion;
  }
}
