package io.weir.rules.file;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.rules.AttributeSource;
import io.weir.rules.Place;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.file.Node.Entry;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.Condition;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Match;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.Test;
import io.weir.rules.text.Excerpt;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The small form with {@code rate_limits:}: token buckets by endpoint, else by tier, else the
 * default, for each client.
 *
 * <pre>{@code
 * rate_limits:
 *   default: { bucket_capacity: 100, refill_rate: 10 }
 *   tiers: { free: { bucket_capacity: 20, refill_rate: 2 } }
 *   endpoint_overrides: { /login: { bucket_capacity: 5, refill_rate: 0.1 } }
 * }</pre>
 *
 * <p>Each bucket is a rule. Matches and exemptions ensure that only one rule applies to a request:
 * a tier's rule exempts the endpoints, the default exempts both. Endpoints are plain paths, not
 * patterns, so no two match the same request.
 */
final class TierForm implements Form {
  static final String KEY = "rate_limits";

  private static final List<String> FIELDS = List.of("domain", "attributes", KEY);
  private static final List<String> KINDS = List.of("default", "tiers", "endpoint_overrides");
  private static final List<String> BUCKET = List.of("bucket_capacity", "refill_rate");
  private static final Pattern TIER =
      Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0,98}[\\x21-\\x7e])?");
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,10}(\\.\\d{1,9})?");

  @Override
  public void read(Mapping file, Draft draft) {
    Fields fields = Fields.of(file, "a rule file", FIELDS, draft.problems());
    Node limits = fields == null ? null : fields.get(KEY);
    if (fields == null || limits == null) {
      return;
    }
    DomainDraft domain = draft.domain(fields);
    domain.unlessDeclared(
        "api_key", new AttributeSource.Field(AttributeSource.Field.Kind.HEADER, "X-API-Key"));
    domain.unlessDeclared("client", new AttributeSource.FirstOf(List.of("api_key", "ip")));
    new Buckets(domain, draft).read(limits);
  }

  /** The buckets of one file. */
  private static final class Buckets {
    private final DomainDraft domain;
    private final Problems problems;
    private final Policy policy;
    private final Values values;

    Buckets(DomainDraft domain, Draft draft) {
      this.domain = domain;
      this.problems = draft.problems();
      this.policy = new Policy(Policy.Mode.ENFORCE, draft.onFailure(), Consistency.EXACT);
      this.values = new Values(problems);
    }

    void read(Node node) {
      Fields kinds = Fields.of(node, "rate_limits", KINDS, problems);
      if (kinds == null) {
        return;
      }
      Map<String, Test> tiers = tiers(kinds.get("tiers"));
      Map<String, Test> endpoints = endpoints(kinds.get("endpoint_overrides"));
      List<Match> onEndpoint = anyOf("path", endpoints);
      List<Match> elsewhere = new ArrayList<>(onEndpoint);
      elsewhere.addAll(anyOf("tier", tiers));
      Node otherwise = kinds.get("default");
      if (otherwise == null) {
        problems.error(kinds.place(), "rate_limits needs a 'default'");
      } else {
        Place key = kinds.keyOf("default");
        add("default", key == null ? kinds.place() : key, otherwise, Match.EVERYTHING, elsewhere);
      }
      addAll("tier", "tier", kinds.get("tiers"), tiers, onEndpoint);
      addAll("endpoint", "path", kinds.get("endpoint_overrides"), endpoints, List.of());
    }

    private void addAll(
        String kind,
        String attribute,
        @Nullable Node node,
        Map<String, Test> tests,
        List<Match> exempt) {
      if (!(node instanceof Mapping mapping)) {
        return;
      }
      for (Entry entry : mapping.entries()) {
        String name = entry.key().text();
        Test test = tests.get(name);
        if (test != null) {
          Match match = Match.of(Condition.of(attribute, test));
          add(kind + ":" + name, entry.key().place(), entry.value(), match, exempt);
        }
      }
    }

    private void add(String name, Place place, Node bucket, Match match, List<Match> exempt) {
      Limit limit = limit(name, bucket);
      if (limit != null) {
        domain.rule(
            Rule.named(name)
                .domain(domain.name())
                .match(match)
                .exempt(exempt)
                .per("client")
                .limit(limit)
                .policy(policy)
                .place(place)
                .form(Rule.Form.TIERS)
                .build());
      }
    }

    private static List<Match> anyOf(String attribute, Map<String, Test> tests) {
      return tests.isEmpty()
          ? List.of()
          : List.of(Match.of(new Condition(attribute, List.copyOf(tests.values()))));
    }

    private Map<String, Test> tiers(@Nullable Node node) {
      Map<String, Test> tiers = new LinkedHashMap<>();
      for (Entry entry : values.entries("tiers", "buckets", node)) {
        String tier = entry.key().text();
        if (TIER.matcher(tier).matches()) {
          tiers.put(tier, new Test.Is(tier));
        } else {
          problems.error(
              entry.key().place(),
              "bad tier "
                  + Excerpt.quoted(tier)
                  + "; a tier is 1 to 100 printable ASCII characters");
        }
      }
      return tiers;
    }

    private Map<String, Test> endpoints(@Nullable Node node) {
      Map<String, Test> endpoints = new LinkedHashMap<>();
      Map<String, Place> paths = new LinkedHashMap<>();
      for (Entry entry : values.entries("endpoint_overrides", "buckets", node)) {
        Scalar key = entry.key();
        try {
          String path = plainPath(key.text());
          Place first = paths.putIfAbsent(path, key.place());
          if (first != null) {
            throw new IllegalArgumentException("the same path as at " + first);
          }
          endpoints.put(key.text(), new Test.OnPath(PathPattern.parse(path)));
        } catch (IllegalArgumentException | MalformedRequestException e) {
          problems.error(
              key.place(), "bad path " + Excerpt.quoted(key.text()) + ": " + e.getMessage());
        }
      }
      return endpoints;
    }

    private static String plainPath(String text) {
      if (text.contains("*") || text.contains("{")) {
        throw new IllegalArgumentException(
            "an endpoint is no pattern; use Weir's own form for that");
      }
      if (!text.startsWith("/")) {
        throw new IllegalArgumentException("a path starts with '/'");
      }
      return CanonicalPath.of(text);
    }

    private @Nullable Limit limit(String name, Node node) {
      Fields fields = Fields.of(node, "a bucket", BUCKET, problems);
      if (fields == null) {
        return null;
      }
      for (String field : BUCKET) {
        if (fields.get(field) == null) {
          problems.error(fields.place(), Excerpt.quoted(name) + " needs '" + field + "'");
        }
      }
      Scalar size = fields.scalar("bucket_capacity");
      Scalar refill = fields.scalar("refill_rate");
      Long burst = size == null ? null : values.wholeNumber("'bucket_capacity'", size);
      BigDecimal rate = refill == null ? null : rate(refill);
      if (size == null || refill == null || burst == null || rate == null) {
        return null;
      }
      try {
        // Exact: 0.1 a second is 1 in 10 seconds, and 2.5 are 25 in 10.
        int digits = Math.max(0, rate.stripTrailingZeros().scale());
        Duration period = Duration.ofSeconds(BigDecimal.TEN.pow(digits).longValueExact());
        long permits = rate.scaleByPowerOfTen(digits).longValueExact();
        return new Limit.TokenBucket(permits, period, burst);
      } catch (IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        boolean isOfSize = message.startsWith("burst");
        problems.error(
            (isOfSize ? size : refill).place(),
            isOfSize
                ? message.replaceFirst("burst", "bucket_capacity")
                : "refill_rate: " + message);
        return null;
      }
    }

    private @Nullable BigDecimal rate(Scalar scalar) {
      String text = scalar.text();
      if (!DECIMAL.matcher(text).matches()) {
        problems.error(
            scalar.place(),
            "'refill_rate' must be a number of tokens a second, such as 10 or 0.1 with at most 9"
                + " decimals, but is "
                + Excerpt.quoted(text));
        return null;
      }
      BigDecimal rate = new BigDecimal(text);
      if (rate.signum() == 0) {
        problems.error(scalar.place(), "'refill_rate' must be greater than 0");
        return null;
      }
      return rate;
    }
  }
}
