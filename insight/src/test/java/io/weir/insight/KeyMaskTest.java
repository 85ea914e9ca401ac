package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.insight.event.KeyTruncation;
import io.weir.rules.Rule;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How keys are shown to read-only viewers. */
class KeyMaskTest {
  private static final String ID = "0123456789abcdef";
  private static final String WAVE = "\ud83d\udc4b"; // one letter of two chars

  private static Stream<Arguments> keys() {
    return Stream.of(
        Arguments.of("", ""),
        Arguments.of("alice-0001", "al…01"),
        Arguments.of("12345678", "12…78"),
        Arguments.of("1234567", "…0123"),
        Arguments.of("a", "…0123"),
        // Several values, each by itself.
        Arguments.of("alice-0001|/orders/42", "al…01|/o…42"),
        Arguments.of("alice-0001|GET", "al…01|…4567"),
        Arguments.of("bob|GET", "…0123|…4567"),
        Arguments.of("a|b|c|d|e", "…0123|…4567|…89ab|…cdef|…0123"),
        Arguments.of("alice-0001|", "al…01|…4567"),
        Arguments.of("|alice-0001", "…0123|al…01"),
        Arguments.of("|", "…0123|…4567"),
        // What was escaped is a letter of a value, and no border.
        Arguments.of("a\\|bcdefgh", "a\\|…gh"),
        Arguments.of("abcdefg\\|\\\\", "ab…\\|\\\\"),
        Arguments.of("\\|\\|\\|\\|\\|\\|\\|", "…0123"),
        Arguments.of("alice-0001\\\\|/orders/42", "al…1\\\\|/o…42"),
        Arguments.of("alice-000\\", "al…0\\"),
        // Letters of two chars are whole, or not there.
        Arguments.of(WAVE.repeat(8), WAVE + WAVE + "…" + WAVE + WAVE),
        Arguments.of(WAVE.repeat(7), "…0123"),
        Arguments.of("a" + WAVE + "cdef" + WAVE + "h", "a" + WAVE + "…" + WAVE + "h"),
        Arguments.of("\ud83dabcdefgh\udc4b", "?a…h?"),
        // What cannot be seen is not shown.
        Arguments.of("\u0000\nabcdefg\u202e", "??…g?"),
        Arguments.of("\u001b[31mred alert\u0007", "?[…t?"),
        Arguments.of("\u200b\u2028abcdef\u2029\ufeff", "??…??"),
        Arguments.of("\ue000abcdefg\uffff", "?a…g?"),
        Arguments.of("<script>alert(1)</script>", "<s…t>"),
        // Of a key that was cut the end is not known.
        Arguments.of(KeyTruncation.cut("k".repeat(500)), "kk…"),
        Arguments.of(KeyTruncation.cut("alice-0001|" + "/x".repeat(500)), "al…01|/x…"),
        Arguments.of(KeyTruncation.cut("k".repeat(111) + "|" + "x".repeat(500)), "kk…kk|…4567"));
  }

  @ParameterizedTest
  @MethodSource("keys")
  void isShownByTheEndsOfItsValues(String kept, String masked) {
    String shown = new CallerKey(ID, kept).masked();
    assertThat(shown).isEqualTo(masked);
    assertThat(shown.codePoints().map(Character::getType))
        .doesNotContain((int) Character.CONTROL, (int) Character.SURROGATE, (int) Character.FORMAT);
  }

  private static final String OPEN_RULES =
      """
      attributes:
        api_key: { header: X-API-Key }
        session: { cookie: sid }
        token: { query: token }
        tier: { lookup: api_key, map: { k: gold-customers }, default: free }
        client: { first_of: [api_key, ip] }
      rules: [ { name: r, per: [ %s ], limit: 1 per hour } ]
      """;

  /** Credentials are masked, addresses and what no credential can be are not. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          ip,               192.0.2.7,             192.0.2.7
          ip,               2001:db8:0:1::/64,     2001:db8:0:1::/64
          api_key,          sk_live_abcdef,        sk…ef
          session,          sk_live_abcdef,        sk…ef
          token,            sk_live_abcdef,        sk…ef
          user,             alice-0001,            al…01
          tier,             gold-customers,        gold-customers
          method,           POST,                  POST
          path,             /api/v1/orders,        /api/v1/orders
          client,           192.0.2.7,             192.0.2.7
          client,           2001:db8:0:1::/64,     2001:db8:0:1::/64
          client,           sk_live_abcdef,        sk…ef
          client,           192.0.2.7-sk_live,     19…ve
          client,           fe80::1%sk_live_abc,   fe…bc
          remote_address,   192.0.2.7,             192.0.2.7
          remote_address,   alice-0001,            al…01
          'api_key, ip',    sk_live_abcdef|192.0.2.7, sk…ef|192.0.2.7
          'ip, path',       192.0.2.7|/a\\|b,      192.0.2.7|/a\\|b
          """)
  void isShownByWhereItsValuesComeFrom(String per, String kept, String shown) {
    InsightsFixture insightsFixture = new InsightsFixture(OPEN_RULES.formatted(per));
    Rule rule = insightsFixture.decisionEngine.rules().rules().get(0);
    assertThat(insightsFixture.insights.topCallers().named(rule, "r", kept).masked())
        .isEqualTo(shown);
  }

  @Test
  void aKeyThatIsCutInAPairOfSurrogatesEndsBeforeIt() {
    CallerKey callerKey = new CallerKey(ID, KeyTruncation.cut("k".repeat(111) + WAVE.repeat(50)));
    assertThat(callerKey.isWhole()).isFalse();
    assertThat(callerKey.revealed()).isEqualTo("k".repeat(111) + "…");
    assertThat(callerKey.masked()).isEqualTo("kk…");
  }
}
