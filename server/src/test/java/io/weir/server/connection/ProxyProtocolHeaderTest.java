package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.rig.Fuzzing;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged headers of the PROXY protocol: refused, or awaited, or read within their bounds. */
class ProxyProtocolHeaderTest {
  private static final int ROUNDS = 40_000;

  private static final List<String> GOOD =
      List.of(
          "PROXY TCP4 203.0.113.7 127.0.0.1 51234 443\r\nGET",
          "PROXY TCP6 2001:db8::7 ::1 51234 443\r\nGET",
          "PROXY UNKNOWN\r\nGET",
          "\r\n\r\n\0\r\nQUIT\n\41\21\0\14abcdefghijkl",
          "\r\n\r\n\0\r\nQUIT\n\41\41\0\44abcdefghijklabcdefghijklabcdefghijkl",
          "\r\n\r\n\0\r\nQUIT\n\40\0\0\0GET");

  private static final List<byte[]> PIECES =
      Stream.of(
              " ",
              "  ",
              "\r\n",
              "\n",
              "TCP4",
              "TCP6",
              "65536",
              "-1",
              "::",
              "%eth0",
              "\0",
              "\377\377")
          .map(piece -> piece.getBytes(ISO_8859_1))
          .toList();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TCP4 203.0.113.07 127.0.0.1 51234 443",
        "TCP4 203.0.113.7 027.0.0.1 51234 443",
        "TCP6 ::ffff:010.0.0.1 ::1 51234 443",
        "TCP4 203.0.113.7 127.0.0.1 01234 443",
        "TCP4 203.0.113.7 127.0.0.1 51234 00"
      })
  void refusesLeadingZeros(String line) {
    ByteBuf in = Unpooled.copiedBuffer("PROXY " + line + "\r\n", ISO_8859_1);
    assertThatThrownBy(() -> ProxyProtocolHeader.read(in))
        .isInstanceOf(ProxyProtocolHeader.MalformedHeaderException.class);
  }

  @Test
  void readsZerosThatDoNotLeadADecimalNumber() throws ProxyProtocolHeader.MalformedHeaderException {
    ByteBuf in = Unpooled.copiedBuffer("PROXY TCP6 2001:0db8::01 ::10.0.0.1 0 443\r\n", ISO_8859_1);
    assertThat(ProxyProtocolHeader.read(in)).isNotNull();
  }

  @Test
  void readsDamagedHeadersWithinBounds() {
    AtomicInteger survivors = new AtomicInteger();
    Fuzzing.rounds(
        ROUNDS,
        random -> {
          byte[] good = Fuzzing.pick(GOOD, random).getBytes(ISO_8859_1);
          byte[] bytes = random.nextInt(8) == 0 ? good : Fuzzing.damaged(good, PIECES, random);
          ByteBuf in = Unpooled.wrappedBuffer(bytes);
          try {
            ProxyProtocolHeader header = ProxyProtocolHeader.read(in);
            assertThat(in.readerIndex()).isZero();
            if (header == null) {
              assertThat(bytes.length).isLessThan(4096 + 16);
            } else {
              assertThat(header.length()).isBetween(1, bytes.length);
              survivors.incrementAndGet();
            }
          } catch (ProxyProtocolHeader.MalformedHeaderException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
    assertThat(survivors.get()).isGreaterThan(ROUNDS / 20);
  }
}
