package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes in pieces of any size, read as replies. */
final class RespDecoderTest {
  private static final String STREAM =
      ":7\r\n"
          + "*3\r\n:1\r\n:1700000000000000\r\n:-9007199254740991\r\n"
          + "*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n*1\r\n:3\r\n"
          + "*0\r\n"
          + "*-1\r\n"
          + "$-1\r\n"
          + "-NOSCRIPT No matching script\r\n"
          + ":9223372036854775807\r\n";
  private static final String READ =
      "[[7], [1, 1700000000000000, -9007199254740991], [1, 2, 3], [], [], [], "
          + "NOSCRIPT No matching script, [9223372036854775807]]";

  private static void write(RespDecoder respDecoder, byte[] bytes, int from, int to)
      throws Exception {
    byte[] room = respDecoder.room(to - from);
    System.arraycopy(bytes, from, room, respDecoder.end(), to - from);
    respDecoder.wrote(to - from);
  }

  private static void readAll(RespDecoder respDecoder, List<String> read) throws Exception {
    while (!respDecoder.isEmpty() && respDecoder.nextNumbers()) {
      String error = respDecoder.error();
      read.add(error == null ? Arrays.toString(respDecoder.numbers()) : error);
    }
  }

  @Test
  void readsNumbersHoweverTheyCome() throws Exception {
    byte[] bytes = STREAM.getBytes(StandardCharsets.UTF_8);
    for (int piece = 1; piece <= bytes.length; piece++) {
      RespDecoder respDecoder = new RespDecoder();
      List<String> read = new ArrayList<>();
      for (int at = 0; at < bytes.length; at += piece) {
        write(respDecoder, bytes, at, Math.min(bytes.length, at + piece));
        readAll(respDecoder, read);
      }
      assertThat(read).as("in pieces of " + piece).hasToString(READ);
      assertThat(respDecoder.isEmpty()).isTrue();
    }
  }

  @Test
  void readsMoreThanItHasRoomForAtFirst() throws Exception {
    RespDecoder respDecoder = new RespDecoder();
    StringBuilder text = new StringBuilder("*5000\r\n");
    for (int i = 0; i < 5000; i++) {
      text.append(":").append(i).append("\r\n");
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    List<String> read = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      for (int at = 0; at < bytes.length; at += 1000) {
        write(respDecoder, bytes, at, Math.min(bytes.length, at + 1000));
        readAll(respDecoder, read);
      }
    }
    assertThat(read).hasSize(3).allMatch(each -> each.endsWith("4998, 4999]"));
  }

  @Test
  void readsValuesOfAnyShape() throws Exception {
    byte[] bytes =
        ("*4\r\n*3\r\n:0\r\n$-1\r\n$3\r\nabc\r\n+OK\r\n-ERR no\r\n*0\r\n:1\r\n")
            .getBytes(StandardCharsets.UTF_8);
    for (int piece = 1; piece <= bytes.length; piece++) {
      RespDecoder respDecoder = new RespDecoder();
      List<Object> read = new ArrayList<>();
      for (int at = 0; at < bytes.length; at += piece) {
        write(respDecoder, bytes, at, Math.min(bytes.length, at + piece));
        while (!respDecoder.isEmpty() && respDecoder.nextValue()) {
          read.add(respDecoder.value());
        }
      }
      assertThat(read)
          .containsExactly(
              Arrays.asList(
                  Arrays.asList(0L, null, "abc"), "OK", new ErrorReply("ERR no"), List.of()),
              1L);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 400 Bad Request\r\n",
        ":1x\r\n",
        ":\r\n",
        ":-\r\n",
        ":1\n\n",
        "*x\r\n",
        ":12345678901234567890\r\n",
        ":9223372036854775808\r\n",
        "$18446744073709551615\r\n",
        "$-7\r\n",
        "*-7\r\n",
        "*99999999999\r\n:1\r\n",
        "$2\r\nabc\r\n",
        "$99999999999\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
        "\u0000"
      })
  void refusesWhatIsNoReply(String text) throws Exception {
    RespDecoder respDecoder = new RespDecoder();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(respDecoder, bytes, 0, bytes.length);
    assertThatThrownBy(respDecoder::nextNumbers).isInstanceOf(RespDecoder.RespException.class);
    assertThatThrownBy(respDecoder::nextValue).isInstanceOf(RespDecoder.RespException.class);
  }

  /** No call waits for a connection that has lost its place. */
  @ParameterizedTest
  @ValueSource(strings = {"+OK\r\n", "$2\r\nOK\r\n", "$2\r\n", "*2\r\n:1\r\n+OK\r\n"})
  void refusesTextsWhereNumbersAreExpected(String text) throws Exception {
    RespDecoder respDecoder = new RespDecoder();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(respDecoder, bytes, 0, bytes.length);
    assertThatThrownBy(respDecoder::nextNumbers).isInstanceOf(RespDecoder.RespException.class);
  }

  /**
   * What is not yet whole is read again each time more has come: so it must not grow without end.
   */
  @ParameterizedTest
  @ValueSource(strings = {"*999999\r\n", "-"})
  void givesUpOnNumbersThatNeverEnd(String start) {
    RespDecoder respDecoder = new RespDecoder();
    assertThatThrownBy(
            () -> {
              byte[] more = start.getBytes(StandardCharsets.UTF_8);
              for (int i = 0; i < 20_000; i++) {
                write(respDecoder, more, 0, more.length);
                assertThat(respDecoder.nextNumbers()).isFalse();
                more = (start.equals("-") ? "xxxx" : ":1\r\n").getBytes(StandardCharsets.UTF_8);
              }
            })
        .isInstanceOf(RespDecoder.RespException.class);
  }

  @Test
  void boundsWhatItKeeps() {
    RespDecoder respDecoder = new RespDecoder();
    assertThatThrownBy(() -> respDecoder.room(17 << 20))
        .isInstanceOf(RespDecoder.RespException.class);
  }
}
