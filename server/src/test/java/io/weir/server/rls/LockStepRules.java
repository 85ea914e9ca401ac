package io.weir.server.rls;

import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.type.RateLimitUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Rules in the form of envoyproxy/ratelimit and requests for them, by a seed.
 *
 * <p>All limits and overrides of a path of keys have one unit. The peer names a counter by the
 * start of its window, so two units share a counter when their windows start together. No limit is
 * in quota mode: this state of the peer never refuses by it, later ones refuse when all quotas are
 * used up, as Weir does.
 */
final class LockStepRules {
  private static final List<String> UNITS =
      List.of("second", "minute", "hour", "day", "week", "month", "year");
  private static final List<String> KEYS = List.of("ka", "kb", "kc", "ks");

  /** Limits are shared by the values of a wildcard there, and never overridden. */
  private static final String SHARED = "ks";

  private static final List<String> VALUES = List.of("v1", "v2", "w1", "w2", "x");
  private static final int MAX_DEPTH = 3;

  private final Random random;

  /** Whether refusals count as in the peer; else requests are those that both count alike. */
  private final boolean countsRefused;

  private int names;
  private String run = "";
  private int requestsOfRun;

  LockStepRules(long seed, boolean countsRefused) {
    random = new Random(seed);
    this.countsRefused = countsRefused;
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private static String unit(String path) {
    return UNITS.get(Math.floorMod(path.hashCode(), UNITS.size()));
  }

  /** Whether all limits of a path of keys are in shadow mode, where refusals do not count. */
  private static boolean isShadow(String path) {
    return Math.floorMod(path.hashCode(), 5) == 0;
  }

  /** A file; all limits stand below the key {@code run}, which makes counters new. */
  String file(String domain) {
    StringBuilder yaml = new StringBuilder("domain: " + domain + "\ndescriptors:\n  - key: run\n");
    yaml.append("    descriptors:\n");
    level(yaml, "      ", "", 1);
    return yaml.toString();
  }

  private void level(StringBuilder yaml, String indent, String path, int depth) {
    for (String key : KEYS) {
      for (String value : List.of("", "v1", "w*")) {
        if (oneIn(4) && !(depth == 1 && value.isEmpty())) {
          continue;
        }
        yaml.append(indent).append("- key: ").append(key).append('\n');
        String inner = indent + "  ";
        if (!value.isEmpty()) {
          yaml.append(inner).append("value: \"").append(value).append("\"\n");
        }
        if (key.equals(SHARED) && value.endsWith("*")) {
          yaml.append(inner).append("share_threshold: true\n");
        }
        String longer = path + "/" + key;
        boolean isLeaf = depth == MAX_DEPTH || oneIn(2);
        if (isLeaf || oneIn(2)) {
          limit(yaml, inner, longer);
        }
        if (!isLeaf) {
          yaml.append(inner).append("descriptors:\n");
          level(yaml, inner + "  ", longer, depth + 1);
        }
      }
    }
  }

  private void limit(StringBuilder yaml, String indent, String path) {
    if (countsRefused ? oneIn(6) : isShadow(path)) {
      yaml.append(indent).append("shadow_mode: true\n");
    }
    yaml.append(indent).append("rate_limit:\n");
    String inner = indent + "  ";
    if (oneIn(10)) {
      yaml.append(inner).append("unlimited: true\n");
    } else {
      yaml.append(inner).append("unit: ").append(unit(path)).append('\n');
      yaml.append(inner).append("requests_per_unit: ").append(random.nextInt(12)).append('\n');
    }
    if (oneIn(3)) {
      yaml.append(inner).append("name: n").append(names++).append('\n');
    }
    if (names > 1 && oneIn(4)) {
      yaml.append(inner).append("replaces:\n").append(inner);
      yaml.append("  - name: n").append(random.nextInt(names - 1)).append('\n');
    }
  }

  /** A request with the counters of this run. */
  RateLimitRequest request(List<String> domains, String run) {
    requestsOfRun = run.equals(this.run) ? requestsOfRun + 1 : 0;
    this.run = run;
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
    request.setDomain(oneIn(50) ? "none" : any(domains));
    List<List<String>> paths = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
      List<String> path = path();
      // Twice the same counter in one request: the peer looks at both before it counts either.
      boolean isShared = path.contains(SHARED) && paths.stream().anyMatch(p -> p.contains(SHARED));
      // A shadow limit that is used up keeps the peer from counting the others, unlike Weir.
      boolean isAlone = !countsRefused && isShadow(keys(path));
      if (isAlone && !paths.isEmpty()) {
        continue;
      }
      if (countsRefused || !(paths.contains(path) || isShared)) {
        paths.add(path);
        request.addDescriptors(fill(descriptor, path, run));
      }
      if (isAlone) {
        break;
      }
    }
    if (countsRefused && oneIn(3)) {
      request.setHitsAddend(random.nextInt(6));
    }
    return request.build();
  }

  /** Keys and values in turns. */
  private List<String> path() {
    List<String> path = new ArrayList<>();
    int depth = 1 + random.nextInt(MAX_DEPTH + (oneIn(8) ? 1 : 0));
    for (int i = 0; i < depth; i++) {
      path.add(any(KEYS));
      path.add(any(VALUES));
    }
    return path;
  }

  private RateLimitDescriptor.Builder fill(
      RateLimitDescriptor.Builder descriptor, List<String> path, String run) {
    descriptor.addEntriesBuilder().setKey("run").setValue(run);
    for (int i = 0; i < path.size(); i += 2) {
      descriptor.addEntriesBuilder().setKey(path.get(i)).setValue(path.get(i + 1));
    }
    String unit = unit(keys(path)).toUpperCase(Locale.ROOT);
    boolean canBeOverridden =
        !path.contains(SHARED) && !unit.equals("WEEK"); // an override has none
    if (canBeOverridden && (countsRefused ? oneIn(8) : isAlwaysOverridden(path))) {
      descriptor
          .getLimitBuilder()
          .setRequestsPerUnit(countsRefused ? random.nextInt(12) : shrinkingOverride(path))
          .setUnit(RateLimitUnit.valueOf(unit));
    }
    if (countsRefused && oneIn(4)) {
      descriptor.getHitsAddendBuilder().setValue(oneIn(10) ? 30 : random.nextInt(7));
    }
    return descriptor;
  }

  private static String keys(List<String> path) {
    StringBuilder keys = new StringBuilder();
    for (int i = 0; i < path.size(); i += 2) {
      keys.append('/').append(path.get(i));
    }
    return keys.toString();
  }

  /**
   * Whether no request uses the configured limit of this counter. The peer counts a refused hit of
   * the limit that refuses it, which a larger limit would show later. So where Weir does not count
   * refusals, a counter that is overridden always is, and by amounts that never grow.
   */
  private static boolean isAlwaysOverridden(List<String> path) {
    return Math.floorMod(path.hashCode(), 4) == 0;
  }

  private int shrinkingOverride(List<String> path) {
    return Math.max(0, Math.floorMod(path.hashCode() / 4, 12) - requestsOfRun / 100);
  }
}
