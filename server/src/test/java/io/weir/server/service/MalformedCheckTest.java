package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Malformed requests to {@code /v1/check}, and their error messages. */
class MalformedCheckTest {
  private static Service service;

  @BeforeAll
  static void start() {
    service =
        Service.start(
            """
            rules:
              - { name: all, limit: 1000000 per second }
              - { name: path, match: { path: /a }, limit: 1000 per second }
            """);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  static Stream<Arguments> bodies() {
    String deep = "[".repeat(100) + "]".repeat(100);
    return Stream.of(
        Arguments.of("", "the body is empty"),
        Arguments.of("  ", "the body is empty"),
        Arguments.of("null", "the body must be an object, not null (line 1, column 1)"),
        Arguments.of("\"x\"", "the body must be an object, not a string"),
        Arguments.of("7", "the body must be an object, not a number"),
        Arguments.of("{}", "'attributes' is missing in the body"),
        Arguments.of("{\"cost\":1}", "'attributes' is missing in the body"),
        Arguments.of("{\"attributes\":[]}", "'attributes' must be an object, not a list"),
        Arguments.of("{\"attributes\":null}", "'attributes' must be an object, not null"),
        Arguments.of(
            "{\"attributes\":{\"user\":true}}", "attribute 'user' must be a string, not true"),
        Arguments.of(
            "{\"attributes\":{\"user\":1.5}}", "attribute 'user' must be a string, not a fraction"),
        Arguments.of(
            "{\"attributes\":{\"user\":{}}}", "attribute 'user' must be a string, not an object"),
        Arguments.of("{\"attributes\":{},\"cost\":-1}", "'cost' must not be negative"),
        Arguments.of("{\"attributes\":{},\"cost\":-0}", "'cost' must not be negative"),
        Arguments.of("{\"attributes\":{},\"cost\":1.0}", "'cost' must be a whole number"),
        Arguments.of("{\"attributes\":{},\"cost\":1e3}", "'cost' must be a whole number"),
        Arguments.of("{\"attributes\":{},\"cost\":\"1\"}", "'cost' must be a whole number"),
        Arguments.of("{\"attributes\":{},\"cost\":null}", "'cost' must be a whole number"),
        Arguments.of("{\"attributes\":{},\"cost\":01}", "the body is not JSON"),
        Arguments.of("{\"attributes\":{},\"cost\":NaN}", "the body is not JSON"),
        Arguments.of("{\"attributes\":{},\"cost\":9223372036854775808}", "'cost' is too large"),
        Arguments.of("{\"attributes\":{},\"cost\":" + "9".repeat(99) + "}", "'cost' is too large"),
        Arguments.of(
            "{\"attributes\":{},\"cost\":" + "9".repeat(999) + "}", "not JSON: a number is longer"),
        Arguments.of("{\"attributes\":{},\"cost\":1,\"cost\":1}", "the name 'cost' comes twice"),
        Arguments.of("{\"attributes\":{},\"attributes\":{}}", "the name 'attributes' comes twice"),
        Arguments.of(
            "{\"attributes\":{\"a\":\"1\",\"b\":\"2\",\"\\u0061\":\"3\"}}",
            "the name 'a' comes twice"),
        Arguments.of(
            "{\n \"atributes\":{}}",
            "unknown field 'atributes' (line 2, column 14); there are: attributes, cost"),
        Arguments.of("{\"attributes\":{},\"ttl_seconds\":1}", "unknown field 'ttl_seconds'"),
        Arguments.of("{\"attributes\":{}} x", "there is more after the JSON"),
        Arguments.of("{\"attributes\":{}}{}", "there is more after the JSON (line 1, column 18)"),
        Arguments.of("[{\"attributes\":{}}],", "there is more after the JSON"),
        Arguments.of("{\"attributes\":{}", "the body is not JSON: it ends too early"),
        Arguments.of("{\"attributes\":{\"a\":\"b", "the body is not JSON"),
        Arguments.of("{'attributes':{}}", "the body is not JSON"),
        Arguments.of("{\"attributes\":{\"a\":\"\t\"}}", "the body is not JSON"),
        Arguments.of("{\"attributes\":{\"a\":\"\\x\"}}", "the body is not JSON"),
        Arguments.of("{\"attributes\":{},}", "the body is not JSON"),
        Arguments.of("// no\n{\"attributes\":{}}", "the body is not JSON"),
        Arguments.of("\ufeff{\"attributes\":{}}", "the body is not JSON"),
        Arguments.of("{\"attributes\":{\"a\":\"\\ud800\"}}", "has half of a surrogate pair"),
        Arguments.of("{\"attributes\":{\"\\udc00\\ud800\":\"\"}}", "has half of a surrogate pair"),
        Arguments.of("{\"attributes\":{\"a\":" + deep + "}}", "'a' must be a string, not a list"),
        Arguments.of(deep, "question 1 must be an object, not a list"),
        Arguments.of("[1]", "question 1 must be an object, not a number"),
        Arguments.of("[{\"attributes\":{}},{}]", "'attributes' is missing in question 2"),
        Arguments.of(attributes(101), "there are more than 100 attributes"),
        Arguments.of(
            "{\"attributes\":{\"path\":\"/a%2fb\"}}", "the path has an encoded slash (%2f)"),
        Arguments.of("{\"attributes\":{\"path\":\"/..\"}}", "above the root"),
        Arguments.of("{\"attributes\":{\"path\":\"/\\u0000\"}}", "control"));
  }

  private static String attributes(int count) {
    StringBuilder all = new StringBuilder("{\"attributes\":{\"a\":\"\"");
    for (int i = 1; i < count; i++) {
      all.append(",\"a").append(i).append("\":\"\"");
    }
    return all.append("}}").toString();
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void bodiesThatMakeNoSense(String body, String message) {
    Service.Reply reply = service.post("/v1/check", body);

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.header("Content-Type")).isEqualTo("application/json");
    assertThat(reply.body()).startsWith("{\"error\":\"bad_request\",\"message\":\"");
    assertThat(reply.body().toLowerCase().replace("\\\"", "\"")).contains(message.toLowerCase());
  }

  @Test
  void acceptsValuesAtTheLimits() {
    assertThat(service.post("/v1/check", attributes(100)).status()).isEqualTo(200);
    String highestCost = "{\"attributes\":{},\"cost\":9223372036854775807}";
    assertThat(service.post("/v1/check", highestCost).status()).isEqualTo(429);
    String quoted = "{\"attributes\":{\"x\":\"\\ud83d\\ude00 \\\" \\\\ \\u0000\"}}";
    assertThat(service.post("/v1/check", quoted).status()).isEqualTo(200);
  }

  static Stream<Arguments> queries() {
    return Stream.of(
        Arguments.of("user=1&user=2", "query parameter 'user' is sent twice"),
        Arguments.of("user=1&%75ser=1", "query parameter 'user' is sent twice"),
        Arguments.of("cost=1&cost=1", "query parameter 'cost' is sent twice"),
        Arguments.of("cost=", "'cost' must be a whole number"),
        Arguments.of("cost", "'cost' must be a whole number"),
        Arguments.of("cost=-1", "'cost' must not be negative"),
        Arguments.of("cost=+1", "'cost' must be a whole number"),
        Arguments.of("cost=1.5", "'cost' must be a whole number"),
        Arguments.of("cost=%D9%A1", "'cost' must be a whole number"),
        Arguments.of("cost=99999999999999999999", "'cost' is too large"),
        Arguments.of("a=\u0000", "a control character in a first line"),
        Arguments.of("a=\u00c3\u00bc", "must be written as bytes"),
        Arguments.of("=1", "a query parameter has no name"),
        Arguments.of("a=%4", "broken escape"),
        Arguments.of("a=%zz", "broken escape"),
        Arguments.of("%ff=1", "not UTF-8"),
        Arguments.of("a=%ed%a0%80", "not UTF-8"),
        Arguments.of("a=%c0%af", "not UTF-8"),
        Arguments.of("path=/a%252fb", "the path has an encoded slash (%2f)"));
  }

  @ParameterizedTest
  @MethodSource("queries")
  void queriesThatMakeNoSense(String query, String message) throws Exception {
    String reply =
        service.raw("GET /v1/check?" + query + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

    assertThat(reply).startsWith("HTTP/1.1 400 ").contains("{\"error\":\"bad_request\"");
    assertThat(reply.toLowerCase()).contains(message.toLowerCase());
  }

  @Test
  void sendsErrorsAsProblemDetailsIfAccepted() {
    Service.Reply reply = service.get("/v1/check?cost=x", "Accept", "application/problem+json");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(reply.body()).contains("\"status\":400", "'cost' must be a whole number");
  }

  @Test
  void bytesThatAreNoUtf8() throws Exception {
    for (String bytes : new String[] {"\u00ff", "\u00c0\u00af", "\u00ed\u00a0\u0080", "\u00f5"}) {
      String body = "{\"attributes\":{\"a\":\"" + bytes + "\"}}";
      String reply = service.raw(post(body));
      assertThat(reply).contains(" 400 ", "the body is not UTF-8");
    }
    String utf16 = "\0{\0\"\0a\0\"\0:\0{\0}\0}";
    assertThat(service.raw(post(utf16))).contains(" 400 ", "the body is not JSON");
  }

  private static String post(String body) {
    return "POST /v1/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }
}
