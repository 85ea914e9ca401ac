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
final class RepliesTest {
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

  private static void write(Replies replies, byte[] bytes, int from, int to) throws Exception {
    byte[] room = replies.room(to - from);
    System.arraycopy(bytes, from, room, replies.end(), to - from);
    replies.wrote(to - from);
  }

  private static void readAll(Replies replies, List<String> read) throws Exception {
    while (!replies.isEmpty() && replies.nextNumbers()) {
      String error = replies.error();
      read.add(error == null ? Arrays.toString(replies.numbers()) : error);
    }
  }

  @Test
  void readsNumbersHoweverTheyCome() throws Exception {
    byte[] bytes = STREAM.getBytes(StandardCharsets.UTF_8);
    for (int piece = 1; piece <= bytes.length; piece++) {
      Replies replies = new Replies();
      List<String> read = new ArrayList<>();
      for (int at = 0; at < bytes.length; at += piece) {
        write(replies, bytes, at, Math.min(bytes.length, at + piece));
        readAll(replies, read);
      }
      assertThat(read).as("in pieces of " + piece).hasToString(READ);
      assertThat(replies.isEmpty()).isTrue();
    }
  }

  @Test
  void readsMoreThanItHasRoomForAtFirst() throws Exception {
    Replies replies = new Replies();
    StringBuilder text = new StringBuilder("*5000\r\n");
    for (int i = 0; i < 5000; i++) {
      text.append(":").append(i).append("\r\n");
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    List<String> read = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      for (int at = 0; at < bytes.length; at += 1000) {
        write(replies, bytes, at, Math.min(bytes.length, at + 1000));
        readAll(replies, read);
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
      Replies replies = new Replies();
      List<Object> read = new ArrayList<>();
      for (int at = 0; at < bytes.length; at += piece) {
        write(replies, bytes, at, Math.min(bytes.length, at + piece));
        while (!replies.isEmpty() && replies.nextValue()) {
          read.add(replies.value());
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
    Replies replies = new Replies();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(replies, bytes, 0, bytes.length);
    assertThatThrownBy(replies::nextNumbers).isInstanceOf(Replies.Garbled.class);
    assertThatThrownBy(replies::nextValue).isInstanceOf(Replies.Garbled.class);
  }

  /** Nobody waits for a connection that has lost its place. */
  @ParameterizedTest
  @ValueSource(strings = {"+OK\r\n", "$2\r\nOK\r\n", "$2\r\n", "*2\r\n:1\r\n+OK\r\n"})
  void refusesTextsWhereNumbersAreExpected(String text) throws Exception {
    Replies replies = new Replies();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(replies, bytes, 0, bytes.length);
    assertThatThrownBy(replies::nextNumbers).isInstanceOf(Replies.Garbled.class);
  }

  /**
   * What is not yet whole is read again each time more has come: so it must not grow without end.
   */
  @ParameterizedTest
  @ValueSource(strings = {"*999999\r\n", "-"})
  void givesUpOnNumbersThatNeverEnd(String start) {
    Replies replies = new Replies();
    assertThatThrownBy(
            () -> {
              byte[] more = start.getBytes(StandardCharsets.UTF_8);
              for (int i = 0; i < 20_000; i++) {
                write(replies, more, 0, more.length);
                assertThat(replies.nextNumbers()).isFalse();
                more = (start.equals("-") ? "xxxx" : ":1\r\n").getBytes(StandardCharsets.UTF_8);
              }
            })
        .isInstanceOf(Replies.Garbled.class);
  }

  @Test
  void boundsWhatItKeeps() {
    Replies replies = new Replies();
    assertThatThrownBy(() -> replies.room(17 << 20)).isInstanceOf(Replies.Garbled.class);
  }
}
