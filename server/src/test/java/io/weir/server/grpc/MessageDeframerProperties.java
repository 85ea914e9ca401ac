package io.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What callers send may be cut anywhere, and damaged anywhere. */
class MessageDeframerProperties {
  private static final int MAX_BYTES = 300;

  /** However it is cut into parts, the same messages come out. */
  @Test
  void messagesAreTheSameHoweverTheyAreCut() {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      List<Integer> sizes = new ArrayList<>();
      Buffer sent = Buffer.buffer();
      for (int k = random.nextInt(5); k >= 0; k--) {
        int size = random.nextInt(4) == 0 ? random.nextInt(MAX_BYTES + 1) : random.nextInt(4);
        byte[] message = new byte[size];
        random.nextBytes(message);
        sizes.add(size);
        sent.appendByte((byte) 0).appendInt(size).appendBytes(message);
      }
      assertThat(read(sent, random)).as("seed " + seed).isEqualTo(sizes.size());
    }
  }

  /** Damaged, it is cut all the same or refused with a status; nothing else is thrown. */
  @Test
  void damagedMessageIsAnError() {
    int refused = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] message = new byte[random.nextInt(20)];
      Buffer sent = Buffer.buffer().appendByte((byte) 0).appendInt(message.length);
      sent.appendBytes(message).appendBytes(sent.getBytes());
      for (int k = random.nextInt(4); k >= 0; k--) {
        sent.setByte(random.nextInt(sent.length()), (byte) random.nextInt(256));
      }
      try {
        read(sent, random);
      } catch (GrpcException e) {
        assertThat(e.getMessage()).as("seed " + seed).isNotBlank();
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(refused).isPositive();
  }

  private static int read(Buffer sent, Random random) {
    MessageDeframer messageDeframer = new MessageDeframer(MAX_BYTES, true);
    int messages = 0;
    for (int at = 0; at < sent.length(); ) {
      int end = Math.min(sent.length(), at + 1 + random.nextInt(random.nextBoolean() ? 3 : 200));
      messageDeframer.add(sent.getBuffer(at, end));
      at = end;
      while (messageDeframer.next() != null) {
        messages++;
      }
      assertThat(messageDeframer.rest()).isLessThanOrEqualTo(MAX_BYTES + 5);
    }
    return messages;
  }

  /** {@code grpc-timeout} is a time that is not negative, or refused. */
  @Test
  void timeouts() {
    String letters = "0123456789HMSmun -+.\u0660\u00fc";
    int understood = 0;
    for (int seed = 0; seed < 50_000; seed++) {
      Random random = new Random(seed);
      StringBuilder text = new StringBuilder();
      for (int k = random.nextInt(11); k > 0; k--) {
        text.append(letters.charAt(random.nextInt(random.nextBoolean() ? 10 : letters.length())));
      }
      try {
        assertThat(GrpcTimeout.nanos(text.toString())).as("seed " + seed).isNotNegative();
        assertThat(text.toString()).as("seed " + seed).matches("[0-9]{1,8}[HMSmun]");
        understood++;
      } catch (GrpcException e) {
        assertThat(text.toString()).as("seed " + seed).doesNotMatch("[0-9]{1,8}[HMSmun]");
      }
    }
    assertThat(understood).isPositive();
  }
}
