package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.AttributeSource.Field;
import io.weir.rules.match.MalformedRequestException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogTraceTest {
  private static final String COMMON =
      "192.0.2.1 - ann [10/Oct/2000:13:55:36 -0700] \"GET /a?b=c HTTP/1.0\" 200 2326";

  @Test
  void readsTheCommonFormat() {
    Trace trace = Traces.of(COMMON + "\n");
    assertThat(trace.format()).isEqualTo(Trace.Format.ACCESS_LOG);
    TraceRequest request = Traces.all(trace).get(0);
    assertThat(request.epochMillis())
        .isEqualTo(Instant.parse("2000-10-10T20:55:36Z").toEpochMilli());
    assertThat(request.attributes())
        .isEqualTo(
            Map.of(
                "ip", "192.0.2.1", "user", "ann", "method", "GET", "path", "/a", "status", "200"));
    assertThat(request.cost()).isEqualTo(1);
  }

  @Test
  void readsTheCombinedFormat() {
    TraceRequest request = one(COMMON + " \"http://x/\" \"Agent \\\"7\\\" \\\\ \\xc3\\xa9\"");
    assertThat(request.attribute("referer")).isEqualTo("http://x/");
    assertThat(request.attribute("user_agent")).isEqualTo("Agent \"7\" \\ é");
    assertThat(request.attribute("agent", new Field(Field.Kind.HEADER, "User-Agent")))
        .isEqualTo("Agent \"7\" \\ é");
    assertThat(request.attribute("from", new Field(Field.Kind.HEADER, "referer")))
        .isEqualTo("http://x/");
  }

  @Test
  void takesADashForAbsent() {
    TraceRequest request =
        one("2001:db8::1 - - [10/Oct/2000:13:55:36 +0000] \"GET / HTTP/1.1\" 304 - \"-\" \"-\"");
    assertThat(request.attributes())
        .isEqualTo(Map.of("ip", "2001:db8::1", "method", "GET", "path", "/", "status", "304"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " \"-\" \"curl/8\" \"203.0.113.7\"",
        " \"-\" \"curl/8\" 0.123 0.122 .",
        " \"-\" \"curl/8\" rt=0.1 uct=\"0.0\"",
        " \"-\" \"curl/8\"\r",
        " \"-\" \"curl/8\""
      })
  void passesOverWhatServersAdd(String rest) {
    TraceRequest request = one(COMMON + rest);
    assertThat(request.attribute("user_agent")).isEqualTo("curl/8");
    assertThat(request.attribute("ip")).isEqualTo("192.0.2.1");
  }

  @Test
  void readsAVirtualHostBeforeTheAddress() {
    TraceRequest request = one("shop.example:443 " + COMMON);
    assertThat(request.attribute("host")).isEqualTo("shop.example:443");
    assertThat(request.attribute("ip")).isEqualTo("192.0.2.1");
    assertThat(request.attribute("user")).isEqualTo("ann");
  }

  @Test
  void readsUsersWithSpacesAndBracketsAndForgedTimes() {
    TraceRequest request =
        one(
            "192.0.2.1 - a [b] [01/Jan/1999:00:00:00 +0000] c"
                + " [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 1");
    assertThat(request.attribute("user")).isEqualTo("a [b] [01/Jan/1999:00:00:00 +0000] c");
    assertThat(request.epochMillis())
        .isEqualTo(Instant.parse("2000-10-10T20:55:36Z").toEpochMilli());
    assertThat(one(COMMON.replace("ann", "\"\"")).attribute("user")).isNull();
  }

  @Test
  void readsTargetsOfAllForms() {
    TraceRequest absolute = one(COMMON.replace("/a?b=c", "http://h.example:8080/x/y?z"));
    assertThat(absolute.attribute("path")).isEqualTo("/x/y");
    assertThat(absolute.attribute("host")).isEqualTo("h.example:8080");
    TraceRequest root = one(COMMON.replace("/a?b=c", "http://h.example?z=1"));
    assertThat(root.attribute("path")).isEqualTo("/");
    assertThat(root.attribute("z", new Field(Field.Kind.QUERY, "z"))).isEqualTo("1");
    assertThat(one(COMMON.replace("GET /a?b=c", "OPTIONS *")).attribute("path")).isNull();
    assertThat(one(COMMON.replace("GET /a?b=c", "CONNECT h:443")).attribute("path")).isNull();
  }

  @Test
  void readsParametersOfTheQuery() {
    TraceRequest request = one(COMMON.replace("b=c", "b=c&key=a%20b+c&e&twice=1&twice=2&bad=%zz"));
    assertThat(query(request, "b")).isEqualTo("c");
    assertThat(query(request, "key")).isEqualTo("a b c");
    assertThat(query(request, "e")).isEmpty();
    assertThat(query(request, "user")).isNull();
    assertThatThrownBy(() -> query(request, "bad"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("broken escape");
    assertThatThrownBy(() -> query(request, "twice"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("twice");
    assertThat(request.attribute("user", new Field(Field.Kind.HEADER, "X-User"))).isEqualTo("ann");
  }

  @Test
  void readsTimesInIso() {
    TraceRequest request =
        one(COMMON.replace("10/Oct/2000:13:55:36 -0700", "2000-10-10T13:55:36-07:00"));
    assertThat(request.epochMillis())
        .isEqualTo(Instant.parse("2000-10-10T20:55:36Z").toEpochMilli());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"\\x16\\x03\\x01\" 400 0",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"-\" 408 0",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"\" 400 0",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 400 0",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a b HTTP/1.1\" 400 0",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\"",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" ok 1",
        "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1 \"-\" \"Moz",
        "192.0.2.1 - - [10/Okt/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1",
        "192.0.2.1 - - [10/Oct/3000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1",
        "192.0.2.1 [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1",
        "[10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 1",
        "garbage",
        "[",
        " [",
        "\\x00"
      })
  void leavesOutWhatIsNoRequest(String line) {
    Trace trace = Traces.of(line + "\n" + COMMON + "\n" + line);
    assertThat(Traces.all(trace)).hasSize(1);
    assertThat(trace.badLines().count()).isEqualTo(2);
    assertThat(trace.badLines().first()).extracting(BadLine::line).isEqualTo(List.of(1L, 3L));
  }

  private static String query(TraceRequest request, String name) {
    return request.attribute("any", new Field(Field.Kind.QUERY, name));
  }

  private static TraceRequest one(String line) {
    Trace trace = Traces.of(line);
    List<TraceRequest> all = Traces.all(trace);
    assertThat(trace.badLines().first()).isEmpty();
    assertThat(all).hasSize(1);
    return all.get(0);
  }
}
