package io.weir.rules.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.rules.file.InvalidRulesException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of cases: what they mean, what is said about their faults, and what comes of them. */
class CaseFilesTest {
  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void writeRules() throws IOException {
    file = directory.resolve("cases.yaml");
    Files.writeString(
        directory.resolve("rules.yaml"),
        """
        attributes:
          key: { header: X-Key }
          page: { query: page }
          session: { cookie: sid }
        rules:
          - name: login
            match: { method: POST, path: "/login/{way}" }
            per: [ip, way]
            limit: { algorithm: sliding-log, rate: 2 per minute }
          - name: key
            match: { key: "*" }
            per: key
            limit: { algorithm: leaky-bucket, rate: 1 per second, queue: 2 }
          - name: daily
            match: { page: "*", session: "*" }
            per: [page, session]
            limit: { algorithm: fixed-window, rate: 3 per day, zone: Europe/Paris }
        """);
  }

  @Test
  void timesRunOnFromStepToStep() throws IOException {
    Case test =
        cases(
                """
                rules: rules.yaml
                start: 2026-03-29T00:00:00Z
                cases:
                  - name: times
                    requests:
                      - { repeat: 3, every: 1m30s }
                      - { at: +10s }
                      - { at: 2h, every: 5ms }
                      - {}
                      - { at: 2026-03-30T02:00:00+02:00 }
                """)
            .get(0);
    assertThat(test.start()).isEqualTo(Instant.parse("2026-03-29T00:00:00Z"));
    assertThat(test.caseSteps())
        .extracting(caseStep -> Duration.between(test.start(), caseStep.at()).toSeconds())
        .containsExactly(0L, 190L, 7200L, 7200L, 86_400L);
    assertThat(test.caseSteps().get(0).end()).isEqualTo(Instant.parse("2026-03-29T00:03:00Z"));
    assertThat(test.sourceLocation()).hasToString(file + ":4:5");
  }

  @Test
  void whatIsAsExpectedPasses() throws IOException {
    assertThat(
            failures(
                """
                rules: rules.yaml
                cases:
                  - name: log
                    request: POST /login/form
                    from: 10.0.0.1
                    requests:
                      - { repeat: 2, expect: allowed, rule: login, key: 10.0.0.1|form, remaining: 0 }
                      - { at: 59s, expect: refused, retry_after: 1s, delay: 0s }
                      - { request: POST /login/token, expect: allowed, remaining: 1 }
                      - { at: 1m, repeat: 4, expect: { allowed: 2, refused: 2 } }
                      - { cost: 3, expect: refused, retry_after: never }
                      - { request: GET /login/form, expect: allowed, rule: ~, key: "" }
                  - name: queue
                    headers: { X-Key: k1 }
                    requests:
                      - { repeat: 4, expect: { allowed: 3, refused: 1 }, rule: key, retry_after: 1s }
                      - { at: 1s, expect: allowed, delay: 2s, key: k1 }
                      - { headers: { x-key: k2 }, expect: allowed, delay: 0s, key: k2 }
                      - { attributes: { key: k3 }, expect: allowed, key: k3 }
                      - { headers: { X-Key: [a, b] }, expect: malformed }
                      - { headers: { X-Key: ~ }, expect: { allowed: 1 }, rule: ~ }
                  - name: calendar
                    request: GET /?page=7
                    headers: { Cookie: a=b; sid=s1 }
                    start: 2026-03-28T22:30:00Z
                    requests:
                      - { repeat: 3, expect: allowed }
                      - { expect: refused, rule: daily, key: 7|s1, retry_after: 30m }
                      - { at: 2026-03-28T23:00:00Z, repeat: 3, expect: allowed }
                      - { expect: refused, retry_after: 23h }
                """))
        .isEmpty();
  }

  @Test
  void rulesMayStandInTheFile() throws IOException {
    assertThat(
            failures(
                """
                given:
                  rules: [ { name: all, limit: 1 per minute } ]
                cases:
                  - { name: one, requests: [ { repeat: 2, expect: { allowed: 1, refused: 1 } } ] }
                  - { name: fresh, requests: [ { expect: allowed } ] }
                """))
        .isEmpty();
  }

