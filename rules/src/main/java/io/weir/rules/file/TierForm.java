package io.weir.rules.file;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.rules.AttributeSource;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.Condition;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Match;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.ValueMatcher;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
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
final class TierForm implements RuleFileForm {
  static final String KEY = "rate_limits";

  private static final List<String> FIELDS = List.of("domain", "attributes", KEY);
  private static final List<String> KINDS = List.of("default", "tiers", "endpoint_overrides");
  private static final List<String> BUCKET = List.of("bucket_capacity", "refill_rate");
  private static final Pattern TIER =
      Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0,98}[\\x21-\\x7e])?");
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,10}(\\.\\d{1,9})?");

  @Override
  public void read(Mapping file, Draft draft) {
    YamlFields yamlFields = YamlFields.of(file, "a rule file", FIELDS, draft.problemCollector());
    YamlNode limits = yamlFields == null ? null : yamlFields.get(KEY);
    if (yamlFields == null || limits == null) {
      return;
    }
    DomainDraft domain = draft.domain(yamlFields);
    domain.unlessDeclared(
        "api_key", new AttributeSource.Field(AttributeSource.Field.Kind.HEADER, "X-API-Key"));
    domain.unlessDeclared("client", new AttributeSource.FirstOf(List.of("api_key", "ip")));
    new Buckets(domain, draft).read(limits);
  }

  /** The buckets of one file. */
  private static final class Buckets {
    private final DomainDraft domain;
    private final ProblemCollector problemCollector;
    private final Policy policy;
    private final ScalarReader scalarReader;

    Buckets(DomainDraft domain, Draft draft) {
      this.domain = domain;
      this.problemCollector = draft.problemCollector();
      this.policy = new Policy(Policy.Mode.ENFORCE, draft.onFailure(), Consistency.EXACT);
      this.scalarReader = new ScalarReader(problemCollector);
    }

    void read(YamlNode yamlNode) {
      YamlFields kinds = YamlFields.of(yamlNode, "rate_limits", KINDS, problemCollector);
      if (kinds == null) {
        return;
      }
      Map<String, ValueMatcher> tiers = tiers(kinds.get("tiers"));
      Map<String, ValueMatcher> endpoints = endpoints(kinds.get("endpoint_overrides"));
      List<Match> onEndpoint = anyOf("path", endpoints);
      List<Match> exempt = new ArrayList<>(onEndpoint);
      exempt.addAll(anyOf("tier", tiers));
      YamlNode otherwise = kinds.get("default");
      if (otherwise == null) {
        problemCollector.error(kinds.sourceLocation(), "rate_limits needs a 'default'");
      } else {
        SourceLocation key = kinds.keyOf("default");
        add(
            "default",
            key == null ? kinds.sourceLocation() : key,
            otherwise,
            Match.EVERYTHING,
            exempt);
      }
      addAll("tier", "tier", kinds.get("tiers"), tiers, onEndpoint);
      addAll("endpoint", "path", kinds.get("endpoint_overrides"), endpoints, List.of());
    }

    private void addAll(
        String kind,
        String attribute,
        @Nullable YamlNode yamlNode,
        Map<String, ValueMatcher> valueMatchers,
        List<Match> exempt) {
      if (!(yamlNode instanceof Mapping mapping)) {
        return;
      }
      for (Entry entry : mapping.entries()) {
        String name = entry.key().text();
        ValueMatcher valueMatcher = valueMatchers.get(name);
        if (valueMatcher != null) {
          Match match = Match.of(Condition.of(attribute, valueMatcher));
          add(kind + ":" + name, entry.key().sourceLocation(), entry.value(), match, exempt);
        }
      }
    }

    private void add(
        String name,
        SourceLocation sourceLocation,
        YamlNode bucket,
        Match match,
        List<Match> exempt) {
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
                .place(sourceLocation)
                .form(Rule.Form.TIERS)
                .build());
      }
    }

    private static List<Match> anyOf(String attribute, Map<String, ValueMatcher> valueMatchers) {
      return valueMatchers.isEmpty()
          ? List.of()
          : List.of(Match.of(new Condition(attribute, List.copyOf(valueMatchers.values()))));
    }

    private Map<String, ValueMatcher> tiers(@Nullable YamlNode yamlNode) {
      Map<String, ValueMatcher> tiers = new LinkedHashMap<>();
      for (Entry entry : scalarReader.entries("tiers", "buckets", yamlNode)) {
        String tier = entry.key().text();
        if (TIER.matcher(tier).matches()) {
          tiers.put(tier, new ValueMatcher.Is(tier));
        } else {
          problemCollector.error(
              entry.key().sourceLocation(),
              "bad tier "
                  + Excerpt.quoted(tier)
                  + "; a tier is 1 to 100 printable ASCII characters");
        }
      }
      return tiers;
    }

    private Map<String, ValueMatcher> endpoints(@Nullable YamlNode yamlNode) {
      Map<String, ValueMatcher> endpoints = new LinkedHashMap<>();
      Map<String, SourceLocation> paths = new LinkedHashMap<>();
      for (Entry entry : scalarReader.entries("endpoint_overrides", "buckets", yamlNode)) {
        Scalar key = entry.key();
        try {
          String path = plainPath(key.text());
          SourceLocation first = paths.putIfAbsent(path, key.sourceLocation());
          if (first != null) {
            throw new IllegalArgumentException("the same path as at " + first);
          }
          endpoints.put(key.text(), new ValueMatcher.OnPath(PathPattern.parse(path)));
        } catch (IllegalArgumentException | MalformedRequestException e) {
          problemCollector.error(
              key.sourceLocation(),
              "bad path " + Excerpt.quoted(key.text()) + ": " + e.getMessage());
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

    private @Nullable Limit limit(String name, YamlNode yamlNode) {
      YamlFields yamlFields = YamlFields.of(yamlNode, "a bucket", BUCKET, problemCollector);
      if (yamlFields == null) {
        return null;
      }
      for (String field : BUCKET) {
        if (yamlFields.get(field) == null) {
          problemCollector.error(
              yamlFields.sourceLocation(), Excerpt.quoted(name) + " needs '" + field + "'");
        }
      }
      Scalar size = yamlFields.scalar("bucket_capacity");
      Scalar refill = yamlFields.scalar("refill_rate");
      Long burst = size == null ? null : scalarReader.wholeNumber("'bucket_capacity'", size);
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
        problemCollector.error(
            (isOfSize ? size : refill).sourceLocation(),
            isOfSize
                ? message.replaceFirst("burst", "bucket_capacity")
                : "refill_rate: " + message);
        return null;
      }
    }

    private @Nullable BigDecimal rate(Scalar scalar) {
      String text = scalar.text();
      if (!DECIMAL.matcher(text).matches()) {
        problemCollector.error(
            scalar.sourceLocation(),
            "'refill_rate' must be a number of tokens a second, such as 10 or 0.1 with at most 9"
                + " decimals, but is "
                + Excerpt.quoted(text));
        return null;
      }
      BigDecimal rate = new BigDecimal(text);
      if (rate.signum() == 0) {
        problemCollector.error(scalar.sourceLocation(), "'refill_rate' must be greater than 0");
        return null;
      }
      return rate;
    }
  }
}
