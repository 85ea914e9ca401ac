package io.weir.rules.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import io.weir.rules.match.Address;
import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Targets, paths, queries, addresses and credentials: what is in its one form stays as it is, two
 * ways to ask for a parameter agree, and nothing is thrown but that the request is malformed.
 */
class RequestPartsFuzzTest implements FuzzTarget {
  private static final String MALFORMED = "malformed";

  @Test
  void readsTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "/api/..;v=1/%61dmin//./x/?q=%20&k=v+w",
            "/%C3%A9/a;b=c/%2e%2e/*",
            "/?k=%F0%9F%98%80&k[]=2;k=3",
            "2001:db8::ffff:192.0.2.1",
            "[::1]:80",
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ",
            "bearer  a.b-c",
            "")
        .map(text -> text.getBytes(ISO_8859_1))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of("%2e", "%2F", "..", "//", "%C3%A9", "::", "k=", "k%5B%5D", "Basic ", "Bearer ");
  }

  @Override
  public void run(byte[] input) {
    String text = new String(input, ISO_8859_1);
    requireOneForm(text, CanonicalPath::of, RequestPartsFuzzTest::escaped);
    requireOneForm(
        text, raw -> RequestTarget.path(RequestTarget.of(raw)), UnaryOperator.identity());
    requireOneForm(text, Credentials::canonical, UnaryOperator.identity());
    requireOneForm(text, raw -> known(raw).toString(), UnaryOperator.identity());
    Hosts.isHost(text);

    String one = attempt(text, query -> String.valueOf(Query.parameter(query, "k")));
    String all = attempt(text, query -> parameters(query).getOrDefault("k", "null"));
    if (!one.equals(MALFORMED) && !all.equals(MALFORMED)) {
      assertThat(one).isEqualTo(all);
    }
  }

  /** A path as it would be sent. */
  private static String escaped(String path) {
    return path.replace("%", "%25").replace("?", "%3F").replace("#", "%23").replace(";", "%3B");
  }

  private static Map<String, String> parameters(String query) {
    return Query.parameters(query, 100);
  }

  private static Address known(String text) {
    return Optional.ofNullable(Address.parse(text))
        .orElseThrow(() -> new MalformedRequestException("no address"));
  }

  /**
   * Requires that what a reader makes of a text is read as itself.
   *
   * @param sent how what was read would be sent
   */
  private static void requireOneForm(
      String text, UnaryOperator<String> reader, UnaryOperator<String> sent) {
    String found = attempt(text, reader);
    if (!found.equals(MALFORMED)) {
      String again = attempt(sent.apply(found), reader);
      if (!again.equals(MALFORMED)) {
        assertThat(again).isEqualTo(found);
      }
    }
  }

  private static String attempt(String text, UnaryOperator<String> reader) {
    try {
      return reader.apply(text);
    } catch (MalformedRequestException e) {
      return MALFORMED;
    }
  }
}
