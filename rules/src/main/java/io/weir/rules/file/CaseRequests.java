package io.weir.rules.file;

import io.weir.rules.cases.CaseRequest;
import io.weir.rules.cases.Step;
import io.weir.rules.file.Node.Entry;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.file.Node.Sequence;
import io.weir.rules.http.Header;
import io.weir.rules.http.HttpRequest;
import io.weir.rules.http.Url;
import io.weir.rules.text.Excerpt;
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
  private static final long MOST_REPEATS = 1_000_000;

  private final Problems problems;
  private final Values values;
  private final CaseTimes times;
  private final CaseExpectations expectations;
  private final Instant start;
  private final Fields shared;
  private Instant before;

  CaseRequests(Problems problems, Instant start, Fields shared) {
    this.problems = problems;
    this.values = new Values(problems);
    this.times = new CaseTimes(problems);
    this.expectations = new CaseExpectations(problems);
    this.start = start;
    this.shared = shared;
    this.before = start;
  }

  List<Step> steps(Sequence requests) {
    List<Step> steps = new ArrayList<>();
    for (Node item : requests.items()) {
      Step step = step(item);
      if (step != null) {
        steps.add(step);
        before = step.end();
      }
    }
    return steps;
  }

  private @Nullable Step step(Node node) {
    List<String> known = new ArrayList<>(OWN);
    known.addAll(SHARED);
    known.addAll(CaseExpectations.FIELDS);
    Fields fields = Fields.of(node, "a request", known, problems);
    if (fields == null) {
      return null;
    }
    Scalar at = fields.scalar("at");
    Instant first = times.at(at, start, before);
    if (at != null && first.isBefore(before)) {
      problems.error(
          at.place(), "this is before the request above it; requests must be in order of time");
      first = before;
    }
    int repeat = (int) number(fields, "repeat", 1, 1, MOST_REPEATS);
    Scalar written = fields.scalar("every");
    Duration every = written == null ? null : times.length(written);
    if (written != null && every != null && every.toDays() > 366) {
      problems.error(written.place(), "'every' must be at most 366d");
      every = null;
    }
    every = every == null ? Duration.ZERO : every;
    if (!times.isInRange(first.plus(every.multipliedBy(repeat)), node)) {
      return null;
    }
    return new Step(
        fields.place(), first, repeat, every, request(fields), expectations.read(fields));
  }

  private CaseRequest request(Fields fields) {
    Map<String, String> attributes = new HashMap<>();
    List<Header> headers = new ArrayList<>();
    for (Fields each : List.of(shared, fields)) {
      addAttributes(each.get("attributes"), attributes);
      addHeaders(each.get("headers"), headers);
    }
    Scalar from = either(fields, "from");
    Scalar line = either(fields, "request");
    Fields costs = fields.get("cost") == null ? shared : fields;
    long cost = number(costs, "cost", 1, 0, Long.MAX_VALUE);
    HttpRequest http =
        new HttpRequest("", "", headers, from == null ? null : from.text(), null, cost);
    return new CaseRequest(attributes, line == null ? http : withLine(http, line), cost);
  }

  private @Nullable Scalar either(Fields fields, String field) {
    return fields.get(field) == null ? shared.scalar(field) : fields.scalar(field);
  }

  /** {@code GET /path?query}. */
  private HttpRequest withLine(HttpRequest request, Scalar line) {
    String[] words = line.text().strip().split("\\s+", 2);
    if (words.length != 2 || !HttpRequest.isToken(words[0])) {
      problems.error(
          line.place(), "'request' must be a method and a path, such as GET /api/v1/users");
      return request;
    }
    try {
      Url url = Url.parse(words[1]);
      return new HttpRequest(
          words[0], url.target(), request.headers(), request.ip(), url.host(), request.cost());
    } catch (IllegalArgumentException e) {
      problems.error(line.place(), Excerpt.of("" + e.getMessage()));
      return request;
    }
  }

  private void addAttributes(@Nullable Node node, Map<String, String> attributes) {
    for (Entry entry : values.entries("attributes", "values", node)) {
      String name = entry.key().text();
      if (!(entry.value() instanceof Scalar value)) {
        problems.error(
            entry.value().place(),
            "an attribute is a single value, but is " + entry.value().inWords());
      } else if (value.isNull()) {
        attributes.remove(name);
      } else {
        attributes.put(name, value.text());
      }
    }
  }

  /** A list sends the header several times; null does not send it. */
  private void addHeaders(@Nullable Node node, List<Header> headers) {
    for (Entry entry : values.entries("headers", "values", node)) {
      String name = entry.key().text();
      if (!HttpRequest.isToken(name)) {
        problems.error(entry.key().place(), Excerpt.quoted(name) + " is not a header name");
      }
      headers.removeIf(header -> header.name().equalsIgnoreCase(name));
      List<Node> sent =
          entry.value() instanceof Sequence list ? list.items() : List.of(entry.value());
      for (Node value : sent) {
        if (!(value instanceof Scalar scalar)) {
          problems.error(
              value.place(), "a header is a single value or a list, but is " + value.inWords());
        } else if (!scalar.isNull()) {
          headers.add(new Header(name, scalar.text()));
        }
      }
    }
  }

  private long number(Fields fields, String field, long otherwise, long least, long most) {
    Scalar scalar = fields.scalar(field);
    Long number = scalar == null ? null : values.wholeNumber("'" + field + "'", scalar);
    if (scalar == null || number == null) {
      return otherwise;
    }
    if (number < least || number > most) {
      problems.error(
          scalar.place(),
          "'"
              + field
              + "' must be "
              + (most == Long.MAX_VALUE ? "at least " + least : "from " + least + " to " + most));
      return otherwise;
    }
    return number;
  }
}
