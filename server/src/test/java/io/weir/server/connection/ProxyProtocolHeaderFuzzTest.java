package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Headers of the PROXY protocol, compared with a slow and obvious reader of whole ones. */
class ProxyProtocolHeaderFuzzTest implements FuzzTarget {
  private static final String MALFORMED = "malformed";
  private static final String MORE = "more";
  private static final String SECOND = "\r\n\r\n\0\r\nQUIT\n";
  private static final Pattern FIRST =
      Pattern.compile(
          "PROXY (?:UNKNOWN(?: [^\n"
              + "]*)?|(TCP[46]) ([^ \n"
              + "]+) ([^ \n"
              + "]+) (0|[1-9][0-9]{0,4}) (0|[1-9][0-9]{0,4}))\r\n");
  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1?[1-9]?[0-9]|1[0-9][0-9])(?:\\.(?!$)|$)){4}");
  private static final Pattern IPV6 =
      Pattern.compile("(?=.*:)(?!.*[:.]0[0-9]+[.])(?!.*[.]0[0-9])[0-9a-fA-F:][0-9a-fA-F:.]*");
  private static final Pattern DOTTED_IPV6 = Pattern.compile("PROXY TCP6 [^\r]*[.]");

  @Test
  void readsTheSeedsAsTheModelDoes() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutesAsTheModelDoes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "PROXY TCP4 203.0.113.7 127.0.0.1 51234 443\r\nGET",
            "PROXY TCP6 2001:db8::7 ::1 51234 443\r\nGET",
            "PROXY TCP6 ::ffff:203.0.113.7 ::1 0 65535\r\n",
            "PROXY UNKNOWN\r\nGET",
            "PROXY UNKNOWN ffff::1 ::1 65535 65535\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1 1\n",
            "PROXY TCP4 203.0.113.7 027.0.0.1 51234 443\r\n",
            "PROXY TCP6 ::fffa:203.0.113.7 ::1 0 65535\r\n",
            "PROXY TCP6 ::ffff:010.0.0.1 ::1 051 443\r\n",
            SECOND + "\41\21\0\14abcdefghijkl",
            SECOND + "\41\41\0\44abcdefghijklabcdefghijklabcdefghijkl",
            SECOND + "\41\21\0\21abcdefghijkl\4\0\2hi",
            SECOND + "\40\0\0\0GET",
            SECOND + "\41\61\0\0",
            "GET / HTTP/1.1\r\n\r\n")
        .map(header -> header.getBytes(ISO_8859_1))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of("PROXY ", "TCP4 ", "TCP6 ", "UNKNOWN", "\r\n", "::", "255", "65535", SECOND);
  }

  @Override
  public void run(byte[] input) throws IOException {
    String found = read(input);
    // Netty reads a dotted end behind :: and ::ffff: alone, where programs write one.
    boolean isDotted = DOTTED_IPV6.matcher(new String(input, ISO_8859_1)).lookingAt();
    assertThat(isDotted && found.equals(MALFORMED) ? expected(input) : found)
        .isEqualTo(expected(input));

    int needed = found.startsWith("of ") ? Integer.parseInt(found.split(" ", -1)[1]) : input.length;
    for (int cut = 0; cut < Math.min(needed, 300); cut++) {
      String early = read(Arrays.copyOf(input, cut));
      if (!found.equals(MALFORMED)) {
        assertThat(early).as("cut at " + cut).isEqualTo(MORE);
      } else {
        assertThat(early).as("cut at " + cut).isIn(MORE, MALFORMED);
      }
    }
    if (!found.equals(MORE)) {
      assertThat(read(Arrays.copyOf(input, input.length + 200))).isEqualTo(found);
    }
  }

  private static String read(byte[] input) {
    try {
      ProxyProtocolHeader header = ProxyProtocolHeader.read(Unpooled.wrappedBuffer(input));
      return header == null ? MORE : of(header.length(), header.client());
    } catch (ProxyProtocolHeader.MalformedHeaderException e) {
      assertThat(e.getMessage()).isNotBlank();
      return MALFORMED;
    }
  }

  private static String of(int length, InetSocketAddress client) {
    return "of " + length + " for " + client;
  }

  private static String expected(byte[] input) throws IOException {
    String text = new String(input, ISO_8859_1);
    if (text.startsWith("PROXY ")) {
      return expectedFirst(text);
    }
    if (text.startsWith(SECOND)) {
      return expectedSecond(input);
    }
    return "PROXY ".startsWith(text) || SECOND.startsWith(text) ? MORE : MALFORMED;
  }

  private static String expectedFirst(String text) throws IOException {
    int end = text.indexOf('\n');
    if (end < 0 || end >= 107) {
      return text.length() < 107 ? MORE : MALFORMED;
    }
    Matcher line = FIRST.matcher(text.substring(0, end + 1));
    if (!line.matches()) {
      return MALFORMED;
    }
    if (line.group(1) == null) {
      return of(end + 1, null);
    }
    Pattern address = line.group(1).equals("TCP4") ? IPV4 : IPV6;
    int port = Integer.parseInt(line.group(4));
    if (!address.matcher(line.group(2)).matches()
        || !address.matcher(line.group(3)).matches()
        || port > 65_535
        || Integer.parseInt(line.group(5)) > 65_535) {
      return MALFORMED;
    }
    try {
      InetAddress.getByName(line.group(3));
      return of(end + 1, new InetSocketAddress(InetAddress.getByName(line.group(2)), port));
    } catch (IOException e) {
      return MALFORMED;
    }
  }

  private static String expectedSecond(byte[] input) throws IOException {
    if (input.length < 16) {
      return MORE;
    }
    ByteBuffer in = ByteBuffer.wrap(input).position(12);
    int command = in.get();
    int family = in.get();
    int length = Short.toUnsignedInt(in.getShort());
    int addressBytes = family == 0x11 ? 4 : family == 0x21 ? 16 : 0;
    int needed = addressBytes == 0 ? 0 : 2 * addressBytes + 4;
    if ((command != 0x20 && command != 0x21)
        || length > 4096
        || (command == 0x21 && length < needed)) {
      return MALFORMED;
    }
    if (in.remaining() < length) {
      return MORE;
    }
    if (command == 0x20 || needed == 0) {
      return of(16 + length, null);
    }
    byte[] address = new byte[addressBytes];
    in.get(address).position(in.position() + addressBytes);
    int port = Short.toUnsignedInt(in.getShort());
    return of(16 + length, new InetSocketAddress(InetAddress.getByAddress(address), port));
  }
}
