package io.weir.server.rls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.match.MalformedRequestException;
import java.net.http.HttpResponse;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /json}, with bodies of all kinds. Quotes are written as ' here. */
class JsonEndpointTest {
  private static final String ENTRIES = "'descriptors':[{'entries':[{'key':'k','value':'v'}]";

  private static Rls rls;

  @BeforeAll
  static void start() {
    rls =
        Rls.of(
            "domain: d\ndescriptors:\n"
                + "  - key: k\n    rate_limit: { unit: year, requests_per_unit: 1000000 }\n");
  }

  @AfterAll
  static void stop() {
    rls.close();
  }

  private static HttpResponse<String> post(String body) {
    return rls.json(body.replace('\'', '"'));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'domain':'d'," + ENTRIES + "}]}",
        "{'domain':'d'," + ENTRIES + "}],'hits_addend':2}",
        "{'domain':'d'," + ENTRIES + "}],'hitsAddend':'2'}",
        "{'domain':'d'," + ENTRIES + ",'hitsAddend':'0'}]}",
        "{'domain':'d'," + ENTRIES + ",'hitsAddend':18446744073709551615,'isNegativeHits':true}]}",
        "{'domain':'d'," + ENTRIES + ",'limit':{'requestsPerUnit':5,'unit':'MINUTE'}}]}",
        "{'domain':'d'," + ENTRIES + ",'limit':{'requests_per_unit':'5','unit':2}}]}",
        "{'domain':'d'," + ENTRIES + ",'limit':null,'hitsAddend':null}],'hitsAddend':null}",
        "{'domain':'other','descriptors':[{}]}",
      })
  void isUnderstood(String body) {
    assertThat(post(body).body()).startsWith("{\"overallCode\":\"OK\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}                                                            | rate limit domain must not be empty",
        "{'domain':'d'}                                                | rate limit descriptor list must not be empty",
        "{'domain':'d','descriptors':[]}                               | rate limit descriptor list must not be empty",
        "[]                                                            | the body must be an object, not a list",
        "nonsense                                                      | the body is not JSON",
        "{'domain':1,'descriptors':[{}]}                               | the domain must be a string, not a number",
        "{'domain':'d','descriptors':{}}                               | descriptors must be a list, not an object",
        "{'domain':'d','descriptors':[null]}                           | a descriptor must be an object, not null",
        "{'domain':'d','descriptors':[{'entry':[]}]}                   | unknown field 'entry'",
        "{'domain':'d','domain':'e','descriptors':[{}]}                | the body is not JSON: the name 'domain' comes twice",
        "{'domain':'d','descriptors':[{}],'hitsAddend':1,'hits_addend':2} | 'hitsAddend' is there twice",
        "{'domain':'d','descriptors':[{}],'hitsAddend':-1}             | hitsAddend must be a whole number",
        "{'domain':'d','descriptors':[{}],'hitsAddend':1.5}            | hitsAddend must be a string, not a fraction",
        "{'domain':'d','descriptors':[{}],'hitsAddend':4294967296}     | hitsAddend must be from 0 to 4294967295",
        "{'domain':'d','descriptors':[{'hitsAddend':18446744073709551616}]} | hitsAddend must have at most 64 bits",
        "{'domain':'d','descriptors':[{'isNegativeHits':1}]}           | isNegativeHits must be true or false, not a number",
        "{'domain':'d','descriptors':[{'limit':{'requestsPerUnit':1}}]} | the unit of a limit override must be one of",
        "{'domain':'d','descriptors':[{'limit':{'requestsPerUnit':1,'unit':'FORTNIGHT'}}]} | the unit of a limit override must be one of",
        "{'domain':'d','descriptors':[{}]} {}                          | there is more after the JSON",
      })
  void isMalformed(String body, String reason) {
    HttpResponse<String> response = post(body);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains(reason.strip());
  }

  @Test
  void hasBounds() {
    assertThat(post("{'domain':'" + "d".repeat(70_000) + "'}").statusCode()).isEqualTo(413);
    assertThat(post("{'domain':'d','descriptors':[" + "{},".repeat(100) + "{}]}").body())
        .contains("a request may have 100 descriptors, not more");
    String entries = "{'key':'k'},".repeat(32) + "{'key':'k'}";
    assertThat(post("{'domain':'d','descriptors':[{'entries':[" + entries + "]}]}").body())
        .contains("a descriptor may have 32 entries, not more");
    assertThat(post("[".repeat(10_000)).statusCode()).isEqualTo(400);
    assertThat(post("{'domain':'" + "ü".repeat(512) + "','descriptors':[{}]}").statusCode())
        .isEqualTo(200);
    assertThat(post("{'domain':'" + "ü".repeat(513) + "','descriptors':[{}]}").body())
        .contains("the domain must have at most 1024 bytes"); // and 513 characters
  }

  @Test
  void survivesDamage() {
    Random random = new Random(5);
    String honest = ("{'domain':'d'," + ENTRIES + ",'hitsAddend':1}]}").replace('\'', '"');
    for (int i = 0; i < 500; i++) {
      StringBuilder body = new StringBuilder(honest);
      for (int k = random.nextInt(4); k >= 0; k--) {
        body.setCharAt(random.nextInt(body.length()), (char) (' ' + random.nextInt(95)));
      }
      assertThat(rls.json(body.toString()).statusCode()).as(body.toString()).isIn(200, 400);
    }
    assertThat(rls.json(honest).statusCode()).isEqualTo(200);
  }

  /** Bytes that are no text, escapes, and lengths on both sides of the bounds. */
  @Test
  void survivesDamageOfBytes() {
    String[] texts = {"\\u00fc", "\\ud83d\\ude00", "\\ud800", "\\n", "ü", "\uD83D\uDE00", "v"};
    int understood = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      String text = texts[random.nextInt(texts.length)].repeat(1 + random.nextInt(600));
      String honest = "{'domain':'d'," + ENTRIES.replace("'v'", "'" + text + "'") + "}]}";
      byte[] body = honest.replace('\'', '"').getBytes(UTF_8);
      for (int k = random.nextInt(3); k > 0; k--) {
        body[random.nextInt(body.length)] = (byte) random.nextInt(256);
      }
      try {
        JsonRequestReader.read(body);
        understood++;
      } catch (MalformedRequestException e) {
        assertThat(e.getMessage()).as("seed " + seed).isNotBlank();
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(understood).isPositive();
  }
}
