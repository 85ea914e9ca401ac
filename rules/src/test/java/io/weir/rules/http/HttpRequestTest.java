package io.weir.rules.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.AttributeSource.Field;
import io.weir.rules.AttributeSource.Field.Kind;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What rules read out of a request. */
class HttpRequestTest {
  @Test
  void readsAttributesOfEveryRequest() {
    HttpRequest request = request("/a%2fb?x=1", new Header("host", "shop.example:8080"));
    assertThat(request.attribute("ip")).isEqualTo("10.0.0.1");
    assertThat(request.attribute("method")).isEqualTo("GET");
    assertThat(request.attribute("path")).isEqualTo("/a%2fb");
    assertThat(request.attribute("host")).isEqualTo("shop.example:8080");
    assertThat(request.attribute("user")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HEADER | X-API-Key | k1
          HEADER | x-user    | u 1
          HEADER | X-None    |
          COOKIE | session   | abc=
          COOKIE | quoted    | q
          COOKIE | late      | l
          COOKIE | none      |
          QUERY  | page      | 2
          QUERY  | q w       | a b&c
          QUERY  | flag      | ''
          QUERY  | last      | ü
          QUERY  | none      |
          """)
  void fieldsByTheirNames(Kind kind, String name, String value) {
    HttpRequest request =
        request(
            "/?page=2&q+w=a%20b%26c&flag&last=%C3%bc",
            new Header("x-api-key", "k1"),
            new Header("X-User", " u 1\t"),
            new Header("Cookie", "session=abc=; quoted=\"q\""),
            new Header("cookie", "late=l;;"));
    assertThat(request.attribute("any", new Field(kind, name))).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "HEADER, X-Twice, header 'X-Twice' is sent twice",
    "COOKIE, c,       cookie 'c' is sent twice",
    "QUERY,  p,       query parameter 'p' is sent twice",
    "QUERY,  bad,     broken escape",
  })
  void rejectsAmbiguousFields(Kind kind, String name, String reason) {
    HttpRequest request =
        request(
            name.equals("bad") ? "/?bad=%2" : "/?p=1&%70=2",
            new Header("X-Twice", "1"),
            new Header("x-twice", "1"),
            new Header("Cookie", "c=1; c=2"));
    assertThatThrownBy(() -> request.attribute("any", new Field(kind, name)))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining(reason);
    assertThat(request.attribute("any", new Field(Kind.HEADER, "Cookie"))).isEqualTo("c=1; c=2");
  }

  @Test
  void aQueryIsUtf8() {
    assertThatThrownBy(() -> request("/?p=%ff").attribute("any", new Field(Kind.QUERY, "p")))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("not UTF-8");
  }

  private static HttpRequest request(String target, Header... headers) {
    return new HttpRequest("GET", target, List.of(headers), "10.0.0.1", null, 1);
  }
}