  @Test
  void aFailureSaysWhatWasExpectedAndWhatCame() throws IOException {
    assertThat(
            failures(
                """
                rules: rules.yaml
                cases:
                  - name: wrong
                    request: POST /login/form
                    from: 10.0.0.1
                    requests:
                      - { repeat: 5, every: 500ms, expect: allowed, rule: login }
                      - { at: 1m30s, expect: refused, rule: login }
                      - { repeat: 3, expect: { allowed: 3, malformed: 1 } }
                      - { rule: ~, key: x, remaining: 7, retry_after: never, delay: 1s }
                      - { request: GET /, expect: refused, remaining: 0 }
                      - { request: GET /%2f, expect: allowed }
                      - { at: 2026-02-01T00:00:00Z, expect: refused }
                """))
        .containsExactly(
            "7:9: request 3 of 5 at 1s: expected allowed by 'login', was refused by 'login',"
                + " key 10.0.0.1|form, retry after 59s; 2 more of this step differ as well",
            "8:9: request at 1m30s: expected refused by 'login', was allowed by 'login',"
                + " key 10.0.0.1|form, remaining 1",
            "9:9: 3 requests from 1m30s: expected 3 allowed and 1 malformed,"
                + " came 1 allowed and 2 refused and 0 malformed",
            "10:9: request at 1m30s: expected the decision by no rule, was rule 'login'"
                + " (refused by 'login', key 10.0.0.1|form, retry after 1m)",
            "10:9: request at 1m30s: expected key x, was 10.0.0.1|form"
                + " (refused by 'login', key 10.0.0.1|form, retry after 1m)",
            "10:9: request at 1m30s: expected remaining 7, was 0"
                + " (refused by 'login', key 10.0.0.1|form, retry after 1m)",
            "10:9: request at 1m30s: expected retry after never, was 1m"
                + " (refused by 'login', key 10.0.0.1|form, retry after 1m)",
            "10:9: request at 1m30s: expected delay 1s, was 0s"
                + " (refused by 'login', key 10.0.0.1|form, retry after 1m)",
            "11:9: request at 1m30s: expected refused, was allowed, no rule applied",
            "12:9: request at 1m30s: expected allowed,"
                + " was malformed: the path has an encoded slash (%2F)",
            "13:9: request at 2026-02-01T00:00:00Z: expected refused,"
                + " was allowed by 'login', key 10.0.0.1|form, remaining 1");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          rules: rules.yaml | 1:1: 'cases' is missing: a list of tests
          rules: rules.yaml; cases: 7 | 1:29: 'cases' must be a list of tests with at least one
          rules: rules.yaml; cases: [] | 1:29: 'cases' must be a list of tests with at least one
          cases: [OK] | 1:1: 'rules' is missing: a rule file beside this one; or write rules under 'given'
          rules: a.yaml; given: {rules: []}; cases: [OK] | 1:1: either 'rules', which names a file, or 'given', which holds rules; not both
          rules: none.yaml; cases: [OK] | 1:10: no such file: DIR/none.yaml
          rules: {rules: []}; cases: [OK] | 1:10: 'rules' must name a file; to write rules here, use 'given'
          given: {rules: [{name: a, limit: 1 pr second}]}; cases: [OK] | 1:36: '1 pr second' is not a rate; write a number and a time: 10 per second, 500/15m
          ruels: rules.yaml; cases: [OK] | 1:3: unknown field 'ruels' of a file of cases; did you mean 'rules'?
          rules: rules.yaml; start: noon; cases: [OK] | 1:29: 'noon' is not a time; write 2026-03-29T10:00:00Z or 2026-03-29T12:00:00+02:00
          rules: rules.yaml; cases: [{name: a}] | 1:30: a case needs 'requests': a list with at least one
          rules: rules.yaml; cases: [{requests: [{}]}] | 1:30: a case needs a 'name'
          rules: rules.yaml; cases: [7] | 1:30: a case must be a map of fields, but is '7'
          REQUESTS {att: 3s} | unknown field 'att' of a request; did you mean 'at'?
          REQUESTS {at: soon} | 'soon' is no length of time; write 250ms, 30s, 1m30s, 2h or 7d
          REQUESTS {at: 5} | '5' is no length of time; write 250ms, 30s, 1m30s, 2h or 7d
          REQUESTS {at: -5s} | '-5s' is no length of time; write 250ms, 30s, 1m30s, 2h or 7d
          REQUESTS {at: 9s}, {at: 8s} | this is before the request above it; requests must be in order of time
          REQUESTS {at: 2026-13-01T00:00:00Z} | '2026-13-01T00:00:00Z' is not a time; write 2026-03-29T10:00:00Z or 2026-03-29T12:00:00+02:00
          REQUESTS {at: 2026-01-01} | '2026-01-01' is not a time; write 2026-03-29T10:00:00Z or 2026-03-29T12:00:00+02:00
          REQUESTS {at: 99999999d} | too far away: times are from the year 1700 to 2200
          REQUESTS {at: 3026-01-01T00:00:00Z} | too far away: times are from the year 1700 to 2200
          REQUESTS {repeat: 1000, every: 365d} | too far away: times are from the year 1700 to 2200
          REQUESTS {every: 999999999d} | 'every' must be at most 366d
          REQUESTS {repeat: 0} | 'repeat' must be from 1 to 1000000
          REQUESTS {repeat: often} | 'repeat' must be a whole number, but is 'often'
          REQUESTS {cost: -1} | 'cost' must be at least 0
          REQUESTS {expect: alowed} | unknown answer 'alowed'; did you mean 'allowed'?
          REQUESTS {expect: {allow: 1}} | unknown field 'allow' of 'expect'; did you mean 'allowed'?
          REQUESTS {expect: {allowed: -1}} | 'allowed' must not be negative
          REQUESTS {expect: [allowed]} | 'expect' must be a map of fields, but is a list
          REQUESTS {rule: [a]} | 'rule' must be the name of a rule, or ~ for none, but is a list
          REQUESTS {remaining: few} | 'remaining' must be a whole number, but is 'few'
          REQUESTS {retry_after: later} | 'later' is no length of time; write 250ms, 30s, 1m30s, 2h or 7d
          REQUESTS {request: /login} | 'request' must be a method and a path, such as GET /api/v1/users
          REQUESTS {request: GET login} | 'login' is no URL; write https://host/path, or only /path
          REQUESTS {attributes: 7} | 'attributes' must be a map of names to values, but is '7'
          REQUESTS {attributes: {a: [b]}} | an attribute is a single value, but is a list
          REQUESTS {headers: {"a b": c}} | 'a b' is not a header name
          REQUESTS {headers: {a: {b: c}}} | a header is a single value or a list, but is a map
          """)
  void reportsErrorWithItsPosition(String text, String expected) throws IOException {
    boolean isRequest = text.startsWith("REQUESTS");
    String whole =
        isRequest
            ? "rules: rules.yaml, cases: [{name: a, requests: [" + text.substring(9) + "]}]"
            : text.replace("[OK]", "[{name: a, requests: [{}]}]").replace(';', ',');
    Files.writeString(file, "{ " + whole + " }");
    InvalidRulesException error =
        catchThrowableOfType(InvalidRulesException.class, () -> CaseFiles.load(file));
    String message = expected.replace("DIR", directory.toString());
    assertThat(error.problems()).hasSize(1);
    assertThat(error.problems().get(0).toString())
        .satisfies(
            problem ->
                assertThat(problem)
                    .matches("\\Q" + file + "\\E:1:\\d+: .*")
                    .endsWith(isRequest ? ": " + message : message));
  }

  @Test
  void reportsAllErrorsOfCasesAndRulesAtOnce() throws IOException {
    Files.writeString(directory.resolve("rules.yaml"), "rules: [ { name: a, limit: 1 per sec } ]");
    Files.writeString(
        file,
        """
        rules: rules.yaml
        cases:
          - name: a
            requests: [ { at: x }, { expect: y } ]
        """);
    InvalidRulesException error =
        catchThrowableOfType(InvalidRulesException.class, () -> CaseFiles.load(file));
    assertThat(error.problems())
        .extracting(
            problem -> directory.relativize(Path.of(problem.sourceLocation().file())).toString())
        .containsExactly("cases.yaml", "cases.yaml", "rules.yaml");
  }

  private List<Case> cases(String text) throws IOException {
    Files.writeString(file, text);
    return CaseFiles.load(file);
  }

  private List<String> failures(String text) throws IOException {
    return cases(text).stream()
        .flatMap(test -> CaseRun.of(test).failures().stream())
        .map(
            failure ->
                failure.sourceLocation().line()
                    + ":"
                    + failure.sourceLocation().column()
                    + ": "
                    + failure.message())
        .toList();
  }
}
