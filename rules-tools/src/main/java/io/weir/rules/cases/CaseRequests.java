package io.weir.rules.cases;

import io.weir.rules.http.Header;
import io.weir.rules.http.HttpRequest;
import io.weir.rules.http.Url;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the requests of a case. */
final class CaseRequests {
  /** Fields that a case may set for all of its requests; a request may override them. */
  static final List<String> SHARED = List.of("request", "from", "attributes", "headers", "cost");

  private static final List<String> OWN = List.of("at", "repeat", "every");
  private static final long MAX_REPEATS = 1_000_000;

  private final ProblemCollector problemCollector;
  private final ScalarReader scalarReader;
  private final CaseTimes times;
  private final CaseExpectations expectations;
  private final Instant start;
  private final YamlFields shared;
  private Instant before;

  CaseRequests(ProblemCollector problemCollector, Instant start, YamlFields shared) {
    this.problemCollector = problemCollector;
    this.scalarReader = new ScalarReader(problemCollector);
    this.times = new CaseTimes(problemCollector);
    this.expectations = new CaseExpectations(problemCollector);
    this.start = start;
    this.shared = shared;
    this.before = start;
  }

  List<CaseStep> steps(Sequence requests) {
    List<CaseStep> caseSteps = new ArrayList<>();
    for (YamlNode item : requests.items()) {
      CaseStep caseStep = step(item);
      if (caseStep != null) {
        caseSteps.add(caseStep);
        before = caseStep.end();
      }
    }
    return caseSteps;
  }

  private @Nullable CaseStep step(YamlNode yamlNode) {
    List<String> known = new ArrayList<>(OWN);
    known.addAll(SHARED);
    known.addAll(CaseExpectations.FIELDS);
    YamlFields yamlFields = YamlFields.of(yamlNode, "a request", known, problemCollector);
    if (yamlFields == null) {
      return null;
    }
    Scalar at = yamlFields.scalar("at");
    Instant first = times.at(at, start, before);
    if (at != null && first.isBefore(before)) {
      problemCollector.error(
          at.sourceLocation(),
          "this is before the request above it; requests must be in order of time");
      first = before;
    }
    int repeat = (int) number(yamlFields, "repeat", 1, 1, MAX_REPEATS);
    Scalar written = yamlFields.scalar("every");
    Duration every = written == null ? null : times.length(written);
    if (written != null && every != null && every.toDays() > 366) {
      problemCollector.error(written.sourceLocation(), "'every' must be at most 366d");
      every = null;
    }
    every = every == null ? Duration.ZERO : every;
    if (!times.isInRange(first.plus(every.multipliedBy(repeat)), yamlNode)) {
      return null;
    }
    return new CaseStep(
        yamlFields.sourceLocation(),
        first,
        repeat,
        every,
        request(yamlFields),
        expectations.read(yamlFields));
  }

  private CaseRequest request(YamlFields yamlFields) {
    Map<String, String> attributes = new HashMap<>();
    List<Header> headers = new ArrayList<>();
    for (YamlFields each : List.of(shared, yamlFields)) {
      addAttributes(each.get("attributes"), attributes);
      addHeaders(each.get("headers"), headers);
    }
    Scalar from = either(yamlFields, "from");
    Scalar line = either(yamlFields, "request");
    YamlFields costs = yamlFields.get("cost") == null ? shared : yamlFields;
    long cost = number(costs, "cost", 1, 0, Long.MAX_VALUE);
    HttpRequest http =
        new HttpRequest("", "", headers, from == null ? null : from.text(), null, cost);
    return new CaseRequest(attributes, line == null ? http : withLine(http, line), cost);
  }

  private @Nullable Scalar either(YamlFields yamlFields, String field) {
    return yamlFields.get(field) == null ? shared.scalar(field) : yamlFields.scalar(field);
  }

  /** {@code GET /path?query}. */
  private HttpRequest withLine(HttpRequest request, Scalar line) {
    String[] words = line.text().strip().split("\\s+", 2);
    if (words.length != 2 || !HttpRequest.isToken(words[0])) {
      problemCollector.error(
          line.sourceLocation(),
          "'request' must be a method and a path, such as GET /api/v1/users");
      return request;
    }
    try {
      Url url = Url.parse(words[1]);
      return new HttpRequest(
          words[0], url.target(), request.headers(), request.ip(), url.host(), request.cost());
    } catch (IllegalArgumentException e) {
      problemCollector.error(line.sourceLocation(), Excerpt.of("" + e.getMessage()));
      return request;
    }
  }

  private void addAttributes(@Nullable YamlNode yamlNode, Map<String, String> attributes) {
    for (Entry entry : scalarReader.entries("attributes", "values", yamlNode)) {
      String name = entry.key().text();
      if (!(entry.value() instanceof Scalar value)) {
        problemCollector.error(
            entry.value().sourceLocation(),
            "an attribute is a single value, but is " + entry.value().inWords());
      } else if (value.isNull()) {
        attributes.remove(name);
      } else {
        attributes.put(name, value.text());
      }
    }
  }

  /** A list sends the header several times; null does not send it. */
  private void addHeaders(@Nullable YamlNode yamlNode, List<Header> headers) {
    for (Entry entry : scalarReader.entries("headers", "values", yamlNode)) {
      String name = entry.key().text();
      if (!HttpRequest.isToken(name)) {
        problemCollector.error(
            entry.key().sourceLocation(), Excerpt.quoted(name) + " is not a header name");
      }
      headers.removeIf(header -> header.name().equalsIgnoreCase(name));
      List<YamlNode> sent =
          entry.value() instanceof Sequence list ? list.items() : List.of(entry.value());
      for (YamlNode value : sent) {
        if (!(value instanceof Scalar scalar)) {
          problemCollector.error(
              value.sourceLocation(),
              "a header is a single value or a list, but is " + value.inWords());
        } else if (!scalar.isNull()) {
          headers.add(new Header(name, scalar.text()));
        }
      }
    }
  }

  private long number(YamlFields yamlFields, String field, long otherwise, long min, long max) {
    Scalar scalar = yamlFields.scalar(field);
    Long number = scalar == null ? null : scalarReader.wholeNumber("'" + field + "'", scalar);
    if (scalar == null || number == null) {
      return otherwise;
    }
    if (number < min || number > max) {
      problemCollector.error(
          scalar.sourceLocation(),
          "'"
              + field
              + "' must be "
              + (max == Long.MAX_VALUE ? "at least " + min : "from " + min + " to " + max));
      return otherwise;
    }
    return number;
  }
}
