package io.weir.rules.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.AttributeSource.Field;
import io.weir.rules.AttributeSource.Field.Kind;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A field that rules use has one value, whatever its spelling, or the request is refused. */
class FieldSpellingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // decoded once, as Express, PHP and Rack do
        "sid=abc                       | abc",
        "sid=%61b%63                   | abc",
        "sid=%61%62c                   | abc",
        "sid=%7B%22id%22%3A7%7D        | {\"id\":7}",
        "sid=%7b%22id%22:7}            | {\"id\":7}",
        "sid=s%3Ax.y%2Bz/w%3D%3D       | s:x.y+z/w==",
        "sid=%2561                     | %61",
        "sid=%C3%A9                    | é",
        // a broken escape is literal
        "sid=%                         | %",
        "sid=100%                      | 100%",
        "sid=%4                        | %4",
        "sid=%zz%61                    | %zza",
        // what is no UTF-8, and control characters, in one spelling
        "sid=%ff%61                    | %FFa",
        "sid=%FFa                      | %FFa",
        "sid=%c3                       | %C3",
        "sid=a%00%0d                   | a%00%0D",
        // Rack reads + as a blank
        "sid=a+b                       | a+b",
        "sid=a%20b                     | a+b",
        "sid=a%2bb                     | a+b",
        // quotes
        "sid=\"abc\"                   | abc",
        "sid=\" abc \"                 | abc",
        "sid=\"%61bc\"                 | abc",
        "sid=\"a b\"                   | a+b",
        "sid=%22abc%22                 | \"abc\"",
        "sid=\"\"                      | ``",
        "sid={\"a\":1,\"b\":2}         | {\"a\":1,\"b\":2}",
        "sid=a\\b                      | a\\b",
        // other cookies may be as they like
        "a=\"\\\"; x=1                 |",
        "a=b c; sid=x; q=\"r\\s\"      | x",
        "a=b,c=d; sid=x                | x",
        "asid=1; sidb=2; nosid =3      |",
        "a={\"sid\":1}                 |",
        "sid                           |",
        " sid = x ;;                   | x",
      })
  void readsCookie(String header, @Nullable String value) {
    assertThat(cookie(header)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "sid=a; sid=a            | sent twice",
        "sid=a; sid=\"b\"        | sent twice",
        "SID=a                   | another spelling",
        "sid=a; Sid=b            | another spelling",
        "s%69d=a                 | another spelling",
        "x=1; %53id=a            | another spelling",
        "sid[]=a                 | another spelling",
        "sid[0]=a                | another spelling",
        "sid%5B%5D=a             | another spelling",
        "sid%00x=a               | another spelling",
        "SID%00=a                | another spelling",
        "sid=\"\\141bc\"         | neither backslash nor quote",
        "sid=\"a\\\"b\"          | neither backslash nor quote",
        "sid=\"a\"b\"            | neither backslash nor quote",
        "sid=\"abc               | a quote before the value",
        "sid=\"a;b\"             | a quote before the value",
        "sid=\"                  | a quote before the value",
        "sid=\"a\" secure        | a quote before the value",
        "sid=ab secure           | sent as %20",
        "sid=ab x=1              | sent as %20",
        "sid=ab,x=1              | sent as %2C",
        "sid= sid=\"ab\"          | a ';' must stand before",
        "x=1 sid=ab              | a ';' must stand before",
        "secure sid = ab         | a ';' must stand before",
        "x=1,sid=ab              | a ';' must stand before",
        "x=1, sid=ab             | a ';' must stand before",
        "x=\"; sid=ab; \"        | open quote",
      })
  void refusesCookieThatServersReadDifferently(String header, String reason) {
    assertMalformed(() -> cookie(header), "cookie 'sid' ", reason);
  }

  @ParameterizedTest
  @CsvSource({
    "my_sid, my.sid=a",
    "my_sid, my-sid=a",
    "my_sid, my[sid=a",
    "my_sid, my%2Esid=a",
    "my_sid, my_sid%5B=a",
    "my_sid, MY_SID=a",
    "s-id, s_id=a"
  })
  void refusesCookieWithLookalikeName(String name, String header) {
    assertMalformed(
        () -> value(Kind.COOKIE, name, "/", new Header("Cookie", header)), name, "spelling");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "X-API-Key | X-API-Key | k",
        "X-API-Key | x-api-key | k",
        "X-API-Key | X-API-Ke  |",
        "X-API-Key | XX-API-Key|",
        "XAPIKey   | xapikey   | k",
        "XAPIKey   | X-API-Key |",
      })
  void readsHeader(String name, String sent, @Nullable String value) {
    assertThat(value(Kind.HEADER, name, "/", new Header(sent, "k"))).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "X-API-Key, X_API_Key",
    "X-API-Key, x_api-key",
    "X-API-Key, X-API_KEY",
    "X-API-Key, X.API.Key",
    "X_API_Key, X-API-Key",
    "X-API-Key, x-api~key",
  })
  void refusesHeaderWithLookalikeName(String name, String sent) {
    assertMalformed(
        () -> value(Kind.HEADER, name, "/", new Header(sent, "k")), name, "another spelling");
    assertMalformed(
        () -> value(Kind.HEADER, name, "/", new Header(name, "k"), new Header(sent, "l")),
        name,
        "another spelling");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "Bearer x|Bearer x",
        "bearer  x|Bearer x",
        "BEARER\tx |Bearer x",
        " bEARER x|Bearer x",
        "Bearer X|Bearer X",
        "Bearer a-._~+/Z09==|Bearer a-._~+/Z09==",
        "basic dXNlcjpwYXNz|Basic dXNlcjpwYXNz",
        "Basic dTpwdw|Basic dTpwdw==",
        "BASIC dTpwdw==|Basic dTpwdw==",
        "Basic dTpwdx==|Basic dTpwdw==",
        "Basic Pz8_Pj4-|Basic Pz8/Pj4+",
        "DIGEST  username=\"u\", realm=\"r\"|Digest username=\"u\", realm=\"r\"",
        "Own-Scheme  a b|own-scheme a b",
        "aws4-hmac-sha256 Credential=c|AWS4-HMAC-SHA256 Credential=c",
        "k1|k1",
        "K1|K1",
        "Bearer |Bearer",
      })
  void readsCredentials(String sent, String value) {
    assertThat(value(Kind.HEADER, "authorization", "/", new Header("Authorization", sent)))
        .isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "Bearer x y",
        "bearer x\ty",
        "Basic dTpw dw==",
        "Basic !",
        "Basic dTpw.dw==",
        // Laravel ends a token at a comma
        "Bearer tok,junk",
        "Bearer tok,",
        "Bearer tok;junk",
        "Bearer \"tok\"",
        "Bearer tok=x",
        "Bearer =",
        "DPoP tok,junk",
        "ApiKey tok,junk",
        "JWT tok,junk",
      })
  void refusesUnclearCredentials(String sent) {
    assertMalformed(
        () -> value(Kind.HEADER, "Authorization", "/", new Header("Authorization", sent)),
        "the credentials of");
  }

  /** Laravel Sanctum writes the number of a token before it. */
  @Test
  void readsNumberedToken() {
    assertThat(authorization("bearer 12|abc")).isEqualTo("Bearer 12|abc");
    for (String sent : List.of("Bearer 012|abc", "Bearer 1x|abc", "Bearer |abc", "Bearer 1|2|a")) {
      assertMalformed(() -> authorization(sent), "the credentials of 'Bearer'");
    }
  }

  /** Python's strip and JavaScript's trim leave out what HTTP does not call blank. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u00a0k",
        "k\u00a0",
        "k\u0085",
        "a\u00a0k",
        "k\u00ff",
        "k\u3000",
        "k\u000b",
        "k\u001f",
        "k\u007f"
      })
  void refusesHeaderWithBytesThatServersReadDifferently(String sent) {
    assertMalformed(
        () -> value(Kind.HEADER, "X-API-Key", "/", new Header("X-API-Key", sent)),
        "header 'X-API-Key' ",
        "visible ASCII");
    for (String scheme : List.of("Bearer ", "Bearer", "Basic ", "Own ", "")) {
      assertMalformed(() -> authorization(scheme + sent), "header 'Authorization' ");
    }
  }

  /** Other headers may be as they like. */
  @Test
  void ignoresBytesOfOtherHeaders() {
    Header other = new Header("X-Name", "J\u00fcrgen");
    assertThat(value(Kind.HEADER, "X-API-Key", "/", other, new Header("X-API-Key", "a\tb c")))
        .isEqualTo("a\tb c");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "k=a                | a",
        "%6B=%61            | a",
        "k=a+b              | a b",
        "k=a%20b            | a b",
        "k=a%3Bb            | a;b",
        "a=1;b=2&k=x        | x",
        "a=k=1;kk=2         |",
        "kk=1&a[k]=2        |",
      })
  void readsParameter(String query, @Nullable String value) {
    assertThat(value(Kind.QUERY, "k", "/?" + query)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "k   | k=1&k=1       | sent twice",
        "k   | k=1&%6b=1     | sent twice",
        "a b | a+b=1&a%20b=2 | sent twice",
        "k   | K=1           | another spelling",
        "k   | %4B=1         | another spelling",
        "k   | k[]=1         | another spelling",
        "k   | k%5B0%5D=1    | another spelling",
        "k   | +k=1          | another spelling",
        "a_b | a.b=1         | another spelling",
        "a_b | a+b=1         | another spelling",
        "a_b | a%20b=1       | another spelling",
        "a_b | a_b=1&a.b[]=2 | another spelling",
        "k   | a=1;k=2       | behind a ';'",
        "k   | a=1;b;%6b     | behind a ';'",
        "k   | k=1;a=2       | %3B",
        "k   | k;            | %3B",
        "k   | k=1;k=2       | %3B",
        "k   | k=a%00b       | zero byte",
        // PHP ends names at a zero byte
        "k   | k%00=1        | another spelling",
        "k   | k%00x=1       | another spelling",
        "k   | k=1&K%00[]=2  | another spelling",
        "a_b | a.b%00x=1     | another spelling",
        "k   | +k%00x=1      | another spelling",
        // Laravel leaves out blanks around values
        "k   | k=+a          | a blank around",
        "k   | k=a%20        | a blank around",
        "k   | k=a%0a        | a blank around",
        "k   | k=a%C2%A0     | a blank around",
        "k   | k=%E3%80%80a  | a blank around",
        "k   | k=%EF%BB%BFa  | a blank around",
      })
  void refusesParameterThatServersReadDifferently(String name, String query, String reason) {
    assertMalformed(
        () -> value(Kind.QUERY, name, "/?" + query), "query parameter '" + name + "' ", reason);
  }

  private static void assertMalformed(Runnable read, String... parts) {
    assertThatThrownBy(read::run)
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContainingAll(parts);
  }

  private static @Nullable String cookie(String header) {
    return value(Kind.COOKIE, "sid", "/", new Header("Cookie", header));
  }

  private static @Nullable String authorization(String sent) {
    return value(Kind.HEADER, "Authorization", "/", new Header("Authorization", sent));
  }

  private static @Nullable String value(Kind kind, String name, String target, Header... headers) {
    return new HttpRequest("GET", target, List.of(headers), "10.0.0.1", null, 1)
        .attribute("any", new Field(kind, name));
  }
}
